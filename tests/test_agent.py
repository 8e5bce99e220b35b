"""`examples/agent.py`, as a user runs it, with a server on this machine in place of the model."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loopback.api import Asked, Call, Reply
from tests.loopback.server import Loopback, serving

ROOT = Path(__file__).parent.parent
AGENT = ROOT / "examples" / "agent.py"
DM = "Hey Simon, who mentioned me?"


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serving() as running:
        yield running


def _run(server: Loopback, *wishes: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **server.environment, **variables}
    command = [sys.executable, str(AGENT), *wishes]
    return subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_it_is_short() -> None:
    assert len(AGENT.read_text(encoding="utf-8").splitlines()) < 60


@pytest.mark.parametrize("wishes", [(), ("one", "two")])
def test_without_a_message_it_says_how_it_is_used(server: Loopback, wishes: tuple[str, ...]) -> None:
    done = _run(server, *wishes)
    assert (done.returncode, done.stdout) == (1, "")
    assert "python examples/agent.py" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_direct_message_is_answered_with_what_the_tools_returned(server: Loopback) -> None:
    done = _run(server, DM)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('Done: [{"author": "alice"')
    assert 'and {"error": "KeyError: ' in done.stdout  # the second tool is none of the agent's own
    assert [message["role"] for message in server.bodies[-1]["messages"]] == [
        "system", "user", "assistant", "tool", "tool",
    ]  # fmt: skip
    assert server.bodies[-1]["messages"][1]["content"] == DM


def test_a_cron_job_is_answered_with_what_the_tools_returned(server: Loopback) -> None:
    done = _run(server, "examples/cron.yaml")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" and nothing.\n")  # memory_read knows no `noon`
    assert server.bodies[-1]["messages"][1]["content"].startswith("Triggering event:")


def test_the_model_is_that_of_the_environment(server: Loopback) -> None:
    assert _run(server, DM, MODEL="gpt-4.1").returncode == 0
    assert {body["model"] for body in server.bodies[-2:]} == {"gpt-4.1"}


def test_a_model_that_never_stops_calling_is_stopped() -> None:
    def forever(asked: Asked) -> Reply:
        return Reply("", (Call("memory_read", {"key": str(len(asked.results))}),))

    with serving(forever) as server:
        done = _run(server, DM)
    assert done.returncode == 1
    assert "no answer after 10 rounds" in done.stderr
    assert len(server.bodies) == 10
