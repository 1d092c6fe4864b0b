"""Starts are noted with the run and become rows of the audit trail in batches: nobody who asks the trail sees that."""

from __future__ import annotations

import io
import threading
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from backend.accounts.audit import batches, chain
from backend.accounts.audit.erasing import erase_team
from backend.accounts.models import AuditEntry, AuditNote
from backend.runs.lifecycle.maintenance import MaintenanceRunner
from backend.runs.models import Run
from tests.api.accounts.trail import entries, exported
from tests.api.runs.asking import start
from tests.api.runs.conftest import make_workflow, until
from tests.people import Person

STARTS = AuditEntry.objects.filter(action="run.started")


def started(person: Person, count: int = 3) -> list[str]:
    workflow = make_workflow(person)
    return [start(person, workflow).data["id"] for _ in range(count)]


@pytest.mark.django_db
def test_a_start_is_one_short_note_until_somebody_asks(alice: Person) -> None:
    runs = started(alice)
    assert (AuditNote.objects.count(), STARTS.count()) == (3, 0)
    shown = entries(alice, "?action=run.started")
    assert [entry["target"] for entry in shown] == runs[::-1], "the newest first, as ever"
    assert (AuditNote.objects.count(), STARTS.count()) == (0, 3)
    assert {entry["actor"]["id"] for entry in shown} == {alice.user.pk}
    assert shown[0]["data"] == {"name": "flow", "workflow": shown[0]["data"]["workflow"], "version": None}


@pytest.mark.django_db
def test_a_row_says_when_the_deed_was_done_not_when_it_was_written(alice: Person) -> None:
    [run] = started(alice, 1)
    assert alice.api.post("/api/teams/invitations", {"role": "editor"}).status == 201
    entries(alice)
    invited = AuditEntry.objects.get(action="invitation.created").at
    assert Run.objects.get(pk=run).queued_at <= STARTS.get().at <= invited
    assert [entry["action"] for entry in entries(alice)][:2] == ["invitation.created", "run.started"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("reader", ["export", "chain", "verify", "follow", "link", "erase"])
def test_every_reader_of_the_trail_finds_the_starts(reader: str, alice: Person) -> None:
    started(alice, 2)
    if reader == "export":
        assert exported(alice, "?format=jsonl&action=run.started").count("run.started") == 2
    elif reader == "chain":
        assert alice.api.get("/api/audit/chain").data["waiting"] == 2
    elif reader == "link":
        assert chain.link_rows() == 2
    elif reader == "erase":
        erase_team(alice.team.pk)
        assert list(STARTS.values_list("data", flat=True)) == [{}, {}]
    else:
        out = io.StringIO()
        more = ["--once"] if reader == "follow" else []
        call_command(f"audit_{reader}", *more, stdout=out, stderr=io.StringIO())
        assert ("verified up to row 2" if reader == "verify" else "run.started") in out.getvalue()
    assert not AuditNote.objects.exists()


@pytest.mark.django_db
def test_more_notes_than_a_batch_keep_their_order(alice: Person, django_assert_max_num_queries: Any) -> None:
    count = batches.AT_ONCE + 1
    for number in range(count):
        batches.audit_later(alice.actor, "run.started", "run", f"run_{number:04}", number=number)
    with django_assert_max_num_queries(15):
        assert batches.write_notes() == count
    numbers = [data["number"] for data in STARTS.order_by("at", "pk").values_list("data", flat=True)]
    assert numbers == list(range(count))


@pytest.mark.django_db(transaction=True)
def test_two_who_write_at_once_write_each_note_once(alice: Person) -> None:
    for number in range(200):
        batches.audit_later(alice.actor, "run.started", "run", f"run_{number:04}")
    together, counts = threading.Barrier(2), []

    def write() -> None:
        together.wait(10)
        counts.append(batches.write_notes())
        connection.close()

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sum(counts) == STARTS.count() == 200


@pytest.mark.django_db(transaction=True)
def test_the_keeper_writes_them_where_nobody_asks(alice: Person) -> None:
    started(alice)
    keeper = MaintenanceRunner("one", 30, look_every_s=0.01)
    keeper.start()
    try:
        until(lambda: not AuditNote.objects.exists(), 60)
    finally:
        keeper.stop(10)
    assert STARTS.filter(link__isnull=False).count() == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite can be told to refuse writes")
def test_a_database_that_takes_no_rows_shows_those_that_it_has(alice: Person) -> None:
    started(alice, 1)
    assert len(entries(alice, "?action=run.started")) == 1
    started(alice, 1)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = 1")
        try:
            assert len(entries(alice, "?action=run.started")) == 1
        finally:
            cursor.execute("PRAGMA query_only = 0")
    assert len(entries(alice, "?action=run.started")) == 2
