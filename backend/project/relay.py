"""`patchbay mcp`: MCP over stdin and stdout, for clients that start programs; the instance that runs answers.

It opens no database and needs no Django: each line from the client is one request to `/mcp` with the token of the
environment, and what comes back are lines again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2

HEADER_OF_META = "io.modelcontextprotocol/protocolVersion"
SESSION = "mcp-session-id"
"""What a client of the handshake era is given that can ask its user; it comes back with each request."""
PATIENCE = httpx2.Timeout(10.0, read=None)
"""A call may take as long as the instance lets it; that nobody is there is known soon."""
GONE = -32000
MISMATCH = -32020
"""Headers do not say what the body says: among them are arguments that a tool's schema wants there (`x-mcp-header`)."""
MOST_PAGES = 100
"""Pages of tools among which one is looked for."""
_DOOR = re.compile(r"(?<!/)/mcp(?:/[^/]+/[^/]+)?$")
"""The path at which MCP is spoken: the team's, or a collection's."""
LONGEST_LINE = 4 * 1024 * 1024


class Relay:
    """One client, from its first line to its last."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self._http, self._url = http, url
        self._version = ""
        self._session = ""
        self._open: dict[str, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._in_headers: dict[str, dict[tuple[str, ...], str]] = {}

    async def serve(self, lines: AsyncIterator[bytes]) -> None:
        """Pass on what the client says, until it has nothing more to say and has its answers."""
        async for line in lines:
            if line.strip():
                await self._on_line(line)
        listening = [task for key, task in self._open.items() if key.startswith("listen ")]
        for task in listening:
            task.cancel()
        await asyncio.gather(*self._open.values(), *self._others, return_exceptions=True)

    async def _on_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            _say(_error(None, -32700, "This line is no JSON object."))
            return
        if message.get("method") == "notifications/cancelled" and self._is_abandoned(message):
            return
        task = asyncio.ensure_future(self._pass_on(message))
        if message.get("method") == "initialize":
            await task  # what follows names the revision that is agreed on here
            return
        if "id" in message and "method" in message:
            key = self._key(message.get("method"), message["id"])
            self._open[key] = task
            task.add_done_callback(lambda _: self._open.pop(key, None))
        else:
            self._others.add(task)
            task.add_done_callback(self._others.discard)

    @staticmethod
    def _key(method: Any, key: Any) -> str:
        return f"{'listen' if method == 'subscriptions/listen' else 'call'} {json.dumps(key)}"

    def _is_abandoned(self, message: dict[str, Any]) -> bool:
        """Since 2026-07-28 a call is given up by leaving; before, the instance is told."""
        if self._version:
            return False
        key = (message.get("params") or {}).get("requestId")
        for method in ("", "subscriptions/listen"):
            if (task := self._open.get(self._key(method, key))) is not None:
                task.cancel()
        return True

    async def _pass_on(self, message: dict[str, Any]) -> None:
        """One request, and its answers line by line."""
        key = message.get("id") if "method" in message else None
        try:
            refused = await self._posted(message, key, tells=message.get("method") != "tools/call")
            if refused:
                await self._learn(message)
                await self._posted(message, key)
        except httpx2.HTTPError as error:
            if key is not None:
                _say(_error(key, GONE, f"{nobody(base_of(self._url))} ({error or type(error).__name__})"))

    async def _posted(self, message: dict[str, Any], key: Any, tells: bool = True) -> bool:
        """Send a request and say its answers; whether its headers were refused, which is said only where it `tells`.

        Nothing has happened then, so it may be sent once more. Raises httpx2.HTTPError.
        """
        async with self._http.stream("POST", self._url, json=message, headers=self._headers(message)) as answer:
            self._session = answer.headers.get(SESSION, self._session)
            if answer.headers.get("content-type", "").startswith("text/event-stream"):
                async for line in answer.aiter_lines():
                    if line.startswith("data:"):
                        text = line.removeprefix("data:").strip()
                        if not tells and _mismatches(text):
                            return True
                        self._answered(message, text)
                return False
            text = (await answer.aread()).decode("utf-8", "replace").strip()
        if not tells and _mismatches(text):
            return True
        if answer.is_success or '"jsonrpc"' in text:
            self._answered(message, text)
        elif key is not None:
            _say(_error(key, GONE, _refusal(answer.status_code, text)))
        return False

    async def _learn(self, call: dict[str, Any]) -> None:
        """Look up which arguments of a tool stand in headers: over stdio there are none, so its client sent none.

        Raises httpx2.HTTPError.
        """
        import mcp  # noqa: F401 - a second of loading, which other calls need not wait for
        from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map

        params = call["params"] if isinstance(call.get("params"), dict) else {}
        request: dict[str, Any] = {"_meta": params.get("_meta") or {}}
        for _ in range(MOST_PAGES):
            body = {"jsonrpc": "2.0", "id": "tools", "method": "tools/list", "params": request}
            answer = await self._http.post(self._url, json=body, headers=self._headers(body))
            page = _result(answer.text)
            for tool in page.get("tools") or []:
                if tool.get("name") == params.get("name"):
                    schema = tool.get("inputSchema")
                    fine = find_invalid_x_mcp_header(schema) is None
                    self._in_headers[tool["name"]] = x_mcp_header_map(schema) if fine else {}
                    return
            if not page.get("nextCursor"):
                return
            request = {**request, "cursor": page["nextCursor"]}

    def _headers(self, message: dict[str, Any]) -> dict[str, str]:
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(HEADER_OF_META) if isinstance(meta, dict) else None
        headers = {"mcp-protocol-version": str(version or self._version), SESSION: self._session}
        if isinstance(message.get("method"), str):
            headers["mcp-method"] = message["method"]
        named = params.get("name", params.get("uri"))
        if isinstance(named, str) and named.isascii() and named.isprintable():
            headers["mcp-name"] = named
        if message.get("method") == "tools/call" and (places := self._in_headers.get(str(named))):
            from mcp.shared.inbound import mcp_param_headers

            headers |= mcp_param_headers(places, params.get("arguments") or {})
        return {name: value for name, value in headers.items() if value}

    def _answered(self, message: dict[str, Any], text: str) -> None:
        if not text:
            return
        answer = json.loads(text)
        if message.get("method") == "initialize" and isinstance(answer.get("result"), dict):
            self._version = str(answer["result"].get("protocolVersion", ""))
        _say(answer)


def _say(message: Any) -> None:
    """One line to the client."""
    sys.stdout.buffer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


def _error(key: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": text}}


def _mismatches(text: str) -> bool:
    """Whether an answer says that the headers are wrong."""
    if f"{MISMATCH}" not in text:
        return False
    error = _message(text).get("error")
    return isinstance(error, dict) and error.get("code") == MISMATCH


def _message(text: str) -> dict[str, Any]:
    """What is written there; {} where it is none."""
    try:
        message = json.loads(text)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _result(text: str) -> dict[str, Any]:
    """What a request was answered with, as it is or in a stream; {} where it was refused."""
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")] or [text]
    results = [result for line in lines if isinstance(result := _message(line).get("result"), dict)]
    return results[-1] if results else {}


def _refusal(status: int, text: str) -> str:
    """What the instance said against it."""
    try:
        body = json.loads(text)
        return " ".join(str(part) for part in (body["message"], body.get("hint")) if part)
    except (ValueError, KeyError, TypeError):
        return f"Patchbay answers with status {status}."


def base_of(url: str) -> str:
    """Where the instance is that speaks MCP at this address; an address that names none is the instance's own."""
    return _DOOR.sub("", url.rstrip("/"))


def nobody(base: str) -> str:
    """What is said where no instance answers."""
    return f"No Patchbay answers at {base}. Start it (`patchbay run`), or name another with --url."


async def _stdin() -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield line


async def _relay(url: str, token: str) -> int:
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as http:
        try:
            await http.get(f"{base_of(url)}/api/health")
        except httpx2.HTTPError:
            print(nobody(base_of(url)), file=sys.stderr)
            return 1
        await Relay(http, url).serve(_stdin())
    return 0


def _address() -> str:
    """Where the instance of this machine listens, by the same settings as it reads."""
    from backend.project.environment import environment

    env = environment()
    own = {"127.0.0.1", "::1", "0.0.0.0"}  # noqa: S104 - compared, not bound
    return env.url or f"http://{'localhost' if env.host in own else env.host}:{env.port}"


def main(arguments: Sequence[str]) -> int:
    """Relay until the client ends; returns the exit code."""
    parser = argparse.ArgumentParser("patchbay mcp", description="Speak MCP on stdin and stdout for a Patchbay.")
    where = "where it runs, or the address of a collection; by default as the settings of this machine say"
    parser.add_argument("--url", default="", help=where)
    url = (parser.parse_args(arguments).url or _address()).rstrip("/")
    token = os.environ.get("PATCHBAY_TOKEN", "")
    if not token:
        print("PATCHBAY_TOKEN is not set. Create a token on the Share page of a workflow.", file=sys.stderr)
        return 1
    return asyncio.run(_relay(url if base_of(url) != url else f"{url}/mcp", token))
