"""The run worker: lives in a process, takes due runs, executes their segments on the process's event loop.

A hint (`take`) comes from the Celery task; the reaper thread finds by itself what no hint told: queued runs, due
timers, unread inboxes, leases that ran out, expired questions. Both claim under the same
limits. Scaled, leases are prolonged by a thread of its own, so that nothing the reaper does makes them run out.

Stopping lets every segment come to rest and hands its run over; scaled, another worker is told to go on with it at
once. What does not rest in time is dropped and recovered like after a crash. Its states (`WorkerState`):

    from               by                    to         then
    CREATED            start(admit=False)    STARTING   takes runs that nothing speaks against
    CREATED            start()               SERVING    takes every run
    STARTING           admit()               SERVING    requests are answered, so suspects may be taken
    STARTING, SERVING  stop()                STOPPING   no segment begins; a claim that comes later is given back
    STOPPING           all threads ended     STOPPED    nothing is left here
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import threading
import time
from enum import IntEnum
from functools import partial

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from backend.database.clock import CLOCK, steady
from backend.database.thread_pool import DatabaseThreads
from backend.database.threads import with_db_retry
from backend.engine.execution import failpoints
from backend.engine.execution.ports import DatabaseUnavailable, JournalFailed, LeaseLost
from backend.notifications.workers import deliver_by, wake_any_worker
from backend.registry.connecting.connections import prepare
from backend.runs.interactions import questions, sign_ins
from backend.runs.lifecycle.maintenance import MaintenanceRunner
from backend.runs.live.hub import HUB, WORKERS
from backend.runs.log.journal import Writer
from backend.runs.queue import leases, queue_notifications, workers
from backend.runs.queue.due_work import DUE
from backend.runs.queue.lease_heartbeat import Alarm, LeaseHeartbeat
from backend.runs.queue.leases import Claimed, Claims, Terms
from backend.runs.worker import evidence, memory
from backend.runs.worker.active_run import ActiveRun
from backend.runs.worker.loading import Loaded, load
from backend.runs.worker.segments import MOST_LOSSES, execute, give_up
from backend.runs.worker.watchdog import Watchdog
from backend.tools.loop import LOOP

log = logging.getLogger(__name__)

EMBEDDED_TICK_S = 5.0
MOST_AT_ONCE = 8
"""Runs that a scaled worker's reaper takes before it looks again, so that several workers share what is due."""

ALONE_S = 60.0
"""Seconds of a process after which a run that something speaks against may begin beside others."""

DATABASE_ERRORS = (DatabaseError, InterfaceError)
"""What a database raises that is away or starts again."""

_current: Worker | None = None


class WorkerState(IntEnum):
    """Where a worker is in its life; it only ever goes on to a later one."""

    CREATED = 0
    STARTING = 1
    SERVING = 2
    STOPPING = 3
    STOPPED = 4


def current() -> Worker | None:
    """The worker of this process, if one runs."""
    return _current


class Worker:
    """One per process. `embedded`: this process alone owns the database (instance lock), so it sweeps at start."""

    def __init__(self, *, embedded: bool) -> None:
        env = settings.PATCHBAY
        self._embedded = embedded
        self._capacity = env.worker_concurrency
        self._born = time.monotonic()
        self.terms = Terms(
            owner=f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(4)}",
            limit=env.max_concurrent_runs,
            lease_s=None if embedded else env.lease_s,
        )
        self._tick_s = EMBEDDED_TICK_S if embedded else env.lease_s / 3
        self.writer = Writer(HUB.publish)
        self._threads = DatabaseThreads(4, "runs-db")
        self._live: dict[str, ActiveRun] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._dropped: dict[str, ActiveRun] = {}
        self._lock = threading.Lock()
        self._taking = threading.Lock()  # held from a claim by the reaper until its runs are among ours
        self._reaper_bell = threading.Condition()
        self._reaper_woken = False
        self._backlog = False
        self._state = WorkerState.CREATED
        self._timer: float | None = None
        self._looked: float | None = None  # until when timers were looked at; None = there was no room to
        self._look_again = 0.0
        self._left = 0  # how many runs are no longer here
        self._trimmer = memory.Trimmer()
        self._marks = evidence.Marks(self.terms.owner)
        self._watchdog = Watchdog(lambda: bool(self._live), self._marks)
        self._reaper = threading.Thread(target=self._reap, name="reaper", daemon=True)
        self._heartbeat = None if embedded else LeaseHeartbeat(self._tick_s, self._renew)
        self._alarm = None if embedded else Alarm(self._held_until, self._lose_all)
        self._renewed_at = 0.0
        self._maintenance = MaintenanceRunner(self.terms.owner, env.retention_days)

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self, *, admit: bool = True) -> None:
        """Take work from now on. Embedded: first take back what a dead process left running.

        Without `admit`, runs that something speaks against wait until that is called.
        """
        global _current
        evidence.collect()
        self._marks.open()
        self._state = WorkerState.SERVING if admit else WorkerState.STARTING
        if self._embedded:
            swept = leases.sweep()
            if swept:
                log.info("runs that go on where an earlier process left them: %d", swept)
        if not self._embedded or leases.any_queued():
            self._threads.submit(prepare)  # beside all that follows: the first calls need it
        unknown = leases.unknown_format()
        if unknown:
            log.warning("runs that wait for a newer version, which wrote their records: %d", unknown)
        self.writer.start()
        DUE.wake_by(self._wake_reaper)
        self._reaper.start()
        self._watchdog.start()
        self._maintenance.start()
        HUB.on_inbox = self._message_waits
        if self._embedded:
            deliver_by(self.take)
        HUB.on_places = self._wake_reaper
        if self._heartbeat is not None:
            self._heartbeat.start()
            assert self._alarm is not None  # noqa: S101 - there are both or none
            self._alarm.start()
            HUB.on_backlog = self._others_wait
            if HUB.relay is not None:
                for topic in self._topics:
                    HUB.relay.follow(topic)
        _current = self

    def admit(self) -> None:
        """Requests are answered: from now on also take runs that something speaks against, last and one at a time."""
        with self._lock:
            if self._state is WorkerState.STARTING:
                self._state = WorkerState.SERVING
        self._wake_reaper()

    def stop(self, grace: float = 10.0) -> None:
        """Let every segment come to rest and hand its run over; after `grace` seconds drop what is left."""
        global _current
        with self._lock:
            self._state = WorkerState.STOPPING
        self._marks.close()
        if _current is self:
            _current = None
            if self._embedded:
                deliver_by(None)
        DUE.wake_by(None)
        self._wake_reaper()
        self._watchdog.stop()
        self._maintenance.stop(grace)
        if self._reaper.is_alive():
            self._reaper.join(grace)
        with self._lock:
            live = list(self._live.values())
        for item in live:
            item.drain()
        if LOOP.running:
            LOOP.run(self._drain(grace))
        self.writer.stop()
        if self._heartbeat is not None and self._alarm is not None:
            self._heartbeat.stop()
            self._alarm.stop()
            self._give_back()
            if HUB.relay is not None:
                for topic in self._topics:
                    HUB.relay.leave(topic)
        LOOP.stop()
        self._threads.close()
        self._state = WorkerState.STOPPED

    def _give_back(self) -> None:
        """After the last record is on disk: free what did not come to rest, and say that this worker is gone."""
        try:
            for run, live in self._dropped.items():
                if leases.release(run, live.fence, counts=False):
                    wake_any_worker(run)
            workers.say_gone(self.terms.owner)
        except DatabaseError as error:
            log.warning("what is left is found when its lease runs out: %s", error)
        connection.close()

    async def _drain(self, grace: float) -> None:
        deadline = time.monotonic() + grace
        while self._live and (left := deadline - time.monotonic()) > 0:
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            else:  # still being claimed in a database thread
                await asyncio.sleep(0.01)
        self._dropped = dict(self._live)
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            log.warning("%d runs did not come to rest and will be recovered", len(tasks))
            await asyncio.wait(tasks, timeout=2)

    @property
    def _ends(self) -> bool:
        """Whether it stops or has stopped."""
        return self._state >= WorkerState.STOPPING

    @property
    def _topics(self) -> tuple[str, str]:
        """Where other processes speak to all workers, and to this one."""
        return WORKERS, f"worker:{self.terms.owner}"

    @property
    def live(self) -> int:
        """Runs in this process now."""
        return len(self._live)

    @property
    def capacity(self) -> int:
        """How many it takes."""
        return self._capacity

    @property
    def age_s(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._born

    # -- taking runs --------------------------------------------------------------------------------------------------

    def take(self, run: str) -> None:
        """Look at this run: claim it when it is due, or read its inbox when it is here. Any thread, never waits."""
        with self._lock:
            if self._ends:
                return
            active = self._live.get(run)
            if active is None and len(self._live) >= self._capacity:
                self._backlog = True
                return
            if active is None:
                live = self._live[run] = ActiveRun(run, held=self._held, beside=self._beside)
        if active is not None:
            active.notice()
        else:
            self._threads.submit(self._claim, live)

    def _message_waits(self, run: str) -> None:
        """Another process put something into a run's inbox."""
        live = self._live.get(run)
        if live is not None:
            live.notice()

    def _claim(self, live: ActiveRun) -> None:
        try:
            claims = with_db_retry(partial(leases.claim, self.terms, live.run, suspects=False))
            self._full(claims)
            if claims.full and not self._embedded:  # until then the reaper leaves it to its hint
                self._look_again = time.monotonic() + leases.HINTED_S
            if claims.taken:
                self._begin(live, claims.taken[0])
                return
        except Exception:  # a hint is only a hint: the reaper finds the run
            log.exception("run %s could not be claimed", live.run, extra={"run": live.run})
        self._forget(live)

    def _full(self, claims: Claims) -> None:
        """Remember that runs wait for a place, and tell the other workers, whose runs may end first."""
        if claims.full or claims.held:
            self._backlog = True
            HUB.backlog()
            queue_notifications.notify_waiting_teams()

    def _others_wait(self) -> None:
        """Another worker saw runs that wait for a place."""
        self._backlog = True

    def _begin(self, live: ActiveRun, claimed: Claimed) -> None:
        """Load a claimed run and start its segment, or give it back when this worker stops. In a database thread."""
        live.fence = claimed.fence
        failpoints.hit("claim.committed")
        if self._ends:
            self._too_late(live)
            return
        try:
            loaded = with_db_retry(load, claimed)
        except Exception as error:
            log.exception("run %s could not be loaded", claimed.run, extra={"run": claimed.run})
            own_fault = not isinstance(error, (*DATABASE_ERRORS, DatabaseUnavailable))
            lasting = own_fault and claimed.losses + 1 >= MOST_LOSSES
            if not lasting or not self._give_up(claimed, error):
                with_db_retry(partial(leases.release, claimed.run, claimed.fence, counts=own_fault))
            raise
        failpoints.hit("claim.loaded")
        with self._lock:
            begins = not self._ends
            if begins:
                live.attach(LOOP.loop)
                LOOP.loop.call_soon_threadsafe(self._spawn, live, loaded)
        if begins:
            self._watchdog.wake()
        else:
            self._too_late(live)

    def _too_late(self, live: ActiveRun) -> None:
        """A run became ours after this worker began to stop: another takes it at once, not when its lease runs out."""
        try:
            if with_db_retry(partial(leases.release, live.run, live.fence, counts=False)):
                wake_any_worker(live.run)
        finally:
            self._forget(live)

    def _give_up(self, claimed: Claimed, error: Exception) -> bool:
        """End a run that cannot be loaded, however often it is tried; False where that cannot be written either."""
        try:
            give_up(claimed, self.writer, error)
        except (LeaseLost, JournalFailed):
            log.warning("run %s could not be ended", claimed.run, extra={"run": claimed.run})
            return False
        return True

    def _spawn(self, live: ActiveRun, loaded: Loaded) -> None:
        task = asyncio.get_running_loop().create_task(self._execute(live, loaded))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _execute(self, live: ActiveRun, loaded: Loaded) -> None:
        try:
            wake_at = await execute(live, loaded, self.writer, self._threads.run)
            if wake_at is not None and (self._timer is None or wake_at < self._timer):
                self._wake_reaper()
        except (*DATABASE_ERRORS, DatabaseUnavailable):
            log.exception("run %s could not be given back; the reaper will", live.run, extra={"run": live.run})
        finally:
            self._forget(live)
            if self._ends and not self._embedded:
                self._threads.submit(wake_any_worker, live.run)  # it was handed over

    def _forget(self, live: ActiveRun) -> None:
        """The run is no longer here; look again when something was noticed too late, or others wait for the place."""
        with self._lock:
            if self._live.get(live.run) is live:
                del self._live[live.run]
            self._left += 1
        if live.noticed:
            self.take(live.run)
        elif self._backlog:
            self._wake_reaper()

    # -- the reaper ---------------------------------------------------------------------------------------------------

    def _wake_reaper(self) -> None:
        with self._reaper_bell:
            self._reaper_woken = True
            self._reaper_bell.notify()

    def _reap(self) -> None:
        next_round = 0.0
        while not self._ends:
            pause = self._tick_s
            try:
                if time.monotonic() >= next_round:
                    next_round = time.monotonic() + self._tick_s
                    if self._embedded:
                        self._look_after_ours()
                    else:
                        evidence.collect()
                    questions.expire()
                    sign_ins.go_on()
                    self._trimmer.look()
                look_again = DUE.run(self._tick_s)
                self._take_due()
                due = min(self._until_next_timer(), self._until_next_lease_ends())
                pause = min(due, next_round - time.monotonic(), self._until_again(), look_again)
            except DATABASE_ERRORS as error:
                log.warning("the reaper could not reach the database: %s", error)
                connection.close()
            with self._reaper_bell:
                self._reaper_bell.wait_for(lambda: self._reaper_woken or self._ends, max(pause, 0.0))
                self._reaper_woken = False
        connection.close()

    def _held(self) -> bool:
        """Whether no lease of ours can have run out: counted from before the last beat, by a clock that goes on while
        the process is stopped or the machine sleeps."""
        return self.terms.lease_s is None or steady() < self._held_until()

    def _beside(self, run: str) -> bool:
        """Whether this run is at work here too, and no run that could go on wants for a place."""
        return run in self._live and not self._backlog and not self._ends

    def _held_until(self) -> float:
        return self._renewed_at + (self.terms.lease_s or 0.0)

    def _lose_all(self) -> None:
        """No lease was prolonged in time, whatever the database says later: what waits to be sent is cancelled."""
        with self._lock:
            ours = [live for live in self._live.values() if live.fence]
        if ours:
            log.warning("leases ran out with %d runs here, which are dropped", len(ours))
            failpoints.hit("lease.over")
        for live in ours:
            live.lose()

    def _renew(self) -> None:
        began = steady()
        if self._renewed_at and began >= self._held_until():
            self._lose_all()  # this thread woke before the alarm did
        self._look_after_ours()
        self._renewed_at = began
        workers.say_alive(self.terms.owner, len(self._live), self._capacity)

    def _look_after_ours(self) -> None:
        """Prolong leases; find runs that are ours in the database and not here, or here and not ours any more."""
        with self._lock:
            before = dict(self._live)
        failpoints.hit("lease.before")
        owned = leases.heartbeat(self.terms)
        failpoints.hit("lease.after")
        for run, live in before.items():
            if run in owned and live.fence in (0, owned[run].fence):
                if owned[run].inbox_seq > live.inbox_seq:
                    live.notice()
            elif live.fence and leases.lost(self.terms, run, live.fence):
                live.lose()
        for run in owned.keys() - before.keys():
            with self._taking:  # else it may be one that the reaper is about to begin
                orphaned = run not in self._live
            if orphaned and leases.release(run, owned[run].fence, counts=False):
                log.warning("run %s was ours and not here; it is queued again", run, extra={"run": run})

    def _take_due(self) -> None:
        """Claim what is due and no hint told, as much as there is room for."""
        room = self._capacity - len(self._live)
        self._looked = None
        if room <= 0 or self._ends:
            self._backlog = True
            return
        self._backlog, left = False, self._left
        with self._taking:
            most = room if self._embedded else min(room, MOST_AT_ONCE)
            claims: Claims = leases.claim_batch(self.terms, most, suspects=False)
            if not claims.taken and not claims.full and self._has_time_for_a_suspect():
                claims = leases.claim_batch(self.terms, 1)
            begun = [
                (ActiveRun(claimed.run, held=self._held, beside=self._beside, suspect=claimed.losses > 0), claimed)
                for claimed in claims.taken
            ]
            with self._lock:
                self._live.update({live.run: live for live, _ in begun})
        self._looked = claims.at
        self._full(claims)
        if claims.full and self._left != left:
            self._wake_reaper()  # a place was freed before it was known that somebody waits for one
        if not self._embedded and len(claims.taken) >= MOST_AT_ONCE:
            self._wake_reaper()  # there may be more
        for live, claimed in begun:
            self._threads.submit(self._begin_or_forget, live, claimed)

    def _has_time_for_a_suspect(self) -> bool:
        """Whether a run that something speaks against may begin: it is alone, unless others are here all the time."""
        if self._state is not WorkerState.SERVING or any(live.suspect for live in list(self._live.values())):
            return False
        return not self._live or self.age_s > ALONE_S

    def _begin_or_forget(self, live: ActiveRun, claimed: Claimed) -> None:
        try:
            self._begin(live, claimed)
        except Exception:  # noqa: BLE001 - logged there, and the run was given back
            self._forget(live)

    def _until_next_timer(self) -> float:
        """Seconds; what was due when last looked and is not here lacked a place, which `_forget` will tell."""
        if self._looked is None:
            return self._tick_s
        left = leases.next_timer(self._looked)
        self._timer = None if left is None else CLOCK.now() + left
        return self._tick_s if left is None else min(self._tick_s, left + 0.001)

    def _until_next_lease_ends(self) -> float:
        """Seconds. Who lives prolongs a lease sooner than anybody would look for its end."""
        if self._looked is None or self._embedded:
            return self._tick_s
        left = leases.next_lease_end(self.terms, self._looked)
        return self._tick_s if left is None else min(self._tick_s, left + 0.001)

    def _until_again(self) -> float:
        """Seconds until the runs are old enough to be taken by the reaper whose hints found no place."""
        left = self._look_again - time.monotonic()
        return left + 0.001 if left > 0 else self._tick_s
