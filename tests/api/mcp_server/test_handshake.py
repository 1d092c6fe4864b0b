"""Clients of the handshake era that declared forms are asked on the stream of their call, and no process keeps them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import connections

from backend.accounts.models import AuditEntry
from backend.project.asgi import application
from backend.runs.models import Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.mcp_server.collection_client import CollectionClient
from tests.api.mcp_server.offering import APPROVAL, offered
from tests.api.runs.conftest import until
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
REVISION = "2025-11-25"
Message = dict[str, Any]
Reply = Callable[[Message], Message | None]
"""What a client says to a question; None = it says nothing."""


class Client:
    """A client as the revision has it: it introduces itself, keeps its session's id, answers by requests of its own."""

    def __init__(self, door: str, token: str, declared: Message) -> None:
        self.door, self.token, self.session = door, token, ""
        self.statuses: list[int] = []
        self.requests: list[Message] = []
        about = {"protocolVersion": REVISION, "capabilities": declared, "clientInfo": {"name": "ol\nd", "version": "1"}}
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
        async_to_sync(self.post)(body, lambda question: None)

    def call(self, tool: str, reply: Reply = lambda question: None) -> Message:
        """The result of a call, while `reply` says what is answered to each question."""
        params = {"name": tool, "arguments": {}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        result: Message = async_to_sync(self.post)(body, reply)[-1]["result"]
        return result

    def say(self, body: Any) -> int:
        """The status of a message that is no call."""
        async_to_sync(self.post)(body, lambda question: None)
        return self.statuses[-1]

    async def post(self, body: Any, reply: Reply) -> list[Message]:
        """All messages that come for this one."""
        headers = {
            "host": f"localhost:{settings.PATCHBAY.port}",
            "authorization": f"Bearer {self.token}",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            **({"mcp-session-id": self.session, "mcp-protocol-version": REVISION} if self.session else {}),
        }
        came: list[Message] = []
        answering: list[asyncio.Task[Any]] = []
        values = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

        async def receive() -> Message:
            if values:
                return values.pop()
            await asyncio.Event().wait()
            raise AssertionError("nobody leaves")

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.statuses.append(message["status"])
                self.session = dict(message["headers"]).get(b"mcp-session-id", self.session.encode()).decode()
            for line in message.get("body", b"").decode().splitlines():
                if line.startswith("data: {"):
                    came.append(json.loads(line[6:]))
                    question = came[-1]
                    if question.get("method") == "elicitation/create":
                        self.requests.append(question)
                        response = reply(question)
                        if response is not None:
                            answer = {"jsonrpc": "2.0", "id": question["id"], **response}
                            answering.append(asyncio.ensure_future(self.post(answer, reply)))

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": self.door,
            "raw_path": self.door.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("localhost", settings.PATCHBAY.port),
        }
        asgi: Callable[..., Awaitable[None]] = application
        await asgi(scope, receive, send)
        await asyncio.gather(*answering)
        return came


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    for port in started(str(PROGRAMS / "asking_server.py")):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture
def collection(adam: Person, address: str) -> Iterator[CollectionClient]:
    """A collection with a tool that asks for a name and a colour."""
    about = {"name": "Asking", "transport": "http", "url": address, "trust_annotations": True, "asks": True}
    server = adam.api.post("/api/mcp/servers", about).data["id"]
    assert adam.api.post(f"/api/mcp/servers/{server}/test").data["ok"]
    client = CollectionClient(adam)
    client.add(server="asking", tool="introduce")
    yield client
    LOOP.stop()


def accepted(question: Message) -> Message:
    """A form filled in with its own message."""
    return {"result": {"action": "accept", "content": {"value": question["params"]["message"].split()[-1].upper()}}}


def test_a_question_goes_out_on_the_stream_and_its_answer_is_the_members(
    collection: CollectionClient, worker: Worker
) -> None:
    client = Client(collection.door, collection.token, {"elicitation": {}})
    assert client.session
    result = client.call("introduce", accepted)
    assert result["content"][0]["text"] == "NAME likes COLOUR"
    assert client.statuses[2:] == [202, 202] and len(client.requests) == 2
    assert {row.answered_by for row in Interaction.objects.all()} == {collection.person.user}
    run = Run.objects.get()
    assert run.state == RunState.SUCCESS
    shown = collection.person.api.get(f"/api/runs/{run.pk}").data["caller"]
    assert shown == {"kind": "token", "name": "bot", "program": "ol d"}
    trail = AuditEntry.objects.filter(action="interaction.answered")
    assert [(row.actor_id, row.data["client"]) for row in trail] == [(collection.person.user.pk, "ol d")] * 2


def test_who_declares_no_forms_is_given_the_link(collection: CollectionClient, worker: Worker) -> None:
    ways: list[Message] = [{}, {"elicitation": {"url": {}}}]
    for declared in ways:
        client = Client(collection.door, collection.token, declared)
        assert client.call("introduce", accepted)["structuredContent"]["answer_at"] and not client.requests
    assert Client(collection.door, collection.token, {}).session == ""


def test_a_question_that_nobody_answers_in_time_stays_in_the_inbox(
    collection: CollectionClient, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(collection.door, collection.token, {"elicitation": {}})
    client.call("introduce", accepted)  # the server's program is known by now
    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 3.0)
    result = client.call("introduce", lambda question: {"result": {"action": "cancel"}})
    assert len(result["structuredContent"]["answer_at"]) == 2
    assert Interaction.objects.filter(state=Interaction.State.OPEN).count() == 2


def test_an_approval_is_never_asked_of_a_client_that_knows_forms_alone(bob: Person, worker: Worker) -> None:
    created = CollectionClient(bob)
    created.add(workflow=offered(bob, APPROVAL).slug, name="approve")
    client = Client(created.door, created.token, {"elicitation": {"form": {}}})
    result = client.call("approve", accepted)
    assert result["structuredContent"]["answer_at"] and not client.requests
    assert Interaction.objects.get().state == Interaction.State.OPEN


def test_a_call_waits_for_the_person_whom_the_client_sent_to_the_page(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = CollectionClient(bob)
    created.add(workflow=offered(bob, APPROVAL).slug, name="approve")
    client = Client(created.door, created.token, {"elicitation": {"form": {}, "url": {}}})
    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 600.0)

    def call() -> Message:
        try:
            return client.call("approve", accepted)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        calling = threads.submit(call)
        until(lambda: 202 in client.statuses[2:], 60)
        question = Interaction.objects.get()
        assert question.state == Interaction.State.OPEN, "what a program says to it is no answer"
        link = f"{settings.PUBLIC_URL}/inbox/{question.pk}"
        params = {"mode": "url", "message": "Go on?", "url": link, "elicitationId": question.pk}
        assert [request["params"] for request in client.requests] == [params]
        assert bob.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept"}).status == 200
        assert calling.result(60)["structuredContent"] == {"a": 1, "b": [2]}


def test_answers_that_are_nobodys(
    collection: CollectionClient, bob: Person, charlie: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 5.0)
    client = Client(collection.door, collection.token, {"elicitation": {}})
    client.call("introduce", lambda question: {"error": {"code": -1, "message": "no form here"}})
    (key, *_) = [question["id"] for question in client.requests]
    message = {"jsonrpc": "2.0", "result": {"action": "accept", "content": {"value": "x"}}}
    for wrong in (key + "x", key[:-1], "q", "", 7, None, ["a"], "\0", Interaction.objects.all()[0].pk):
        assert client.say({**message, "id": wrong}) == 400, wrong
    token = bob.api.post(f"{collection.path}/tokens", {"name": "b", "scopes": ["run", "answer"]}).data["token"]
    other = Client(collection.door, token, {"elicitation": {}})
    assert other.say({**message, "id": key}) == 400, "another member's question"
    other.session = client.session
    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 0.5)
    assert other.call("introduce", accepted)["structuredContent"]["answer_at"], "another member's session is no one's"
    assert Client(CollectionClient(charlie).door, CollectionClient(charlie, "Two").token, {}).statuses == [401]
    narrow = collection.ask("post", f"{collection.path}/tokens", {"name": "n", "scopes": ["run"]}, 201)["token"]
    client.token = narrow
    assert client.say({**message, "id": key}) == 403, "without the scope"
    client.token = collection.token
    assert client.say({"jsonrpc": "2.0", "id": key, "result": {"action": "accept", "content": {"value": 7}}}) == 400
    assert not Interaction.objects.exclude(state=Interaction.State.OPEN).exists()
    assert client.say({**message, "id": key}) == 202
    assert client.say({**message, "id": key}) == 202, "what is over is dropped"
    assert Interaction.objects.exclude(state=Interaction.State.OPEN).count() == 1
