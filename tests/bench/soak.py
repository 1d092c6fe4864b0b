"""Hundreds of kills over both modes, then every named point of the scaled one (the embedded mode's are in `make test`),
and what was lost or doubled by them: nothing.

`PATCHBAY_SOAK_KILLS` = how many in each mode (150), `PATCHBAY_SOAK_SEED` = the seed of a soak to be repeated,
`PATCHBAY_SOAK_MODES` = embedded or scaled alone. What was wrong is told on stderr, run by run; the storms are those of
tests/live/kills.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.bench.report import Row

if TYPE_CHECKING:
    from tests.live.kills.house import House

KILLS = 150
MOST_S = 300.0


def rows(mode: str, figures: object) -> Iterator[Row]:
    """A soak as rows: what happened, and the three numbers that must be nothing."""
    from tests.live.kills.storm import Figures

    assert isinstance(figures, Figures)
    for problem in figures.problems:
        print(problem, file=sys.stderr, flush=True)
    print(figures, file=sys.stderr, flush=True)
    effects = figures.reads + figures.writes + figures.rounds
    yield Row(f"soak, {mode}: kills in {figures.seconds:.0f} s", figures.kills, "", lower=False)
    yield Row(f"  runs lost of {figures.runs}", figures.lost, "", 0)
    yield Row(f"  writes made twice of {figures.writes} (effects: {effects})", figures.doubled, "", 0)
    seen = f"{figures.events} events, {figures.connections} connections"
    yield Row(f"  logs seen wrongly by a page ({seen})", figures.missed, "", 0)
    asked = sum(figures.recoveries.values())
    yield Row(
        f"  other faults ({asked} writes asked about, {figures.failed} runs failed)", len(figures.problems), "", 0
    )


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
    from tests.live.kills import blows
    from tests.live.kills.forked import ForkedInstance
    from tests.live.kills.house import LIMITS, House, surroundings
    from tests.live.kills.storm import Storm

    with surroundings() as (folder, llm, url):
        one = ForkedInstance(folder / "data", extra=LIMITS)
        try:
            house = House(one.start(), folder, llm, url).furnish()
            with Storm(house, seed, [one.url]) as storm:
                storm.rage(kills, blows.on_one_process(storm, one))
                yield from rows("one process", storm.end(MOST_S))
        finally:
            one.close()


def scaled(kills: int, seed: int) -> Iterator[Row]:
    """Web, workers, Redis and Postgres, each for itself."""
    from tests.live.kills import blows
    from tests.live.kills.house import House, surroundings
    from tests.live.kills.own import own_installation
    from tests.live.kills.storm import Storm

    with surroundings() as (folder, llm, url), own_installation(folder / "data") as many:
        house = House(many.start(), folder, llm, url, urls=[web.url for web in many.web]).furnish()
        with Storm(house, seed, house.urls) as storm:
            storm.rage(kills, blows.on_many_processes(storm, many))
            yield from rows("scaled", storm.end(MOST_S))
        yield from named_points(house)


def named_points(house: House) -> Iterator[Row]:
    """A process of the scaled installation ends itself at each of its points, one after the other."""
    from tests.live.kills.points import SCALED, end_at

    began, faults = time.monotonic(), 0
    for point in SCALED:
        try:
            end_at(house, point)
        except AssertionError as error:
            print(f"{point}: {error}", file=sys.stderr, flush=True)
            faults += 1
    yield Row(f"soak, scaled: named points in {time.monotonic() - began:.0f} s", len(SCALED), "", lower=False)
    yield Row("  of these, where a run did not end as if nothing had happened", faults, "", 0)
