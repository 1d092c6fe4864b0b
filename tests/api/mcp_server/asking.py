"""Requests at `/mcp` in this process, as a bare client of the 2026-07-28 revision sends them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings

from backend.project.asgi import application

REVISION = "2026-07-28"
TASKS: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
"""What a client declares that takes tasks."""
FORMS: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}
"""What a client declares that can ask its user."""


def mcp_call(token: str, method: str, declared: Mapping[str, Any] = TASKS, **params: Any) -> dict[str, Any]:
    """The JSON-RPC message that a request is answered with; the last of a stream."""
    return call_at("/mcp", token, method, declared, **params)


def call_at(
    path: str,
    token: str,
    method: str,
    declared: Mapping[str, Any] = TASKS,
    sent: Mapping[str, str] | None = None,
    **params: Any,
) -> dict[str, Any]:
    """The same at another address; of a refusal its body. `sent` = headers besides those that every request has."""
    return _last(_posted(path, token, method, declared, {}, params, sent))


def call_as(program: str, token: str, method: str, **params: Any) -> dict[str, Any]:
    """The same at `/mcp`, from a client that calls itself `program`."""
    about = {"io.modelcontextprotocol/clientInfo": {"name": program, "version": "1"}}
    text = _posted("/mcp", token, method, {}, about, params)
    event = re.findall(r"^data: (.*)$", text, re.MULTILINE)
    message: dict[str, Any] = json.loads(event[-1] if event else text)
    return message


def stream_at(path: str, token: str, method: str, **params: Any) -> list[dict[str, Any]]:
    """All messages of the stream that a request is answered with, which asks to be told how far it is."""
    text = _posted(path, token, method, {}, {"progressToken": "p"}, params)
    return [json.loads(event) for event in re.findall(r"^data: (.*)$", text, re.MULTILINE)]


def call_at_once(
    count: int,
    open_at_most: int,
    release: Callable[[], object],
    token: str,
    method: str,
    declared: Mapping[str, Any],
    **params: Any,
) -> list[dict[str, Any]]:
    """What so many requests are answered with that come at once: `release` lets those go that stay open, when no others
    are left."""
    headers, body = _request(token, method, declared, {}, params, None)

    async def go() -> list[dict[str, Any]]:
        async with _client() as http:

            async def one() -> dict[str, Any]:
                return _last((await http.post("/mcp", json=body, headers=headers)).text)

            requests = [asyncio.ensure_future(one()) for _ in range(count)]
            pending = set(requests)
            while len(pending) > open_at_most:
                _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            await sync_to_async(release)()
            return [await request for request in requests]

    return async_to_sync(go)()


def _client() -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=application)
    return httpx2.AsyncClient(transport=transport, base_url=f"http://localhost:{settings.PATCHBAY.port}")


def _last(text: str) -> dict[str, Any]:
    """The last message of an answer, which may be a stream."""
    event = re.findall(r"^data: (.*)$", text, re.MULTILINE)
    message: dict[str, Any] = json.loads(event[-1] if event else text)
    return message


def _posted(
    path: str,
    token: str,
    method: str,
    declared: Mapping[str, Any],
    more: Mapping[str, Any],
    params: dict[str, Any],
    sent: Mapping[str, str] | None = None,
) -> str:
    headers, body = _request(token, method, declared, more, params, sent)

    async def go() -> str:
        async with _client() as http:
            return (await http.post(path, json=body, headers=headers)).text

    return async_to_sync(go)()


def _request(
    token: str,
    method: str,
    declared: Mapping[str, Any],
    more: Mapping[str, Any],
    params: dict[str, Any],
    sent: Mapping[str, str] | None,
) -> tuple[dict[str, str], dict[str, Any]]:
    """Headers and body."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": {"name": "bare", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": dict(declared),
        **more,
    }
    headers = {
        "authorization": f"Bearer {token}",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": method,
        **(sent or {}),
        **({"mcp-name": str(params.get("name") or params.get("uri"))} if {"name", "uri"} & params.keys() else {}),
    }
    return headers, {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
