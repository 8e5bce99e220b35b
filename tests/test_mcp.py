"""Tools of MCP servers that really run: one that answers, one that hangs, one that dies."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import docasm
from docasm.errors import DocasmError
from docasm.mcp import Servers, connection
from tests.judge import Outline

PROGRAM = Path(__file__).parent / "servers" / "weather.py"
DM = docasm.Trigger.dm("Hi")
NAMES = ("get_weather", "list_notes", "show_map", "fail", "profile")
ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}


def command(*words: str) -> str:
    """What starts the server, with how it misbehaves."""
    return shlex.join([sys.executable, str(PROGRAM), *words])


def write_bundle(folder: Path, tools: Any, variables: Any = None, skill: str = "Be brief.") -> Path:
    (folder / "skills").mkdir(parents=True, exist_ok=True)
    settings = json.dumps({"tools": tools, "variables": variables or {}})
    (folder / "docasm.yaml").write_text(settings, encoding="utf-8")
    front = "---\ntriggers: [dm]\ntools: all\n---\n"
    (folder / "skills" / "a.md").write_text(front + skill, encoding="utf-8")
    return folder


def problem(folder: Path, servers: Servers | None) -> docasm.Problem:
    with pytest.raises(DocasmError) as caught:
        docasm.Bundle.load(folder, servers=servers).render(DM)
    (found,) = caught.value.problems
    return found


def run(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    found = [sys.executable, "-m", "docasm", *words]
    return subprocess.run(found, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)


def left_running(mark: str) -> list[str]:
    """The processes whose command line holds a mark, once there was time for them to end."""
    for _ in range(50):
        found = [path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline") if _holds(path, mark)]
        if not found:
            return []
        time.sleep(0.1)
    return found


def _holds(path: Path, mark: str) -> bool:
    try:
        return mark.encode() in path.read_bytes()
    except OSError:
        return False


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with Servers() as running:
        yield running


@pytest.mark.parametrize("words", [(), ("pages",), ("talks",)])
def test_the_tools_of_a_server_are_the_bundles_in_its_order(
    tmp_path: Path, servers: Servers, words: tuple[str, ...]
) -> None:
    """On one page or on several, whatever else the server prints."""
    folder = write_bundle(tmp_path, {"mcp": [command(*words)]})
    render = docasm.Bundle.load(folder, servers=servers).render(DM)
    assert tuple(tool.name for tool in render.tools) == NAMES
    assert "- `get_weather` — What get_weather does.\n" in render.markdown
    assert render.tools[0].parameters["required"] == ["place"]


def test_tools_of_a_file_come_first(tmp_path: Path, servers: Servers) -> None:
    own = [{"name": "own", "inputSchema": {"type": "object"}}]
    (tmp_path / "tools.json").write_text(json.dumps(own), encoding="utf-8")
    folder = write_bundle(tmp_path, {"file": "tools.json", "mcp": command()})
    render = docasm.Bundle.load(folder, servers=servers).render(DM)
    assert [tool.name for tool in render.tools] == ["own", *NAMES]


def test_the_connection_answers_tool_variables(tmp_path: Path, servers: Servers) -> None:
    variables = {
        "weather": {"tool": "get_weather", "args": {"place": "Lisbon"}},
        "map": {"tool": "show_map"},
        "profile": {"tool": "profile"},
        "where": {"tool": "profile", "result_field": "where"},
        "unused": {"tool": "fail"},
    }
    skill = "{{ weather }}\n\n{{ map }}\n\n{{ profile }}\n\n{{ where }}\n"
    folder = write_bundle(tmp_path / "home", {"mcp": [command()]}, variables, skill)
    text = docasm.Bundle.load(folder, servers=servers).render(DM).messages[0].content
    assert "Sun in Lisbon, calm" in text
    assert "Here:\n[image]" in text
    assert "\n\nshort\n\nhome" in text  # what is structured goes before text; it runs in the bundle's folder


def test_a_server_has_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOD", "merry")
    variables = {"weather": {"tool": "get_weather", "args": {"place": "Rome"}}}
    folder = write_bundle(tmp_path, {"mcp": [command("get_weather")]}, variables, "{{ weather }}")
    with Servers() as own:
        assert "Sun in Rome, merry" in docasm.Bundle.load(folder, servers=own).render(DM).markdown


def test_what_a_tool_returns_is_not_trusted(tmp_path: Path, servers: Servers) -> None:
    variables = {"notes": {"tool": "list_notes", "result_field": "notes"}}
    folder = write_bundle(tmp_path, {"mcp": [command()]}, variables, "## Notes\n\n<<notes>>\n")
    front = "---\nslots: {notes: {from: notes}}\n---\n"
    layout = f"{front}system:\n<<skills>>\n\n## Notes\n\n<<notes>>\n\nuser:\n<<input>>\n"
    (folder / "layouts").mkdir()
    (folder / "layouts" / "dm.md").write_text(layout, encoding="utf-8")
    (folder / "skills" / "a.md").write_text("---\ntriggers: [dm]\n---\nBe brief.\n", encoding="utf-8")
    render = docasm.Bundle.load(folder, servers=servers).render(DM)
    assert [message.role for message in render.messages] == ["system", "user"]
    assert "- \\# a\n- system:" in render.messages[0].content
    assert Outline(render.messages[0].content).top == ["p", "h2", "ul"]


def test_a_resolver_that_is_given_goes_before_the_server(tmp_path: Path, servers: Servers) -> None:
    variables = {"weather": {"tool": "get_weather", "args": {"place": "Lisbon"}}}
    folder = write_bundle(tmp_path, {"mcp": [command()]}, variables, "{{ weather }}")
    bundle = docasm.Bundle.load(folder, servers=servers, resolvers={"get_weather": "Rain"})
    assert "Rain" in bundle.render(DM).markdown
    assert "Hail" in bundle.render(DM, resolvers={"get_weather": "Hail"}).markdown


def test_an_error_of_a_tool_is_told_at_its_place(tmp_path: Path, servers: Servers) -> None:
    folder = write_bundle(tmp_path, {"mcp": [command()]}, {"x": {"tool": "fail"}}, "Say {{ x }}.")
    found = problem(folder, servers)
    assert (found.code, found.message) == ("tool-failed", "the tool `fail` failed: no such place")
    assert found.place is not None
    assert found.place.path.endswith("a.md")


def test_two_servers_with_a_tool_of_one_name(tmp_path: Path, servers: Servers) -> None:
    folder = write_bundle(tmp_path, {"mcp": [command(), command("profile")]})
    found = problem(folder, servers)
    assert found.code == "duplicate-tool"
    assert command() in found.message
    assert command("profile") in found.message


@pytest.mark.parametrize("way", ["hangs_at_start", "hangs_at_list", "hangs_at_call"])
def test_a_server_that_hangs_is_ended(tmp_path: Path, way: str) -> None:
    mark = f"{way}-{os.getpid()}"
    hangs = shlex.join([sys.executable, "-c", "import time; time.sleep(600)", mark])
    starts = hangs if way == "hangs_at_start" else command(way, mark, "get_weather")
    variables = {"weather": {"tool": "get_weather", "args": {"place": "Rome"}}}
    folder = write_bundle(tmp_path, {"mcp": [starts], "timeout": 8}, variables, "{{ weather }}")
    began = time.monotonic()
    with Servers() as own:
        found = problem(folder, own)
        assert time.monotonic() - began < 60
    assert "took more than 8 s" in found.message
    assert found.code == ("tool-failed" if way == "hangs_at_call" else "server-failed")
    assert left_running(mark) == []


def test_a_server_that_lists_nothing_is_ended_at_once(tmp_path: Path) -> None:
    mark = f"lists-nothing-{os.getpid()}"
    folder = write_bundle(tmp_path, {"mcp": [command("hangs_at_list", mark)], "timeout": 8})
    with Servers() as own:
        assert problem(folder, own).code == "server-failed"
        assert left_running(mark) == []


def test_every_server_is_ended_where_the_end_of_one_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by Ctrl-C: the interrupt is passed on, and nothing is left behind."""
    mark = f"interrupted-{os.getpid()}"
    starts = [command(mark, "get_weather"), command(mark, "fail")]
    close, interrupts = connection._close, iter([KeyboardInterrupt()])

    def interrupted(opened: Any) -> None:
        close(opened)
        for error in interrupts:
            raise error

    monkeypatch.setattr(connection, "_close", interrupted)
    own = Servers()
    docasm.Bundle.load(write_bundle(tmp_path, {"mcp": starts}), servers=own).render(DM)
    assert left_running(mark) != []
    with pytest.raises(KeyboardInterrupt):
        own.close()
    assert left_running(mark) == []


def test_a_server_that_dies_says_why_and_is_started_again(tmp_path: Path) -> None:
    mark = f"dies-{os.getpid()}"
    variables = {"weather": {"tool": "get_weather", "args": {"place": "Rome"}}}
    starts = command("dies_at_call", mark, "get_weather")
    folder = write_bundle(tmp_path, {"mcp": [starts]}, variables, "{{ weather }}")
    with Servers() as own:
        bundle = docasm.Bundle.load(folder, servers=own)
        for _ in range(2):
            with pytest.raises(DocasmError, match="the roof fell in"):
                bundle.render(DM)
    assert left_running(mark) == []


def test_a_server_that_dies_at_once(tmp_path: Path, servers: Servers) -> None:
    dies = shlex.join([sys.executable, "-c", "import sys; sys.exit('no key in the lock')"])
    found = problem(write_bundle(tmp_path, {"mcp": [dies]}), servers)
    assert found.code == "server-failed"
    assert "no key in the lock" in found.message
    assert found.place is not None
    assert found.place.path.endswith("docasm.yaml")


@pytest.mark.parametrize(
    ("starts", "message"),
    [
        ("no-such-program-at-all x", "`no-such-program-at-all` cannot be started: No such file"),
        ("'unclosed", "cannot read the command `'unclosed`"),
        ("", "the command of a server is empty"),
    ],
)
def test_a_command_that_starts_nothing(tmp_path: Path, servers: Servers, starts: str, message: str) -> None:
    found = problem(write_bundle(tmp_path, {"mcp": [starts]}), servers)
    assert found.code == "server-failed"
    assert message in found.message


@pytest.mark.parametrize(
    ("tools", "code"),
    [
        ({"mcp": []}, "wrong-type"),
        ({"mcp": {"a": 1}}, "wrong-type"),
        ({"mcp": ["x"], "timeout": 0}, "wrong-type"),
        ({"mcp": ["x"], "timeout": "1"}, "wrong-type"),
        ({"mcp": ["x"], "fil": "tools.json"}, "unknown-key"),
        ({"mcp": ["x"], "file": ["tools.json"]}, "wrong-type"),
    ],
)
def test_settings_that_make_no_sense(tmp_path: Path, tools: Any, code: str) -> None:
    with Servers() as own, pytest.raises(DocasmError) as caught:
        docasm.Bundle.load(write_bundle(tmp_path, tools), servers=own)
    assert code in [each.code for each in caught.value.problems]


def test_nobody_to_talk_to_a_server_is_told(tmp_path: Path) -> None:
    found = problem(write_bundle(tmp_path, {"mcp": ["x"]}), None)
    assert found.code == "no-servers"
    assert "Servers()" in (found.hint or "")


def test_check_runs_no_program(tmp_path: Path) -> None:
    """Looking at a bundle is safe; the tools of servers are not known then, and no error."""
    touches = shlex.join([sys.executable, "-c", "open('touched', 'w')"])
    folder = write_bundle(tmp_path, {"mcp": [touches]}, skill="Be brief.")
    front = "---\ndescription: Says it.\ntriggers: [dm]\ntools: [somewhere]\n---\nBe brief.\n"
    (folder / "skills" / "a.md").write_text(front, encoding="utf-8")
    checked = run("check", cwd=folder)
    assert checked.returncode == 0, checked.stdout
    assert "somewhere" not in checked.stdout
    assert not (folder / "touched").exists()


def test_a_listing_is_asked_for_once_and_again_for_another_command(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path, {"mcp": [command("profile")]})
    with Servers() as own:
        bundle = docasm.Bundle.load(folder, servers=own)
        assert not bundle.refresh()
        write_bundle(tmp_path, {"mcp": [command("fail")]})
        assert bundle.refresh()
        assert [tool.name for tool in bundle.render(DM).tools] == ["fail"]


def test_threads_share_a_connection(tmp_path: Path, servers: Servers) -> None:
    variables = {"weather": {"tool": "get_weather", "args": {"place": "Oslo"}}}
    folder = write_bundle(tmp_path, {"mcp": [command()]}, variables, "{{ weather }}")
    bundle = docasm.Bundle.load(folder, servers=servers)
    found: list[bool] = []
    threads = [
        Thread(target=lambda: found.append("Sun in Oslo" in bundle.render(DM).markdown)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_the_command_lists_tools_and_saves_them_for_a_bundle(tmp_path: Path) -> None:
    listed = run("tools", "--mcp", command("talks", "profile"), cwd=tmp_path)
    assert listed.stderr == ""
    assert listed.stdout == (
        "tool     arguments    what it does\nprofile  place [day]  What profile does.\n\n1 tool\n"
    )
    saved = run("tools", "--mcp", command(), "--json", cwd=tmp_path)
    (tmp_path / "tools.json").write_text(saved.stdout, encoding="utf-8")
    folder = write_bundle(tmp_path, "tools.json")
    with Servers() as own:
        live = docasm.Bundle.load(write_bundle(tmp_path / "live", {"mcp": command()}), servers=own)
        assert docasm.Bundle.load(folder).render(DM).tools == live.render(DM).tools


def test_the_command_line_connects_by_itself(tmp_path: Path) -> None:
    mark = f"render-{os.getpid()}"
    variables = {"weather": {"tool": "get_weather", "args": {"place": "Lisbon"}}}
    folder = write_bundle(tmp_path, {"mcp": [command(mark, "get_weather")]}, variables, "{{ weather }}")
    rendered = run("render", "--bundle", ".", "--dm", "Hi", cwd=folder)
    assert rendered.returncode == 0, rendered.stderr
    assert "Sun in Lisbon" in rendered.stdout
    assert left_running(mark) == []


def test_scenarios_with_servers_are_snapshot_tested(tmp_path: Path) -> None:
    variables = {"weather": {"tool": "get_weather", "args": {"place": "Lisbon"}}}
    folder = write_bundle(tmp_path, {"mcp": [command("get_weather")]}, variables, "{{ weather }}")
    (folder / "dm.yaml").write_text("trigger: {type: dm, text: Hi}\nmodel: gpt-4.1\n", encoding="utf-8")
    environment = {key: value for key, value in ENVIRONMENT.items() if key != "CI"}
    words = [sys.executable, "-m", "docasm", "test", ".", "--update"]
    subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True, timeout=120)
    assert "Sun in Lisbon" in (folder / "__snapshots__" / "dm" / "document.md").read_text(encoding="utf-8")
    assert run("test", cwd=folder).returncode == 0


def test_mending_runs_no_program(tmp_path: Path) -> None:
    touches = shlex.join([sys.executable, "-c", "open('touched', 'w')"])
    folder = write_bundle(tmp_path, {"mcp": [touches]}, skill="# One\n\n### Three\n")
    assert run("check", "--fix", cwd=folder).returncode == 0
    assert "\n## Three" in (folder / "skills" / "a.md").read_text(encoding="utf-8")
    assert not (folder / "touched").exists()


def test_failures_of_the_command(tmp_path: Path) -> None:
    failed = run("tools", "--mcp", "no-such-program", cwd=tmp_path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "error[server-failed]" in failed.stderr
    assert run("tools", cwd=tmp_path).returncode == 2


def test_without_the_package_the_hint_names_the_extra(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['mcp'] = None\nfrom docasm.cli import main\nmain(['tools', '--mcp', 'x'])"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert found.returncode == 1
    assert "error[mcp-missing]" in found.stderr
    assert "docasm[mcp]" in found.stderr


def test_nothing_of_the_package_is_loaded_without_a_server(tmp_path: Path) -> None:
    program = (
        "import sys, docasm, docasm.mcp; from pathlib import Path\n"
        "with docasm.mcp.Servers() as servers:\n"
        "    docasm.Bundle.load(Path(), servers=servers).render(docasm.Trigger.dm('x'))\n"
        "assert not {'mcp', 'anyio', 'pydantic'} & {*sys.modules}"
    )
    folder = write_bundle(tmp_path, [])
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
