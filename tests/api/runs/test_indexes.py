"""What each run and its audit row must be entered in: on Postgres no index that no statement uses."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from backend.accounts.models import AuditEntry, AuditLink
from backend.runs.models import InboxMessage, Interaction, Run, RunBlob, RunFile, RunServer
from tests.api.runs.conftest import make_run
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
TABLES = [
    table._meta.db_table
    for table in (Run, RunBlob, RunServer, RunFile, InboxMessage, Interaction, AuditEntry, AuditLink)
]
BEFORE = [("runs", "0025_caller_name"), ("accounts", "0016_token_audience")]
NOW = [("runs", "0026_pattern_indexes"), ("accounts", "0017_pattern_indexes")]


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


def test_no_key_of_a_run_is_indexed_twice() -> None:
    assert by_pattern() == set()


def test_an_installation_from_before_loses_them_and_no_run(bob: Person) -> None:
    run = make_run(bob)
    MigrationExecutor(connection).migrate(BEFORE)
    assert Run.objects.filter(pk=run.pk).exists()
    with connection.schema_editor() as editor:
        if connection.vendor == "postgresql":
            editor.execute("CREATE INDEX runs_run_id_like ON runs_run (id varchar_pattern_ops)")
            editor.execute("CREATE INDEX audit_token_like ON accounts_auditentry (token_id varchar_pattern_ops)")
    assert by_pattern() <= {("runs_run", "id"), ("accounts_auditentry", "token_id")}
    MigrationExecutor(connection).migrate(NOW)
    assert by_pattern() == set() and Run.objects.filter(pk=run.pk).exists()
