"""P5: the same files and inputs give the same bytes, wherever and however they are rendered."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import docasm
from tests.bundles import LAYOUT, skill, write_bundle

_SCRIPT = """
import os, random, sys
from pathlib import Path
import docasm

listed = Path.iterdir
def shuffled(self):
    entries = list(listed(self))
    random.Random(sys.argv[2]).shuffle(entries)
    return iter(entries)
Path.iterdir = shuffled
globbed = Path.glob
def shuffled_glob(self, pattern):
    entries = list(globbed(self, pattern))
    random.Random(sys.argv[2]).shuffle(entries)
    return iter(entries)
Path.glob = shuffled_glob

bundle = docasm.Bundle.load(sys.argv[1])
event = {"b": [1, 2], "a": {"z": 1.5, "y": None}, "text": "größe \\u2028 x"}
tools = [{"name": f"t{n}", "description": "d", "inputSchema": {"type": "object"}} for n in range(9)]
history = [docasm.Turn("user", "hi", name="Zoë"), docasm.Turn("assistant", "a\\nb")]
out = []
for trigger in (docasm.Trigger.dm("Hey"), docasm.Trigger.event(event)):
    render = bundle.render(trigger, tools=tools, variables={"v": "x", "w": "y"}, now="2026-11-30T12:00:00Z",
                           history=history if trigger.kind == "dm" else ())
    out += [render.markdown, repr(render.payload()), render.digest]
    out += [repr(render.places), repr(render.problems)]
out += [str(problem) for problem in bundle.problems]
sys.stdout.buffer.write("\\n".join(out).encode())
"""

_FRONT = "triggers: [dm, event]\ntools: all\nvariables: {v: null, w: null}\nparams: {model: m, seed: 1}"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    body = "# {0}\n\n<<shared>>\n\nWords {{{{ v }}}} and {{{{ w }}}} at {{{{ now }}}} from {0}.\n\n```\nopen"
    files = {f"skills/{name}.md": skill(body.format(name), _FRONT) for name in "zyxabc"}
    broken = {"skills/broken.md": "---\nnope: [\n---\n", "skills/odd.md": "{% if %}\n\n<<nobody>>"}
    event_layout = LAYOUT.replace("## History\n\n<<history>>\n\n", "")
    layouts = {"layouts/dm.md": LAYOUT, "layouts/event.md": event_layout}
    shared = {"skills/shared.md": "Shared words.", "skills/agent/SKILL.md": skill("# Verbatim", _FRONT)}
    return write_bundle(tmp_path_factory.mktemp("bundle"), {**files, **broken, **layouts, **shared})


def _outputs(bundle: Path) -> Iterator[bytes]:
    environments = (
        {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "4242", "TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "7", "TZ": "America/St_Johns", "LANG": "tr_TR.UTF-8", "PYTHONUTF8": "0"},
    )
    for number, environment in enumerate(environments):
        yield subprocess.run(
            [sys.executable, "-c", _SCRIPT, str(bundle), str(number)],
            env={**os.environ, **environment},
            capture_output=True,
            check=True,
        ).stdout


def test_hash_seeds_zones_locales_and_directory_orders_change_nothing(bundle: Path) -> None:
    first, *others = _outputs(bundle)
    assert b"Words x and y at 2026-11-30T12:00:00Z" in first
    assert all(other == first for other in others)


def test_threads_render_alike() -> None:
    scenario = docasm.load_scenario(Path(__file__).parent.parent / "examples" / "dm.yaml")
    with ThreadPoolExecutor(8) as pool:
        digests = set(pool.map(lambda _: scenario.render().digest, range(64)))
    assert digests == {scenario.render().digest}


def test_a_render_keeps_what_it_was_given(tmp_path: Path) -> None:
    write_bundle(tmp_path, {"skills/a.md": skill("A"), "layouts/dm.md": LAYOUT})
    history = [docasm.Turn("user", "before")]
    render = docasm.Bundle.load(tmp_path).render(docasm.Trigger.dm("x"), history=history)
    history[:] = [docasm.Turn("user", "after")]
    assert "before" in render.markdown
    assert "after" not in render.markdown
