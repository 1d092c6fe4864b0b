"""Dry replays: a run of every node type played again gives the same, asks nobody, and says what it misses."""

from __future__ import annotations

import asyncio
from typing import Any

from backend.engine.document.compile import compile_graph
from backend.engine.execution.ports import RunInfo
from backend.engine.rerun.dry_replay import DryReplay, diff_outcomes, dry_replay, not_recorded, outcomes_of, records_of
from backend.engine.testing import ScriptedRuns, ScriptedServices, ScriptedTools
from backend.tools.types import JsonObject
from tests.properties.fixtures import BASE_PLAY, TYPES, Requests, document

SERVERS = ("first", "second", "third", "flaky", "broken", "inner", "within")
EXPECTED = outcomes_of(BASE_PLAY.disk.lines)


def dry_replayed(graph: Any, inputs: JsonObject | None = None) -> tuple[DryReplay, list[str], ScriptedRuns]:
    """(how it went, tools that were called, runs that were started)."""
    tools = {name: ScriptedTools({"go": [not_recorded(f"{name}/go")]}) for name in SERVERS}
    request = ("resources/read", "prompts/get")
    tools["library"] = ScriptedTools({name: [not_recorded(f"library/{name}")] for name in request})
    runs = ScriptedRuns()
    sent: dict[str, list[str]] = {}
    services = ScriptedServices({**tools, "http": Requests(sent)}, {}, list, runs)
    records = records_of(BASE_PLAY.disk.lines, compile_graph(document(), TYPES))
    info = RunInfo("run_test", inputs or {"n": 2}, {"run_id": "run_test"}, draft=True)
    created = asyncio.run(dry_replay(compile_graph(graph, TYPES), info, records, services))
    return created, [*(name for name, source in tools.items() if source.calls), *sent], runs


def changed(node: str, **config: Any) -> Any:
    graph = document()
    next(item for item in graph["nodes"] if item["id"] == node)["config"].update(config)
    return graph


def test_every_node_type_gives_the_same_without_the_world() -> None:
    created, called, runs = dry_replayed(document())
    assert created.state == "SUCCESS" and created.missing == []
    assert created.outcomes == EXPECTED and set(diff_outcomes(EXPECTED, created).values()) == {"same"}
    assert called == [] and not runs.started


def test_what_is_worked_out_from_a_change_differs_and_the_rest_does_not() -> None:
    created, called, _ = dry_replayed(changed("text", template="other"))
    status = diff_outcomes(EXPECTED, created)
    assert {node for node, word in status.items() if word != "same"} == {"text", "say", "fin"}
    assert {status[node] for node in ("text", "say", "fin")} == {"differs"} and called == []


def test_rounds_are_worked_out_anew() -> None:
    status = diff_outcomes(EXPECTED, dry_replayed(changed("again", output="{{ loop.vars.i }}!"))[0])
    assert {node for node, word in status.items() if word != "same"} == {"again", "fin_2"}


def test_other_arguments_have_no_answer() -> None:
    created, called, _ = dry_replayed(changed("second", arguments={"n": 9, "by": "second"}))
    [missing] = created.missing
    assert (missing.node, missing.arguments) == ("second", {"n": 9, "by": "second"})
    assert missing.recorded == {"n": 2, "by": "second"}
    status = diff_outcomes(EXPECTED, created)
    assert status["second"] == "missing" and status["fin"] == "unreached" and called == []


def test_a_call_that_is_new_has_no_answer_and_a_question_neither() -> None:
    graph = changed("each", items=["a", "b", "c", "d"])
    created, _, _ = dry_replayed(graph)
    assert [(item.node, item.target) for item in created.missing] == [("each", "inner/go")]
    graph = document()
    more = {"id": "sure", "type": "approval", "config": {"title": "Sure?"}}
    graph["nodes"].append(more)
    graph["edges"].append({"id": "sure", "source": "ask_more", "target": "sure"})
    created, _, _ = dry_replayed(graph)
    assert [(item.node, item.target) for item in created.missing] == [("sure", "Sure?")]
    assert diff_outcomes(EXPECTED, created)["sure"] == "missing"
