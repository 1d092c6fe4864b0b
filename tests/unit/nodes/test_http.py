"""The http node: what it asks the world for, what it makes of the answer, and what its document may say."""

from __future__ import annotations

from typing import Any

import pytest

from backend.engine.document.validate import validate
from backend.engine.testing import Disk, ScriptedTools
from backend.nodes import node_types
from backend.tools.types import ToolResult
from tests.unit.engine.engine_run import EngineRun, answer, flow, played

OK: Any = {"status": 200, "headers": {"content-type": "application/json"}, "body": {"n": 1}}


def sends(config: dict[str, Any], *replies: Any, kind: Any = "read", **more: Any) -> EngineRun:
    graph = flow("start -> get -> fin", get=("http", config, more), fin=("end", {"outputs": {"n": "{{ get.body.n }}"}}))
    method = config.get("method", "GET")
    return played(
        graph, {"id": "7", "host": "a.example"}, http=ScriptedTools({method: list(replies or [OK])}, kind=kind)
    )


def source(engine_run: EngineRun) -> ScriptedTools:
    result = engine_run.servers["http"]
    assert isinstance(result, ScriptedTools)
    return result


async def test_it_says_what_the_document_names_and_sends_what_expressions_give() -> None:
    config = {
        "url": "https://a.example/items/{{ start.id }}",
        "query": {"q": "{{ start.id }}"},
        "headers": {"X": "{{ start.id }}", "Authorization": "Bearer ${secret:key}"},
        "accept_status": [404],
    }
    engine_run = sends(config)
    end = await engine_run.run()
    assert end.outputs == {"n": 1}
    ((method, arguments),) = source(engine_run).calls
    assert method == "GET"
    assert arguments == {
        "url": "https://a.example/items/7",
        "query": {"q": "7"},
        "headers": {"X": "7", "Authorization": "Bearer ${secret:key}"},
        "timeout_s": 30,
    }
    (terms,) = engine_run.terms
    assert terms.site == "https://a.example" and set(terms.accept) == {404}
    assert terms.secrets == {"headers": {"Authorization": "Bearer ${secret:key}"}, "query": {}}


async def test_an_error_keeps_how_long_to_wait() -> None:
    busy = ToolResult([], {"status": 503, "headers": {}, "retry_after": 7.5}, "busy", is_error=True)
    engine_run = sends({"url": "https://a.example/"}, busy, OK, retry={"max": 1, "delay_s": 1})
    end = await engine_run.run()
    (waiting,) = end.waiting
    assert waiting.until is not None and waiting.until - engine_run.clock.now() == pytest.approx(7.5)
    engine_run.clock.advance(7.5)
    end = await engine_run.on()
    assert end.outputs == {"n": 1}
    retry = next(line for line in engine_run.events if line.type == "STEP_RETRY")
    assert retry.data["delay_ms"] == 7500


async def test_an_answer_that_asks_to_wait_for_a_day_is_not_waited_for() -> None:
    busy = ToolResult([], {"status": 429, "headers": {}, "retry_after": 86_400}, "", is_error=True)
    end = await sends({"url": "https://a.example/"}, busy, retry={"max": 3}).run()
    assert end.error is not None and end.error["code"] == "HTTP_ERROR" and end.error["params"]["status"] == 429


async def test_what_a_person_gives_in_the_place_of_an_answer_is_the_body() -> None:
    engine_run = sends({"url": "https://a.example/", "method": "POST"}, kind="write")
    for line in range(1, 40):
        engine_run.disk = Disk()
        if await engine_run.dies(line) and engine_run.disk.lines[-1].key == "call":
            break
    assert engine_run.disk.lines[-1].record == "start"
    await engine_run.run()
    question = engine_run.question().question
    assert question is not None and question.kind == "recovery"
    end = await engine_run.on(
        answer(engine_run.question().interaction, "skip", values={"result": "", "structured": {"n": 5}})
    )
    assert end.outputs == {"n": 5} and source(engine_run).calls == []


@pytest.mark.parametrize(
    ("config", "path", "code"),
    [
        ({}, "/url", "config_missing"),
        ({"url": "https://a/", "method": "BREW"}, "/method", "config_choice"),
        ({"url": "https://a/", "auth": {"kind": "bearer"}}, "/auth", "config_type"),
        ({"url": "https://a/", "auth": {"kind": "bearer", "secret": "${x}"}}, "/auth/secret", "config_wrong"),
        ({"url": "https://a/", "accept_status": [200]}, "/accept_status/0", "config_wrong"),
        ({"url": "https://a/", "timeout_s": 0}, "/timeout_s", "config_wrong"),
        ({"url": "https://a/", "headers": {"X": ["${secret:key}"]}}, "/headers", "config_type"),
        ({"url": "https://a/", "headers": {"X": "${secret:key} {{ start.id }}"}}, "/headers/X", "secret_mixed"),
        ({"url": "https://a/", "body": "${secret:key}"}, "/body", "secret_place"),
        ({"url": "https://a/?k=${secret:key}"}, "/url", "secret_place"),
    ],
)
def test_what_is_wrong_with_a_document(config: dict[str, Any], path: str, code: str) -> None:
    problems = validate(flow("start -> get", get=("http", config)), node_types())
    assert (code, f"/nodes/1/config{path}") in {(problem.code, problem.path) for problem in problems}
