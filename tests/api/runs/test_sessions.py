"""Sessions of a run's own, and servers that were lost and are healed: programs and servers of others, seen by runs."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from backend.registry.connecting.connections import pool
from backend.runs.models import Interaction, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.programs import server
from tests.people import Person

pytestmark = [pytest.mark.wide, pytest.mark.django_db(transaction=True)]


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    LOOP.stop()


def calling(*tools: str) -> dict[str, Any]:
    """start → each tool → end with what the last gave; "?" stands for a person who is asked."""
    created = [node("start", "start", {"inputs": {"type": "object"}})]
    for number, tool in enumerate(tools):
        config = {"title": "On?"} if tool == "?" else {"server": "own", "tool": tool, "arguments": {}}
        created.append(node(f"n{number}", "approval" if tool == "?" else "tool", config))
    last = max(number for number, tool in enumerate(tools) if tool != "?")
    created.append(node("end", "end", {"outputs": {"said": f"{{{{ n{last}.result }}}}"}}))
    names = [item["id"] for item in created]
    edges = []
    for item, following in zip(created, names[1:], strict=False):
        port = ":approved" if item["type"] == "approval" else ""
        edges.append(f"{item['id']}{port} -> {following}")
    return graph(created, *edges)


def outputs_of(person: Person, run: str) -> Any:
    return json.loads(person.api.get(f"/api/runs/{run}").data["outputs"]["said"])


def test_a_runs_own_session_ends_with_the_run(adam: Person, bob: Person, worker: Worker) -> None:
    server(adam, session="run", box="open")
    flow = make_workflow(bob, calling("pids"))
    for _ in range(3):
        run = start(bob, flow).data["id"]
        until(lambda: state(run) == RunState.SUCCESS)  # noqa: B023 - called within this round
        program, child = outputs_of(bob, run)
        until(lambda: not alive(program) and not alive(child))  # noqa: B023 - called within this round


def test_a_runs_own_session_ends_when_the_run_waits_and_another_one_begins_when_it_goes_on(
    adam: Person, bob: Person, worker: Worker
) -> None:
    server(adam, session="run", box="open")
    run = start(bob, make_workflow(bob, calling("pids", "?", "pids"))).data["id"]
    until(lambda: state(run) == RunState.WAITING)
    events = bob.api.get(f"/api/runs/{run}/events").data["results"]
    [answer] = [event for event in events if event["type"] == "TOOL_RESPONSE"]
    program, child = json.loads(answer["data"]["content"][0]["text"])
    until(lambda: not alive(program) and not alive(child))
    question = Interaction.objects.get(run_id=run, state="open")
    assert bob.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept"}).status == 200
    until(lambda: state(run) == RunState.SUCCESS)
    again, _ = outputs_of(bob, run)
    assert again != program
    until(lambda: not alive(again))


def test_what_a_test_heals_is_healed_for_runs(adam: Person, bob: Person, worker: Worker) -> None:
    """The program hangs for good: runs time out on it until somebody tests the connection."""
    server(adam, timeout_ms=1000, box="open")
    pids = make_workflow(bob, calling("pids"))
    first = start(bob, pids).data["id"]
    until(lambda: state(first) == RunState.SUCCESS)
    hung, _ = outputs_of(bob, first)
    os.kill(hung, signal.SIGSTOP)
    lost = start(bob, pids).data["id"]
    until(lambda: state(lost) == RunState.ERROR)
    assert bob.api.get(f"/api/runs/{lost}").data["error"]["code"] == "MCP_TIMEOUT"
    assert adam.api.patch("/api/mcp/servers/own", {"name": "Own"}).status == 200, "nothing that connections know of"
    assert bob.api.post("/api/mcp/servers/own/test").data["ok"]
    healed = start(bob, pids).data["id"]
    until(lambda: state(healed) == RunState.SUCCESS)
    assert outputs_of(bob, healed)[0] != hung


def test_a_write_that_loses_its_server_in_mid_call_says_that_it_may_have_happened(
    adam: Person, bob: Person, worker: Worker
) -> None:
    server(adam)
    for effect, said_so in (("write", True), ("read", False)):
        done = adam.api.patch("/api/mcp/servers/own/tools/die", {"policy": "allow", "effect": effect})
        assert done.status == 200
        document = calling("die")
        document["nodes"][1]["retry"] = {"max": 0}
        run = start(bob, make_workflow(bob, document)).data["id"]
        until(lambda: state(run) == RunState.ERROR)  # noqa: B023 - called within this round
        for language, words in (("en", "it may have taken effect"), ("zh", "可能已经生效")):
            headers = {"accept-language": language}
            error = bob.api.get(f"/api/runs/{run}", **headers).data["error"]
            assert error["code"] == "MCP_UNREACHABLE" and (words in error["message"]) is said_so, error
            log = bob.api.get(f"/api/runs/{run}/events", **headers).data["results"]
            [failed] = [line["data"] for line in log if line["type"] == "STEP_ERROR"]
            assert (words in failed["message"]) is said_so
        body = {"server": "own", "tool": "die", "arguments": {}, "confirm": True}
        direct = bob.api.post("/api/mcp/tools/call", body, **{"accept-language": "en"})
        assert direct.status == 502 and ("it may have taken effect" in direct.data["message"]) is said_so


def test_a_write_that_found_no_server_did_not_happen(adam: Person, bob: Person, worker: Worker) -> None:
    created = server(adam)
    assert adam.api.patch("/api/mcp/servers/own/tools/note", {"policy": "allow", "effect": "write"}).status == 200
    assert adam.api.patch(f"/api/mcp/servers/{created.id}", {"args": ["/no/such/program"]}).status == 200
    document = calling("note")
    document["nodes"][1]["retry"] = {"max": 0}
    run = start(bob, make_workflow(bob, document)).data["id"]
    until(lambda: state(run) == RunState.ERROR)
    error = bob.api.get(f"/api/runs/{run}", **{"accept-language": "en"}).data["error"]
    assert error["code"] == "MCP_UNREACHABLE" and "may have taken effect" not in error["message"], error


def test_calls_at_once_are_a_setting_of_the_server(adam: Person, bob: Person, worker: Worker) -> None:
    """Three runs call at once, two get through; the third has its turn when one has ended."""
    created = server(adam, max_calls=2)
    at = f"/api/mcp/servers/{created.id}"
    assert adam.api.get(at).data["max_calls"] == 2
    for wrong in (0, 1001, "many"):
        refused = adam.api.patch(at, {"max_calls": wrong})
        assert refused.status == 400 and list(refused.data["fields"]) == ["max_calls"]
    document = calling("sleep")
    flow = make_workflow(bob, document)
    runs = [start(bob, flow).data["id"] for _ in range(3)]

    def seen() -> tuple[int, int]:
        [row] = LOOP.run(_stats())
        return row["in_flight"], row["at_once"]

    until(lambda: seen() == (3, 2))
    assert adam.api.patch(at, {"max_calls": None}).data["max_calls"] is None
    for run in runs:
        assert bob.api.post(f"/api/runs/{run}/cancel").status in (200, 202)
    until(lambda: all(state(run) == RunState.CANCELLED for run in runs))


async def _stats() -> list[dict[str, Any]]:
    return pool().stats()
