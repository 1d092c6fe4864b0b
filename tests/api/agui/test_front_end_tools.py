"""Tools that a client declares: called by the workflow's agents, answered by that client alone, kept with the run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from backend.runs.models import Interaction, Run, RunClientTools, RunState
from backend.runs.worker.worker import Worker
from tests.api.agui.documents import agent
from tests.api.agui.speaking import (
    Events,
    body,
    events_of,
    front,
    path_of,
    refused,
    sent,
    texts_of,
    types_of,
    user_message,
)
from tests.api.mcp_server.asking import mcp_call
from tests.api.runs.conftest import until
from tests.llm_server import Call, LlmServer, has_result
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

PICK = {
    "name": "pick_color",
    "description": "Lets the person pick a color.",
    "parameters": {"type": "object", "properties": {"why": {"type": "string"}}, "required": ["why"]},
}


def called(events: Events) -> list[dict[str, Any]]:
    """The events of calls."""
    return [event for event in events if event["type"].startswith("TOOL_CALL")]


def waits_of(person: Person) -> Any:
    """What the only run waits for, once all of its steps have come to rest."""
    run = Run.objects.get().pk
    until(lambda: Run.objects.get().state == RunState.WAITING)
    return person.api.get(f"/api/runs/{run}").data["waiting"]


def result(key: str, text: Any, number: int = 9, **more: Any) -> dict[str, Any]:
    """The message with what a client's tool gave."""
    return {"id": f"m{number}", "role": "tool", "toolCallId": key, "content": text, **more}


def test_the_agent_calls_it_and_the_client_answers(bob: Person, worker: Worker, llm: LlmServer, provider: None) -> None:
    llm.reply(calls=[Call("client__pick_color", {"why": "walls"})])
    llm.say("Blue it is.", when=has_result("blue"))
    row = front(bob, agent())
    first = events_of(bob, row, body(user_message("Paint"), tools=[PICK]))
    calls = called(first)
    assert types_of(calls) == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]
    assert (calls[0]["toolCallName"], calls[1]["delta"]) == ("pick_color", '{"why": "walls"}')
    key = calls[0]["toolCallId"]
    assert first[-1]["outcome"] == {"type": "success", "pendingToolCallIds": [key]}
    assert Run.objects.get().state == RunState.WAITING
    assert "client__pick_color" in llm.requests[0].tools
    call = {"id": key, "type": "function", "function": {"name": "pick_color", "arguments": "{}"}}
    spoke = {"id": "a1", "role": "assistant", "toolCalls": [call]}
    second = events_of(bob, row, body(user_message("Paint"), spoke, result(key, "blue"), request="r2", tools=[PICK]))
    assert (texts_of(second), second[-1]["outcome"]) == (["Blue it is."], {"type": "success"})
    assert called(second) == []
    assert Interaction.objects.get().answered_by == bob.user
    again = events_of(bob, row, body(user_message("Paint"), spoke, result(key, "blue"), request="r2", tools=[PICK]))
    assert texts_of(again) == ["Blue it is."]
    assert Run.objects.count() == 1
    log = bob.api.get(f"/api/runs/{Run.objects.get().pk}/events").data["results"]
    [answer] = [line["data"] for line in log if line["type"] == "TOOL_RESPONSE"]
    assert answer["content"] == [{"type": "text", "text": "blue"}]


def test_two_at_once_and_one_that_failed(bob: Person, worker: Worker, llm: LlmServer, provider: None) -> None:
    llm.reply(calls=[Call("client__pick_color", {"why": "a"}), Call("client__pick_color", {"why": "b"})])
    llm.say("No color.", when=has_result("closed"))
    row = front(bob, agent())
    first = events_of(bob, row, body(user_message("Paint"), tools=[PICK]))
    keys = [event["toolCallId"] for event in first if event["type"] == "TOOL_CALL_START"]
    assert sorted(first[-1]["outcome"]["pendingToolCallIds"]) == sorted(keys)
    assert len(keys) == 2
    waits = [{"kind": "client", "interaction": key} for key in keys]
    assert sorted(waits_of(bob), key=str) == sorted(waits, key=str)
    half = events_of(bob, row, body(user_message("Paint"), result(keys[0], "red"), tools=[PICK]))
    assert half[-1]["outcome"]["pendingToolCallIds"] == [keys[1]]
    assert waits_of(bob) == [{"kind": "client", "interaction": keys[1]}]
    [listed] = bob.api.get("/api/workflows").data["results"]
    [called_by] = bob.api.get(f"/api/workflows/{row.pk}/agui").data["calls"]
    for told_of in (listed["last_run"], called_by):
        assert told_of["state"] == "WAITING"
        assert told_of["waits_for_client"] and not told_of["waits_for_person"]
    assert called_by["caller"] == {"kind": "token", "name": "tests", "program": None}
    looked = mcp_call(bob.token, "tools/call", {}, name="get_run", arguments={"run": Run.objects.get().pk})
    assert looked["result"]["structuredContent"]["answer_at"] == [], "nobody can answer it in the inbox"
    done = events_of(bob, row, body(user_message("Paint"), result(keys[0], "red"), result(keys[1], "", error="closed")))
    assert texts_of(done) == ["No color."]


def test_nobody_else_answers(bob: Person, adam: Person, worker: Worker, llm: LlmServer, provider: None) -> None:
    llm.reply(calls=[Call("client__pick_color", {"why": "walls"})])
    row = front(bob, agent())
    events_of(bob, row, body(user_message("Paint"), tools=[PICK]))
    key = Interaction.objects.get().pk
    payload = {"action": "accept", "values": {"content": "red"}}
    assert bob.api.post(f"/api/interactions/{key}/answer", payload).status == 403
    assert bob.api.get("/api/interactions?state=open").data["results"] == []
    [shown] = bob.api.get(f"/api/interactions?run={Run.objects.get().pk}").data["results"]
    assert (shown["kind"], shown["tool"]["name"], shown["proposal"]) == ("client", "pick_color", {"why": "walls"})
    other = sent(adam.token, path_of(row), body(user_message("Paint"), result(key, "red")))
    assert refused(other)[:2] == (400, "VALIDATION_ERROR")
    unknown = sent(bob.token, path_of(row), body(user_message("Paint"), result("int_none", "red")))
    assert set(unknown.json()["fields"]) == {"messages.1.toolCallId"}
    busy = sent(bob.token, path_of(row), body(user_message("Paint"), user_message("More", "m2")))
    assert refused(busy)[:2] == (409, "CONFLICT")
    assert Interaction.objects.get().state == Interaction.State.OPEN
    run = Run.objects.get()
    assert bob.api.post(f"/api/runs/{run.pk}/cancel", {}).status in {200, 202}


def test_of_two_clients_that_answer_the_first_counts_and_the_second_is_told(
    bob: Person, worker: Worker, llm: LlmServer, provider: None
) -> None:
    llm.reply(calls=[Call("client__pick_color", {"why": "walls"})])
    llm.say("Red it is.", when=has_result("red"))
    row = front(bob, agent())
    events_of(bob, row, body(user_message("Paint"), tools=[PICK]))
    key = Interaction.objects.get().pk
    assert texts_of(events_of(bob, row, body(user_message("Paint"), result(key, "red")))) == ["Red it is."]
    late = sent(bob.token, path_of(row), body(user_message("Paint"), result(key, "blue")))
    assert refused(late)[:2] == (409, "ALREADY_ANSWERED")
    failed = sent(bob.token, path_of(row), body(user_message("Paint"), result(key, "red", error="closed")))
    assert refused(failed)[:2] == (409, "ALREADY_ANSWERED")
    assert sent(bob.token, path_of(row), body(user_message("Paint"), result(key, "red"))).status_code == 200, (
        "it said so before"
    )
    assert Run.objects.get().state == RunState.SUCCESS


def test_two_clients_that_answer_at_once(bob: Person, worker: Worker, llm: LlmServer, provider: None) -> None:
    llm.reply(calls=[Call("client__pick_color", {"why": "walls"})])
    llm.say("As you like.", when=has_result("color"))
    row = front(bob, agent())
    events_of(bob, row, body(user_message("Paint"), tools=[PICK]))
    key = Interaction.objects.get().pk

    def answers(color: str) -> int:
        try:
            return sent(bob.token, path_of(row), body(user_message("Paint"), result(key, f"color {color}"))).status_code
        finally:
            connections.close_all()  # of this thread

    with ThreadPoolExecutor(3) as clients:
        statuses = sorted(clients.map(answers, ["red", "green", "blue"]))
    assert statuses == [200, 409, 409]
    until(lambda: Run.objects.get().state == RunState.SUCCESS, 60)
    log = bob.api.get(f"/api/runs/{Run.objects.get().pk}/events").data["results"]
    assert [line["type"] for line in log].count("TOOL_RESPONSE") == 1


@pytest.mark.parametrize("name", ["calculate", "local__calculate"])
def test_one_that_is_called_like_ours_is_refused(bob: Person, provider: None, name: str) -> None:
    row = front(bob, agent())
    answer = sent(bob.token, path_of(row), body(user_message("x"), tools=[PICK, {**PICK, "name": name}]))
    assert answer.status_code == 400
    assert set(answer.json()["fields"]) == {"tools.1.name"}
    assert not Run.objects.exists() and not RunClientTools.objects.exists()


def test_what_may_not_be_declared(bob: Person, provider: None) -> None:
    row = front(bob, agent())

    def fields(*tools: dict[str, Any]) -> set[str]:
        answer = sent(bob.token, path_of(row), body(user_message("x"), tools=list(tools)))
        assert answer.status_code == 400
        return set(answer.json()["fields"])

    assert fields({**PICK, "name": "no spaces"}) == {"tools.0.name"}
    assert fields(PICK, PICK) == {"tools.1.name"}
    assert fields({**PICK, "parameters": []}) == {"tools.0.parameters"}
    assert fields({**PICK, "description": "x" * 200_000}) == {"tools"}
    assert fields(*({**PICK, "name": f"t{number}"} for number in range(65))) == {"tools"}
