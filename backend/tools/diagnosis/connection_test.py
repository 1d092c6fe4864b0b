"""Why can't I connect? Every stage of a connection with its time; the first that fails has a code and what to do.

Tests connect beside the pool, once, and leave. What they find is the report; they never raise.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpcore2

from backend.errors import McpAuthFailed, McpParseError, McpTimeout, McpUnreachable, PatchbayError
from backend.errors.trouble import of_this_machine
from backend.net.client import GuardedBackend, checked_addresses, resolve, tls_context
from backend.net.rules import NetworkRules
from backend.net.urls import check_url, origin
from backend.tools.diagnosis.report import HTTP_STAGES, STDIO_STAGES, CheckStep, OnStage, TestReport, ignore_stage
from backend.tools.diagnosis.second_look import second_look, speaks_http
from backend.tools.mcp.connection import Connection, ConnectionDeps, Era, connected, maybe_old, prepare
from backend.tools.mcp.faults import of_transport, unexpected
from backend.tools.mcp.wire import Capture
from backend.tools.processes import Reaper, find_command
from backend.tools.schemas import problem
from backend.tools.servers import ServerConfig, StdioRules
from backend.tools.types import JsonObject, ToolSpec

logger = logging.getLogger(__name__)

Install = Callable[[ServerConfig], Awaitable[ServerConfig]]
HTTP_DEADLINE_S, STDIO_DEADLINE_S = 45.0, 90.0
CONNECT_S = 10.0
MAX_SHOWN = 100
"""Tools with something wrong that a report names one by one."""
MESSAGE_BYTES = 32 * 1024 * 1024
# What a mark of the session says: the stages that are passed with it, each from one mark to another.
_STDIO_SPANS = {
    "started": [("start", "begin", "started")],
    "connected": [("protocol", "started", "connected")],
    "listed": [("tools", "connected", "listed")],
}
_HTTP_SPANS = {
    "started": [],
    "connected": [("http", "begin", "answered"), ("protocol", "answered", "connected"), ("auth", "begin", "begin")],
    "listed": [("tools", "connected", "listed")],
}
_HTTP_REASONS = {
    *("http_404", "http_status", "redirect", "redirect_https", "host_guard"),
    *("is_https", "not_http", "huge_header", "is_sse", "is_streamable"),
}
"""What is wrong with the address or what stands before the server, not with its protocol."""


async def connection_test(
    config: ServerConfig,
    network: NetworkRules,
    stdio: StdioRules,
    *,
    deadline_s: float | None = None,
    on_stage: OnStage = ignore_stage,
    install: Install | None = None,
    lists: bool = True,
) -> TestReport:
    """Connect once beside the pool, list the tools, check their schemas, leave. Never raises (but CancelledError).

    `deadline_s`: seconds for all of it; None = 45, or 90 for programs, whose first start may download packages.
    `on_stage` hears of every stage as it is passed, in the event loop; the report has the last word. `install` gives
    the configuration with the package installed that it is started from, where it is. Without `lists` a server of the
    modern era is not asked for its tools: what it said of them is still good.
    """
    if deadline_s is None:
        deadline_s = STDIO_DEADLINE_S if config.transport == "stdio" else HTTP_DEADLINE_S
    test = Test(config, network, stdio, on_stage, install if config.package is not None else None)
    test.lists = lists
    try:
        async with asyncio.timeout(deadline_s):
            await test.run()
    except TimeoutError:
        test.fail(test.timed_out(deadline_s))
    except PatchbayError as error:
        test.fail(error)
    except Exception as error:
        logger.exception("a connection test met trouble of ours")
        test.fail(unexpected(error))
    finally:
        await asyncio.shield(asyncio.to_thread(test.reaper.close))
    return test.finish()


class Test:
    """One test on its way; `stages` = its own, where they are others than those of its transport."""

    __test__ = False

    def __init__(
        self,
        config: ServerConfig,
        network: NetworkRules,
        stdio: StdioRules,
        on_stage: OnStage,
        install: Install | None,
        stages: tuple[str, ...] | None = None,
    ) -> None:
        self.config, self.network, self.stdio, self.on_stage, self.install = config, network, stdio, on_stage, install
        self.reaper = Reaper()
        self.masker = config.masker()
        self.capture = Capture(self.masker)
        names = stages or (STDIO_STAGES if config.transport == "stdio" else HTTP_STAGES)
        needed = [name for name in names if name != "install" or install is not None]
        self.report = TestReport(ok=False, stages=[CheckStep(name) for name in needed])
        self.current = self.report.stages[0]
        self.began = time.monotonic()
        self.marks: dict[str, float] = {}
        self.answers: list[tuple[str, int, str]] = []
        self.live: Connection | None = None
        self.lists = True

    # -- stages ------------------------------------------------------------------------------------------------

    def stage(self, name: str) -> CheckStep:
        """The stage of this name."""
        return next(stage for stage in self.report.stages if stage.name == name)

    @asynccontextmanager
    async def doing(self, name: str) -> AsyncIterator[CheckStep]:
        """Time a stage; it is sound when the body ends without an error."""
        self.current = stage = self.stage(name)
        began = time.monotonic()
        try:
            yield stage
            stage.ok = True
        finally:
            stage.ms = (time.monotonic() - began) * 1000
        self.on_stage(stage)

    def fail(self, error: PatchbayError, name: str | None = None) -> None:
        """The test ends at a stage (the current one) because of `error`."""
        stage = self.current if name is None else self.stage(name)
        stage.ok = False
        if not stage.ms:
            stage.ms = (time.monotonic() - max(self.marks.values(), default=self.began)) * 1000
        stage.detail = self.masker.value(error.detail)
        self.report.code, self.report.detail = error.code, stage.detail
        self.report.params = self.masker.value(error.params)

    def timed_out(self, seconds: float) -> PatchbayError:
        """The error for a test that took too long: what the program printed instead of messages says more."""
        if self.live is not None and self.live.unparsed.lines:
            return McpParseError(params={"reason": "stdout"}, detail={"raw": "\n".join(self.live.unparsed.lines)})
        return McpTimeout(params={"reason": "test", "seconds": round(seconds)})

    def finish(self) -> TestReport:
        """The report as it stands."""
        self.report.ms = (time.monotonic() - self.began) * 1000
        self.report.wire = self.capture.entries
        if self.live is not None:
            self.report.stderr = self.live.stderr.tail()
            for line in self.live.unparsed.lines:
                self.report.wire.append({"at_ms": None, "direction": "in", "raw": line})
        return self.report

    async def run(self) -> None:
        """All stages in order. Raises the first failing stage's error."""
        if self.config.transport == "stdio":
            await self._before_stdio()
        else:
            await self.before_http()
        await self._session()

    # -- before a session --------------------------------------------------------------------------------------

    async def _before_stdio(self) -> None:
        async with self.doing("policy"):
            self.stdio.check_start(self.config)
        async with self.doing("command") as stage:
            stage.detail = {"path": find_command(self.config, self.stdio.environment(self.config))}
        if self.install is not None:
            async with self.doing("install") as stage:
                self.config = await self.install(self.config)
                if (package := self.config.installed) is not None:
                    stage.detail = {"package": f"{package.name} {package.version}"}

    async def before_http(self) -> None:
        """The stages up to a connection that could be used."""
        async with self.doing("url"):
            check_url(self.config.url)
        scheme, host, port = origin(self.config.url)
        if self.network.proxy:
            for name in ("dns", "tcp", "tls"):
                self.stage(name).detail = {"proxy": True}
            return
        try:
            async with self.doing("dns") as stage:
                stage.detail = {"addresses": [str(address) for address in await resolve(host, port)]}
            await self._reach(scheme, host, port)
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout, ssl.SSLError, OSError) as error:
            if of_this_machine(error):
                raise
            raise of_transport(error) from error

    async def _reach(self, scheme: str, host: str, port: int) -> None:
        typed = self.config.typed_address
        async with self.doing("tcp"):
            await checked_addresses(self.network, host, port, typed=typed)
            stream = await GuardedBackend(self.network, typed=typed).connect_tcp(host, port, timeout=CONNECT_S)
        try:
            if scheme == "https":
                async with self.doing("tls"):
                    context = tls_context(self.network.ca_file)
                    stream = await self._secured(stream, context, host, port)
        finally:
            await stream.aclose()

    async def _secured(
        self, stream: httpcore2.AsyncNetworkStream, context: ssl.SSLContext, host: str, port: int
    ) -> httpcore2.AsyncNetworkStream:
        try:
            return await stream.start_tls(context, server_hostname=host, timeout=CONNECT_S)
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout, ssl.SSLError, OSError) as error:
            why = str(error) or "the server does not answer in TLS"
            typed = self.config.typed_address
            plain = "CERTIFICATE" not in why and await speaks_http(self.network, host, port, typed=typed)
            raise McpUnreachable(params={"reason": "is_http" if plain else "tls", "why": why}) from error

    # -- the session -------------------------------------------------------------------------------------------

    async def _session(self) -> None:
        self.current = self.stage("start" if self.config.transport == "stdio" else "http")
        self.marks["begin"] = time.monotonic()
        try:
            await self._connect("auto")
        except PatchbayError as first:
            if self.config.transport != "stdio" or not maybe_old(first):
                raise self._placed(await self._looked_again(first)) from first
            try:
                await self._connect("legacy")
            except PatchbayError:
                raise self._placed(first) from first

    async def _looked_again(self, error: PatchbayError) -> PatchbayError:
        """What a second look at the address finds, where no session came about."""
        if self.config.transport == "stdio" or "connected" in self.marks:
            return error
        statuses = {status for method, status, _ in self.answers if method == "POST"}
        return await second_look(self.config, self.network, error, statuses)

    async def _connect(self, era: Era) -> None:
        around = ConnectionDeps(
            network=self.network,
            stdio=self.stdio,
            reaper=self.reaper,
            message_bytes=MESSAGE_BYTES,
            stderr_lines=200,
            capture=self.capture,
            seen=self._seen,
            progress=self._mark,
            lists=self.lists,
        )
        self.live = live = prepare(self.config, around, 1)
        try:
            async with connected(live, around, era):
                if live.listed:
                    self._mark("listed")
                self._passed(live)
                await self._schemas(live)
        except PatchbayError:
            raise
        except (Exception, BaseExceptionGroup) as error:
            if isinstance(error, TimeoutError):
                raise
            logger.warning("leaving the connection of a test failed", exc_info=error)
            if not self.report.ok:
                raise await live.explain(error, calling=False) from error

    def _mark(self, what: str) -> None:
        self.marks[what] = time.monotonic()
        for name, start, end in (_STDIO_SPANS if self.config.transport == "stdio" else _HTTP_SPANS)[what]:
            began = self.marks.get(start, self.marks["begin"])
            self.on_stage(CheckStep(name, True, (self.marks.get(end, began) - began) * 1000))
        following = {"started": "protocol", "connected": "tools", "listed": "schemas"}
        if self.config.transport == "stdio" or what != "started":
            self.current = self.stage(following[what])

    def _seen(self, method: str, status: int, kind: str) -> None:
        self.marks.setdefault("answered", time.monotonic())
        self.answers.append((method, status, kind))

    def _passed(self, live: Connection) -> None:
        """Everything up to the list of tools went well: times and what the server said of itself."""
        marks = self.marks
        if self.config.transport == "stdio":
            spans = {"start": ("begin", "started"), "protocol": ("started", "connected")}
        else:
            marks.setdefault("answered", marks["begin"])
            spans = {"http": ("begin", "answered"), "protocol": ("answered", "connected")}
            self.stage("auth").ok = True
        if live.listed:
            spans["tools"] = ("connected", "listed")
        for name, (start, end) in spans.items():
            stage = self.stage(name)
            stage.ok, stage.ms = True, (marks[end] - marks[start]) * 1000
        client = live.client
        self.report.protocol = client.protocol_version
        info = client.server_info
        self.report.server = None if info is None else {"name": info.name, "version": info.version}
        self.report.capabilities = client.server_capabilities.model_dump(by_alias=True, exclude_none=True, mode="json")
        self.report.declared = live.declared
        self.report.tools, self.report.listed, self.report.list_ttl_ms = live.tools, live.listed, live.list_ttl_ms
        self.stage("tools").detail = {"count": len(live.tools)} if live.listed else None

    async def _schemas(self, live: Connection) -> None:
        if not live.listed:
            self.report.ok = True
            return
        async with self.doing("schemas"):
            bad = await asyncio.to_thread(unusable, live.tools)
        self.report.ok = len(bad) < len(live.tools) or not live.tools
        self.report.left_out = live.repair.left_out[:MAX_SHOWN]
        bad += live.repair.left_out
        if bad:
            stage = self.stage("schemas")
            stage.ok, stage.detail = False, {"tools": bad[:MAX_SHOWN], "count": len(bad)}
            self.report.code = "MCP_PROTOCOL_ERROR"
            self.report.params = {"reason": bad[0]["reason"], "tool": bad[0]["tool"]}

    def _placed(self, error: PatchbayError) -> PatchbayError:
        """Say at which stage of the session it failed."""
        if self.config.transport == "stdio":
            silent = not any(entry["direction"] == "in" for entry in self.capture.entries)
            if isinstance(error, McpUnreachable) and silent:
                self.current = self.stage("start")
            elif "started" in self.marks:
                self.stage("start").ok = True
            return error
        if isinstance(error, McpAuthFailed):
            self.stage("http").ok = True
            self.current = self.stage("auth")
        elif "connected" in self.marks:
            for name in ("http", "protocol", "auth"):
                self.stage(name).ok = True
        elif not self.answers or error.params.get("reason") in _HTTP_REASONS:
            self.current = self.stage("http")
        else:
            self.stage("http").ok = True
            self.current = self.stage("protocol")
        return error


def unusable(tools: list[ToolSpec]) -> list[JsonObject]:
    """Tools whose schemas cannot be checked: `{tool, which, reason, why}`."""
    bad: list[JsonObject] = []
    for tool in tools:
        for which, schema in (("input", tool.input_schema), ("output", tool.output_schema)):
            fault = None if schema is None else problem(schema)
            if fault is not None:
                bad.append({"tool": tool.name, "which": which, "reason": fault[0], "why": fault[1]})
                break
    return bad
