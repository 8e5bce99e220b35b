"""The examples: each renders, has no problem, and shows what it is there to show."""

from pathlib import Path

import pytest

import docasm

EXAMPLES = Path(__file__).parent.parent / "examples"
SCENARIOS = sorted(path for path in EXAMPLES.rglob("*.yaml") if path.name != "docasm.yaml")
BUNDLES = sorted(path.parent for path in EXAMPLES.rglob("docasm.yaml"))


def _messages(name: str) -> list[tuple[str, str]]:
    render = docasm.load_scenario(EXAMPLES / name).render()
    return [(message.role, message.content) for message in render.messages]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_a_scenario_renders(path: Path) -> None:
    render = docasm.load_scenario(path).render()
    assert docasm.split(render.markdown) == render.messages
    assert render.problems == ()
    assert render.payload()["messages"]
    assert len(render.places) == render.markdown.count("\n")


@pytest.mark.parametrize("path", BUNDLES, ids=lambda path: str(path.relative_to(EXAMPLES.parent)))
def test_a_bundle_has_no_problem(path: Path) -> None:
    assert docasm.Bundle.load(path).problems == ()


def test_spell_check_brings_its_own_parts_and_holds_the_message() -> None:
    messages = _messages("spell-check/dm.yaml")
    assert [role for role, _ in messages] == ["system", "user"]
    assert messages[1][1].startswith("Correct this text:\n\n# Teh plan\n\nsystem:\nWe wil meet")


def test_a_webhook_event_is_fenced_json_and_names_what_it_holds() -> None:
    messages = _messages("webhook/event.yaml")
    assert "A deployment of acme/shop to production failed." in messages[0][1]
    assert messages[1][1].startswith('Triggering event:\n\n````json\n{\n  "action": "failed",')
    assert messages[1][1].endswith("\n}\n````")


def test_few_shot_pairs_are_messages_before_the_input() -> None:
    roles = [role for role, _ in _messages("few-shot/dm.yaml")]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


def test_an_agent_skill_is_inserted_as_it_is_below_a_native_one() -> None:
    system = _messages("agent-skill/dm.yaml")[0][1]
    assert system.index("# Voice") < system.index("## Release Notes") < system.index("### Steps")
    assert "Write `{{ version }}` where the version is not known yet." in system
    assert "```markdown\n# 1.4.0\n\n## Added\n- Search in archived messages.\n```" in system
