"""The JSON Schemas by which editors complete and check the keys of docasm's files.

They are made of the tables of keys that the readers use. `docasm/schemas/` holds them as files;
`python -m tests.write_schemas` writes those again, and a test holds that they are current.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from docasm.chosen_layout import DEFAULT_PROFILE
from docasm.config import BUNDLE_KEYS
from docasm.formats.pipeline import PIPELINE_SHAPE
from docasm.formats.profiles import PIPELINE, PROFILES
from docasm.layout_file import LAYOUT_KEYS
from docasm.scenario_keys import SCENARIO_KEYS
from docasm.shapes import Shape, given, mapping, mapping_of
from docasm.skill import AGENT_SKILL_KEYS, SKILL_KEYS

DRAFT = "http://json-schema.org/draft-07/schema#"
_BY_MODEL = mapping_of(
    "A context for each model, by its name or a pattern with `*`.",
    given(PIPELINE_SHAPE),
    known={DEFAULT_PROFILE: PIPELINE_SHAPE},
)
SCHEMAS: Mapping[str, Shape] = MappingProxyType(
    {
        "agent-skill": mapping(
            "The front matter of an Agent Skill, NAME/SKILL.md.", {**SKILL_KEYS, **AGENT_SKILL_KEYS}
        ),
        "bundle": mapping("A bundle of docasm, docasm.yaml.", BUNDLE_KEYS),
        "layout": mapping("The front matter of a layout of docasm.", LAYOUT_KEYS),
        "pipeline": {
            "description": "A context pipeline, among other settings or alone.",
            "type": "object",
            "properties": {PIPELINE: PIPELINE_SHAPE, PROFILES: {**_BY_MODEL, "minProperties": 1}},
            "anyOf": [
                {"required": [key], "not": {"properties": {key: {"type": "null"}}}}
                for key in (PIPELINE, PROFILES)
            ],
        },
        "scenario": given(mapping("A scenario of docasm.", SCENARIO_KEYS, required=["trigger"])),
        "skill": mapping("The front matter of a skill of docasm, NAME.md.", SKILL_KEYS),
    }
)
"""By the name that `docasm schema` takes."""


def schema_text(name: str) -> str:
    """A schema as its file holds it."""
    schema: dict[str, Any] = {"$schema": DRAFT, "title": f"docasm {name}", **SCHEMAS[name]}
    return json.dumps(schema, indent=2, default=dict, ensure_ascii=False) + "\n"
