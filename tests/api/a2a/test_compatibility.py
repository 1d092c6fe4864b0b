"""What A2A 1.0 requires of a server that speaks JSON-RPC, one test each: the cases of its compatibility kit, rebuilt.

The table CASES names each with the section of the specification; a test here or in `test_tasks` is named after it.
"""

from __future__ import annotations

import base64
import json
from functools import partial
from typing import Any

import pytest
from django.conf import settings

from backend.a2a.models import Message, Task
from backend.files.models import File
from backend.runs.models import Conversation, Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.a2a.sending import (
    APPROVAL,
    ASKS,
    CARD,
    NAME,
    RESTS,
    SAYS,
    agent,
    followed,
    message,
    place,
    requested,
    rpc,
    send,
    state_of,
    task_of,
    texts_of,
)
from tests.api.runs.conftest import ONE_NODE, graph, node
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

CASES = {
    "card_has_what_is_required": "4.4.1, 8.2: name, description, version, interfaces, capabilities, modes, skills",
    "card_names_protocol_and_address": "8.3.1: supportedInterfaces with url, binding and version",
    "card_says_how_one_signs_in": "4.5, 7.3: securitySchemes and securityRequirements",
    "a_private_card_asks_to_sign_in": "7.4: 401 with a challenge",
    "a_public_card_is_for_everybody": "8.2",
    "what_is_not_offered_is_unknown": "3.3.2: existence is not told",
    "a_request_without_sign_in_is_challenged": "7.4: 401, WWW-Authenticate",
    "not_json_is_a_parse_error": "9.5: -32700",
    "what_is_no_request_is_invalid": "9.5: -32600",
    "an_unknown_method_is_told": "9.5: -32601",
    "wrong_parameters_are_told": "9.5: -32602, with the fields",
    "another_version_is_refused": "3.2.6: VersionNotSupportedError -32009",
    "unknown_fields_are_passed_over": "3.6: forward compatibility",
    "a_message_makes_a_task": "3.1.1: a Task with id, contextId, status and time",
    "a_message_without_waiting": "3.2.2: returns at once with a task in progress",
    "a_message_that_waits": "3.2.2: returns the final task with its artifacts",
    "a_context_is_made": "3.4.1: MUST generate a contextId",
    "a_context_of_the_client_is_kept": "3.4.1: MUST accept and preserve it",
    "a_task_tells_its_context": "3.4.2: inferred where only taskId is given",
    "task_and_context_must_agree": "3.4.2: MUST reject a mismatch",
    "a_message_to_an_ended_task_is_refused": "3.1.1: UnsupportedOperationError -32004",
    "a_message_to_an_unknown_task_is_refused": "3.1.2: TaskNotFoundError -32001",
    "the_same_message_is_the_same_task": "3.3.1: messageId detects duplicates",
    "an_unsupported_part_is_told": "3.1.1: ContentTypeNotSupportedError -32005",
    "getting_a_task": "3.1.3",
    "getting_an_unknown_task": "3.1.3: TaskNotFoundError -32001",
    "how_much_history": "3.2.4: none, some, all",
    "listing_is_paged": "3.1.4: cursor, pageSize, totalSize, nextPageToken always there",
    "listing_is_sorted": "3.1.4: last update first",
    "listing_filters": "3.1.4: by context, state and time",
    "listing_omits_artifacts": "3.1.4: artifacts only where asked",
    "cancelling_a_task": "3.1.5",
    "cancelling_twice": "3.3.1: idempotent",
    "cancelling_an_ended_task": "3.1.5: TaskNotCancelableError -32002",
    "cancelling_an_unknown_task": "3.1.5: TaskNotFoundError -32001",
    "a_stream_begins_with_the_task": "3.1.2: Task first",
    "a_stream_ends_with_the_task": "3.1.2: closes with a terminal state",
    "subscribing_begins_with_the_task": "3.1.6: Task first",
    "subscribing_to_an_ended_task": "3.1.6: UnsupportedOperationError -32004",
    "subscribing_to_an_unknown_task": "3.1.6: TaskNotFoundError -32001",
    "input_required_goes_on_with_a_message": "3.4.2",
    "push_notifications_are_not_supported": "3.3.4: PushNotificationNotSupportedError -32003",
    "there_is_no_extended_card": "3.3.4: UnsupportedOperationError -32004",
    "states_are_in_the_protocols_words": "5.5: TASK_STATE_…, ROLE_…",
    "clients_of_0_3_are_answered": "the SDK's compatibility: message/send, tasks/get",
}
SAYS_AND_ASKS = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"text": {"type": "string"}}}}),
        node("first", "answer", {"text": "You said {{ start.text }}"}),
        node("ask", "form", {"title": "Who?", "schema": NAME}),
        node("second", "answer", {"text": "Then {{ ask.name }}"}),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> first",
    "first -> ask",
    "ask -> second",
    "second -> end",
)
UNKNOWN = "run_01m80fcemgqfdyfhy23jcf6p1x"


def test_every_case_has_a_test() -> None:
    here = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert CASES.keys() <= here, CASES.keys() - here


# -- the card ---------------------------------------------------------------------------------------------------------


def card(row: Workflow, token: str = "") -> Any:
    return requested("GET", place(row) + CARD, token)


def test_card_has_what_is_required(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    reply = card(row, bob.token)
    needed = {"name", "description", "version", "supportedInterfaces", "capabilities", "defaultInputModes", "skills"}
    assert reply.status == 200 and needed <= reply.keys()
    (skill,) = reply["skills"]
    assert (skill["id"], skill["name"]) == (row.slug, row.name) and skill["tags"]
    assert skill["inputModes"] == ["text/plain", "application/json"] and "- name (string)" in skill["description"]
    assert reply["capabilities"]["streaming"] is True and not reply["capabilities"]["pushNotifications"]


def test_card_names_protocol_and_address(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    first, second = card(row, bob.token)["supportedInterfaces"]
    assert first["url"] == second["url"] == f"{settings.PUBLIC_URL}{place(row)}"
    assert (first["protocolBinding"], first["protocolVersion"]) == ("JSONRPC", "1.0")
    assert second["protocolVersion"] == "0.3"


def test_card_says_how_one_signs_in(bob: Person) -> None:
    reply = card(agent(bob, ONE_NODE), bob.token)
    assert reply["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]["scheme"] == "Bearer"
    flow = reply["securitySchemes"]["oauth"]["oauth2SecurityScheme"]["flows"]["authorizationCode"]
    assert flow["pkceRequired"] and {*flow["scopes"]} == {"read", "run", "answer"}
    assert flow["tokenUrl"] == f"{settings.PUBLIC_URL}/oauth/token"
    assert reply["securityRequirements"] == [
        {"schemes": {"bearer": {}}},
        {"schemes": {"oauth": {"list": ["read", "run"]}}},
    ]


def test_a_private_card_asks_to_sign_in(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    reply = card(row)
    assert (reply.status, reply["code"]) == (401, "UNAUTHENTICATED")
    request = reply.headers["www-authenticate"]
    assert request.startswith('Bearer realm="Patchbay"') and f'oauth-protected-resource{place(row)}"' in request
    wrong = card(row, "pb_wrong")
    assert wrong.status == 401 and wrong.headers["www-authenticate"].endswith('error="invalid_token"')


def test_a_public_card_is_for_everybody(bob: Person) -> None:
    row = agent(bob, ONE_NODE, public=True)
    assert card(row)["name"] == row.name
    assert rpc("", place(row), "ListTasks").status == 401, "what it describes is not"


def test_what_is_not_offered_is_unknown(bob: Person, adam: Person) -> None:
    row = agent(bob, ONE_NODE, public=True)
    nowhere = [f"/a2a/{row.team.slug}/nothing", f"/a2a/nobody/{row.slug}", f"/a2a/{row.team.slug}/%00"]
    Workflow.objects.filter(pk=row.pk).update(expose_as_agent=False)
    for path in [place(row), *nowhere]:
        for reply in (requested("GET", path + CARD, bob.token), rpc(bob.token, path, "ListTasks")):
            assert (reply.status, reply["code"]) == (404, "NOT_FOUND"), path
        assert requested("GET", path + CARD).status == 401, "nobody learns whether there is one"


# -- requests ---------------------------------------------------------------------------------------------------------


def test_a_request_without_sign_in_is_challenged(bob: Person) -> None:
    answer = rpc("", place(agent(bob, ONE_NODE)), "SendMessage", {"message": message("x")})
    assert answer.status == 401 and answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"", b"[" * 200_000], ids=["half", "bytes", "empty", "deep"])
def test_not_json_is_a_parse_error(bob: Person, body: bytes) -> None:
    answer = requested("POST", place(agent(bob, ONE_NODE)), bob.token, body)
    assert (answer.status, answer.code, answer["id"]) == (200, -32700, None)


@pytest.mark.parametrize(
    "body",
    [b"[]", b"1", b"null", b'{"jsonrpc":"1.0","id":1,"method":"GetTask"}', b'{"jsonrpc":"2.0","id":1}'],
    ids=["batch", "number", "null", "version", "no method"],
)
def test_what_is_no_request_is_invalid(bob: Person, body: bytes) -> None:
    answer = requested("POST", place(agent(bob, ONE_NODE)), bob.token, body, **{"a2a-version": "1.0"})
    assert (answer.status, answer.code) == (200, -32600)


def test_an_unknown_method_is_told(bob: Person) -> None:
    assert rpc(bob.token, place(agent(bob, ONE_NODE)), "DoMessage").code == -32601


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("SendMessage", {}),
        ("SendMessage", {"message": {"role": "ROLE_USER", "parts": [{"text": "x"}]}}),
        ("SendMessage", {"message": {"messageId": "m", "role": "ROLE_USER", "parts": []}}),
        ("SendMessage", {"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{}]}}),
        ("SendMessage", {"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "x"}]}}),
        ("SendMessage", {"message": {"messageId": "m" * 129, "role": "ROLE_USER", "parts": [{"text": "x"}]}}),
        ("SendMessage", {"message": {"messageId": "m\0", "role": "ROLE_USER", "parts": [{"text": "x"}]}}),
        ("SendMessage", {"message": "x"}),
        ("SendMessage", {"message": message({"raw": "not base64!"})}),
        ("SendMessage", {"message": message({"data": [1]})}),
        ("SendMessage", {"message": message({"text": "x", "metadata": {"input": "nothing"}})}),
        ("SendMessage", {"message": message({"data": {"name": 1}})}),
        ("SendMessage", {"message": message({"data": {"name": "x"}}, "y")}),
        ("SendMessage", {"message": message("x"), "configuration": {"historyLength": -1}}),
        ("GetTask", {}),
        ("GetTask", {"id": 5}),
        ("GetTask", [1]),
        ("ListTasks", {"pageSize": 0}),
        ("ListTasks", {"pageSize": 101}),
        ("ListTasks", {"pageToken": "x"}),
        ("ListTasks", {"statusTimestampAfter": "yesterday"}),
    ],
)
def test_wrong_parameters_are_told(bob: Person, method: str, params: Any) -> None:
    answer = rpc(bob.token, place(agent(bob, ONE_NODE)), method, params)
    assert (answer.status, answer.code) == (200, -32602), answer
    assert not Run.objects.exists() and not Message.objects.exists()


def test_another_version_is_refused(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    assert rpc(bob.token, place(row), "ListTasks", a2a_version="2.0").code == -32009
    assert rpc(bob.token, place(row), "ListTasks", a2a_version="").code == -32009, "none named means 0.3"


def test_unknown_fields_are_passed_over(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    params = {"message": {**message("Ada"), "mood": "good"}, "later": {"a": 1}}
    assert texts_of(task_of(rpc(bob.token, place(row), "SendMessage", params))) == ["Hello Ada"]


# -- messages ---------------------------------------------------------------------------------------------------------


def test_a_message_makes_a_task(bob: Person) -> None:
    task = task_of(send(bob, agent(bob, ONE_NODE), "Ada", now=True))
    run = Run.objects.get()
    assert task["id"] == run.pk and task["contextId"] and task["status"]["timestamp"].endswith("Z")
    assert (run.started_by, run.trigger) == (bob.user, "a2a")


def test_a_message_without_waiting(bob: Person) -> None:
    assert state_of(task_of(send(bob, agent(bob, ONE_NODE), "Ada", now=True))) == "submitted"


def test_a_message_that_waits(bob: Person, worker: Worker) -> None:
    task = task_of(send(bob, agent(bob, SAYS), "hi"))
    assert (state_of(task), texts_of(task)) == ("completed", ["You said hi", "That is all."])
    assert task["artifacts"][-1]["parts"] == [{"data": {"n": 2}, "mediaType": "application/json"}]


def test_a_context_is_made(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    first, second = (task_of(send(bob, row, "x", now=True))["contextId"] for _ in range(2))
    assert first and second and first != second


def test_a_context_of_the_client_is_kept(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    tasks = [task_of(send(bob, row, "x", now=True, contextId="my own")) for _ in range(2)]
    assert {task["contextId"] for task in tasks} == {"my own"} and tasks[0]["id"] != tasks[1]["id"]


def test_a_task_tells_its_context(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    task = task_of(send(bob, row, "go", contextId="mine"))
    assert task_of(send(bob, row, "Ada", taskId=task["id"]))["contextId"] == "mine"


def test_task_and_context_must_agree(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    task = task_of(send(bob, row, "go", contextId="mine"))
    assert send(bob, row, "Ada", taskId=task["id"], contextId="other").code == -32602
    assert Interaction.objects.get().state == Interaction.State.OPEN


def test_a_message_to_an_ended_task_is_refused(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    task = task_of(send(bob, row, "Ada"))
    assert send(bob, row, "again", taskId=task["id"]).code == -32004


def test_a_message_to_an_unknown_task_is_refused(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    for key in (UNKNOWN, "\0", "x" * 500):
        assert send(bob, row, "x", taskId=key).code == -32001


def test_the_same_message_is_the_same_task(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    first = task_of(send(bob, row, "go", messageId="one"))
    assert task_of(send(bob, row, "something else", messageId="one"))["id"] == first["id"]
    answers = [task_of(send(bob, row, "Ada", messageId="two", taskId=first["id"])) for _ in range(2)]
    assert [state_of(task) for task in answers] == ["completed", "completed"]
    assert (Run.objects.count(), Task.objects.count(), Message.objects.count()) == (1, 1, 2)


def test_an_unsupported_part_is_told(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    file = {"raw": base64.b64encode(b"x").decode(), "filename": "a.txt"}
    assert send(bob, row, file).code == -32005 and not File.objects.exists()
    texts = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    two = graph([node("start", "start", {"inputs": texts}), node("end", "end", {"outputs": {}})], "start -> end")
    refused = send(bob, agent(bob, two), "x")
    assert refused.code == -32005 and "a, b" in refused["error"]["message"]


def test_files_and_data_go_to_their_inputs(bob: Person, worker: Worker) -> None:
    properties = {
        "text": {"type": "string"},
        "n": {"type": "integer"},
        "picture": {"type": "object", "format": "file", "x-accept": "image/*"},
        "files": {"type": "array", "items": {"type": "object", "format": "file"}},
    }
    outputs = {"n": "{{ start.n }}", "picture": "{{ start.picture }}", "files": "{{ start.files }}"}
    nodes = [
        node("start", "start", {"inputs": {"type": "object", "properties": properties}}),
        node("end", "end", {"outputs": outputs}),
    ]
    raw = base64.b64encode(b"content").decode()
    files = [
        {"raw": raw, "filename": "a.txt", "mediaType": "text/plain"},
        {"raw": raw, "filename": "b.png", "mediaType": "image/png"},
    ]
    task = task_of(send(bob, agent(bob, graph(nodes, "start -> end")), "see", {"data": {"n": 3}}, *files))
    (artifact,) = task["artifacts"]
    messages = {part.get("filename"): part for part in artifact["parts"]}
    assert (
        state_of(task) == "completed"
        and messages["b.png"]["raw"] == raw
        and messages["a.txt"]["mediaType"] == "text/plain"
    )
    assert messages[None]["data"]["n"] == 3 and messages["b.png"]["metadata"] == {"output": "picture"}
    kept = task["history"][0]["parts"]
    assert kept[2]["url"].startswith(f"{settings.PUBLIC_URL}/api/files/") and kept[2]["filename"] == "a.txt"


# -- tasks ------------------------------------------------------------------------------------------------------------


def test_getting_a_task(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    task = task_of(send(bob, row, "Ada"))
    assert task_of(rpc(bob.token, place(row), "GetTask", {"id": task["id"]})) == task


@pytest.mark.parametrize("method", ["GetTask", "CancelTask", "SubscribeToTask"])
def test_an_unknown_task(bob: Person, method: str) -> None:
    row = agent(bob, ONE_NODE)
    other = agent(bob, ASKS)
    elsewhere = task_of(send(bob, other, "x", now=True))["id"]
    for key in (UNKNOWN, elsewhere, "\0", "x" * 500):
        assert rpc(bob.token, place(row), method, {"id": key}).code == -32001, key


test_getting_an_unknown_task = test_cancelling_an_unknown_task = test_subscribing_to_an_unknown_task = (
    test_an_unknown_task
)


def test_how_much_history(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    task = task_of(send(bob, row, "go"))
    send(bob, row, "Ada", taskId=task["id"])
    texts = {}
    for length in (None, 0, 1, 5):
        params = {"id": task["id"], **({} if length is None else {"historyLength": length})}
        reply = task_of(rpc(bob.token, place(row), "GetTask", params))
        texts[length] = [item["parts"][0]["text"] for item in reply.get("history", [])]
    assert texts == {None: ["go", "Ada"], 0: [], 1: ["Ada"], 5: ["go", "Ada"]}


def listed(person: Person, row: Workflow, **params: Any) -> dict[str, Any]:
    result: dict[str, Any] = rpc(person.token, place(row), "ListTasks", params)["result"]
    return result


def test_listing_is_paged(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    keys = [task_of(send(bob, row, "x", now=True))["id"] for _ in range(5)]
    matches, token = [], ""
    for size in (2, 2, 1):
        page = listed(bob, row, pageSize=2, pageToken=token)
        assert (len(page["tasks"]), page["pageSize"], page["totalSize"]) == (size, 2, 5)
        matches += [task["id"] for task in page["tasks"]]
        token = page["nextPageToken"]
    assert token == "" and matches == keys[::-1]


def test_listing_is_sorted(bob: Person, worker: Worker) -> None:
    """A question that came later is a later change than another task's end."""
    row = agent(bob, ASKS)
    first = task_of(send(bob, row, "go"))["id"]
    second = task_of(send(bob, row, "go"))["id"]
    assert [task["id"] for task in listed(bob, row)["tasks"]] == [second, first]
    send(bob, row, "Ada", taskId=first)
    page = listed(bob, row)["tasks"]
    assert [task["id"] for task in page] == [first, second]
    assert page[0]["status"]["timestamp"] > page[1]["status"]["timestamp"]


def test_listing_filters(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    asks = task_of(send(bob, row, "go", contextId="a"))
    done = task_of(send(bob, row, "go", contextId="b"))
    ended = task_of(send(bob, row, "Ada", taskId=done["id"]))
    matches = {
        state: [task["id"] for task in listed(bob, row, status=f"TASK_STATE_{state}")["tasks"]]
        for state in ("INPUT_REQUIRED", "AUTH_REQUIRED", "COMPLETED", "WORKING", "SUBMITTED", "FAILED", "REJECTED")
    }
    assert (matches.pop("INPUT_REQUIRED"), matches.pop("COMPLETED")) == ([asks["id"]], [done["id"]])
    assert not any(matches.values())
    assert [task["id"] for task in listed(bob, row, contextId="a")["tasks"]] == [asks["id"]]
    assert listed(bob, row, contextId="c")["totalSize"] == 0
    later = listed(bob, row, statusTimestampAfter=ended["status"]["timestamp"])
    assert [task["id"] for task in later["tasks"]] == [done["id"]]


def test_listing_omits_artifacts(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    send(bob, row, "Ada")
    (without,), (with_them,) = (listed(bob, row, includeArtifacts=want)["tasks"] for want in (False, True))
    assert "artifacts" not in without and texts_of(with_them) == ["Hello Ada"]


def test_cancelling_a_task(bob: Person, worker: Worker) -> None:
    row = agent(bob, RESTS)
    task = task_of(send(bob, row, "go", now=True))
    assert state_of(task_of(rpc(bob.token, place(row), "CancelTask", {"id": task["id"]}))) == "canceled"
    assert Run.objects.get().state == RunState.CANCELLED


def test_cancelling_twice(bob: Person, worker: Worker) -> None:
    row = agent(bob, RESTS)
    key = task_of(send(bob, row, "go", now=True))["id"]
    answers = [rpc(bob.token, place(row), "CancelTask", {"id": key}) for _ in range(2)]
    assert [state_of(task_of(item)) for item in answers] == ["canceled", "canceled"]


def test_cancelling_an_ended_task(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    key = task_of(send(bob, row, "Ada"))["id"]
    assert rpc(bob.token, place(row), "CancelTask", {"id": key}).code == -32002


# -- streams ----------------------------------------------------------------------------------------------------------


def streamed(body: Any) -> list[tuple[str, Any]]:
    """(what it is, it) of each event of a stream."""
    return [next(iter(event["result"].items())) for event in body.events]


def test_a_stream_begins_with_the_task(bob: Person, worker: Worker) -> None:
    answer = rpc(bob.token, place(agent(bob, SAYS)), "SendStreamingMessage", {"message": message("hi")})
    kind, task = streamed(answer)[0]
    assert (
        kind == "task"
        and state_of(task) == "submitted"
        and answer.headers["content-type"].startswith("text/event-stream")
    )
    assert all(event["id"] == 1 and event["jsonrpc"] == "2.0" for event in answer.events)


def test_a_stream_ends_with_the_task(bob: Person, worker: Worker) -> None:
    answer = rpc(bob.token, place(agent(bob, SAYS)), "SendStreamingMessage", {"message": message("hi")})
    events = streamed(answer)
    texts = [value["artifact"]["parts"][0].get("text") for kind, value in events if kind == "artifactUpdate"]
    assert texts == ["You said hi", "That is all.", None]
    states = [state_of(value) for kind, value in events if kind == "statusUpdate"]
    assert states[-1] == "completed" and set(states[:-1]) == {"working"}


def test_subscribing_begins_with_the_task(bob: Person, worker: Worker) -> None:
    """What a task has said by then is in it, and what it says later follows."""
    row = agent(bob, SAYS_AND_ASKS)
    task = task_of(send(bob, row, "hi"))
    answer = partial(send, bob, row, "Ada", taskId=task["id"])
    reply = followed(bob.token, place(row), "SubscribeToTask", {"id": task["id"]}, answer)
    events = [next(iter(event.items())) for event in reply]
    assert events[0][0] == "task" and state_of(events[-1][1]) == "completed"
    texts = [value["artifact"] for kind, value in events if kind == "artifactUpdate"]
    assert texts_of({"artifacts": [*events[0][1]["artifacts"], *texts]}) == ["You said hi", "Then Ada"]


def test_subscribing_to_an_ended_task(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    key = task_of(send(bob, row, "Ada"))["id"]
    answer = rpc(bob.token, place(row), "SubscribeToTask", {"id": key})
    assert answer.code == -32004 and not answer.events, "told at once, not in a stream"


def test_input_required_goes_on_with_a_message(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    events = streamed(rpc(bob.token, place(row), "SendStreamingMessage", {"message": message("go")}))
    assert state_of(events[-1][1]) == "input_required", "the client's turn ends the stream"
    answer = {"message": message({"data": {"name": "Ada"}}, taskId=events[0][1]["id"])}
    events = streamed(rpc(bob.token, place(row), "SendStreamingMessage", answer))
    assert state_of(events[-1][1]) == "completed"


# -- what is not offered, and the rest --------------------------------------------------------------------------------


def test_push_notifications_are_not_supported(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    params = {"taskId": UNKNOWN, "id": "x", "url": "https://example.org/hook"}
    for verb in ("Create", "Get", "Delete"):
        assert rpc(bob.token, place(row), f"{verb}TaskPushNotificationConfig", params).code == -32003, verb
    assert rpc(bob.token, place(row), "ListTaskPushNotificationConfigs", params).code == -32003


def test_there_is_no_extended_card(bob: Person) -> None:
    assert rpc(bob.token, place(agent(bob, ONE_NODE)), "GetExtendedAgentCard").code == -32004


def test_states_are_in_the_protocols_words(bob: Person, worker: Worker) -> None:
    fails = graph([node("start", "start"), node("end", "end", {"outputs": {"a": "{{ start.no }}"}})], "start -> end")
    matches = {
        state_of(task_of(send(bob, agent(bob, document), "x")))
        for document in (
            graph([node("start", "start"), node("end", "end", {"outputs": {}})], "start -> end"),
            fails,
            ASKS,
            APPROVAL,
        )
    }
    assert matches == {"completed", "failed", "input_required", "auth_required"}


def test_clients_of_0_3_are_answered(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    reply = {"kind": "message", "messageId": "old", "role": "user", "parts": [{"kind": "text", "text": "Ada"}]}
    body = {"jsonrpc": "2.0", "id": "a", "method": "message/send", "params": {"message": reply}}
    task = requested("POST", place(row), bob.token, json.dumps(body).encode())["result"]
    assert (task["kind"], task["status"]["state"]) == ("task", "completed")
    body = {"jsonrpc": "2.0", "id": "b", "method": "tasks/get", "params": {"id": task["id"]}}
    again = requested("POST", place(row), bob.token, json.dumps(body).encode())["result"]
    assert again["artifacts"][0]["parts"][0]["text"] == "Hello Ada"


def test_a_chats_contexts_are_its_conversations(bob: Person, worker: Worker) -> None:
    properties = {"text": {"type": "string"}, "history": {"type": "array"}}
    nodes = [
        node("start", "start", {"inputs": {"type": "object", "properties": properties}}),
        node("say", "answer", {"text": "{{ start.history | length }}: {{ start.text }}"}),
        node("end", "end", {"outputs": {}}),
    ]
    row = agent(bob, graph(nodes, "start -> say", "say -> end"))
    created = bob.api.post(f"/api/workflows/{row.pk}/triggers", {"kind": "chat", "name": "Chat", "enabled": True})
    assert created.status == 201, created.text
    first = task_of(send(bob, row, "one"))
    conversation = Conversation.objects.get()
    assert (first["contextId"], texts_of(first)) == (conversation.pk, ["0: one"])
    assert texts_of(task_of(send(bob, row, "two", contextId=conversation.pk))) == ["2: two"]
    own = [texts_of(task_of(send(bob, row, text, contextId="mine"))) for text in ("a", "b")]
    assert own == [["0: a"], ["2: b"]] and Conversation.objects.count() == 2
    assert send(bob, row, {"data": {"text": "x"}}).code == -32005
