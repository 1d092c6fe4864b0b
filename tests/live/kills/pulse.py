"""A run that calls a tool all the time, so that the recorder tells how long work stood still after a fault."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Harness, Started

MEASURED = {"process", "stop", "workers"}
"""Faults after which everything stands still until the installation, or another worker, goes on."""
PATIENCE_S = 20.0


class Pulse:
    """`waits` = seconds from an installation that answers again, or from the fault where `lease`, to the next call."""

    def __init__(self, harness: Harness, *, lease: bool) -> None:
        """`lease` = measure from the fault on: others go on once a lease has run out."""
        self._house, self._lease = harness, lease
        self._run: Started | None = None
        self.runs: list[Started] = []
        self.waits: list[float] = []

    @contextlib.contextmanager
    def over(self, fault: str) -> Iterator[None]:
        """Measure how long it stands still at a fault, if that is one that stops it."""
        if fault not in MEASURED:
            yield
            return
        self._beating()
        struck = time.time()
        yield
        until(self._answers, PATIENCE_S * 3)
        since = struck if self._lease else time.time()
        instance = self._house.instance
        again = (
            instance.born_at if isinstance(instance, ForkedInstance) else struck
        )  # calls before are of one that is over
        with contextlib.suppress(AssertionError):  # a run that is stuck is found at the end
            self.waits.append(until(lambda: self._next(again), PATIENCE_S) - since)

    def _beating(self) -> None:
        """See to it that a run calls now, and has calls left."""
        run = self._run
        if run is None or len(self._calls(run)) > graphs.BEATS // 2:
            run = self._run = self._house.start("pulse", graphs.PULSE, f"pulse-{len(self._house.runs)}")
            self.runs.append(run)
        with contextlib.suppress(AssertionError):
            until(lambda: self._calls(run), PATIENCE_S)

    def _answers(self) -> bool:
        with contextlib.suppress(Exception):
            return self._house.once("GET", "/api/health")[0] == 200
        return False

    def _next(self, since: float) -> float | None:
        """When the recorder was called next."""
        assert self._run is not None
        return next((at for at in self._calls(self._run) if at > since), None)

    def _calls(self, run: Started) -> list[float]:
        return [line["at"] for line in self._house.ledger.lines(run.name) if line["phase"] == "called"]
