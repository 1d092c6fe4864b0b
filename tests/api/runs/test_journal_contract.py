"""The journal in the database keeps what every journal promises the engine."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.db.models import F

from backend.engine.execution.ports import Entry, Journal
from backend.runs.live.consumers import THREADS
from backend.runs.log import rows
from backend.runs.log.journal import DatabaseJournal, Writer
from backend.runs.models import LogLine, Run
from tests.api.runs.conftest import make_run, until
from tests.people import Person
from tests.unit.engine.journal_contract import JournalContract

pytestmark = pytest.mark.django_db(transaction=True)


class DatabaseHarness:
    """A run's row, its log, and the journal of its present owner."""

    def __init__(self, writer: Writer, run: Run) -> None:
        self._writer, self._run = writer, run
        self.journal: Journal = DatabaseJournal(writer, run.pk, run.team_id, run.fence)

    async def take_over(self) -> Journal:
        await sync_to_async(Run.objects.filter(pk=self._run.pk).update)(fence=F("fence") + 1)
        await sync_to_async(self._run.refresh_from_db)()
        position, _ = await sync_to_async(rows.last_position)(self._run.pk)
        run = self._run
        self.journal = DatabaseJournal(
            self._writer, run.pk, run.team_id, run.fence, position=position, seq=run.last_seq
        )
        return self.journal

    async def history(self) -> list[Entry]:
        return await sync_to_async(rows.read_history)(self._run.pk)

    async def events(self) -> list[tuple[int, str]]:
        lines = LogLine.objects.filter(run=self._run).order_by("seq")
        return await sync_to_async(lambda: [(line.seq, line.type) for line in lines if line.seq is not None])()

    async def written(self, lines: int) -> None:
        await THREADS.run(until, lambda: len(rows.read_history(self._run.pk)) >= lines)


class TestDatabaseJournal(JournalContract):
    @pytest.fixture
    async def harness(self, writer: Writer, bob: Person) -> AsyncIterator[DatabaseHarness]:
        yield DatabaseHarness(writer, await sync_to_async(make_run)(bob))
        await sync_to_async(lambda: connection.close())()  # of the thread in which all such calls are made
