"""One live connection to a server: opened by `connected`, in the task that will also leave it.

The SDK's client must be entered and left by the same task; its methods may be awaited from any task of that loop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.client.client import Client
from mcp.client.session import ClientRequestContext
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Implementation,
    ToolListChangedNotification,
)

from backend.errors import McpParseError, McpProtocolError, McpTimeout, McpUnreachable, PatchbayError
from backend.errors.trouble import MachineTrouble, Trouble, of_this_machine
from backend.net.masking import Masker
from backend.net.rules import NetworkRules
from backend.tools.mcp.declared import MODERN, declared
from backend.tools.mcp.elicitation import never_called
from backend.tools.mcp.faults import UNEXPECTED, Faults, leaf, translate
from backend.tools.mcp.greeting import GreetingClient
from backend.tools.mcp.http import http_streams
from backend.tools.mcp.listing import list_all_tools
from backend.tools.mcp.repair import ListRepair
from backend.tools.mcp.sessions import SessionLost
from backend.tools.mcp.stdio import UnparsedOutput, stdio_streams
from backend.tools.mcp.task_wire import Tasks
from backend.tools.mcp.wire import Capture, Streams, Tap
from backend.tools.processes import Program, Reaper, StderrLog, find_command
from backend.tools.programs.exits import exit_error
from backend.tools.servers import ServerConfig, StdioRules
from backend.tools.types import JsonObject, ToolSpec
from backend.version import VERSION

logger = logging.getLogger(__name__)

Era = Literal["auto", "legacy"]

CLIENT_INFO = Implementation(name="patchbay", version=VERSION)
LISTEN_AGAIN_S = 300.0
"""Seconds until a subscription that ended is tried again."""
_EXIT_WAIT_S = 0.3


@dataclass(frozen=True, slots=True)
class ConnectionDeps:
    """What a connection needs besides the server's configuration."""

    network: NetworkRules
    stdio: StdioRules
    reaper: Reaper
    message_bytes: int
    stderr_lines: int
    capture: Capture | None = None  # takes every message, for connection tests
    seen: Callable[[str, int, str], None] | None = None  # every HTTP answer: method, status, content type
    on_stderr: Callable[[str], None] | None = None
    before_start: Callable[[ServerConfig], Awaitable[ServerConfig]] | None = (
        None  # of every program; gives what is started
    )
    progress: Callable[[str], None] | None = None  # "started", "connected": how far opening came
    lists: bool = True  # False: tools are asked for only where a server cannot say how long a list is good


@dataclass
class Connection:
    """An open connection. `ended` is set when it cannot be used any more.

    `doubted_at` = when the last call on it was lost or had no answer in time, in epoch seconds, 0 where it had: a
    connection test that passes later makes it replaced.
    """

    config: ServerConfig
    masker: Masker
    faults: Faults
    ended: asyncio.Event
    stderr: StderrLog
    unparsed: UnparsedOutput
    slots: asyncio.Semaphore
    client: Client = field(init=False)
    program: Program | None = None
    repair: ListRepair = field(default_factory=ListRepair)
    tools: list[ToolSpec] = field(default_factory=list)
    listed: bool = False  # whether the server was asked for them
    list_ttl_ms: int = 0  # for how long it says that they stay so; servers of the handshake era do not say
    stale: bool = False  # the server said that its list of tools changed
    reported: list[ToolSpec] | None = None  # the list that the registry has been told of
    resources: list[JsonObject] | None = None  # as last listed, templates too; None where nobody asked
    prompts: list[JsonObject] | None = None
    declared: JsonObject | None = None  # what the server declared, as its status shows it
    listening: bool = False  # a modern server tells of changes
    questions: Callable[[ElicitRequestParams], Awaitable[ElicitResult | ErrorData]] | None = None  # see `holding`
    since: float = field(default_factory=time.monotonic)
    doubted_at: float = 0.0
    calls: int = 0  # under way

    @property
    def modern(self) -> bool:
        """Whether the server speaks the era without sessions (2026-07-28)."""
        return self.client.protocol_version >= MODERN

    @property
    def holds(self) -> bool:
        """Whether the server may ask while a call is open, so that the call must be held, and be the only one."""
        return self.config.asks and not self.modern

    def learned(self) -> JsonObject:
        """What the server said of itself, as its status shows it."""
        info = self.client.server_info
        return {
            "protocol": self.client.protocol_version,
            "server_name": None if info is None else info.name,
            "server_version": None if info is None else info.version,
            "tool_count": len(self.tools),
            "left_out": list(self.repair.left_out),
            "declared": self.declared,
        }

    async def on_question(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        """What a server of the handshake era asks; outside a call there is nobody to ask."""
        return ElicitResult(action="cancel") if self.questions is None else await self.questions(params)

    async def refresh(self) -> list[ToolSpec]:
        """List the tools anew. Raises what the SDK raises."""
        self.stale = False
        await self.list_tools(refresh=True)
        return self.tools

    async def list_tools(self, *, refresh: bool = False) -> None:
        """List the tools, where the server has any. Raises what the SDK raises."""
        if self.client.server_capabilities.tools is not None:
            listing = await list_all_tools(self.client, self.config.slug, refresh=refresh)
            self.tools, self.list_ttl_ms = listing.tools, listing.ttl_ms if self.modern else 0
        self.listed = True

    async def on_message(self, message: Any) -> None:
        """What the server tells unasked."""
        if isinstance(message, ToolListChangedNotification):
            self.stale = True

    async def explain(self, error: BaseException, *, calling: bool, mark: int = 0) -> PatchbayError:
        """Our error for `error`, with what is known of the program: exit code, last stderr lines, unparsed output.

        Raises what is behind `error` where it is trouble of ours, which is no answer to anything; what nobody knows is
        a defect of ours, too.

        `mark` = how many lines stood on stderr when a call began: where the program lives on, those say nothing of it.
        """
        error = self.faults.behind(error)
        if isinstance(error, Trouble) or of_this_machine(leaf(error)):
            raise error
        if self.config.transport == "stdio" and of_our_files(leaf(error)):
            raise MachineTrouble(str(error)) from leaf(error)
        explained = translate(error, self.faults, calling=calling)
        if explained.params.get("reason") == UNEXPECTED:
            raise error
        if self.program is not None:
            explained = await self._of_program(explained, self.program, mark)
        explained.params = self.masker.value(explained.params)
        explained.detail = self.masker.value(explained.detail)
        return explained

    async def _of_program(self, explained: PatchbayError, program: Program, mark: int) -> PatchbayError:
        if isinstance(explained, McpUnreachable) and explained.params.get("reason") in ("closed", "dropped"):
            await program.exited(_EXIT_WAIT_S)
            params = exit_error(program.exit_code, self.stderr.tail()).params
            if program.home_full:
                params = {"reason": "home_full", "megabytes": program.home_full}
            explained = McpUnreachable(params=params, detail=explained.detail)
        if isinstance(explained, McpTimeout) and self.unparsed.lines:
            explained = McpParseError(params={"reason": "stdout"}, detail={})
        detail = dict(explained.detail) if isinstance(explained.detail, dict) else {}
        words = self.stderr.tail() if isinstance(explained, McpUnreachable) else self.stderr.since(mark)
        if words:
            detail["stderr"] = words
        if self.unparsed.lines:
            detail["raw"] = "\n".join(self.unparsed.lines)
        explained.detail = detail or None
        return explained


def of_our_files(error: BaseException) -> bool:
    """Whether an error around a program is about files, which are ours: what a program does to its pipes is not."""
    return isinstance(error, OSError) and not isinstance(error, TimeoutError | ConnectionError)


async def _unchecked(name: str, result: CallToolResult) -> None:
    """Instead of the SDK's check of results, whose patterns can hang the loop; ours is in `source`."""


@asynccontextmanager
async def connected(live: Connection, around: ConnectionDeps, era: Era) -> AsyncGenerator[Connection, None]:
    """Open the connection, negotiate, list the tools. Raises PatchbayError before the body runs."""
    note = around.progress or (lambda _: None)
    try:
        async with AsyncExitStack() as stack:
            try:
                transport = await _transport(live, around)
                note("started")
                tap = Tap(live.ended.set, around.capture, live.repair, live.faults.noting)
                live.client = GreetingClient(
                    tap.around(transport),
                    mode="legacy" if live.config.transport == "sse" else era,
                    client_info=CLIENT_INFO,
                    read_timeout_seconds=live.config.timeout_s,
                    message_handler=live.on_message,
                    elicitation_callback=live.on_question if live.config.asks else None,
                    extensions=[Tasks()] if live.config.transport == "http" else None,
                )
                live.client.faults = live.faults
                await stack.enter_async_context(live.client)
                live.declared = declared(live.client)
                note("connected")
                _prepare_session(live)
                if around.lists or not live.modern:
                    await live.list_tools()
            except Exception as error:
                explained = await live.explain(error, calling=False)
                raise (explained.final() if isinstance(explained, SessionLost) else explained) from error
            listening = asyncio.create_task(_listen(live))
            try:
                yield live
            finally:
                listening.cancel()
                await asyncio.wait([listening])
    finally:
        if live.program is not None:
            await live.program.end()


def _prepare_session(live: Connection) -> None:
    """Switch off the SDK's output check; offer a modern server that people can be asked (see `elicitation`)."""
    session = live.client.session
    session.validate_tool_result = _unchecked  # type: ignore[method-assign]
    if live.holds:
        live.slots = asyncio.Semaphore(1)
    if live.modern and session.discover_result is not None:
        # Given to the client itself the callback would be declared to servers of the handshake era as well.
        session._elicitation_callback = never_called
        session.adopt(session.discover_result)


async def _listen(live: Connection) -> None:
    """Hear of changes to a modern server's tools; servers of the handshake era push them unasked."""
    tools = live.client.server_capabilities.tools
    if not live.modern or tools is None or not tools.list_changed:
        return
    while not live.ended.is_set():
        try:
            async with live.client.listen(tools_list_changed=True) as subscription:
                live.listening = True
                async for _ in subscription:
                    live.stale = True
        except (MCPError, SubscriptionLost, TimeoutError, ListenNotSupportedError):
            logger.debug("the subscription to changes of %s ended", live.config.slug, exc_info=True)
        live.listening = False
        live.stale = True  # whatever changed meanwhile was not told
        await asyncio.sleep(LISTEN_AGAIN_S)


async def _transport(live: Connection, around: ConnectionDeps) -> AbstractAsyncContextManager[Streams]:
    if live.config.transport != "stdio":
        return http_streams(
            live.config,
            around.network,
            live.faults,
            message_bytes=around.message_bytes,
            seen=around.seen,
            capture=around.capture,
        )
    config = live.config
    if around.before_start is not None:
        around.stdio.check_start(config)
        find_command(config, around.stdio.environment(config))
        config = await around.before_start(config)
    live.program = await Program.start(config, around.stdio, around.reaper)
    return stdio_streams(live.program, live.stderr, live.unparsed, live.faults, around.message_bytes)


def maybe_old(error: PatchbayError) -> bool:
    """Whether a program that failed so may be of the handshake era and have stumbled over the modern greeting.

    (One that says nothing to it gets the old greeting in the same attempt, after ten seconds.)
    """
    return (isinstance(error, McpUnreachable) and "exit_code" in error.params) or isinstance(error, McpProtocolError)


def prepare(config: ServerConfig, around: ConnectionDeps, calls: int) -> Connection:
    """A `Connection` that is not open yet."""
    ended = asyncio.Event()
    masker = config.masker()
    return Connection(
        config=config,
        masker=masker,
        faults=Faults(ended.set, around.message_bytes),
        ended=ended,
        stderr=StderrLog(masker, around.stderr_lines, around.on_stderr),
        unparsed=UnparsedOutput(masker),
        slots=asyncio.Semaphore(config.calls or calls),
    )
