"""Runs of every kind go on, people answer, pages watch, and all the while something is killed.

Every choice comes from one seed, which is printed. `Figures` is what a storm comes to: runs lost, effects made twice,
events that a page missed or saw twice, answers taken twice are among it, each with what exactly was wrong.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import psutil

from tests.instance import Process, ScaledInstance, until
from tests.live.kills import graphs
from tests.live.kills.harness import ENDED, Harness, Started
from tests.live.kills.pulse import Pulse
from tests.live.kills.watcher import Watcher

MOST_GROWN = 64 * 2**20
"""Bytes by which the largest process may be larger in a storm's last quarter than in its first: what one that has just
been started takes up while it does its first work, and not what many runs leave."""
Fault = Callable[[random.Random], None]
"""Ends something and sees to it that it comes back."""


@dataclass
class Figures:
    """What a storm came to."""

    seed: int
    faults: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    failed: int = 0
    writes: int = 0
    reads: int = 0
    rounds: int = 0
    events: int = 0
    connections: int = 0
    recoveries: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    lost: int = 0  # runs that did not end
    doubled: int = 0  # writes made twice although nobody said so
    missed: int = 0  # logs that a page did not see as they are
    waits: list[float] = field(default_factory=list)  # seconds for which work stood still after a fault
    memory: list[int] = field(default_factory=list)  # bytes of the largest process, after each fault
    problems: list[str] = field(default_factory=list)

    @property
    def grown(self) -> float:
        """Bytes by which the largest process grew, from a storm's first quarter to its last."""
        quarter = max(1, len(self.memory) // 4)
        return median(self.memory[-quarter:]) - median(self.memory[:quarter]) if self.memory else 0.0

    @property
    def kills(self) -> int:
        return sum(self.faults.values())


class Storm:
    """One storm over one installation. `faults` = what may be killed, by name."""

    def __init__(self, harness: Harness, seed: int, urls: list[str], pages: int = 3, people: int = 2) -> None:
        print(f"seed {seed}")
        self.harness, self.figures = harness, Figures(seed)
        self._chance = random.Random(seed)
        self._runs: list[Started] = []
        self._pulse = Pulse(harness, lease=bool(harness.urls))
        self._stopping, self._begun = threading.Event(), time.monotonic()
        self._wrong: list[str] = []
        self._struck: list[str] = []  # every fault, the last one last
        sockets = [url.replace("http", "ws") + "/ws/" for url in urls]
        self._pages = [Watcher(sockets, harness.token, seed + n) for n in range(pages)]
        self._people = [threading.Thread(target=self._guarded, args=(self._answering,)) for _ in range(people)]
        for slug, document in graphs.MIX.items():
            harness.workflow(slug, document)
        for thread in self._people:
            thread.start()

    def __enter__(self) -> Storm:
        return self

    def __exit__(self, *_: object) -> None:
        """Everybody goes home, also when something went wrong."""
        self._stopping.set()
        for page in self._pages:
            page.stop()
        for thread in self._people:
            thread.join(120)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            printed = [
                f"{process.kind}: {' | '.join(process.lines[-5:])}" for process in self._processes() if process.running
            ]
            self._wrong.append(f"{error!r} after {self._struck[-3:]}, where {'; '.join(printed)}")
            raise

    def _answering(self) -> None:
        """A person: answers whatever is asked, at the same time as the others; looks now and then, or when one of the
        pages shows something."""
        seen, looked = -1, 0.0
        while not self._stopping.wait(0.1):
            request = sum(page.questions_seen() for page in self._pages)
            if request != seen or time.monotonic() - looked > 1.0:
                self.harness.answer_all()
                seen, looked = request, time.monotonic()

    def _start_some(self, most: int) -> None:
        for _ in range(self._chance.randint(1, most)):
            slug = self._chance.choice(sorted(graphs.MIX))
            run = self.harness.start(slug, graphs.MIX[slug], f"{slug}-{self.figures.seed}-{len(self._runs)}")
            self._runs.append(run)
            for page in self._pages:
                page.follow(run.id)

    def rage(
        self,
        kills: int,
        faults: dict[str, Fault],
        *,
        most: int = 3,
        pause: float = 0.8,
        fallen: Callable[[], str] | None = None,
        enough: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start runs and strike in turns: `most` runs at a time, up to `pause` seconds between; no more once `enough`.

        `fallen` = called after each fault, and while runs cannot be started: says why the installation has ended
        without being told to, and starts it again; empty when it lives.
        """
        order = [name for name in faults for _ in range(kills // len(faults))]
        order += self._chance.choices(sorted(faults), k=kills - len(order))
        self._chance.shuffle(order)
        for name in order:
            if self._wrong or enough():  # somebody gave up: what follows says no more
                break
            starter = threading.Thread(target=self._guarded, args=(lambda: self._start_some(most),))
            starter.start()
            self._stopping.wait(self._chance.uniform(0.0, pause))
            self._struck.append(name)
            with self._pulse.over(name):
                faults[name](self._chance)
            self.figures.faults[name] += 1
            self.figures.memory.append(self._largest())
            going = True
            while going:
                if fallen is not None and (why := fallen()):
                    self.figures.problems.append(f"ended by itself after {name}: {why}")
                starter.join(0.5)
                going = starter.is_alive()

    def _processes(self) -> list[Process]:
        """Those of a scaled installation."""
        instance = self.harness.instance
        return instance.processes if isinstance(instance, ScaledInstance) else []

    def _largest(self) -> int:
        """Bytes that the installation's largest process holds now."""
        instance = self.harness.instance
        sizes = [0]
        processes: list[Any] = [*self._processes()] or [instance]
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess, AttributeError):
                sizes.append(psutil.Process(process.pid).memory_info().rss)
        return max(sizes)

    def end(self, seconds: float) -> Figures:
        """Wait until every run has ended, then compare all accounts of what happened."""
        figures, harness = self.figures, self.harness
        figures.waits = self._pulse.waits
        left = list(self._runs)

        def over() -> bool:
            left[:] = [run for run in left if not any(page.ended(run.id) for page in self._pages)]
            return not left or bool(self._wrong)

        def seen() -> bool:
            return all(page.ended(run.id) for page in self._pages for run in self._runs if run not in left)

        with contextlib.suppress(AssertionError):
            until(over, seconds)
        with contextlib.suppress(AssertionError):
            until(seen, 30)
        left[:] = [run for run in left if harness.state(run) not in ENDED]
        self.__exit__()
        figures.seconds = time.monotonic() - self._begun
        left += [run for run in self._pulse.runs if not self._rested(run)]
        figures.problems += [f"lost: {run}" for run in left] + self._wrong
        figures.lost = len(left)
        figures.problems += [f"answered twice: {question}" for question in harness.taken_twice]
        if figures.grown > MOST_GROWN:
            figures.problems.append(f"memory grew by {figures.grown / 2**20:.0f} MB")
        figures.problems += [f"asked without a reason: {question}" for question in harness.unmeant]
        for run in self._runs:
            if run not in left:
                self._compare(run)
        for run in self._pulse.runs:
            if run not in left:
                self._verify(run, None if harness.one_clock else {})
        self._count()
        return figures

    def _rested(self, run: Started) -> bool:
        """Whether a run that no page follows came to its end."""
        with contextlib.suppress(AssertionError):
            until(lambda: self.harness.state(run) in ENDED, 30)
        return self.harness.state(run) in ENDED

    def _compare(self, run: Started) -> None:
        figures = self.figures
        self._verify(run, self._shown(run.id))
        log = self.harness.events(run.id)
        figures.events += len(log)
        for page in self._pages:
            if page.seen[run.id] != log or page.wrong:
                figures.problems.append(f"{run}: a page saw {len(page.seen[run.id])} of {len(log)}; {page.wrong}")
                figures.missed += 1

    def _verify(self, run: Started, shown: dict[int, float] | None) -> None:
        figures = self.figures
        try:
            away = any("tool server" in fault for fault in figures.faults)
            figures.failed += not self.harness.verify(run, may_fail=away, shown=shown)
        except AssertionError as error:
            figures.problems.append(f"{run}: {error}")

    def _shown(self, run: str) -> dict[int, float] | None:
        """When the first page had each line, where clocks jumped; else the lines' own times are good."""
        if self.harness.one_clock:
            return None
        first: dict[int, float] = {}
        for page in self._pages:
            for seq, at in enumerate(page.at[run], 1):
                first[seq] = min(at, first.get(seq, at))
        return first

    def _count(self) -> None:
        figures, harness = self.figures, self.harness
        figures.runs = len(self._runs)
        names = {run.name for run in self._runs}
        for kind in ("read", "write"):
            created = {name: n for name, n in harness.ledger.called(kind).items() if name.split("/")[0] in names}
            setattr(figures, f"{kind}s", sum(created.values()))
            if kind == "write":
                figures.doubled = sum(n - 1 for n in created.values())
        figures.connections = sum(page.connections for page in self._pages)
        figures.rounds = len(harness.llm.requests)
        figures.recoveries = +harness.recoveries
