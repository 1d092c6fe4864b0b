"""The stdio transport: a program's stdin and stdout as the streams that an MCP session reads and writes.

Written anew beside the SDK's because ours must survive what servers do: bytes that are not UTF-8 are replaced, a line
of 50 MB costs linear time and is parsed off the event loop, a longer one than allowed fails its own request only,
what is no message is kept for whoever asks why, and the end of stdout or of the program ends the session at once.
"""

from __future__ import annotations

import asyncio
import logging
import re
import select
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

import anyio
import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json

from backend.errors import McpParseError, McpProtocolError, McpUnreachable, PatchbayError
from backend.net import fence
from backend.net.fence import Check
from backend.net.masking import Masker
from backend.tools.mcp.answers import misshapen
from backend.tools.mcp.faults import Faults
from backend.tools.mcp.wire import Streams
from backend.tools.processes import Program, StderrLog

logger = logging.getLogger(__name__)

PARSE_IN_THREAD = 256 * 1024
QUIET_S, LAST_WORDS_S = 0.2, 10.0
"""What a program that exited left on stdout is read until nothing more comes for so long, and at most for so long."""
RUBBISH_LINES = 20
RUBBISH_CHARS = 2000
EXIT_GRACE_S = 0.3
"""Seconds after the end of stdout in which a program that ends has ended; one that lives on has closed it."""
_HEAD = 4096
_ID = re.compile(rb'"id"\s*:\s*(\d+|"[^"\\]{1,200}")')


class UnparsedOutput:
    """The first lines on stdout that were no messages, masked."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self.lines: deque[str] = deque(maxlen=RUBBISH_LINES)

    def add(self, text: str) -> None:
        """Keep the beginning of a line."""
        self.lines.append(self.masked(text))

    def masked(self, text: str) -> str:
        """The beginning of a line, without secrets."""
        return self._masker.head(text, RUBBISH_CHARS)


class _TooLong:
    """What is known of a line that was longer than allowed."""

    def __init__(self) -> None:
        self.head, self.tail, self.size = b"", b"", 0

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if len(self.head) < _HEAD:
            self.head = (self.head + chunk)[:_HEAD]
        self.tail = (self.tail + chunk)[-_HEAD:]

    def request_id(self) -> int | str | None:
        """The id of the request it answers: among its first or last bytes, where every known server writes it."""
        match = _ID.search(self.head) or _ID.search(self.tail)
        if match is None:
            return None
        text = match.group(1).decode()
        return int(text) if text.isdigit() else text.strip('"')


async def lines(
    stream: asyncio.StreamReader, limit: int, reads: list[int] | None = None
) -> AsyncIterator[bytes | _TooLong]:
    """The lines of a stream; of those over `limit` bytes only what `_TooLong` keeps. `heard[0]` counts the reads."""
    parts: list[bytes] = []
    size = 0
    long: _TooLong | None = None

    def take(piece: bytes) -> None:
        nonlocal size, long, parts
        size += len(piece)
        if long is None and size > limit:
            long = _TooLong()
            for part in parts:
                long.add(part)
            parts = []
        if long is not None:
            long.add(piece)
        elif piece:
            parts.append(piece)

    while chunk := await stream.read(65_536):
        if reads is not None:
            reads[0] += 1
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            take(piece)
            yield b"".join(parts) if long is None else long
            parts, size, long = [], 0, None
        take(rest)


def _beginning(line: bytes) -> _TooLong:
    kept = _TooLong()
    kept.add(line)
    return kept


def _parse(line: bytes) -> JSONRPCMessage:
    return jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False)


class _FencedWrite:
    """The stream that a session writes to: each message goes with the check of whoever sends it."""

    def __init__(self, inner: MemoryObjectSendStream[tuple[SessionMessage, Check | None]]) -> None:
        self._inner = inner

    async def send(self, item: SessionMessage) -> None:
        await self._inner.send((item, fence.current()))

    async def aclose(self) -> None:
        await self._inner.aclose()

    def close(self) -> None:
        self._inner.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def _may_go(stdin: asyncio.StreamWriter, check: Check) -> bool:
    """Whether the next bytes may go out, asked once the pipe takes them: what lies in a buffer leaves unasked."""
    await _writable(stdin)
    try:
        fence.last_look(check)
    except fence.NotSent:
        return False
    return True


async def _writable(stdin: asyncio.StreamWriter) -> None:
    """Return once the program's pipe takes bytes. Everything before was given to the system (`drain`, no buffer)."""
    pipe = stdin.get_extra_info("pipe")
    if pipe is None or stdin.transport.is_closing():
        return
    now = select.poll()
    now.register(pipe, select.POLLOUT)
    if now.poll(0):
        return
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_writer(pipe.fileno(), ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_writer(pipe.fileno())


def _not_sent(message: SessionMessage, faults: Faults) -> SessionMessage:
    """What the sender of a request is answered that was not written."""
    error = faults.put(McpUnreachable(params={"reason": "not_sent", "sent": False}))
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=getattr(message.message, "id", None), error=error))


@asynccontextmanager
async def stdio_streams(
    program: Program, stderr: StderrLog, unparsed: UnparsedOutput, faults: Faults, message_bytes: int
) -> AsyncGenerator[Streams, None]:
    """A session's streams over a started program. Leaving ends the program and its whole process group."""
    stdin, stdout, errors = program.process.stdin, program.process.stdout, program.process.stderr
    if stdin is None or stdout is None or errors is None:
        raise RuntimeError("the program was started without pipes")
    stdin.transport.set_write_buffer_limits(0)
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    into, outgoing = anyio.create_memory_object_stream[tuple[SessionMessage, Check | None]](0)
    write = _FencedWrite(into)

    read_all, reads, parsing = anyio.Event(), [0], [False]

    async def pump_in() -> None:
        async with incoming:
            async for line in lines(stdout, message_bytes, reads):
                parsing[0] = True
                message = await _message(line, unparsed, faults)
                try:
                    if message is not None:
                        await incoming.send(message)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return
                parsing[0] = False
                del line, message  # a large one would be held until the server says something else
            read_all.set()
            if not await program.exited(EXIT_GRACE_S):
                faults.finish(McpUnreachable(params={"reason": "stdout_closed"}))

    async def watch() -> None:
        """The program's exit is the end, also where a child of it holds stdout: what it left there is read first."""
        await program.gone.wait()
        patience = LAST_WORDS_S
        before = -1
        # a large message is read long before it is parsed: while it is, nobody knows what else there is
        while not read_all.is_set() and (parsing[0] or before != reads[0]) and patience > 0:
            before, patience = reads[0], patience - QUIET_S
            with anyio.move_on_after(QUIET_S):
                await read_all.wait()
        await incoming.aclose()

    async def listen_for_silence() -> None:
        """A boxed program that closed its stdout: the pipe does not end, as what makes the box holds it too."""
        await program.silent()
        if not await program.exited(EXIT_GRACE_S):
            faults.finish(McpUnreachable(params={"reason": "stdout_closed"}))
            await incoming.aclose()

    async def pump_out() -> None:
        try:
            async with outgoing:
                async for message, check in outgoing:
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    if check is not None and not await _may_go(stdin, check):
                        await incoming.send(_not_sent(message, faults))
                        continue
                    stdin.write(text.encode("utf-8", "replace") + b"\n")
                    await stdin.drain()
        except (OSError, RuntimeError, ValueError):
            await incoming.aclose()  # nobody reads us any more: let the session see the end

    listening = asyncio.create_task(stderr.follow(errors))
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pump_in)
            tasks.start_soon(pump_out)
            tasks.start_soon(watch)
            tasks.start_soon(listen_for_silence)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    await read.aclose()
                    await write.aclose()
                    await program.end()
                    await asyncio.wait([listening], timeout=0.2)
                tasks.cancel_scope.cancel()
    finally:
        listening.cancel()


def _unreadable(line: bytes, raw: str, why: str) -> PatchbayError:
    """The error for a line that answers a request and is no message."""
    detail = {"raw": raw, "why": why}
    if "recursion limit" in why:
        return McpParseError(params={"reason": "too_deep"}, detail=detail)
    try:
        reason = misshapen(from_json(line)) if len(line) <= PARSE_IN_THREAD else ""
    except ValueError:
        reason = ""
    if reason:
        return McpProtocolError(params={"reason": reason}, detail=detail)
    return McpParseError(params={"reason": "message"}, detail=detail)


async def _message(
    line: bytes | _TooLong, unparsed: UnparsedOutput, faults: Faults
) -> SessionMessage | Exception | None:
    if isinstance(line, _TooLong):
        identity = line.request_id()
        logger.warning("a message of %d bytes was dropped", line.size)
        if identity is None:
            return None
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=identity, error=faults.too_large()))
    if not line.strip():
        return None
    try:
        parsed = await asyncio.to_thread(_parse, line) if len(line) > PARSE_IN_THREAD else _parse(line)
    except (ValidationError, ValueError) as error:
        text = line[: RUBBISH_CHARS * 4].decode("utf-8", "replace")
        identity = _beginning(line).request_id()
        if identity is None or not (b'"result"' in line or b'"error"' in line):
            unparsed.add(text)
            return error
        stand_in = faults.put(_unreadable(line, unparsed.masked(text), str(error)[:500]))
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=identity, error=stand_in))
    return SessionMessage(parsed)
