"""AG-UI's own client goes through the whole stack, and verifies the order of what it is told."""

from __future__ import annotations

import uuid

import pytest

from tests.live.agui.fronting import ASKS, COUNTS, RESTS, Fronting, agent, types_of
from tests.llm_server import Call, LlmServer, has_result
from tests.wide import besides


def test_a_conversation_with_its_state(fronting: Fronting) -> None:
    url = fronting.offer(COUNTS)
    ended = fronting.client(url, {"say": "One"}, {"say": "Two"})
    assert not [step for step in ended["seen"] if "failed" in step], ended["seen"]
    contents = [(message["role"], message["content"]) for message in ended["messages"]]
    assert contents == [("user", "One"), ("assistant", "One +"), ("user", "Two"), ("assistant", "Two ++")]
    assert ended["state"] == {"times": "++"}
    assert ended["seen"][1]["result"] == {"times": "++"}


def test_a_form_is_answered_in_the_client(fronting: Fronting) -> None:
    url = fronting.offer(ASKS)
    ended = fronting.client(url, {"say": "Hi"}, {"answer": {"name": "Ada"}})
    first, second = ended["seen"]
    assert first["events"][-1]["outcome"]["type"] == "interrupt"
    assert second["events"][-1]["outcome"]["type"] == "success"
    contents = [message["content"] for message in ended["messages"]]
    assert contents == ["Hi", "Wait.", "Hello Ada"]


def test_a_client_that_comes_again_misses_nothing(fronting: Fronting) -> None:
    url, thread = fronting.offer(COUNTS), uuid.uuid4().hex
    ended = fronting.client(url, {"say": "One", "runId": "r1"}, {"runId": "r1"}, thread=thread)
    assert not [step for step in ended["seen"] if "failed" in step], ended["seen"]
    assert [message["content"] for message in ended["messages"]] == ["One", "One +"]
    assert ended["state"] == {"times": "+"}
    other = fronting.client(url, {}, thread=thread)
    assert [message["content"] for message in other["messages"]] == ["One", "One +"]


@pytest.mark.parametrize("kill", [True, *besides(False)])
def test_killed_in_mid_stream_another_process_goes_on(fronting: Fronting, kill: bool) -> None:
    url = fronting.offer(RESTS)
    body = {
        "threadId": uuid.uuid4().hex,
        "runId": "r1",
        "messages": [{"id": "m1", "role": "user", "content": "Hi"}],
    }
    with fronting.stream(url, body) as events:
        first = []
        for event in events:
            first.append(event)
            if event["type"] == "TEXT_MESSAGE_END":
                break
        if kill:
            fronting.patchbay.kill()
    if kill:
        fronting.patchbay.start()
    with fronting.stream(url, body) as events:
        again = list(events)
    texts = [event["delta"] for event in again if event["type"] == "TEXT_MESSAGE_CONTENT"]
    assert texts == ["Wait.", "Done."]
    assert (again[-1]["type"], again[-1]["outcome"]["type"]) == ("RUN_FINISHED", "success")
    messages = [event for event in first if event["type"] not in {"RUN_STARTED"}]
    shown = [event for event in again if event["type"] not in {"RUN_STARTED", "MESSAGES_SNAPSHOT"}]
    assert shown[: len(messages)] == messages, (types_of(messages), types_of(shown))
    runs = fronting.ask("GET", "/api/runs?state=SUCCESS")["results"]
    assert runs[0]["trigger"] == "agui"


def test_a_tool_of_the_client_outlives_a_kill(fronting: Fronting, llm: LlmServer) -> None:
    fronting.provide(llm.url)
    llm.reply(calls=[Call("client__paint", {"color": "teal"})])
    llm.say("Painted.", when=has_result("done"))
    url, thread = fronting.offer(agent()), uuid.uuid4().hex
    message = {"id": "m1", "role": "user", "content": "Paint"}
    tool = {"name": "paint", "description": "Paints.", "parameters": {"type": "object"}}
    with fronting.stream(url, {"threadId": thread, "runId": "r1", "messages": [message], "tools": [tool]}) as events:
        [key] = list(events)[-1]["outcome"]["pendingToolCallIds"]
    fronting.patchbay.kill()
    fronting.patchbay.start()
    answer = {"id": "m2", "role": "tool", "toolCallId": key, "content": "done"}
    with fronting.stream(url, {"threadId": thread, "runId": "r2", "messages": [message, answer]}) as events:
        again = list(events)
    assert "".join(event["delta"] for event in again if event["type"] == "TEXT_MESSAGE_CONTENT") == "Painted."
    assert again[-1]["outcome"] == {"type": "success"}
