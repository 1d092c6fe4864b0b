"""A null for an optional argument is left out where the schema forbids it; one that says something stays."""

from __future__ import annotations

from typing import Any

import pytest

from backend.errors import McpInvalidParams
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.nulls import forbidden_nulls, without
from backend.tools.calls.testing import PlainEffects, PolicyTable, ScriptedToolSource
from backend.tools.types import Answer, CallContext, ToolSpec

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["text", "maybe"],
    "properties": {
        "text": {"type": "string"},
        "maybe": {"type": ["string", "null"]},
        "limit": {"type": "integer"},
        "open": {"type": ["integer", "null"]},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "filter": {
            "type": "object",
            "required": ["by"],
            "properties": {"by": {"type": "string"}, "since": {"type": "string"}},
        },
        "rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    },
}


@pytest.mark.parametrize(
    ("given", "called"),
    [
        ({"limit": None}, {}),
        ({"limit": 1}, {"limit": 1}),
        ({"open": None}, {"open": None}),
        ({"either": None, "limit": None}, {}),
        ({"filter": {"by": "x", "since": None}}, {"filter": {"by": "x"}}),
        ({"rows": [{"n": None}, {"n": 2}]}, {"rows": [{}, {"n": 2}]}),
        ({"more": None}, {"more": None}),
    ],
)
async def test_what_is_called(given: dict[str, Any], called: dict[str, Any]) -> None:
    base = {"text": "x", "maybe": None}
    places = await forbidden_nulls(SCHEMA, {**base, **given})
    assert without({**base, **given}, places) == {**base, **called}


async def test_a_required_one_is_refused_by_its_name() -> None:
    source = ScriptedToolSource("s", specs=[ToolSpec("s", "send", input_schema=SCHEMA)], send=["sent"])
    gated = GatedToolSource(source, PolicyTable())
    with pytest.raises(McpInvalidParams) as caught:
        await gated.call_tool("send", {"text": None, "maybe": None}, CallContext(PlainEffects(), "call"))
    assert list(caught.value.fields) == ["arguments.text"] and not source.calls


async def test_the_person_is_shown_and_the_server_given_the_call_without_it() -> None:
    source = ScriptedToolSource("s", specs=[ToolSpec("s", "send", input_schema=SCHEMA)], send=["sent"])
    gated = GatedToolSource(source, PolicyTable(default=ToolRules(policy="ask")))
    effects = PlainEffects(answers=[Answer("accept", values={"text": "y", "maybe": None, "limit": None})] * 2)
    await gated.call_tool("send", {"text": "x", "maybe": None, "limit": None}, CallContext(effects, "call"))
    assert effects.questions[0].proposal == {"text": "x", "maybe": None}
    assert source.calls == [("send", {"text": "y", "maybe": None})]
