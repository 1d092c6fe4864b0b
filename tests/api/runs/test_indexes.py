"""What each run, its lines and its audit row must be entered in: no index that no statement uses, none too long."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from backend.accounts.models import AuditEntry, AuditLink
from backend.runs.models import InboxMessage, Interaction, LogLine, Run, RunBlob, RunFile, RunServer
from tests.api.runs.conftest import make_run
from tests.instance import scaled
from tests.people import Person
from tests.wide import left_to_wide

pytestmark = pytest.mark.django_db(transaction=True)
TABLES = [
    table._meta.db_table
    for table in (Run, RunBlob, RunServer, RunFile, InboxMessage, Interaction, AuditEntry, AuditLink)
]
BEFORE = [("runs", "0025_caller_name"), ("accounts", "0016_token_audience")]
SHORTER_BEFORE = [("runs", "0026_pattern_indexes"), ("accounts", "0017_pattern_indexes")]


def migrate_to_newest() -> None:
    """As far as this version goes: the tests after these use the same database."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def by_pattern() -> set[tuple[str, str]]:
    """(table, column) of what is indexed for `LIKE 'begins%'`; SQLite has no such indexes."""
    if connection.vendor != "postgresql":
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.indrelid::regclass::text, a.attname FROM pg_index i "
            "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] "
            "JOIN pg_opclass o ON o.oid = i.indclass[0] "
            "WHERE i.indrelid = ANY(%s::regclass[]) AND o.opcname LIKE '%%pattern_ops'",
            [TABLES],
        )
        return set(cursor.fetchall())


def entered_in(table: type[Model]) -> dict[str, list[str]]:
    """Name → columns of each index of a table that holds all of its rows, and of those that hold some."""
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, table._meta.db_table)
    kept = {name: item for name, item in constraints.items() if item["index"] or item["unique"] or item["primary_key"]}
    return {name: item["columns"] for name, item in kept.items() if name != "__primary__"}


def test_a_line_of_the_log_is_entered_by_place_and_by_number_alone() -> None:
    assert entered_in(LogLine) == {
        "log_position_once": ["run_id", "position"],
        "log_seq_once": ["run_id", "seq"],
        "log_rounds": ["run_id", "key", "position"],
    }


def test_a_link_of_the_chain_is_entered_by_its_place_and_its_row_alone() -> None:
    columns = sorted(entered_in(AuditLink).values())
    assert columns == [["entry_id"], ["team", "position"]]


@pytest.mark.parametrize(("table", "index"), [(LogLine, "log_position_once"), (AuditLink, "one_link_each")])
def test_rows_without_a_key_of_their_own_are_told_apart_by_their_place(table: type[Model], index: str) -> None:
    assert identity(table) == ((index, "i") if connection.vendor == "postgresql" else None)


def identity(table: type[Model]) -> tuple[str, str] | None:
    """By which index Postgres tells the rows apart, and that it is told so; on SQLite the key is the table."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.indexrelid::regclass::text, c.relreplident FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
            "WHERE i.indrelid = %s::regclass AND i.indisreplident",
            [table._meta.db_table],
        )
        (row,) = cursor.fetchall()
    return tuple(row)


def test_an_audit_row_s_id_is_in_the_index_of_ids_alone() -> None:
    columns = entered_in(AuditEntry)
    assert [name for name, of in columns.items() if "id" in of] in ([], ["accounts_auditentry_pkey"])
    ends = {tuple(of[:-1]) for of in columns.values() if of[-1] == "at"}
    assert ends == {(), ("team_id",), ("team_id", "actor_id"), ("team_id", "action"), ("team_id", "target_id")}


def test_no_key_of_a_run_is_indexed_twice() -> None:
    assert by_pattern() == set()


@left_to_wide(unless=scaled())  # the indexes that it makes and loses are of Postgres alone
def test_an_installation_from_before_keeps_its_lines_and_its_trail_and_loses_indexes_only(bob: Person) -> None:
    """Back to before each of the changes, and once to now: each step is taken with rows in the tables."""
    run = make_run(bob)
    LogLine.objects.create(run=run, position=1, seq=1, ts=1.0, type="FLOW_QUEUED", data="", fence=0)
    MigrationExecutor(connection).migrate(SHORTER_BEFORE)
    assert {"audit_at", "audit_target"} <= set(entered_in(AuditEntry))
    MigrationExecutor(connection).migrate(BEFORE)
    assert Run.objects.filter(pk=run.pk).exists()
    with connection.schema_editor() as editor:
        if connection.vendor == "postgresql":
            editor.execute("CREATE INDEX runs_run_id_like ON runs_run (id varchar_pattern_ops)")
            editor.execute("CREATE INDEX audit_token_like ON accounts_auditentry (token_id varchar_pattern_ops)")
    assert by_pattern() <= {("runs_run", "id"), ("accounts_auditentry", "token_id")}
    migrate_to_newest()
    assert by_pattern() == set() and Run.objects.filter(pk=run.pk).exists()
    assert list(LogLine.objects.filter(run=run).values_list("position", "seq")) == [(1, 1)]
    assert set(entered_in(LogLine)) == {"log_position_once", "log_seq_once", "log_rounds"}
    assert "audit_at" not in entered_in(AuditEntry)
