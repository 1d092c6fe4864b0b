"""Requests at `/agui/{team}/{slug}` in this process, as a bare client sends them, and workflows that answer them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from ag_ui.core import Event
from asgiref.sync import async_to_sync
from django.conf import settings
from pydantic import TypeAdapter

from backend.database.ids import new_id
from backend.project.asgi import application
from backend.workflows.models import Version, Workflow
from tests.api.runs.conftest import make_workflow
from tests.people import Person

Events = list[dict[str, Any]]
EVENT: TypeAdapter[Any] = TypeAdapter(Event)


def front(person: Person, document: dict[str, Any]) -> Workflow:
    """A published workflow that is offered to front ends."""
    row = make_workflow(person, document)
    Version.objects.create(workflow=row, number=1, graph=row.draft, published_by=person.user)
    Workflow.objects.filter(pk=row.pk).update(published_version=1, expose_as_agui=True)
    row.refresh_from_db()
    return row


def user_message(text: Any, key: str = "m1") -> dict[str, Any]:
    """A message of the user."""
    return {"id": key, "role": "user", "content": text}


def body(*messages: dict[str, Any], thread: str = "t1", request: str | None = None, **more: Any) -> dict[str, Any]:
    """The input of a request; a new one where no id is given."""
    body = {"threadId": thread, "runId": request or new_id("req"), "messages": list(messages), **more}
    return {"tools": [], "context": [], "state": {}, "forwardedProps": {}, **body}


def sent(
    token: str | None,
    path: str,
    content: Any,
    headers: Mapping[str, str] | None = None,
    method: str = "POST",
    host: str = "",
) -> httpx2.Response:
    """The whole answer to a request, once its stream has ended."""
    return async_to_sync(request_stream)(token, path, content, headers, method, host)


async def request_stream(
    token: str | None,
    path: str,
    content: Any,
    headers: Mapping[str, str] | None = None,
    method: str = "POST",
    host: str = "",
) -> httpx2.Response:
    """The same, awaited."""
    bearer = {} if token is None else {"authorization": f"Bearer {token}"}
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    origin = f"http://{host or 'localhost'}:{settings.PATCHBAY.port}"
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=application), base_url=origin) as http:
        kind = {"content-type": "application/json", "accept": "text/event-stream"}
        return await http.request(method, path, content=raw, headers={**kind, **bearer, **(headers or {})})


class Stream:
    """A stream whose client is still there."""

    def __init__(self) -> None:
        self.events: Events = []
        self._came = asyncio.Event()
        self.leaving = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        """What the server sends."""
        text = message.get("body", b"").decode()
        self.events += [json.loads(event) for event in re.findall(r"^data: (.*)$", text, re.MULTILINE)]
        self._came.set()

    async def until(self, name: str) -> dict[str, Any]:
        """The first event of a type."""
        async with asyncio.timeout(60):
            while True:
                matches = [event for event in self.events if event["type"] == name]
                if matches:
                    return matches[0]
                self._came.clear()
                await self._came.wait()


@asynccontextmanager
async def opened(token: str, path: str, content: dict[str, Any]) -> AsyncIterator[Stream]:
    """A request whose client leaves with the block."""
    headers = {"host": "localhost", "content-type": "application/json", "authorization": f"Bearer {token}"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    stream, parts = Stream(), [json.dumps(content).encode()]

    async def receive() -> dict[str, Any]:
        if parts:
            return {"type": "http.request", "body": parts.pop()}
        await stream.leaving.wait()
        return {"type": "http.disconnect"}

    answering = asyncio.ensure_future(application(scope, receive, stream.send))
    try:
        yield stream
    finally:
        stream.leaving.set()
        await answering


def path_of(row: Workflow) -> str:
    """Where a workflow is asked."""
    return f"/agui/{row.team.slug}/{row.slug}"


def events_of(person: Person, row: Workflow, content: dict[str, Any]) -> Events:
    """The events of the stream that answers a request; each is one that the protocol knows."""
    answer = sent(person.token, path_of(row), content)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/event-stream"
    events: Events = [json.loads(text) for text in re.findall(r"^data: (.*)$", answer.text, re.MULTILINE)]
    for event in events:
        EVENT.validate_python(event)
    return events


def types_of(events: Events) -> list[str]:
    """Their types, in order."""
    return [event["type"] for event in events]


def texts_of(events: Events) -> list[str]:
    """The messages that they write."""
    written: dict[str, str] = {}
    for event in events:
        if event["type"] == "TEXT_MESSAGE_CONTENT":
            written[event["messageId"]] = written.get(event["messageId"], "") + event["delta"]
    return list(written.values())


def refused(answer: httpx2.Response) -> tuple[int, str, dict[str, Any]]:
    """(status, code, fields) of a refusal."""
    error = answer.json()
    return answer.status_code, error["code"], error["fields"]
