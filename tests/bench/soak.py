"""A thousand faults in each mode, of every kind in tests/live/kills: kills of every process and server, cuts and
half-open connections, dropped packets, locks, read-only, slow and full disks, clocks that jump, want of memory, killed
commands. Then every named point of the scaled mode (the embedded one's are in `make test`). Lost, doubled, wrongly
ended: nothing.

`PATCHBAY_SOAK_KILLS` = how many in each mode (1000), `PATCHBAY_SOAK_SEED` = the seed of a soak to be repeated,
`PATCHBAY_SOAK_MODES` = embedded or scaled alone. What was wrong is told on stderr, run by run, and how far
it is. SIGTERM ends the faults of the mode under way: what happened until then is compared and told.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.bench.report import Row, percentile

if TYPE_CHECKING:
    from tests.live.kills.harness import Harness

KILLS = 1000
GOING_AGAIN_S = 1.0
FLAT = 1.25
MOST_S = 300.0
TOLD_EVERY = 50


@contextmanager
def until_stopped() -> Iterator[Callable[[], bool]]:
    """Asked before each fault: tells how many there were, and says whether SIGTERM came to end them."""
    reply, count, began = threading.Event(), 0, time.monotonic()

    def enough() -> bool:
        nonlocal count
        if count and count % TOLD_EVERY == 0:
            print(f"{count} faults in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        count += 1
        return reply.is_set()

    before = signal.signal(signal.SIGTERM, lambda *_: reply.set())
    try:
        yield enough
    finally:
        signal.signal(signal.SIGTERM, before)


def rows(mode: str, figures: object, allowed_s: float) -> Iterator[Row]:
    """A soak as rows: what happened, and the numbers that must be nothing. `allowed_s` = until work goes on."""
    from tests.live.kills import outages
    from tests.live.kills.storm import Figures

    assert isinstance(figures, Figures)
    for problem in figures.problems:
        print(problem, file=sys.stderr, flush=True)
    print(figures, file=sys.stderr, flush=True)
    effects = figures.reads + figures.writes + figures.rounds
    yield Row(f"soak, {mode}: faults in {figures.seconds:.0f} s", figures.kills, "", lower=False)
    for name, why in outages.left_out.items():
        print(f"left out: {name} ({why})", file=sys.stderr, flush=True)
    yield Row(f"  runs lost of {figures.runs}", figures.lost, "", 0)
    yield Row(f"  writes made twice of {figures.writes} (effects: {effects})", figures.doubled, "", 0)
    seen = f"{figures.events} events, {figures.connections} connections"
    yield Row(f"  logs seen wrongly by a page ({seen})", figures.missed, "", 0)
    request = sum(figures.recoveries.values())
    yield Row(
        f"  other faults ({request} writes asked about, {figures.failed} runs failed)", len(figures.problems), "", 0
    )
    if figures.waits:
        again = percentile(figures.waits, 0.95)
        limit = "the most allowed"
        yield Row(f"  going again, p95 of {len(figures.waits)}", again, "s", allowed_s, allowed_s, limit)
    quarter = len(figures.memory) // 4
    if quarter:
        first, last = (percentile(part, 0.5) for part in (figures.memory[:quarter], figures.memory[-quarter:]))
        yield Row("  memory of the largest process, last quarter", last / 2**20, "MB", None, first / 2**20, "the first")
        yield Row("  memory, last quarter over first", last / first, "x", FLAT)


def measure() -> Iterator[Row]:
    """Both modes, one after the other."""
    modes = os.environ.get("PATCHBAY_SOAK_MODES") or "embedded scaled"
    kills = int(os.environ.get("PATCHBAY_SOAK_KILLS") or KILLS)
    seed = int(os.environ.get("PATCHBAY_SOAK_SEED") or time.time())
    if "embedded" in modes:
        yield from embedded(kills, seed)
    if "scaled" in modes:
        yield from scaled(kills, seed)


def embedded(kills: int, seed: int) -> Iterator[Row]:
    """The one process, in which everything dies at once."""
    from tests.live.kills import faults, outages
    from tests.live.kills.forked import ForkedInstance
    from tests.live.kills.harness import LIMITS, Harness, surroundings
    from tests.live.kills.shim import Shim
    from tests.live.kills.storm import Storm

    with surroundings() as (folder, llm, url, wire), outages.disk(folder / "data"):
        shim = Shim(folder / "data")
        one = ForkedInstance(folder / "data", extra={**LIMITS, **shim.environment()}, shim=shim)
        try:
            harness = Harness(one.start(), folder, llm, url, wire=wire).seed()
            harness.one_clock = False
            with Storm(harness, seed, [one.url]) as storm, until_stopped() as enough:
                every = {**faults.on_one_process(one), **outages.on_one_process(one, wire, shim)}
                storm.rage(kills, every, fallen=one.fallen, enough=enough)
                yield from rows("one process", storm.end(MOST_S), GOING_AGAIN_S)
        finally:
            one.close()
            shim.close()


def scaled(kills: int, seed: int) -> Iterator[Row]:
    """Web, workers, Redis and Postgres, each for itself."""
    from tests.live.kills import faults, outages
    from tests.live.kills.harness import Harness, surroundings
    from tests.live.kills.own import own_installation
    from tests.live.kills.storm import Storm

    with surroundings() as (folder, llm, url, wire), own_installation(folder / "data", llm, wire) as many:
        harness = Harness(many.start(), folder, llm, url, urls=[web.url for web in many.web], wire=wire).seed()
        harness.one_clock = False
        with Storm(harness, seed, harness.urls) as storm, until_stopped() as enough:
            storm.rage(
                kills, {**faults.on_many_processes(many), **outages.on_many_processes(many, wire)}, enough=enough
            )
            yield from rows("scaled", storm.end(MOST_S), many.lease_s + GOING_AGAIN_S)
        harness.one_clock = True
        yield from named_points(harness)


def named_points(harness: Harness) -> Iterator[Row]:
    """A process of the scaled installation ends itself at each of its points, one after the other."""
    from tests.live.kills.points import SCALED, end_at

    began, wrong = time.monotonic(), 0
    for point in SCALED:
        try:
            end_at(harness, point)
        except AssertionError as error:
            print(f"{point}: {error}", file=sys.stderr, flush=True)
            wrong += 1
    yield Row(f"soak, scaled: named points in {time.monotonic() - began:.0f} s", len(SCALED), "", lower=False)
    yield Row("  of these, where a run did not end as if nothing had happened", wrong, "", 0)
