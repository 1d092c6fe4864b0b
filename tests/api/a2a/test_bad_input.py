"""What clients should not send, and what they are told: nothing starts, nothing is fetched, and never a 500."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from django.conf import settings

from backend.a2a.endpoint import BODY
from backend.a2a.models import Message, Task
from backend.accounts.auth.rate_limits import RATES
from backend.files.models import File
from backend.runs.models import Run
from backend.runs.worker.worker import Worker
from tests.api.a2a.sending import ASKS, CARD, agent, message, place, requested, rpc, send, state_of, task_of
from tests.api.runs.conftest import ONE_NODE, graph, node
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "picture": {"type": "object", "format": "file", "x-accept": "image/*"},
    },
}
TAKES_FILES = graph([node("start", "start", {"inputs": FILES}), node("end", "end", {"outputs": {}})], "start -> end")


def nothing_happened() -> bool:
    """Whether no run, task, message or file came of it."""
    return not any(table._default_manager.exists() for table in (Run, Task, Message, File))


def test_a_thousand_parts(bob: Person) -> None:
    answer = send(bob, agent(bob, ONE_NODE), *["x"] * 1000)
    assert answer.code == -32602 and "100 parts" in answer["error"]["message"] and "1000" in answer["error"]["message"]
    assert nothing_happened()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/secret",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/x",
        "file:///etc/passwd",
        "ftp://example.org/a.png",
        "javascript:alert(1)",
        "not an address",
        "http://user:pass@example.org/a.png",
    ],
)
def test_a_file_at_a_forbidden_address(bob: Person, url: str) -> None:
    answer = send(bob, agent(bob, TAKES_FILES), "see", {"url": url, "mediaType": "image/png"})
    assert answer.code == -32602 and "parts.1" in answer["error"]["message"], answer
    assert nothing_happened()


def test_our_own_address_is_forbidden_too(bob: Person) -> None:
    answer = send(bob, agent(bob, TAKES_FILES), {"url": f"{settings.PUBLIC_URL}/api/health", "mediaType": "image/png"})
    assert answer.code == -32602 and nothing_happened()


def test_more_addresses_than_are_fetched(bob: Person) -> None:
    parts = [{"url": "data:x"}] * 11
    assert send(bob, agent(bob, TAKES_FILES), *parts).code == -32602
    assert nothing_happened()


def test_a_file_of_a_kind_that_is_not_taken(bob: Person) -> None:
    raw = base64.b64encode(b"x").decode()
    answer = send(bob, agent(bob, TAKES_FILES), {"raw": raw, "filename": "a.txt", "mediaType": "text/plain"})
    assert answer.code == -32602 and "parts.0" in answer["error"]["message"] and not Run.objects.exists()


def test_a_body_that_is_too_large(bob: Person) -> None:
    answer = requested("POST", place(agent(bob, ONE_NODE)), bob.token, b" " * (BODY + 1))
    assert (answer.status, answer["code"]) == (413, "TOO_LARGE")


def test_another_method_of_http(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    for method, path, allowed in (("GET", "", "POST"), ("DELETE", "", "POST"), ("POST", CARD, "GET")):
        answer = requested(method, place(row) + path, bob.token)
        assert (answer.status, answer.headers["allow"]) == (405, allowed)


def test_an_answer_that_does_not_fit_leaves_the_question_open(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    task = task_of(send(bob, row, "go"))
    odd: list[list[dict[str, Any]]] = [[{"data": {"name": 5}}], [{"data": {}}], [{"data": [1]}]]
    for parts in odd:
        answer = send(bob, row, *parts, taskId=task["id"])
        assert answer.code == -32602, answer
    assert send(bob, row, "x", taskId=task["id"], metadata={"action": "explode"}).code == -32602
    assert send(bob, row, "x", taskId=task["id"], metadata={"question": "int_no"}).code == -32602
    assert state_of(task_of(rpc(bob.token, place(row), "GetTask", {"id": task["id"]}))) == "input_required"
    declined = task_of(send(bob, row, "no", taskId=task["id"], metadata={"action": "decline"}))
    assert state_of(declined) != "input_required"


def test_a_token_that_may_not_answer(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    token = bob.api.post("/api/tokens", {"name": "run only", "scopes": ["run"]}).data["token"]
    task = task_of(rpc(token, place(row), "SendMessage", {"message": message("go")}))
    answer = rpc(token, place(row), "SendMessage", {"message": message("Ada", taskId=task["id"])})
    assert (answer.status, answer["code"]) == (403, "FORBIDDEN") and "answer" in answer["message"]
    assert state_of(task_of(rpc(token, place(row), "GetTask", {"id": task["id"]}))) == "input_required"


def test_a_token_of_a_collection_opens_no_agent(adam: Person) -> None:
    row = agent(adam, ONE_NODE)
    created = adam.api.post("/api/collections", {"name": "Tools"})
    token = adam.api.post(f"/api/collections/{created.data['id']}/tokens", {"name": "bot"}).data["token"]
    assert rpc(token, place(row), "ListTasks").status == 401
    assert requested("GET", place(row) + CARD, token).status == 401


def test_requests_are_counted(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    row = agent(bob, ONE_NODE, public=True)
    monkeypatch.setattr(settings.PATCHBAY, "rate_token_per_min", 2)
    messages = [rpc(bob.token, place(row), "ListTasks") for _ in range(3)]
    assert [answer.status for answer in messages] == [200, 200, 429] and int(messages[-1].headers["retry-after"]) > 0
    monkeypatch.setattr("backend.a2a.endpoint.CARDS_PER_MIN", 1)
    RATES.clear()
    assert [requested("GET", place(row) + CARD).status for _ in range(2)] == [200, 429]


def test_open_streams_are_bounded(bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    from backend.runs.live.run_waiters import WAITING

    row = agent(bob, ASKS)
    monkeypatch.setattr(settings.PATCHBAY, "waiting_per_token", 1)
    key = str(bob.api.get("/api/tokens").data["results"][0]["id"])
    WAITING.enter(key, 1)
    try:
        answer = rpc(bob.token, place(row), "SendStreamingMessage", {"message": message("go")})
    finally:
        WAITING.leave(key)
    assert (answer.status, answer["code"]) == (429, "RATE_LIMITED")


def test_a_start_that_is_refused_keeps_nothing(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    row = agent(bob, ONE_NODE)
    monkeypatch.setattr(settings.PATCHBAY, "token_run_starts_per_min", 1)
    assert [send(bob, row, "x", now=True).status for _ in range(2)] == [200, 429]
    assert (Run.objects.count(), Task.objects.count(), Message.objects.count()) == (1, 1, 1)


def test_errors_are_in_the_clients_language(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    params = {"id": "run_01m80fcemgqfdyfhy23jcf6p1x"}
    answer = rpc(bob.token, place(row), "GetTask", params, accept_language="zh-CN")
    assert answer["error"]["message"] == "没有这个任务。"
    assert rpc("", place(row), "GetTask", params, accept_language="zh-CN")["message"] == "您尚未登录。"
    wrong = {"message": message({"text": "x", "metadata": {"input": "nothing"}})}
    answer = rpc(bob.token, place(row), "SendMessage", wrong, accept_language="zh-CN")
    assert answer["error"]["message"].endswith("parts.0: 指定了工作流没有的输入。")
