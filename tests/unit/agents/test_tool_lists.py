"""What is worked out of lists of tools is kept: never in the place of a list that says anything else."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest

from backend.agents.tool_lists import KnownLists, ListedTool
from backend.engine.language.clean import clean
from backend.errors import McpProtocolError
from backend.llm.testing import ScriptedModel
from backend.sandbox.pool import POOL
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource
from backend.tools.schemas import errors_in
from backend.tools.types import ToolSpec
from tests.unit.engine.engine_run import EngineRun, flow
from tests.unit.sandbox.costly import doubled, nested

Json = Any


def tool(name: str = "read", about: str = "Reads", **schema: Json) -> ListedTool:
    """One tool as it is listed; another object each time."""
    return {
        "server": "kb",
        "name": name,
        "description": about,
        "title": "",
        "input_schema": {"type": "object", **schema},
        "annotations": {},
    }


def test_the_same_list_is_worked_out_once() -> None:
    lists = KnownLists()
    first = lists.of("kb", [tool(), tool("write")])
    assert lists.of("kb", [tool(), tool("write")]) is first
    assert [known.name for known in first] == ["kb__read", "kb__write"]
    assert first[0].words is first[0].words


@pytest.mark.parametrize(
    "other",
    [
        tool(about="Reads."),
        tool(properties={"x": {"default": 1}}),
        tool(properties={"x": {"default": 1.0}}),
        tool(properties={"x": {"default": True}}),
        tool(properties={"x": {"default": "1"}}),
        {**tool(), "annotations": {"readOnlyHint": True}},
        {**tool(), "server": "kb_2"},
    ],
)
def test_whatever_is_said_otherwise_is_read_anew(other: ListedTool) -> None:
    lists = KnownLists()
    known = lists.of("kb", [tool(properties={"x": {"default": 0}}), tool()])
    anew = lists.of("kb", [tool(properties={"x": {"default": 0}}), other])
    assert anew is not known
    assert anew[1].spec == ToolSpec(**other)
    assert repr(anew[1].definition.parameters.get("properties")) == repr(other["input_schema"].get("properties", {}))


def test_each_label_has_names_of_its_own() -> None:
    lists = KnownLists()
    assert [lists.of(label, [tool()])[0].name for label in ("kb", "kb_2")] == ["kb__read", "kb_2__read"]


def test_what_is_kept_is_bounded() -> None:
    lists = KnownLists(most=2000)
    first = lists.of("kb", [tool("first")])
    for number in range(50):
        lists.of("kb", [tool(f"tool_{number}")])
    latest = lists.of("kb", [tool("tool_49")])
    assert lists.of("kb", [tool("tool_49")]) is latest
    assert lists.of("kb", [tool("first")]) is not first
    huge = lists.of("kb", [tool("huge", "word " * 2000)])
    assert lists.of("kb", [tool("huge", "word " * 2000)]) is not huge


def test_values_that_only_json_takes_are_read_each_time() -> None:
    class Mode(StrEnum):
        FAST = "fast"

    lists = KnownLists()
    known = lists.of("kb", [tool(properties={"mode": {"default": Mode.FAST}})])
    assert known[0].usable and known[0].name == "kb__read"
    assert lists.of("kb", [tool(properties={"mode": {"default": Mode.FAST}})]) is not known


async def test_a_schema_that_turns_out_too_costly_is_not_usable_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    lists, schema = KnownLists(), doubled(41, below=True)
    listed: Json = {**tool(), "input_schema": schema}
    known = lists.of("kb", [listed])[0]
    assert known.usable
    monkeypatch.setattr(POOL, "longest_s", 1.0)
    with pytest.raises(McpProtocolError):
        await errors_in(schema, nested(41))
    assert lists.of("kb", [listed])[0] is known
    assert not known.usable


def test_a_list_knows_whether_a_journal_takes_it_as_it_is() -> None:
    lists = KnownLists()
    assert lists.of("kb", [tool()]).clean and lists.of("kb", [tool()]).clean
    for bad in (tool(about="Reads\x00"), tool(properties={"x": {"default": float("nan")}}), tool("\ud800")):
        assert not lists.of("kb", [bad]).clean
    deep: Json = {}
    for _ in range(300):
        deep = {"items": deep}
    assert lists.of("kb", [tool(properties=deep)]).clean == (clean(deep) is deep)


def played(model: ScriptedModel, *specs: ToolSpec) -> EngineRun:
    """start → a, an agent with these tools of a server."""
    source = GatedToolSource(ScriptedToolSource("kb", specs=list(specs)), PolicyTable())
    tools = {"servers": [{"server": "kb"}]}
    config = {"provider": "llm", "model": "m", "query": "?", "tools": tools, "tool_search": "all"}
    return EngineRun(flow("start -> a", a=("agent", config)), {}, {"kb": source}, models={"llm": model})


async def test_the_next_run_is_given_what_the_server_says_by_then() -> None:
    model = ScriptedModel("done", "done", "done")
    for about in ("Reads", "Reads", "Reads and writes"):
        await played(model, ToolSpec("kb", "read", about)).run()
    assert [request.tools[0].description for request in model.requests] == ["Reads", "Reads", "Reads and writes"]


@pytest.mark.parametrize("count", [1, 60])
async def test_what_no_text_may_hold_is_cleaned_before_a_model_sees_it(count: int) -> None:
    model = ScriptedModel("done")
    engine_run = played(model, *(ToolSpec("kb", f"read_{n}", "Reads\x00 \ud800all") for n in range(count)))
    assert (await engine_run.run()).state == "SUCCESS"
    assert [tool.description for tool in model.requests[0].tools] == ["Reads\ufffd \ufffdall"] * count
