"""Two workers, three runs, one outage, in any order: leases, fence, journal and slots never let a write happen twice.

Everything that decides is the real code: claims, heartbeats and fences in the database, the journal with its writer,
the engine with its effects and questions, the pool with its slots (one call at a time, as for a server that may ask),
the last look before bytes leave. Scripted are both clocks (the database's and that of leases), what is at the other end
of a connection, the person, and the outage: a worker whose statements hang until it is over, as on a half-open
connection.

Held at every step: a write leaves only under the fence that the database has; no line is written
under an older one; no write arrives that arrived before; a connection has one call at a time; nothing is CANCELLED. At
the end, the outage over, every write arrived once.

What happens is drawn at random, and weighted so that few steps lead far: all runs that are due are claimed at once, and
time that passes until another worker has them is one step. With as many examples as are taken here it finds, each tried
by hand: a call that does not look at the fence after it waited for its slot, or does not ask its own clock; a journal
that does not compare fences; a slot that is given back twice; a connection without slots.
`PATCHBAY_EXPLORE` = how many examples are taken.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from mcp_types import CallToolResult

from backend.database import clock
from backend.engine.document.compile import compile_graph
from backend.engine.execution.ports import Entry, JournalFailed, LeaseLost, RunInfo, SegmentEnd
from backend.engine.execution.segment import Segment
from backend.engine.testing import ScriptedServices
from backend.net.rules import NetworkRules
from backend.nodes import node_types
from backend.runs.log import rows
from backend.runs.log.encoding import encode
from backend.runs.log.journal import DatabaseJournal, Writer
from backend.runs.models import Interaction, LogLine, Run, RunState
from backend.runs.queue import fairness, inbox, leases
from backend.runs.queue.leases import Claimed, Terms
from backend.runs.worker.loading import read_inbox
from backend.tools.mcp.connection import prepare
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.servers import PoolKey, ServerConfig, StdioRules
from backend.tools.types import Answer, CallContext, JsonObject, ToolResult, ToolSpec
from tests.api.runs.conftest import make_run
from tests.people import Person
from tests.unit.engine.engine_run import flow

pytestmark = pytest.mark.django_db(transaction=True)

EXAMPLES = int(os.environ.get("PATCHBAY_EXPLORE", "10"))
LEASE_S = 10.0
WORKERS, RUNS, WRITES = 2, 3, ("a", "b")
TURNS = 40
THIRD = Terms("worker that dies", 30, LEASE_S)


def document() -> Any:
    tools = {name: ("tool", {"server": "kb", "tool": "go", "arguments": {"n": name}}) for name in WRITES}
    return flow("start -> a -> end_a", "start -> b -> end_b", **tools, end_a=("end", {}), end_b=("end", {}))


COMPILED = compile_graph(document(), node_types())
SERVER = ServerConfig(PoolKey("team", "kb"), "kb", "stdio", command="none", calls=1, asks=True)


class Time:
    """Both clocks."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def now(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        await asyncio.get_running_loop().create_future()


class CutWriter(Writer):
    """A writer whose statements hang while its worker is cut off."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        self.through = threading.Event()
        self.through.set()

    def _write(self, groups: Any) -> Any:
        self.through.wait()
        return super()._write(groups)


@dataclass
class Work:
    """One run in one worker."""

    claimed: Claimed
    journal: DatabaseJournal
    segment: Segment
    task: asyncio.Future[None]
    lost: bool = False
    settles: bool = False
    written: int = -1  # the position up to which its lines are known to be on disk


@dataclass
class LeaseHolder:
    """One worker, its slot and its calls under way."""

    name: str
    writer: CutWriter
    beat_at: float = -1e9
    cut: bool = False
    works: dict[str, Work] = field(default_factory=dict)
    pool: Pool | None = None
    replies: list[asyncio.Future[None]] = field(default_factory=list)

    @property
    def terms(self) -> Terms:
        return Terms(self.name, 30, LEASE_S)


class Cleared(McpToolSource):
    """Calls that the gate has let through, as writes; of one run in one worker."""

    of: tuple[str, int]
    """The run, and under which fence."""

    async def list_tools(self, *, refresh: bool = False) -> list[ToolSpec]:
        return [ToolSpec("kb", "go")]

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        expected = {**arguments, "run": self.of[0], "fence": self.of[1]}
        return await super().call_tool(name, expected, replace(call, cleared="write"))


class Ownership(RuleBasedStateMachine):
    """What may happen, in any order."""

    bob: Person
    time: Time

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.holders = [LeaseHolder(f"worker {n}", CutWriter()) for n in range(WORKERS)]
        for holder in self.holders:
            holder.writer.start()
            holder.beat_at = self.time.seconds
        workflow = None
        self.runs: list[str] = []
        for _ in range(RUNS):
            run = make_run(self.bob, workflow, state=RunState.QUEUED, fence=0)
            workflow = run.workflow
            self.runs.append(run.pk)
        self.fences = dict.fromkeys(self.runs, 0)
        self.before = dict.fromkeys(self.runs, 0)  # lines that were there when the owner of now came
        self.arrived: Counter[tuple[str, str]] = Counter()
        self.wrong: list[str] = []
        self.outages = 0

    # -- what happens --------------------------------------------------------------------------------------------------

    @rule(
        worker=st.integers(0, WORKERS - 1),
        runs=st.sampled_from([range(RUNS), range(RUNS), *((n,) for n in range(RUNS))]),
    )
    def claim(self, worker: int, runs: Iterable[int]) -> None:
        """A worker takes what is due, or one run of it."""
        holder = self.holders[worker]
        if holder.cut:
            return
        if not holder.works:
            holder.beat_at = self.time.seconds
            leases.heartbeat(holder.terms)
        for run in (self.runs[number] for number in runs):
            if run in holder.works and not holder.works[run].lost:
                continue
            for claimed in leases.claim(holder.terms, run).taken:
                self._owned_from_now(claimed)
                self._begin(holder, claimed)
        self._quiet()

    @rule(worker=st.integers(0, WORKERS - 1), dies=st.booleans())
    def overtaken(self, worker: int, dies: bool) -> None:
        """A worker stands still beyond its lease, and another has its runs when it goes on; `dies` = a third one has
        them, and is killed before it wrote anything; so it is in the outage."""
        cut = next((number for number, holder in enumerate(self.holders) if holder.cut), None)
        self.passes(LEASE_S + 1.0)
        if cut is None and not dies:
            return self.claim(1 - worker, range(RUNS))
        leases.heartbeat(THIRD)
        for run in self.runs:
            for claimed in leases.claim(THIRD, run).taken:
                self._owned_from_now(claimed)
        self._quiet()
        return None

    def _owned_from_now(self, claimed: Claimed) -> None:
        self.fences[claimed.run] = claimed.fence
        self.before[claimed.run] = LogLine.objects.filter(run_id=claimed.run).count()

    @rule(worker=st.integers(0, WORKERS - 1))
    def beat(self, worker: int) -> None:
        """A worker prolongs its leases, and drops what is not its own any more."""
        holder = self.holders[worker]
        if holder.cut:
            return
        began = self.time.seconds
        if began >= holder.beat_at + LEASE_S:
            self._lose(holder, list(holder.works))
        owned = leases.heartbeat(holder.terms)
        holder.beat_at = began
        self._lose(holder, [run for run, work in holder.works.items() if not self._owned(owned, run, work)])
        self._quiet()

    @staticmethod
    def _owned(owned: dict[str, leases.Owned], run: str, work: Work) -> bool:
        return run in owned and owned[run].fence == work.claimed.fence

    @rule(seconds=st.sampled_from([4.0, LEASE_S + 1.0]))
    def passes(self, seconds: float) -> None:
        """Time passes; no thread of a worker wakes meanwhile."""
        self.time.seconds += seconds
        self._quiet()

    @rule(worker=st.integers(0, WORKERS - 1))
    def alarm(self, worker: int) -> None:
        """The thread that notices that leases ran out wakes, early or late."""
        holder = self.holders[worker]
        if self.time.seconds >= holder.beat_at + LEASE_S:
            self._lose(holder, list(holder.works))
        self._quiet()

    @rule(worker=st.integers(0, WORKERS - 1))
    def reply(self, worker: int) -> None:
        """The server answers the call that has the slot: the next one leaves."""
        self._reply(self.holders[worker])
        self._quiet()

    @precondition(lambda self: self.outages == 0 and any(holder.replies for holder in self.holders))
    @rule(worker=st.integers(0, WORKERS - 1), answered=st.booleans())
    def cut_off(self, worker: int, answered: bool) -> None:
        """The outage: a worker's database does not answer. `answered` = its call does, and what follows hangs."""
        worker = worker if self.holders[worker].replies else 1 - worker
        self.outages += 1
        self.holders[worker].cut = True
        self.holders[worker].writer.through.clear()
        if answered:
            self.reply(worker)

    @precondition(lambda self: any(holder.cut for holder in self.holders))
    @rule()
    def healed(self) -> None:
        """The outage is over: what hung goes through now."""
        for holder in self.holders:
            holder.cut = False
            holder.writer.through.set()
        self._quiet()

    @rule()
    def answers(self) -> None:
        """A person looks at the other side and answers what is open."""
        for question in Interaction.objects.filter(run_id__in=self.runs, state="open"):
            happened = self.arrived[question.run_id, question.node] > 0
            answer = Answer("skip", {"result": "it happened"}) if happened else Answer("retry")
            Interaction.objects.filter(pk=question.pk).update(state="answered", answer=encode(answer.as_json()))
            inbox.enqueue_message(question.run_id, "answer", answer.as_json(), interaction=question.pk)

    # -- what must hold ------------------------------------------------------------------------------------------------

    @invariant()
    def nothing_is_wrong(self) -> None:
        """What the tools saw."""
        assert not self.wrong, self.wrong
        assert all(count == 1 for count in self.arrived.values()), self.arrived

    @invariant()
    def the_log_has_one_owner_at_a_time(self) -> None:
        """Fences never go back, numbers have no gaps, nobody was cancelled."""
        lines = LogLine.objects.filter(run_id__in=self.runs).order_by("run_id", "position")
        for run in self.runs:
            own = [line for line in lines if line.run_id == run]
            fences = [line.fence for line in own]
            assert fences == sorted(fences), (run, fences)
            assert set(fences[self.before[run] :]) <= {self.fences[run]}, (run, fences, self.fences[run])
            assert [line.seq for line in own if line.seq] == list(range(1, len([1 for line in own if line.seq]) + 1))
            assert not [line for line in own if "CANCEL" in line.type or '"CANCELLED"' in line.value]

    def teardown(self) -> None:
        """The outage ends, everybody goes on: each run ends well, each write having arrived once."""
        try:
            self.healed()
            self.the_log_has_one_owner_at_a_time()
            for _ in range(40):
                for at in range(WORKERS):
                    self.beat(at)
                    self.alarm(at)
                    self.answers()
                    self.claim(at, range(RUNS))
                    for _ in WRITES * RUNS:
                        if self.holders[at].replies:
                            self.reply(at)
                self.nothing_is_wrong()
                self.the_log_has_one_owner_at_a_time()
                if Run.objects.filter(pk__in=self.runs, state="SUCCESS").count() == RUNS:
                    break
                self.passes(4.0)
            states = dict(Run.objects.filter(pk__in=self.runs).values_list("pk", "state"))
            assert set(states.values()) == {"SUCCESS"}, states
            assert len(self.arrived) == RUNS * len(WRITES), self.arrived
        finally:
            self._close()

    # -- how it is done ------------------------------------------------------------------------------------------------

    def _begin(self, holder: LeaseHolder, claimed: Claimed) -> None:
        """What `runs.segments` does with a claimed run, without what does not concern ownership."""
        history, result = rows.read_history(claimed.run), read_inbox(claimed.run)
        position, _ = rows.last_position(claimed.run)

        async def begin() -> Work:
            journal = DatabaseJournal(
                holder.writer, claimed.run, self.bob.team.id, claimed.fence, position=position, seq=claimed.last_seq
            )
            work = Work(claimed, journal, None, None)  # type: ignore[arg-type]
            journal._held = lambda: not work.lost and self.time.seconds < holder.beat_at + LEASE_S
            info = RunInfo(claimed.run, {}, {})
            services = ScriptedServices({"kb": self._tool(holder, work)}, {}, list, None)
            work.segment = Segment(COMPILED, info, history, journal, services, self.time)
            for message in result.messages:
                work.segment.deliver(message)
            work.task = asyncio.ensure_future(self._work(holder, work, result))
            return work

        holder.works[claimed.run] = self.loop.run_until_complete(begin())

    async def _work(self, holder: LeaseHolder, work: Work, body: Any) -> None:
        try:
            end = await work.segment.run()
            work.settles = True
            await self._commit_end(work, end, body)
        except (LeaseLost, JournalFailed):
            pass
        finally:
            await work.segment.close()
            if holder.works.get(work.claimed.run) is work:
                del holder.works[work.claimed.run]

    async def _commit_end(self, work: Work, end: SegmentEnd, body: Any) -> None:
        row: dict[str, Any] = {"waiting": "[]", "wake_at": None, "usage": encode(work.journal.used())}
        if end.state == "WAITING":
            event = Entry(type="FLOW_STOP", data={"waiting": []})
            seen = body.seq or work.claimed.inbox_seq
            done = await work.journal.commit_state("WAITING", [event], row=row, inbox_seq=seen, consumed=body.last)
            if not done:
                await work.journal.commit_state("QUEUED", [], row={})
            return
        row |= {"outputs": "{}", "error": encode(end.error), "finished_at": leases.stamp()}
        type_ = "FLOW_SUCCESS" if end.state == "SUCCESS" else "FLOW_FAILED"
        await work.journal.commit_state(end.state, [Entry(type=type_, data={})], row=row)

    def _tool(self, holder: LeaseHolder, work: Work) -> Cleared:
        """Writes through the worker's one connection, which takes one at a time."""
        if holder.pool is None:
            holder.pool = Pool(NetworkRules(), StdioRules())
            live = prepare(SERVER, holder.pool.surroundings, holder.pool.limits.calls)
            live.client = SimpleNamespace(session=self._far_end(holder), protocol_version="2025-06-18")  # type: ignore[assignment]
            live.tools = [ToolSpec("kb", "go")]
            holder.pool._owner(SERVER).live = live
        tools = Cleared(holder.pool, SERVER)
        tools.of = (work.claimed.run, work.claimed.fence)
        return tools

    def _far_end(self, holder: LeaseHolder) -> SimpleNamespace:
        """What is at the end of a worker's connection: it takes note of each call, and answers when it is told to."""
        under_way: list[str] = []

        async def call_tool(_: str, arguments: dict[str, Any], **__: Any) -> CallToolResult:
            run, mine, name = arguments["run"], arguments["fence"], arguments["n"]
            if self.fences[run] != mine:
                self.wrong.append(f"{run}/{name} left under fence {mine}, the run has {self.fences[run]}")
            if under_way:
                self.wrong.append(f"{run}/{name} left beside {under_way}")
            self.arrived[run, name] += 1
            under_way.append(f"{run}/{name}")
            answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            holder.replies.append(answered)
            try:
                await answered
            finally:
                under_way.remove(f"{run}/{name}")
            return CallToolResult(content=[])

        return SimpleNamespace(call_tool=call_tool)

    def _reply(self, holder: LeaseHolder) -> None:
        waiting, holder.replies = holder.replies, []
        for item in waiting:
            if not item.done():
                item.set_result(None)

    def _lose(self, holder: LeaseHolder, runs: list[str]) -> None:
        """As the worker drops a run: it ends where it stands and writes nothing."""
        for run in runs:
            work = holder.works.pop(run, None)
            if work is None:
                continue  # it ended while another one was dropped
            work.lost = True
            work.journal.fail(LeaseLost(run))
            self.loop.run_until_complete(work.segment.close())
            work.task.cancel()

    def _quiet(self) -> None:
        """Let everything happen that needs neither time nor anybody."""

        async def turn() -> bool:
            for _ in range(TURNS):
                await asyncio.sleep(0)
            written = False
            for holder in self.holders:
                for work in [] if holder.cut else list(holder.works.values()):
                    if work.settles or work.journal._position != work.written:
                        written, work.written = True, work.journal._position
                        with contextlib.suppress(LeaseLost, JournalFailed):
                            await work.journal.barrier()
            return written

        while self.loop.run_until_complete(turn()):
            pass

    def _close(self) -> None:
        for holder in self.holders:
            holder.writer.through.set()
            self._lose(holder, list(holder.works))
            holder.writer.stop()

        async def end() -> None:
            for holder in self.holders:
                if holder.pool is not None:
                    await holder.pool.close()
            rest = asyncio.all_tasks() - {asyncio.current_task()}
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)

        self.loop.run_until_complete(end())
        self.loop.close()


@pytest.fixture
def machine(transactional_db: None, bob: Person, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Ownership]]:
    """The model, on clocks of its own."""
    time = Time()
    for module in (leases, clock, fairness):
        if hasattr(module, "now_sql"):
            monkeypatch.setattr(module, "now_sql", lambda: f"CAST({time.seconds!r} AS double precision)")
        if hasattr(module, "steady"):
            monkeypatch.setattr(module, "steady", time.now)
    monkeypatch.setattr(clock.CLOCK, "_offset", 0.0)
    yield type("Ownership", (Ownership,), {"bob": bob, "time": time})
    connection.close()


def test_two_workers_three_runs_and_an_outage(machine: type[Ownership]) -> None:
    explored = settings(
        max_examples=EXAMPLES,
        stateful_step_count=20,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=explored)


def test_a_worker_that_woke_late_sends_nothing_and_writes_nothing(machine: type[Ownership]) -> None:
    """The two orders that the model is about, each as it stands: time passes unnoticed with a call in the queue; lines
    that hung in the outage come through under an older fence."""
    for outage in (False, True):
        model = machine()
        try:
            model.claim(0, range(RUNS))
            if outage:
                model.cut_off(0, answered=True)
            model.passes(LEASE_S + 1.0)
            model.claim(1, range(RUNS))
            if outage:
                model.healed()
            else:
                model.reply(0)
            model.nothing_is_wrong()
            model.the_log_has_one_owner_at_a_time()
        finally:
            model.teardown()
