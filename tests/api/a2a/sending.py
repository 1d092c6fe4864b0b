"""Requests at `/a2a` in this process, as a bare client of A2A 1.0 sends them, and workflows that are agents."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
from asgiref.sync import async_to_sync
from django.conf import settings

from backend.project.asgi import application
from backend.workflows.models import Version, Workflow
from tests.api.runs.conftest import graph, make_workflow, node
from tests.people import Person

CARD = "/.well-known/agent-card.json"


def form(schema: dict[str, Any], **outputs: str) -> dict[str, Any]:
    """A document that asks for this."""
    asks = node("ask", "form", {"title": "Who?", "message": "Say it", "schema": schema})
    end = node("end", "end", {"outputs": outputs or {"text": "{{ ask.name }}"}})
    return graph([node("start", "start"), asks, end], "start -> ask", "ask -> end")


NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ASKS = form(NAME)
APPROVAL = graph(
    [node("start", "start"), node("ask", "approval", {"title": "Go on?"}), node("end", "end", {"outputs": {"a": 1}})],
    "start -> ask",
    "ask:approved -> end",
)
RESTS = graph(
    [node("start", "start"), node("rest", "wait", {"seconds": 3600}), node("end", "end", {"outputs": {}})],
    "start -> rest",
    "rest -> end",
)
SAYS = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"text": {"type": "string"}}}}),
        node("first", "answer", {"text": "You said {{ start.text }}"}),
        node("second", "answer", {"text": "That is all."}),
        node("end", "end", {"outputs": {"n": 2}}),
    ],
    "start -> first",
    "first -> second",
    "second -> end",
)


def agent(person: Person, document: dict[str, Any], *, public: bool = False) -> Workflow:
    """A published workflow that is offered as an agent."""
    row = make_workflow(person, document)
    Version.objects.create(workflow=row, number=1, graph=row.draft, published_by=person.user)
    more = {"expose_as_agent": True, "agent_card_public": public, "description": "About it."}
    Workflow.objects.filter(pk=row.pk).update(published_version=1, **more)
    row.refresh_from_db()
    return row


def place(row: Workflow) -> str:
    """The agent's address on this machine."""
    return f"/a2a/{row.team.slug}/{row.slug}"


def message(*parts: Any, **more: Any) -> dict[str, Any]:
    """A message of a client; texts are parts of text."""
    messages = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "parts": messages, **more}


class AgentReply(dict[str, Any]):
    """The last JSON-RPC message of an answer. `events` = all of a stream, `status` and `headers` = of HTTP."""

    events: list[dict[str, Any]]
    status: int
    headers: Mapping[str, str]

    @property
    def code(self) -> int:
        """The protocol's error code; 0 where there is no error."""
        return int(self.get("error", {}).get("code", 0))


def requested(method: str, path: str, token: str = "", content: bytes | None = None, **headers: str) -> AgentReply:
    """What a bare HTTP request is answered with."""

    async def go() -> httpx2.Response:
        origin = f"http://localhost:{settings.PATCHBAY.port}"
        transport = httpx2.ASGITransport(app=application)
        async with httpx2.AsyncClient(transport=transport, base_url=origin) as http:
            signed = {"authorization": f"Bearer {token}"} if token else {}
            return await http.request(method, path, content=content, headers={**signed, **headers})

    answer = async_to_sync(go)()
    events = [json.loads(event) for event in re.findall(r"^data: (.*?)\r?$", answer.text, re.MULTILINE)]
    reply = AgentReply(events[-1] if events else json.loads(answer.text))
    reply.events, reply.status, reply.headers = events, answer.status_code, answer.headers
    return reply


def rpc(token: str, path: str, method: str, params: Any = None, **headers: str) -> AgentReply:
    """What a request of the protocol is answered with."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {} if params is None else params}
    sent = {
        "content-type": "application/json",
        "a2a-version": "1.0",
        **{k.replace("_", "-"): v for k, v in headers.items()},
    }
    return requested("POST", path, token, json.dumps(body).encode(), **sent)


def send(person: Person, row: Workflow, *parts: Any, now: bool = False, **more: Any) -> AgentReply:
    """SendMessage; `now` = without waiting for the task."""
    params = {"message": message(*parts, **more), "configuration": {"returnImmediately": now}}
    return rpc(person.token, place(row), "SendMessage", params)


def task_of(answer: AgentReply) -> dict[str, Any]:
    """The task that an answer holds."""
    assert "error" not in answer, answer
    result = answer["result"]
    results: dict[str, Any] = result.get("task", result)
    return results


def state_of(task: dict[str, Any]) -> str:
    """A task's state, as a short word."""
    return str(task["status"]["state"]).removeprefix("TASK_STATE_").lower()


def texts_of(task: dict[str, Any]) -> list[str]:
    """The texts of a task's artifacts."""
    return [part["text"] for artifact in task.get("artifacts", []) for part in artifact["parts"] if "text" in part]


def _scope(token: str, path: str) -> dict[str, Any]:
    names = {"authorization": f"Bearer {token}", "a2a-version": "1.0", "host": f"localhost:{settings.PATCHBAY.port}"}
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in names.items()],
        "client": ("127.0.0.1", 1),
    }


def _body(method: str, params: Any) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}


def left_at_once(token: str, path: str, method: str, params: Any, begun: Callable[[], object]) -> bytes:
    """The first bytes of a stream whose client leaves with them; `begun()` is called as they come."""

    async def go() -> bytes:
        parts: list[bytes] = []
        waiting, came = [_body(method, params)], asyncio.Event()

        async def receive() -> Any:
            if waiting:
                return waiting.pop()
            await came.wait()
            return {"type": "http.disconnect"}

        async def send(part: Any) -> None:
            if part.get("body") and not parts:
                parts.append(part["body"])
                begun()
                came.set()

        await application(_scope(token, path), receive, send)
        return parts[0]

    return async_to_sync(go)()


def followed(token: str, path: str, method: str, params: Any, begun: Callable[[], object]) -> list[dict[str, Any]]:
    """The results of a stream; `begun()` is called, in a thread, when the first of them has come."""

    async def go() -> bytes:
        parts: list[bytes] = []
        waiting = [_body(method, params)]
        first: list[asyncio.Task[object]] = []

        async def receive() -> Any:
            if waiting:
                return waiting.pop()
            return await asyncio.Event().wait()

        async def send(part: Any) -> None:
            parts.append(part.get("body", b""))
            if parts[-1] and not first:
                first.append(asyncio.create_task(asyncio.to_thread(begun)))

        await application(_scope(token, path), receive, send)
        await asyncio.gather(*first)
        return b"".join(parts)

    text = async_to_sync(go)().decode()
    return [json.loads(event)["result"] for event in re.findall(r"^data: (.*?)\r?$", text, re.MULTILINE)]
