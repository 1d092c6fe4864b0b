"""A worker that is stopped and goes on later: another has its runs by then, and its fence stops it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import psutil
import pytest

from tests.instance import Process, until
from tests.live.kills import graphs
from tests.live.kills.harness import Harness, Started
from tests.live.kills.own import OwnScaled
from tests.live.kills.watcher import Watcher

RETRY = {"action": "retry"}


def stopped(process: Process) -> bool:
    return bool(psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)


class Pair:
    """A scaled installation of which only one worker runs at first; `point` = where that one stops by itself."""

    def __init__(self, harness: Harness) -> None:
        assert isinstance(harness.instance, OwnScaled)
        self.harness, self.instance = harness, harness.instance
        self.first, self.second = self.instance.workers

    def begin(self, point: str) -> None:
        """The first worker alone, armed."""
        self.instance.keep = [*self.instance.web]
        for worker in self.instance.workers:
            worker.kill()
        self.instance.arm(self.first, f"{point}=stop")
        self.first.start()

    def end(self) -> None:
        """As it was."""
        self.first.send(signal.SIGCONT)
        self.instance.keep = self.instance.processes

    def paused_at(self, run: Started) -> None:
        """Wait until the first has stopped, then let the second take the run."""
        until(lambda: stopped(self.first), 30)
        self.second.start()
        # The lease of the first has to run out before anybody else may have the run.
        until(lambda: self.taken_over(run), 60)

    def taken_over(self, run: Started) -> bool:
        log = self.harness.events(run.id)
        return any(line["type"] == "FLOW_RESUME" for line in log)

    def woken(self) -> None:
        """The first goes on, and has heard that its run is another's."""
        self.first.send(signal.SIGCONT)
        until(lambda: any("has another owner" in line for line in self.first.lines), 30)


@pytest.fixture
def pair(scaled: Harness) -> Iterator[Pair]:
    pair = Pair(scaled)
    yield pair
    pair.end()


def page(harness: Harness, run: Started) -> Watcher:
    watcher = Watcher([url.replace("http", "ws") + "/ws/" for url in harness.urls], harness.token, seed=3)
    watcher.follow(run.id)
    return watcher


def seen_whole(harness: Harness, watcher: Watcher, run: Started) -> None:
    until(lambda: watcher.ended(run.id), 30)
    watcher.stop()
    assert not watcher.wrong and watcher.seen[run.id] == harness.events(run.id)


@pytest.mark.timeout(180)
def test_stopped_right_before_a_write_it_does_not_write_when_it_goes_on(pair: Pair) -> None:
    harness = pair.harness
    pair.begin("effect.write.before")
    run = harness.start("slow", graphs.SLOW, "stopped-before-a-write")
    watcher = page(harness, run)
    pair.paused_at(run)
    [question] = until(harness.questions, 30)
    assert question["kind"] == "recovery"
    harness.answer(question)  # nothing is in the ledger: it is to be made
    until(lambda: harness.state(run) == "SUCCESS", 30)
    pair.woken()
    harness.verify(run)
    seen_whole(harness, watcher, run)


@pytest.mark.timeout(180)
def test_stopped_with_an_answer_it_has_not_noted_it_notes_nothing_when_it_goes_on(pair: Pair) -> None:
    harness = pair.harness
    pair.begin("effect.read.after")
    run = harness.start("slow", graphs.SLOW, "stopped-after-a-read")
    watcher = page(harness, run)
    pair.paused_at(run)
    pair.woken()
    harness.finish([run])
    assert harness.ledger.called()[f"{run.name}/slow"] == 2, "a read is made again"
    harness.verify(run)
    seen_whole(harness, watcher, run)


@pytest.mark.timeout(180)
def test_stopped_in_the_middle_of_a_commit_nobody_waits_for_it(pair: Pair) -> None:
    harness = pair.harness
    pair.begin("ended.uncommitted")
    run = harness.start("slow", graphs.SLOW, "stopped-in-a-commit")
    watcher = page(harness, run)
    pair.paused_at(run)
    pair.woken()
    harness.finish([run])
    harness.verify(run)
    seen_whole(harness, watcher, run)
