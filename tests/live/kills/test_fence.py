"""More writes than a connection takes at once, and a worker that loses its lease: what waited never leaves it.

A server of the handshake era that may ask takes one call at once, any other 64. The worker is cut off from its
database, or stands still beyond its lease and goes on when another has its runs.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.instance import Process, until
from tests.live.kills import graphs
from tests.live.kills.harness import Harness, Started, recorder
from tests.live.kills.own import NAME, OwnScaled
from tests.live.kills.partition import Wire, wire_to

RUNS, AT_ONCE = 72, 64
FEW = 6
LONG_S = 600
MORE = {"PATCHBAY_WORKER_CONCURRENCY": str(RUNS + 20), "PATCHBAY_LEASE_S": "12"}


@dataclass
class Split:
    """A scaled installation with two workers, the first of which has Postgres at the end of a wire."""

    harness: Harness
    first: Process
    second: Process
    wire: Wire
    postgres: str

    def arm(self, point: str) -> None:
        """What becomes of the first worker at this point; before its start."""
        assert isinstance(self.harness.instance, OwnScaled)
        self.harness.instance.arm(self.first, point)


@pytest.fixture
def split(scaled: Harness) -> Iterator[Split]:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    url = instance.postgres.url(NAME)
    parts = urlsplit(url)
    instance.keep = [*instance.web]
    for worker in instance.workers:
        worker.kill()
    with wire_to(parts.hostname or "localhost", parts.port or 5432) as wire:
        through = parts._replace(netloc=parts.netloc.replace(f":{parts.port}", f":{wire.port}")).geturl()
        first, second = instance.add_worker(DATABASE_URL=through, **MORE), instance.add_worker(**MORE)
        try:
            yield Split(scaled, first, second, wire, url)
        finally:
            for worker in (first, second):
                worker.close()  # type: ignore[attr-defined]
                instance.workers.remove(worker)
    instance.keep = instance.processes


def many_writes(split: Split, gate: Path, count: int = RUNS, at_once: int = AT_ONCE) -> list[Started]:
    """Runs that each write once, all of them begun on disk, as many at the server as the connection takes."""
    harness, worker = split.harness, split.first
    pay = {**graphs.tool("pay", "pay", gate.stem, gate=str(gate)), "timeout_s": LONG_S}
    document = graphs.line(pay, outputs={"paid": "{{ pay.result }}"})
    slug = f"gated-{gate.stem}"
    runs = [harness.start(slug, document, f"{gate.stem}-{number}") for number in range(count)]
    names = {f"{run.name}/pay" for run in runs}

    def at_the_server() -> int:
        return len(harness.ledger.called("write").keys() & names)

    try:
        until(lambda: at_the_server() == at_once, 180)
    except AssertionError as error:
        states = Counter(harness.state(run) for run in runs)
        raise AssertionError(f"{at_the_server()} calls, {states}; {worker.lines[-30:]}") from error
    ids = [run.id for run in runs]
    begun = "SELECT count(DISTINCT run_id) FROM runs_logline WHERE type = 'TOOL_REQUEST' AND run_id = ANY(%s)"
    with psycopg.connect(split.postgres, autocommit=True) as database:
        until(lambda: database.execute(begun, [ids]).fetchone() == (count,), 90)
    return runs


@pytest.mark.timeout(600)
def test_writes_that_wait_for_a_slot_never_leave_a_worker_that_is_cut_off_past_its_lease(
    split: Split, tmp_path: Path
) -> None:
    harness, gate = split.harness, tmp_path / f"gate{len(split.harness.runs)}"
    harness.server(gate.stem, transport="http", url=harness.recorder_url, timeout_ms=LONG_S * 1000)
    split.first.start()
    runs = many_writes(split, gate)
    split.wire.cut()
    split.second.start()
    until(lambda: len(harness.questions()) == RUNS, 240)
    assert {question["kind"] for question in harness.questions()} == {"recovery"}
    open_question = harness.questions()
    gate.touch()  # at the first, slots are freed now: what waits for one has its turn
    until(lambda: any("leases ran out" in line for line in split.first.lines), 60)
    for question in open_question:
        harness.answer(question)
    harness.finish(runs, seconds=120)
    split.wire.mend()
    split.first.send(signal.SIGTERM)
    split.first.ended()
    calls = harness.ledger.called("write")
    assert {calls[f"{run.name}/pay"] for run in runs} == {1}, "each write once"
    assert {harness.state(run) for run in runs} == {"SUCCESS"}


def _is_given_up(worker: Process, run: Started) -> bool:
    """Whether it has said that this run is another's."""
    return any(f"run {run.id} has another owner" in line for line in worker.lines)


def stands_still_beyond_its_lease(split: Split, gate: Path, runs: list[Started], *, untold: bool = False) -> None:
    """The first worker is stopped, the second takes the runs and asks; answers free slots, and the first goes on.

    `untold` = nothing but the fence keeps it from writing: whoever notices that the leases ran out tells nobody.
    """
    harness = split.harness
    split.first.send(signal.SIGSTOP)
    split.second.start()
    until(lambda: len(harness.questions()) == len(runs), 240)
    assert {question["kind"] for question in harness.questions()} == {"recovery"}
    called = harness.ledger.called("write")
    gate.touch()
    names = {f"{run.name}/pay" for run in runs}
    until(lambda: all(harness.ledger.has(name, "done") for name in called.keys() & names), 60)
    split.first.send(signal.SIGCONT)  # finds answers, so that what waits has its turn, and a lease that is over
    until(lambda: any("leases ran out" in line for line in split.first.lines), 60)
    if untold:
        until(lambda: all(_is_given_up(split.first, run) for run in runs), 60)
        split.first.kill()
    else:
        split.first.send(signal.SIGTERM)
        split.first.ended()
    assert harness.ledger.called("write") == called, "nothing left it once others had its runs"
    harness.finish(runs, seconds=120)
    calls = harness.ledger.called("write")
    assert {calls[name] for name in names} == {1}, "each write once"
    assert {harness.state(run) for run in runs} == {"SUCCESS"}


@pytest.mark.timeout(600)
def test_writes_that_wait_for_a_slot_never_leave_a_worker_that_stood_still_beyond_its_lease(
    split: Split, tmp_path: Path
) -> None:
    harness, gate = split.harness, tmp_path / f"still{len(split.harness.runs)}"
    harness.server(gate.stem, transport="http", url=harness.recorder_url, timeout_ms=LONG_S * 1000)
    split.first.start()
    stands_still_beyond_its_lease(split, gate, many_writes(split, gate))


@pytest.mark.timeout(600)
def test_the_fence_alone_keeps_writes_that_wait_for_a_slot_from_leaving(split: Split, tmp_path: Path) -> None:
    harness, gate = split.harness, tmp_path / f"alone{len(split.harness.runs)}"
    harness.server(gate.stem, transport="http", url=harness.recorder_url, timeout_ms=LONG_S * 1000)
    split.arm("lease.over=hold")
    split.first.start()
    runs = many_writes(split, gate)
    stands_still_beyond_its_lease(split, gate, runs, untold=True)


@pytest.mark.timeout(600)
def test_writes_that_wait_for_the_one_slot_of_a_server_that_may_ask_never_leave_it_either(
    split: Split, tmp_path: Path
) -> None:
    harness, gate = split.harness, tmp_path / f"asking{len(split.harness.runs)}"
    with recorder(harness.ledger.path, sse=True) as url:
        harness.server(gate.stem, transport="sse", url=url, asks=True, timeout_ms=LONG_S * 1000)
        split.first.start()
        stands_still_beyond_its_lease(split, gate, many_writes(split, gate, FEW, 1))
