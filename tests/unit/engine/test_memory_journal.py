"""The journal in memory keeps the promises of every journal, and dies when it is told to."""

from __future__ import annotations

import pytest

from backend.engine.execution.ports import Entry, JournalFailed
from backend.engine.testing import Disk, MemoryJournal, TestClock
from tests.unit.engine.engine_run import until
from tests.unit.engine.journal_contract import JournalContract


class MemoryHarness:
    """One disk; whoever takes over gets the next fence."""

    def __init__(self) -> None:
        self.disk, self.clock = Disk(), TestClock()
        self.journal = MemoryJournal(self.disk, self.clock)

    async def take_over(self) -> MemoryJournal:
        self.journal = MemoryJournal(self.disk, self.clock)
        return self.journal

    async def history(self) -> list[Entry]:
        return [line for line in self.disk.lines if line.record]

    async def events(self) -> list[tuple[int, str]]:
        return [(line.seq, line.type) for line in self.disk.lines if line.type]

    async def written(self, lines: int) -> None:
        await until(lambda: len(self.disk.lines) >= lines)


class TestMemoryJournal(JournalContract):
    """The suite, and the crash."""

    @pytest.fixture
    def harness(self) -> MemoryHarness:
        return MemoryHarness()

    @pytest.mark.parametrize(("lossy", "kept"), [(False, 3), (True, 1)])
    async def test_a_crash_loses_what_it_should(self, lossy: bool, kept: int) -> None:
        disk = Disk()
        journal = MemoryJournal(disk, TestClock(), crash_at=3, lossy=lossy)
        journal.append(Entry(node="a", record="emit"))
        await journal.barrier()
        journal.append(Entry(node="b", record="emit"))
        with pytest.raises(JournalFailed):
            journal.append(Entry(node="c", record="emit"))
        with pytest.raises(JournalFailed):
            await journal.barrier()
        assert len(disk.lines) == kept
