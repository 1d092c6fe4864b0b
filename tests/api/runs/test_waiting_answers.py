"""An answer that waits for its run, over ASGI: the same whether the run is over at once or the loop waits for it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings

from backend.accounts.auth.tokens import issue_token
from backend.project.serving.handler import ThreadedHandler
from backend.runs.live.hub import Hub
from backend.runs.live.run_waiters import RunWaiter
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.runs.conftest import graph, make_workflow, node
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def resting(seconds: float) -> dict[str, Any]:
    """A document whose runs end after so long."""
    outputs = {"name": "{{ start.name }}"}
    return graph(
        [node("start", "start"), node("rest", "wait", {"seconds": seconds}), node("end", "end", {"outputs": outputs})],
        "start -> rest",
        "rest -> end",
    )


async def answer(handler: ThreadedHandler, token: str, workflow: Workflow, wait: float) -> tuple[int, dict[str, Any]]:
    """(status, body) of a start that waits."""
    body = json.dumps({"version": "draft", "inputs": {"name": "Ada"}, "wait": wait}).encode()
    path = f"/api/workflows/{workflow.pk}/runs"
    scope: dict[str, Any] = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [
            (b"host", b"localhost"),
            (b"authorization", f"Bearer {token}".encode()),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 80),
    }
    communicator = ApplicationCommunicator(handler, scope)
    await communicator.send_input({"type": "http.request", "body": body, "more_body": False})
    head = await communicator.receive_output(60)
    content = await communicator.receive_output(60)
    lengths = [value for name, value in head["headers"] if name.lower() == b"content-length"]
    assert lengths == [str(len(content["body"])).encode()]
    return head["status"], json.loads(content["body"])


def test_whoever_waits_is_answered_the_same_and_makes_room(
    worker: Worker, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "waiting_per_token", 1)
    _, token = issue_token(bob.user, bob.team, "program")
    short, later, long = (make_workflow(bob, resting(seconds)) for seconds in (0, 0.4, 3600))
    handler = ThreadedHandler(2)

    async def wait_for_answer() -> None:
        for workflow in (short, later, short):
            status, run = await answer(handler, token, workflow, 30)
            assert (status, run["state"], run["outputs"]) == (200, "SUCCESS", {"name": "Ada"}), run
        for seconds in (0.001, 0.2):
            status, run = await answer(handler, token, long, seconds)
            assert status == 202 and run["state"] in ("QUEUED", "RUNNING", "WAITING"), run
        assert (await answer(handler, token, short, 30))[0] == 200, "nobody counts as waiting any more"

    asyncio.run(wait_for_answer())


@pytest.fixture
def threads_in_turns() -> Iterator[None]:
    """Threads give way to each other at any moment."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_a_ring_when_the_time_is_over_is_heard_later(threads_in_turns: None) -> None:
    hub = Hub()
    with RunWaiter(hub, "run_1") as wait, ThreadPoolExecutor(1) as threads:
        for _ in range(2000):
            rung, received = threads.submit(hub.notify, "run_1"), False
            while not rung.done():
                received = wait.next(0) or received
            assert wait.next(0) or received
