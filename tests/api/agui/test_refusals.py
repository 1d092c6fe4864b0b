"""What is refused at `/agui` before anything begins, and by which name."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings

from backend.accounts.models import ApiToken
from backend.agui import streaming
from backend.runs.models import TERMINAL, Run
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.agui.documents import ASKING, COUNTING, RESTING
from tests.api.agui.speaking import body, events_of, front, opened, path_of, refused, request_stream, sent, user_message
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
SITE = "https://shop.example.org"


def refusal(person: Person, row: Workflow, content: Any, **more: Any) -> tuple[int, str, dict[str, Any]]:
    answer = refused(sent(person.token, path_of(row), content, **more))
    assert not Run.objects.filter(trigger="agui").exists()
    return answer


def test_what_is_no_input(bob: Person) -> None:
    row = front(bob, COUNTING)
    assert refusal(bob, row, b"{")[:2] == (400, "VALIDATION_ERROR")
    assert refusal(bob, row, b"\xff")[:2] == (400, "VALIDATION_ERROR")
    assert refusal(bob, row, [])[2] == {"": ["must be an object"]}
    assert set(refusal(bob, row, {})[2]) == {"threadId", "runId", "messages"}
    assert set(refusal(bob, row, body(user_message("x"), thread=""))[2]) == {"threadId"}
    assert set(refusal(bob, row, body(user_message("x"), request="a\0b"))[2]) == {"runId"}
    assert set(refusal(bob, row, body(user_message("x"), request="r" * 201))[2]) == {"runId"}
    assert set(refusal(bob, row, body(user_message("  ")))[2]) == {"messages.0.content"}
    assert set(refusal(bob, row, body(user_message("a\0b")))[2]) == {"messages.0.content"}
    [wrong] = refusal(bob, row, body({"id": "m", "role": "nobody", "content": ""}))[2]
    assert wrong.startswith("messages.0")
    kind = {"content-type": "text/plain"}
    assert refusal(bob, row, body(user_message("x")), headers=kind)[:2] == (415, "UNSUPPORTED_BODY")


def test_too_much(bob: Person) -> None:
    row = front(bob, COUNTING)
    many = [user_message("x", f"m{number}") for number in range(5000)]
    assert set(refusal(bob, row, body(*many))[2]) == {"messages"}
    assert refusal(bob, row, body(user_message("x" * 5_000_000)))[:2] == (413, "TOO_LARGE")


FORBIDDEN = [
    "http://127.0.0.1:1/secret",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "not an address",
    "http://user:pass@example.org/a.png",
    "",
]


def test_files_that_may_not_come(bob: Person) -> None:
    row = front(bob, COUNTING)

    def part(source: dict[str, Any]) -> set[str]:
        parts = [{"type": "text", "text": "Read"}, {"type": "image", "source": source}]
        return set(refusal(bob, row, body(user_message(parts)))[2])

    place = "messages.0.content.1.source"
    for address in FORBIDDEN:
        assert part({"type": "url", "value": address}) == {f"{place}.value"}, address
    assert part({"type": "url", "value": f"{settings.PUBLIC_URL}/api/health"}) == {f"{place}.value"}
    assert part({"type": "url", "value": "http://127.0.0.1:1/x", "mimeType": "x" * 200}) == {f"{place}.mimeType"}
    assert part({"type": "data", "value": "?", "mimeType": "image/png"}) == {f"{place}.value"}
    assert part({"type": "file", "value": "file_nobodys"}) == {f"{place}.value"}


def test_who_comes_without_a_right(bob: Person, vera: Person, charlie: Person) -> None:
    row = front(bob, COUNTING)
    assert refused(sent(None, path_of(row), body(user_message("x"))))[:2] == (401, "UNAUTHENTICATED")
    assert refused(sent("pb_nobody", path_of(row), body(user_message("x"))))[:2] == (401, "UNAUTHENTICATED")
    assert refused(sent(vera.token, path_of(row), body(user_message("x"))))[:2] == (403, "FORBIDDEN")
    assert refused(sent(charlie.token, path_of(row), body(user_message("x"))))[:2] == (404, "NOT_FOUND")
    Workflow.objects.filter(pk=row.pk).update(expose_as_agui=False)
    assert refusal(bob, row, body(user_message("x")))[:2] == (404, "NOT_FOUND")
    assert sent(bob.token, path_of(row), b"", method="GET").status_code == 405


def test_a_wrong_answer_leaves_the_question_open(bob: Person, worker: Worker) -> None:
    row = front(bob, ASKING)
    [question] = events_of(bob, row, body(user_message("Hi")))[-1]["outcome"]["interrupts"]

    def answered(key: str, payload: Any, thread: str = "t1") -> set[str]:
        resume = [{"interruptId": key, "status": "resolved", "payload": payload}]
        again = sent(bob.token, path_of(row), body(user_message("Hi"), thread=thread, request="r2", resume=resume))
        assert again.status_code == 400
        return set(again.json()["fields"])

    assert answered(question["id"], {"name": 7}) == {"resume.0.payload.name"}
    assert answered(question["id"], None) == {"resume.0.payload"}
    assert answered("int_nobodys", {"name": "x"}) == {"resume.0.interruptId"}
    assert answered(question["id"], {"name": "x"}, thread="another") == {"resume"}
    busy = sent(bob.token, path_of(row), body(user_message("More", "m2")))
    assert refused(busy)[:2] == (409, "CONFLICT")
    resume = [{"interruptId": question["id"], "status": "resolved", "payload": {"name": "Bo"}}]
    assert (
        events_of(bob, row, body(user_message("Hi"), request="r2", resume=resume))[-1]["outcome"]["type"] == "success"
    )


def test_the_same_thread_of_another_member_is_another(bob: Person, adam: Person, worker: Worker) -> None:
    row = front(bob, ASKING)
    [question] = events_of(bob, row, body(user_message("Hi")))[-1]["outcome"]["interrupts"]
    assert [event["messages"] for event in events_of(adam, row, body()) if "messages" in event] == [[]]
    resume = [{"interruptId": question["id"], "status": "resolved", "payload": {"name": "x"}}]
    answer = sent(adam.token, path_of(row), body(user_message("Hi"), resume=resume))
    assert set(answer.json()["fields"]) == {"resume"}


def test_names_and_sites(bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    row = front(bob, COUNTING)
    request = body(user_message("x"))
    assert refusal(bob, row, request, host="evil.example.org")[:2] == (403, "FORBIDDEN")
    assert refusal(bob, row, request, headers={"origin": SITE})[:2] == (403, "FORBIDDEN")
    assert sent(None, path_of(row), b"", {"origin": SITE}, method="OPTIONS").status_code == 403
    monkeypatch.setattr(settings.PATCHBAY, "agui_origins", [SITE])
    asks = sent(None, path_of(row), b"", {"origin": SITE}, method="OPTIONS")
    assert asks.status_code == 204
    assert asks.headers["access-control-allow-origin"] == SITE
    assert "authorization" in asks.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in asks.headers
    answer = sent(bob.token, path_of(row), request, {"origin": SITE})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, SITE)
    assert "set-cookie" not in answer.headers


def test_streams_of_one_token_are_bounded(bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    at, token = path_of(front(bob, RESTING)), bob.token
    monkeypatch.setattr(settings.PATCHBAY, "waiting_per_token", 1)

    async def go() -> httpx2.Response:
        async with opened(token, at, body(user_message("x"))) as stream:
            await stream.until("RUN_STARTED")
            return await request_stream(token, at, body(user_message("y"), thread="t2"))

    assert refused(async_to_sync(go)())[:2] == (429, "RATE_LIMITED")
    assert Run.objects.filter(trigger="agui").count() == 1, "the run of the client that left goes on"
    assert Run.objects.get().state not in TERMINAL


def test_a_stream_ends_with_its_token(bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    at, token = path_of(front(bob, RESTING)), bob.token
    monkeypatch.setattr(streaming, "CHECK_S", 0.0)
    monkeypatch.setattr(streaming, "LOOK_S", 0.05)
    monkeypatch.setattr(streaming, "ALIVE_S", 0.05)

    async def go() -> dict[str, Any]:
        async with opened(token, at, body(user_message("x"))) as stream:
            await stream.until("STEP_STARTED")
            await sync_to_async(ApiToken.objects.all().delete)()
            return await stream.until("RUN_ERROR")

    assert async_to_sync(go)()["code"] == "UNAUTHENTICATED"
    assert Run.objects.get().state not in TERMINAL
