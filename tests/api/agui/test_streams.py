"""What a stream at `/agui` tells, with the worker in this process."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from backend.files.services import file_of
from backend.runs.models import Conversation, Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from tests.api.agui.documents import APPROVAL, ASKING, COUNTING, FORM, agent
from tests.api.agui.speaking import body, events_of, front, path_of, sent, texts_of, types_of, user_message
from tests.api.runs.conftest import ONE_NODE, graph, node, until
from tests.llm_server import Call, LlmServer, has_result
from tests.people import Person
from tests.web_server import PNG, WebServer

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_message_is_answered(bob: Person, worker: Worker) -> None:
    row = front(bob, ONE_NODE)
    events = events_of(bob, row, body(user_message("Ada"), request="r1"))
    assert types_of(events)[0] == "RUN_STARTED"
    assert types_of(events)[-1] == "RUN_FINISHED"
    assert texts_of(events) == ["Hello Ada"]
    assert events[-1]["outcome"]["type"] == "success"
    assert events[-1]["result"] == {"text": "Hello Ada"}
    run = Run.objects.get()
    assert (run.trigger, run.state, run.started_by) == ("agui", RunState.SUCCESS, bob.user)
    assert events[0]["metadata"]["patchbay"]["run"] == run.pk


def test_steps_begin_and_end(bob: Person, worker: Worker) -> None:
    events = events_of(bob, front(bob, ONE_NODE), body(user_message("Ada")))
    begun = [event["stepName"] for event in events if event["type"] == "STEP_STARTED"]
    ended = [event["stepName"] for event in events if event["type"] == "STEP_FINISHED"]
    assert begun == ended == ["start", "greet", "end"]


def test_a_thread_keeps_what_was_said_and_its_variables(bob: Person, worker: Worker) -> None:
    row = front(bob, COUNTING)
    first = events_of(bob, row, body(user_message("One")))
    assert texts_of(first) == ["plain One + 0"]
    snapshots = [event["snapshot"] for event in first if event["type"] == "STATE_SNAPSHOT"]
    deltas = [event["delta"] for event in first if event["type"] == "STATE_DELTA"]
    assert (snapshots, deltas) == ([{"times": ""}], [[{"op": "add", "path": "/times", "value": "+"}]])
    assert "MESSAGES_SNAPSHOT" not in types_of(first)
    second = events_of(bob, row, body(user_message("Two", "m2"), forwardedProps={"tone": "kind", "nothing": 1}))
    assert texts_of(second) == ["kind Two ++ 2"]
    [shown] = [event["messages"] for event in second if event["type"] == "MESSAGES_SNAPSHOT"]
    contents = [(message["role"], message["content"]) for message in shown]
    assert contents == [("user", "One"), ("assistant", "plain One + 0"), ("user", "Two")]
    assert shown[-1]["id"] == "m2"
    assert texts_of(events_of(bob, row, body(user_message("Else"), thread="t2"))) == ["plain Else + 0"]
    assert Conversation.objects.count() == 2


def test_a_thread_is_read_without_saying_anything(bob: Person, worker: Worker) -> None:
    row = front(bob, COUNTING)
    assert types_of(events_of(bob, row, body())) == [
        "RUN_STARTED",
        "MESSAGES_SNAPSHOT",
        "STATE_SNAPSHOT",
        "RUN_FINISHED",
    ]
    events_of(bob, row, body(user_message("One")))
    events = events_of(bob, row, body())
    assert [message["content"] for message in events[1]["messages"]] == ["One", "plain One + 0"]
    assert events[2]["snapshot"] == {"times": "+"}
    assert Run.objects.count() == 1


def test_a_workflow_without_messages_takes_values(bob: Person, worker: Worker) -> None:
    row = front(bob, FORM)
    events = events_of(bob, row, body(state={"a": 1, "b": "state"}, forwardedProps={"b": "props"}))
    assert events[-1]["result"] == {"sum": 1, "b": "props"}


def test_what_a_model_writes_is_told_as_it_comes(bob: Person, worker: Worker, llm: LlmServer, provider: None) -> None:
    llm.reply(text="I count.", calls=[Call("local__calculate", {"expression": "6*7"})])
    llm.say("It is 42.", when=has_result("42"))
    events = events_of(bob, front(bob, agent()), body(user_message("How much?")))
    assert texts_of(events) == ["I count.", "It is 42."]
    calls = [event for event in events if event["type"].startswith("TOOL_CALL")]
    assert types_of(calls) == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"]
    assert (calls[0]["toolCallName"], calls[1]["delta"]) == ("calculate", '{"expression": "6*7"}')
    assert "42" in calls[3]["content"]
    assert len({call["toolCallId"] for call in calls}) == 1


def test_the_same_request_is_the_same_run(bob: Person, worker: Worker) -> None:
    row = front(bob, COUNTING)
    request = body(user_message("One"), request="r1")
    first = events_of(bob, row, request)
    again = events_of(bob, row, request)
    [shown] = [event["messages"] for event in again if event["type"] == "MESSAGES_SNAPSHOT"]
    assert [message["id"] for message in shown] == ["m1"]
    assert [event for event in again if event["type"] != "MESSAGES_SNAPSHOT"] == first
    assert Run.objects.count() == 1
    [written] = [event["messageId"] for event in first if event["type"] == "TEXT_MESSAGE_START"]
    answered = {"id": written, "role": "assistant", "content": "plain On"}
    third = events_of(bob, row, body(user_message("One"), answered, request="r1"))
    [shown] = [event["messages"] for event in third if event["type"] == "MESSAGES_SNAPSHOT"]
    assert [message["id"] for message in shown] == ["m1"], "what the stream writes anew is taken away first"


def test_message_ids_that_come_twice_change_nothing(bob: Person, worker: Worker) -> None:
    """Ids of messages are the client's own: what was said is known from the log, and told under ids of ours."""
    row = front(bob, COUNTING)
    assert types_of(events_of(bob, row, body(user_message("One"), user_message("Two"))))[-1] == "RUN_FINISHED"
    assert types_of(events_of(bob, row, body(user_message("Three"))))[-1] == "RUN_FINISHED"
    [shown] = [event["messages"] for event in events_of(bob, row, body()) if event["type"] == "MESSAGES_SNAPSHOT"]
    assert [message["content"] for message in shown if message["role"] == "user"] == ["Two", "Three"]
    assert len({message["id"] for message in shown}) == len(shown) == 4
    assert Run.objects.count() == 2


def test_a_form_is_an_interrupt_that_the_client_answers(bob: Person, worker: Worker) -> None:
    row = front(bob, ASKING)
    first = events_of(bob, row, body(user_message("Hi")))
    outcome = first[-1]["outcome"]
    assert outcome["type"] == "interrupt"
    [question] = outcome["interrupts"]
    assert (question["reason"], question["responseSchema"]["required"]) == ("input_required", ["name"])
    assert question["message"] == "Who?\nSay it"
    resume = [{"interruptId": question["id"], "status": "resolved", "payload": {"name": "Bo"}}]
    second = events_of(bob, row, body(user_message("Hi"), request="r2", resume=resume))
    assert texts_of(second) == ["It is Bo."]
    assert types_of(second)[-1] == "RUN_FINISHED"
    assert Run.objects.count() == 1
    assert Interaction.objects.get().answered_by == bob.user
    again = events_of(bob, row, body(user_message("Hi"), request="r2", resume=resume))
    assert texts_of(again) == ["It is Bo."]
    assert events_of(bob, row, body(user_message("Hi"), request="r2"))[-1]["outcome"]["type"] == "success"


def test_a_form_that_is_put_aside_is_declined(bob: Person, worker: Worker) -> None:
    row = front(bob, ASKING)
    [question] = events_of(bob, row, body(user_message("Hi")))[-1]["outcome"]["interrupts"]
    events_of(bob, row, body(user_message("Hi"), resume=[{"interruptId": question["id"], "status": "cancelled"}]))
    assert Interaction.objects.get().state == Interaction.State.ANSWERED
    assert '"decline"' in Interaction.objects.get().answer


def test_an_approval_is_a_link_and_no_answer_of_a_client(bob: Person, worker: Worker) -> None:
    row = front(bob, APPROVAL)
    [question] = events_of(bob, row, body(user_message("Hi")))[-1]["outcome"]["interrupts"]
    about = question["metadata"]["patchbay"]
    assert (question["reason"], about["answerable"], "responseSchema" in question) == ("confirmation", False, False)
    assert about["url"].endswith(f"/inbox/{question['id']}")
    resume = [{"interruptId": question["id"], "status": "resolved", "payload": {"approved": True}}]
    again = events_of(bob, row, body(user_message("Hi"), resume=resume))
    assert again[-1]["outcome"]["interrupts"][0]["id"] == question["id"]
    assert Interaction.objects.get().state == Interaction.State.OPEN
    assert bob.api.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"}).status == 200
    done = events_of(bob, row, body(user_message("Hi"), request="r9", resume=resume))
    assert texts_of(done) == ["Done."]


def test_a_thread_whose_run_asks_is_found_again(bob: Person, worker: Worker) -> None:
    row = front(bob, ASKING)
    events_of(bob, row, body(user_message("Hi")))
    events = events_of(bob, row, body())
    assert events[-1]["outcome"]["type"] == "interrupt"
    [shown] = [event["messages"] for event in events if event["type"] == "MESSAGES_SNAPSHOT"]
    assert [message["content"] for message in shown] == ["Hi"]


def test_a_failure_is_told(bob: Person, worker: Worker) -> None:
    fails = graph(
        [
            node("start", "start", {"inputs": {"type": "object", "properties": {"text": {"type": "string"}}}}),
            node("no", "wait", {"seconds": "{{ start.text }}"}),
            node("end", "end", {"outputs": {}}),
        ],
        "start -> no",
        "no -> end",
    )
    events = events_of(bob, front(bob, fails), body(user_message("never")))
    assert events[-1]["type"] == "RUN_ERROR"
    assert events[-1]["code"] and events[-1]["message"]
    assert Run.objects.get().state == RunState.ERROR


def test_a_cancelled_run_is_told(bob: Person, worker: Worker) -> None:
    row = front(bob, ASKING)
    request = body(user_message("Hi"), request="r1")
    events_of(bob, row, request)
    assert bob.api.post(f"/api/runs/{Run.objects.get().pk}/cancel", {}).status in {200, 202}
    until(lambda: Run.objects.get().state == RunState.CANCELLED, 60)
    assert events_of(bob, row, request)[-1]["outcome"] == {"type": "cancelled"}


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """A site, on the one loopback address that the operator opened."""
    monkeypatch.setattr(settings.PATCHBAY, "outbound_allow", ["127.0.0.1"])
    server = WebServer().start()
    yield server
    server.stop()


def pictured(*addresses: str, **more: Any) -> list[dict[str, Any]]:
    """What a message says that names pictures by address."""
    sources = [{"type": "url", "value": address, **more} for address in addresses]
    return [{"type": "text", "text": "See"}, *({"type": "image", "source": source} for source in sources)]


def test_what_stands_at_an_address_is_a_file_of_the_run(bob: Person, worker: Worker, web: WebServer) -> None:
    row = front(bob, COUNTING)
    request = body(user_message(pictured(f"{web.url}/png")))
    assert types_of(events_of(bob, row, request))[-1] == "RUN_FINISHED"
    [file] = Run.objects.get().files.all()
    assert file_of(bob.team.pk, file.file_id) == (PNG, "image/png", "png")
    assert len(web.came) == 1 and "authorization" not in web.came[0].headers
    events_of(bob, row, request)
    assert len(web.came) == 1, "the same request is the same run, and fetches nothing"
    events_of(bob, row, body(user_message(pictured(f"{web.url}/png", mimeType="image/webp"), "m2")))
    files = [item.file_id for item in Run.objects.latest("queued_at").files.all()]
    assert [file_of(bob.team.pk, key)[1] for key in files] == ["image/webp"]


def test_an_address_that_gives_no_file(
    bob: Person, worker: Worker, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = front(bob, COUNTING)

    def wrong(*addresses: str) -> set[str]:
        answer = sent(bob.token, path_of(row), body(user_message(pictured(*addresses))))
        assert answer.status_code == 400, answer.text
        return set(answer.json()["fields"])

    place = "messages.0.content.{}.source.value"
    assert wrong(f"{web.url}/status/404") == {place.format(1)}
    assert wrong(f"{web.url}/png", f"{web.url}/drop") == {place.format(2)}
    monkeypatch.setattr(settings.PATCHBAY, "max_blob_mb", 1.0)
    assert wrong(f"{web.url}/big") == {place.format(1)}
    monkeypatch.setattr(settings.PATCHBAY, "outbound_allow", [])
    assert wrong(f"{web.url}/there") == {place.format(1)}
    before = len(web.came)
    assert wrong(*[f"{web.url}/png"] * 11) == {"messages.0.content.11"}
    assert len(web.came) == before and not Run.objects.exists()


def test_nothing_is_fetched_for_who_may_not_start(vera: Person, charlie: Person, bob: Person, web: WebServer) -> None:
    row = front(bob, COUNTING)
    for token, status in ((vera.token, 403), (charlie.token, 404), (None, 401)):
        assert sent(token, path_of(row), body(user_message(pictured(f"{web.url}/png")))).status_code == status
    assert web.came == []


def test_bytes_are_files_of_the_run(bob: Person, worker: Worker) -> None:
    source = {"type": "data", "value": base64.b64encode(b"%PDF-1").decode(), "mimeType": "application/pdf"}
    parts = [{"type": "text", "text": "Read"}, {"type": "document", "source": source}]
    events_of(bob, front(bob, COUNTING), body(user_message(parts)))
    run = Run.objects.get()
    [file] = run.files.all()
    assert file_of(bob.team.pk, file.file_id) == (
        b"%PDF-1",
        "application/pdf",
        "document-1.pdf",
    )
