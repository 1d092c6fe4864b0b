"""A scripted OpenAI-compatible endpoint: a real HTTP server on loopback that says what a test wrote down for it.

    def test_it(llm):                                   # the fixture; `llm.url` is the base URL, `llm.key` a key or ""
        llm.say("Hello there")                          # the next chat request gets this, streamed word by word
        llm.reply(calls=[Call("add", {"a": 1})])        # the one after it
        llm.reply(text="It is 3", when=has_result("3")) # only a request that fits; such replies go before the others
        ...
        assert llm.requests[0].messages[-1]["content"] == "hi"

Every `Reply` answers one request (`times=None`: any number). `gate=Gate()` holds each piece back until the test lets it
go. A request that no reply fits gets 500 with a text that says so. As a program: `python -m tests.llm_server --port
8400 [--script replies.json] [--delay 0.05]`; without a script it answers what it was told.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

PATIENCE_S = 15.0
"""How long a test waits for what must happen."""


@dataclass
class Call:
    """A tool call of the model. `arguments`: a dict, or a text that is sent as it stands (valid JSON or not)."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""

    @property
    def text(self) -> str:
        """The arguments as the model writes them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


class Gate:
    """Holds the pieces of a reply back: `release(n)` lets n more go, `open()` all; `wait_sent(n)` waits for the nth."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._allowed = 0.0
        self._sent = 0
        self._wake: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def release(self, pieces: float = 1) -> None:
        """Let some more pieces go."""
        with self._changed:
            self._allowed += pieces
            for loop, event in self._wake:
                loop.call_soon_threadsafe(event.set)

    def open(self) -> None:
        """Let everything go."""
        self.release(float("inf"))

    def wait_sent(self, pieces: int) -> None:
        """Block until that many pieces have gone out."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._sent >= pieces, PATIENCE_S), f"only {self._sent} pieces sent"

    async def pass_one(self) -> None:
        """Used by the server before each piece."""
        while True:
            event = asyncio.Event()
            with self._changed:
                if self._allowed > 0:
                    self._allowed -= 1
                    return
                self._wake.append((asyncio.get_running_loop(), event))
            await event.wait()

    def sent_one(self) -> None:
        """Used by the server after each piece."""
        with self._changed:
            self._sent += 1
            self._changed.notify_all()


@dataclass
class ModelRequest:
    """A request that came in. `gone` is set when the client hung up before the answer was complete."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    at: float
    gone: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of a chat request."""
        return list(self.body.get("messages") or [])

    @property
    def tools(self) -> list[str]:
        """Names of the tools that the model was offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools") or []]

    @property
    def text(self) -> str:
        """Everything the model was told, as one text."""
        return json.dumps(self.body.get("messages"), ensure_ascii=False)


Matcher = Callable[[ModelRequest], bool]


def has_result(text: str) -> Matcher:
    """Requests whose last tool message holds `text`."""

    def matches(request: ModelRequest) -> bool:
        results = [message for message in request.messages if message.get("role") == "tool"]
        return bool(results) and text in json.dumps(results[-1], ensure_ascii=False)

    return matches


def mentions(text: str) -> Matcher:
    """Requests whose messages hold `text` somewhere."""
    return lambda asked: text in asked.text


@dataclass
class Reply:
    """What one request gets. The first group is what a model says, the second how an endpoint misbehaves."""

    text: str = ""
    reasoning: str = ""
    calls: list[Call] = field(default_factory=list)
    usage: dict[str, Any] | None = field(default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7})
    finish: str | None = ""  # "" = stop or tool_calls; None = never said
    pieces: list[str] | None = None  # how the text is cut; None = word by word
    gate: Gate | None = None
    delay_s: float = 0.0  # before each piece
    reasoning_field: str = "reasoning_content"
    usage_with_choice: bool = False  # usage in the last chunk that has a choice, not in one of its own
    empty_choices: bool = False  # a chunk with empty `choices` before and between the pieces
    tool_index: bool = True  # False = calls carry no index

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = ""
    body: Any = None  # the whole body instead of a reply: bytes, text, or JSON
    chunks: list[Any] | None = None  # the events instead of a reply: JSON, or text as it stands after "data: "
    whole: bool = False  # one JSON answer although a stream was asked for
    done: bool = True  # ends with [DONE]
    cut_after: int | None = None  # hang up after so many events
    silent: bool = False  # read the request, never answer
    keep_alive_comments: bool = False  # ": keep-alive" every 20 ms while a gate holds

    when: Matcher | None = None
    times: int | None = 1
    used: int = 0

    def events(self, body: dict[str, Any]) -> list[Any]:
        """The events of the stream."""
        if self.chunks is not None:
            return self.chunks
        model = body.get("model") or "scripted"
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{self.reasoning_field: piece} for piece in _words(self.reasoning)]
        deltas += [{"content": piece} for piece in (self.pieces if self.pieces is not None else _words(self.text))]
        deltas += self._call_deltas()
        chunks = [_chunk(model, delta, None) for delta in deltas]
        if self.finish is not None:
            chunks.append(_chunk(model, {}, self._finish()))
        if self.usage is not None and self.usage_with_choice:
            chunks[-1]["usage"] = self._usage()
        elif self.usage is not None and (body.get("stream_options") or {}).get("include_usage"):
            chunks.append({**_chunk(model, {}, None), "choices": [], "usage": self._usage()})
        if self.empty_choices:
            hollow = {**_chunk(model, {}, None), "choices": []}
            chunks = [part for chunk in chunks for part in (hollow, chunk)]
        return chunks

    def _call_deltas(self) -> list[dict[str, Any]]:
        """Heads of all calls first, then their arguments in halves, interleaved as parallel calls come."""
        heads, first, second = [], [], []
        for index, call in enumerate(self.calls):
            at: dict[str, Any] = {"index": index} if self.tool_index else {}
            identity = {"id": call.id or f"call_{index}_{call.name}", "type": "function"}
            if not self.tool_index:
                heads.append({**identity, "function": {"name": call.name, "arguments": call.text}})
                continue
            heads.append({**at, **identity, "function": {"name": call.name, "arguments": ""}})
            half = len(call.text) // 2
            first.append({**at, "function": {"arguments": call.text[:half]}})
            second.append({**at, "function": {"arguments": call.text[half:]}})
        return [{"tool_calls": [head]} for head in (*heads, *first, *second)]

    def _finish(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")

    def _usage(self) -> dict[str, Any]:
        usage = dict(self.usage or {})
        usage.setdefault("total_tokens", usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0))
        return usage

    def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer as one JSON object."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.reasoning:
            message[self.reasoning_field] = self.reasoning
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": call.id or f"call_{n}",
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.text},
                }
                for n, call in enumerate(self.calls)
            ]
        choice = {"index": 0, "message": message, "finish_reason": self._finish()}
        shape = {"id": "chatcmpl-1", "object": "chat.completion", "model": body.get("model"), "choices": [choice]}
        return {**shape, "usage": self._usage()} if self.usage is not None else shape


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+\s*$|\s*\S+", text) if text.strip() else ([text] if text else [])


def _chunk(model: str, delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model, "choices": [choice]}


class _HangUp(Exception):
    """Close the connection without another word."""


class LlmServer:
    """The endpoint. Runs in a thread with a loop of its own; all methods may be called from any other thread.

    `models`: what `/v1/models` lists, None = 404; `model_rows`: whole rows instead. `key`: refuse requests without this
    bearer key; `list_refused`: the list of models wants another one. `refuses`: parts of a request answered with 400:
    "json_schema", "json_object", "stream_options", "tools", "max_tokens", "images". `check`: looks at a request as a
    strict endpoint does and gives the body of its 400, or None.
    """

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.key = ""
        self.models: list[str] | None = ["scripted-1", "scripted-2"]
        self.model_rows: list[dict[str, Any]] | None = None
        self.refuses: set[str] = set()
        self.list_refused = False
        self.check: Callable[[dict[str, Any]], Any] | None = None
        self.otherwise: Callable[[ModelRequest], Reply] | None = None
        self.requests: list[ModelRequest] = []
        self.listed: list[ModelRequest] = []
        self._replies: list[Reply] = []
        self._changed = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._open: set[asyncio.Task[None]] = set()

    # -- what tests say ------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def say(self, text: str, **more: Any) -> Reply:
        """Answer the next request with a text."""
        return self.reply(text=text, **more)

    def reply(self, **fields: Any) -> Reply:
        """Answer the next request (that fits `when`) like this."""
        reply = Reply(**fields)
        with self._changed:
            self._replies.append(reply)
        return reply

    def wait_for_request(self, number: int) -> ModelRequest:
        """Block until that many chat requests have come in; gives the last of them."""
        with self._changed:
            came = self._changed.wait_for(lambda: len(self.requests) >= number, PATIENCE_S)
            assert came, f"only {len(self.requests)} requests came"
            return self.requests[number - 1]

    def left(self) -> list[Reply]:
        """Replies that nobody asked for yet."""
        with self._changed:
            return [reply for reply in self._replies if not reply.used]

    def clear(self) -> None:
        """Forget replies and requests."""
        with self._changed:
            self._replies.clear()
            self.requests.clear()
            self.listed.clear()

    # -- life ------------------------------------------------------------------------------------------------------

    def start(self) -> LlmServer:
        """Listen; gives itself."""
        ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(ready,), name="llm-server", daemon=True)
        self._thread.start()
        assert ready.wait(PATIENCE_S)
        return self

    def stop(self) -> None:
        """Hang up on everybody and end."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(PATIENCE_S)
            self._loop = self._thread = None

    def drop(self) -> None:
        """Hang up on everybody who is connected now."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in self._open])

    def _serve(self, ready: threading.Event) -> None:
        loop = self._loop = asyncio.new_event_loop()
        server = loop.run_until_complete(asyncio.start_server(self._connection, "127.0.0.1", self.port))
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        while pending := asyncio.all_tasks(loop):
            loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    # -- HTTP ------------------------------------------------------------------------------------------------------

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            ahead = b""
            while (request := await self._read(reader, ahead)) is not None:
                ahead = await self._answer(request, reader, writer)
        except (_HangUp, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._open.discard(task)
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, ahead: bytes) -> ModelRequest | None:
        try:
            head = (ahead + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.strip().split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        return ModelRequest(method, path, headers, json.loads(raw) if raw else None, time.monotonic())

    async def _answer(self, request: ModelRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        """Answer, watching for a hang-up meanwhile; gives what was read of the next request by that."""
        reply = self._choose(request)
        work = asyncio.ensure_future(self._write(reply, request, writer))
        watch = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
            if watch.done() and not work.done():
                request.gone.set()
                raise _HangUp
            await work
            return watch.result() if watch.done() else b""
        except ConnectionError:
            request.gone.set()
            raise
        finally:
            for task in (work, watch):
                task.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)

    def _choose(self, request: ModelRequest) -> Reply:
        """The reply for a request; chat requests are noted."""
        path = request.path.split("?", 1)[0]
        chat = request.method == "POST" and path.endswith("/chat/completions")
        with self._changed:
            (self.requests if chat else self.listed).append(request)
            self._changed.notify_all()
            if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
                return _refusal(401, f"Incorrect API key provided: {request.headers.get('authorization')}")
            if path.endswith("/models") and self.list_refused:
                return _refusal(401, "x-api-key header is required")
            if path.endswith("/models") and request.method == "GET":
                return self._models()
            if not chat:
                return _refusal(404, f"nothing at {request.path}")
            refused = self._refused(request.body)
            if refused:
                return _refusal(400, f"'{refused}' is not supported by this model")
            answer = self.check(request.body) if self.check else None
            if answer:
                return Reply(status=400, body=answer)
            open_ones = [reply for reply in self._replies if reply.times is None or reply.used < reply.times]
            fitting = [reply for reply in open_ones if reply.when is not None and reply.when(request)]
            plain = [reply for reply in open_ones if reply.when is None]
            chosen = next(iter(fitting or plain), None)
            if chosen is not None:
                chosen.used += 1
                return chosen
        return self.otherwise(request) if self.otherwise else _refusal(500, "the script has no reply for this request")

    def _models(self) -> Reply:
        if self.model_rows is not None:
            return Reply(body={"object": "list", "data": self.model_rows})
        if self.models is None:
            return _refusal(404, "no list of models")
        data = [{"id": name, "object": "model", "owned_by": "tests"} for name in self.models]
        return Reply(body={"object": "list", "data": data})

    def _refused(self, body: dict[str, Any]) -> str:
        kind = (body.get("response_format") or {}).get("type")
        has = {name for name in ("stream_options", "tools", "max_tokens") if body.get(name)}
        if kind in self.refuses:
            return f"response_format.{kind}"
        if "images" in self.refuses and "image_url" in json.dumps(body.get("messages")):
            return "image_url"
        return next(iter(sorted(has & self.refuses)), "")

    async def _write(self, reply: Reply, request: ModelRequest, writer: asyncio.StreamWriter) -> None:
        if reply.silent:
            await asyncio.Event().wait()
        stream = isinstance(request.body, dict) and request.body.get("stream") and not reply.whole
        if reply.status != 200 or reply.body is not None or not stream:
            body = reply.body if reply.body is not None else reply.complete(request.body)
            raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
            writer.write(_head(reply, reply.content_type or "application/json", f"Content-Length: {len(raw)}") + raw)
            await writer.drain()
            return
        writer.write(_head(reply, reply.content_type or "text/event-stream", "Transfer-Encoding: chunked"))
        await writer.drain()
        for number, event in enumerate(reply.events(request.body)):
            if reply.cut_after is not None and number >= reply.cut_after:
                raise _HangUp
            await self._hold(reply, event, writer)
            await _send(writer, f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
            if reply.gate is not None and _says(event):
                reply.gate.sent_one()
        if reply.cut_after is not None:
            raise _HangUp
        if reply.done:
            await _send(writer, "data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _hold(self, reply: Reply, event: Any, writer: asyncio.StreamWriter) -> None:
        """Wait before a piece that says something."""
        if not _says(event):
            return
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        if reply.gate is None:
            return
        going = asyncio.ensure_future(reply.gate.pass_one())
        try:
            while not going.done():
                await asyncio.wait({going}, timeout=0.02 if reply.keep_alive_comments else None)
                if reply.keep_alive_comments and not going.done():
                    await _send(writer, ": keep-alive\n\n")
        finally:
            going.cancel()


def _says(event: Any) -> bool:
    """Whether an event carries something of the reply (the opening, the end and usage do not)."""
    choices = event.get("choices") if isinstance(event, dict) else None
    delta = (choices[0].get("delta") if choices else None) or {}
    return any(value for name, value in delta.items() if name != "role")


def _refusal(status: int, message: str) -> Reply:
    return Reply(status=status, body={"error": {"message": message, "type": "invalid_request_error", "code": None}})


def _head(reply: Reply, content_type: str, length: str) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} Scripted", f"Content-Type: {content_type}", length]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _send(writer: asyncio.StreamWriter, text: str) -> None:
    raw = text.encode()
    writer.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
    await writer.drain()


@contextlib.contextmanager
def llm_server() -> Iterator[LlmServer]:
    """A server for the length of a block."""
    server = LlmServer().start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def llm() -> Iterator[LlmServer]:
    """A scripted endpoint of this test's own."""
    with llm_server() as server:
        yield server


def _echo(delay_s: float) -> Callable[[ModelRequest], Reply]:
    def answer(request: ModelRequest) -> Reply:
        texts = [message.get("content") for message in request.messages if message.get("role") == "user"]
        return Reply(text=f"You said: {texts[-1] if texts else 'nothing'}", delay_s=delay_s)

    return answer


def main() -> None:
    """Serve until interrupted; prints the base URL."""
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible endpoint on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", help="JSON: a list of replies {text, reasoning, calls, mentions, times, ...}")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each piece")
    options = parser.parse_args()
    server = LlmServer(options.port)
    server.otherwise = _echo(options.delay)
    if options.script:
        with open(options.script, encoding="utf-8") as file:
            script = json.load(file)
        for entry in script:
            word = entry.pop("mentions", None)
            calls = [Call(**call) for call in entry.pop("calls", [])]
            entry.setdefault("delay_s", options.delay)
            server.reply(calls=calls, when=mentions(word) if word else None, **entry)
    print(server.start().url, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    server.stop()


if __name__ == "__main__":
    main()
