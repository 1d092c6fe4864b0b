"""The pool of connections to MCP servers: one per process, an owner task per connection.

    Pool -- _Owner (task: connects, waits for stop, end or idleness, leaves, connects anew) -- Live (what callers use)

Connections are made on demand and shared by all calls with the same `PoolKey`. One that died is made anew at once,
then, while it fails, at growing intervals and only while somebody wants it. A caller waits for the attempt that its
own arrival caused or joined, never for an older failure.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from backend.errors import McpPolicyDenied, McpTimeout, McpUnreachable, NetworkBlocked, PatchbayError
from backend.errors.trouble import MachineTrouble, Trouble, of_this_machine
from backend.net.rules import NetworkRules
from backend.tools.mcp.connection import Connection, ConnectionDeps, Era, connected, maybe_old, prepare
from backend.tools.mcp.faults import UNEXPECTED, leaf, translate
from backend.tools.processes import Reaper
from backend.tools.servers import PoolKey, PoolLimits, ServerConfig, StdioRules
from backend.tools.types import JsonObject

logger = logging.getLogger(__name__)

FIRST_BACKOFF_S = 0.1
MAX_BACKOFF_S = 10.0
STABLE_S = 1.0
"""A connection that lived this long counts as sound: it is made anew at once when it ends."""
_DRAIN_S = 30.0


class _Owner:
    """One connection over its lives, and the task that enters and leaves each."""

    def __init__(self, pool: Pool, config: ServerConfig) -> None:
        self.config = config
        self.in_flight = 0
        self.connects = 0
        self.error: PatchbayError | None = None
        self.last_used = time.monotonic()
        self.live: Connection | None = None
        self._pool = pool
        self._failures = 0
        self._stop = asyncio.Event()
        self._requested = asyncio.Event()
        self._unused = asyncio.Event()
        self._unused.set()
        self._attempt: asyncio.Future[Connection] | None = None
        # In a context of its own: what the first caller may do or wants to see is not the connection's.
        self.task = asyncio.create_task(self._own(), name=f"mcp:{config.slug}", context=contextvars.Context())

    async def ready(self) -> Connection:
        """The live connection, after an attempt where there is none. Raises that attempt's error."""
        if self.live is not None and not self.live.ended.is_set():
            return self.live
        if self._attempt is None or self._attempt.done():
            self._attempt = asyncio.get_running_loop().create_future()
            self._attempt.add_done_callback(_retrieved)
        self._requested.set()
        return await asyncio.shield(self._attempt)

    def stop(self) -> None:
        """Close, now; an attempt to connect is broken off."""
        self._stop.set()
        if self.live is None:
            self.task.cancel()

    async def retire(self, within: float | None) -> None:
        """Close once the calls in flight have ended, at the latest after `within` seconds."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._unused.wait(), within)
        self._stop.set()

    def enter(self) -> None:
        """A call begins."""
        self.in_flight += 1
        self._unused.clear()

    def leave(self) -> None:
        """A call has ended."""
        self.in_flight -= 1
        self.last_used = time.monotonic()
        if not self.in_flight:
            self._unused.set()

    @property
    def state(self) -> str:
        """ "ready", "connecting", "failed" or "waiting"."""
        if self.live is not None:
            return "ready"
        if self._attempt is not None and not self._attempt.done():
            return "connecting"
        return "failed" if self.error is not None else "waiting"

    async def _own(self) -> None:
        try:
            while not self._stop.is_set():
                if (
                    not await _first(self._requested, self._stop, timeout=self._pool.limits.idle_s)
                    or self._stop.is_set()
                ):
                    break
                backoff = min(FIRST_BACKOFF_S * 2 ** (self._failures - 1), MAX_BACKOFF_S) if self._failures else 0.0
                await _first(self._stop, timeout=backoff)
                if not self._stop.is_set():
                    await self._connect_and_stay()
        finally:
            self._pool.forget(self)
            self._end_with(McpUnreachable(params={"reason": "closing"}))

    async def _connect_and_stay(self) -> None:
        self._requested.clear()
        try:
            await self._live_once(self._pool.era(self.config))
        except _TryLegacy as first:
            try:
                await self._live_once("legacy")
            except PatchbayError:
                self._failed(first.error)
        except PatchbayError as error:
            self._failed(error)

    async def _live_once(self, era: Era) -> None:
        """Connect, be there for callers until the end. Raises when connecting failed."""
        around = self._pool.surroundings
        live = prepare(self.config, around, self._pool.limits.calls)
        opened = False
        try:
            async with asyncio.timeout(self._pool.limits.connect_s) as limit, connected(live, around, era):
                limit.reschedule(None)
                opened = True
                self._pool.remember_era(self.config, "auto" if live.modern else "legacy")
                self._opened(live)
                await self._until_over(live)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            if not opened:  # the transport cancelled itself
                self._raise(McpUnreachable(params={"reason": "closed"}), era, error)
        except TimeoutError as error:
            if not opened:
                failed = McpTimeout(params={"reason": "start", "seconds": int(self._pool.limits.connect_s)})
                self._raise(await live.explain(failed, calling=False), era, error)
        except (Exception, BaseExceptionGroup) as error:
            if opened:
                logger.warning("the connection to %s broke", self.config.slug, exc_info=error)
            elif isinstance(leaf(error), Trouble):
                self._tell(leaf(error))
            elif of_this_machine(leaf(error)):
                self._lacks(error)
            else:
                self._not_opened(error, live, era)
        finally:
            self.live = None
            if opened and time.monotonic() - live.since >= STABLE_S and self.config.transport == "stdio":
                self._requested.set()  # it was sound and died: have it ready for the next caller

    def _not_opened(self, error: BaseException, live: Connection, era: Era) -> None:
        failure = translate(error, live.faults, calling=False)
        if failure.params.get("reason") == UNEXPECTED:
            self._stumbles(leaf(live.faults.behind(error)))
        else:
            self._raise(failure, era, error)

    def _raise(self, error: PatchbayError, era: Era, cause: BaseException) -> None:
        if era == "auto" and self.config.transport == "stdio" and maybe_old(error):
            raise _TryLegacy(error) from cause
        raise error from cause

    def _opened(self, live: Connection) -> None:
        self.connects += 1
        self.error, self._failures = None, 0
        self.live = live
        if self._attempt is not None and not self._attempt.done():
            self._attempt.set_result(live)

    def _failed(self, error: PatchbayError) -> None:
        if not isinstance(error, (NetworkBlocked, McpPolicyDenied)):  # those are ours: the server was not even asked
            self._failures += 1
        self._pool.forget_era(self.config)  # the server may be another one by now
        self._end_with(error)

    def _lacks(self, cause: BaseException) -> None:
        """This machine could not even try: the callers' runs wait it out, the server is not said to have failed."""
        trouble = MachineTrouble(str(leaf(cause)))
        trouble.__cause__ = leaf(cause)
        self._tell(trouble)

    def _stumbles(self, defect: BaseException) -> None:
        """A defect of ours: the callers get it as it is, so that it ends no call; the next attempt waits a little."""
        self._failures += 1
        self._tell(defect)

    def _end_with(self, error: PatchbayError) -> None:
        self.error = error
        self._tell(error)

    def _tell(self, error: BaseException) -> None:
        """Who waits for this attempt hears why there is no connection."""
        if self._attempt is not None and not self._attempt.done():
            self._attempt.set_exception(error)

    async def _until_over(self, live: Connection) -> None:
        idle_s = self._pool.limits.idle_s
        while not await _first(self._stop, live.ended, timeout=max(0.05, self.last_used + idle_s - time.monotonic())):
            if not self.in_flight and time.monotonic() - self.last_used >= idle_s:
                self._pool.forget(self)  # before any await: a caller from now on gets a new owner
                self._stop.set()


class _TryLegacy(Exception):
    """The server may be of the handshake era and have stumbled over the first question."""

    def __init__(self, error: PatchbayError) -> None:
        self.error = error
        super().__init__(str(error))


def _retrieved(future: asyncio.Future[Connection]) -> None:
    """Nobody may be left to hear of a failed attempt; that is no defect."""
    if not future.cancelled():
        future.exception()


async def _first(*events: asyncio.Event, timeout: float) -> bool:
    """Wait until one of the events is set; False after `timeout` seconds."""
    if any(event.is_set() for event in events):
        return True
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        done, _ = await asyncio.wait(waits, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        return bool(done)
    finally:
        for wait in waits:
            wait.cancel()


class Pool:
    """Connections by `PoolKey`. Everything but the constructor must run in one event loop (`LOOP`)."""

    def __init__(
        self,
        network: NetworkRules,
        stdio: StdioRules,
        limits: PoolLimits | None = None,
        *,
        on_stderr: Callable[[str], None] | None = None,
        before_start: Callable[[ServerConfig], Awaitable[ServerConfig]] | None = None,
    ) -> None:
        self.limits = limits or PoolLimits()
        self.surroundings = ConnectionDeps(
            network=network,
            stdio=stdio,
            reaper=Reaper(),
            message_bytes=self.limits.message_bytes,
            stderr_lines=self.limits.stderr_lines,
            on_stderr=on_stderr,
            before_start=before_start,
        )
        self._owners: dict[PoolKey, _Owner] = {}
        self._of_runs: dict[str, set[PoolKey]] = {}
        self._leaving: set[_Owner] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._eras: dict[tuple[str, int | str], Era] = {}
        self._closed = False

    def take_rules(self, network: NetworkRules, stdio: StdioRules) -> None:
        """Open connections by these rules from now on. May be called from any thread."""
        self.surroundings = replace(self.surroundings, network=network, stdio=stdio)

    async def renew_all(self) -> None:
        """Close what is open once its calls in flight have ended: the next caller connects by the rules of now."""
        for owner in list(self._owners.values()):
            self.forget(owner)
            self._retire(owner)

    @asynccontextmanager
    async def use(self, config: ServerConfig, *, silent: bool = False) -> AsyncGenerator[Connection, None]:
        """A live connection, connected now where needed. Raises McpError, McpPolicyDenied, NetworkBlocked.

        It is one of the calls at once, for which it waits; with `silent` nothing will be sent, so it waits for none.
        """
        owner = self._owner(config)
        owner.enter()
        try:
            live = await owner.ready()
            if silent:
                yield live
                return
            async with live.slots:
                live.calls += 1
                try:
                    yield live
                finally:
                    live.calls -= 1
        finally:
            owner.leave()

    def _owner(self, config: ServerConfig) -> _Owner:
        if self._closed:
            raise McpUnreachable(params={"reason": "closing"})
        owner = self._owners.get(config.key)
        if owner is None:
            self._make_room(config.key)
            owner = self._owners[config.key] = _Owner(self, config)
            if config.key.run is not None:
                self._of_runs.setdefault(config.key.run, set()).add(config.key)
        return owner

    def _make_room(self, key: PoolKey) -> None:
        """Close idle connections where a cap is reached. Raises McpUnreachable when none is idle."""
        same = [o for k, o in self._owners.items() if (k.team, k.server) == (key.team, key.server)]
        for owners, cap in ((same, self.limits.per_server), (list(self._owners.values()), self.limits.connections)):
            if len(owners) < cap:
                continue
            idle = min((o for o in owners if not o.in_flight), key=lambda o: o.last_used, default=None)
            if idle is None:
                raise McpUnreachable(params={"reason": "too_many", "limit": cap})
            self.forget(idle)
            idle.stop()

    def forget(self, owner: _Owner) -> None:
        """The owner takes no new callers."""
        if self._owners.get(owner.config.key) is owner:
            del self._owners[owner.config.key]
            self._leaving.add(owner)
            owner.task.add_done_callback(lambda _: self._leaving.discard(owner))

    def era(self, config: ServerConfig) -> Era:
        """How this server wants to be greeted, as far as known."""
        return self._eras.get((config.key.server, config.key.revision), "auto")

    def remember_era(self, config: ServerConfig, era: Era) -> None:
        """What worked for this revision of the server."""
        self._eras[config.key.server, config.key.revision] = era

    def forget_era(self, config: ServerConfig) -> None:
        """Greet the server as one that is not known."""
        self._eras.pop((config.key.server, config.key.revision), None)

    async def drop_server(
        self, server: str, *, keep_revision: int | str | None = None, user: str | None = None
    ) -> None:
        """Close the connections of a server: all at once, or, with `keep_revision`, those of other revisions once
        their calls in flight have ended. With `user` only those with that person's own credentials."""
        for key, owner in list(self._owners.items()):
            if user is not None and key.user != user:
                continue
            if key.server == server and (keep_revision is None or key.revision != keep_revision):
                self.forget(owner)
                if keep_revision is None:
                    owner.stop()
                else:
                    self._retire(owner)

    def drop(self, config: ServerConfig) -> None:
        """Let go of one connection, which may be lost: it is closed once its calls in flight have ended, and the next
        caller gets a new one."""
        owner = self._owners.get(config.key)
        if owner is not None:
            self.forget(owner)
            self._retire(owner)

    def doubtful(self, config: ServerConfig) -> Connection | None:
        """The connection that would be used, where the last call on it was lost or had no answer."""
        owner = self._owners.get(config.key)
        return owner.live if owner is not None and owner.live is not None and owner.live.doubted_at else None

    def replaced(self, live: Connection) -> bool:
        """Whether callers from now on get another connection than this one."""
        owner = self._owners.get(live.config.key)
        return owner is None or owner.live is not live

    def renew(self, live: Connection) -> None:
        """The next caller gets a new connection instead of this one, which is closed when its calls have ended.

        However many find it lost at once, one new connection is made.
        """
        owner = self._owners.get(live.config.key)
        if owner is not None and owner.live is live:
            self.forget(owner)
            self._retire(owner, None)
            following = self._owners[owner.config.key] = _Owner(self, owner.config)
            following.connects = owner.connects

    def _retire(self, owner: _Owner, within: float | None = _DRAIN_S) -> None:
        task = asyncio.create_task(owner.retire(within))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drop_run(self, run: str) -> None:
        """Close the connections that belong to one run (`session: run`)."""
        for key in self._of_runs.pop(run, ()):
            owner = self._owners.get(key)
            if owner is not None:
                self.forget(owner)
                owner.stop()

    def stats(self) -> list[JsonObject]:
        """`[{server, slug, transport, state, in_flight, at_once, connects, pid, idle_s, era, protocol, error}]`:
        `in_flight` calls want the connection, `at_once` of them are under way."""
        rows: list[JsonObject] = []
        for key, owner in self._owners.items():
            live = owner.live
            rows.append(
                {
                    "server": key.server,
                    "slug": owner.config.slug,
                    "transport": owner.config.transport,
                    "state": owner.state,
                    "in_flight": owner.in_flight,
                    "at_once": live.calls if live is not None else 0,
                    "connects": owner.connects,
                    "pid": live.program.pid if live is not None and live.program is not None else None,
                    "idle_s": round(time.monotonic() - owner.last_used, 1),
                    "era": self.era(owner.config),
                    "protocol": live.client.protocol_version if live is not None else None,
                    "error": owner.error.code if owner.error is not None else None,
                }
            )
        return rows

    async def close(self) -> None:
        """Close everything, subprocesses too. The pool cannot be used afterwards."""
        self._closed = True
        owners = [*self._owners.values(), *self._leaving]
        for owner in owners:
            owner.stop()
        for task in self._tasks:
            task.cancel()
        if owners:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(8):
                    await asyncio.wait([owner.task for owner in owners])
        await asyncio.to_thread(self.surroundings.reaper.close)
