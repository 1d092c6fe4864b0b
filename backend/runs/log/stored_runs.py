"""How many runs a team has stored, and how many events: kept, for counting 100,000 rows takes longer than a page may.

The database itself notes each change in the transaction that makes it (triggers on `runs_run`): a row of `StoredChange`
for every run that comes to rest, goes back to work or is deleted. The sum of a team's rows is what is stored of runs
that are not at work, whatever crashed. Rows are added up now and then, so that the sum stays short; nobody waits for
anybody, as rows are only ever added.
"""

from __future__ import annotations

from django.db import connection, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import RunPython
from django.db.migrations.state import StateApps

from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.runs.models import StoredChange

FOLD_AT = 1_000
"""Rows of a team that are added up to one."""

_SQLITE = {
    "run_stored_new": """AFTER INSERT ON runs_run WHEN NEW.state NOT IN ('QUEUED', 'RUNNING')
        BEGIN INSERT INTO runs_storedchange (team_id, runs, events) VALUES (NEW.team_id, 1, NEW.last_seq); END""",
    "run_stored_gone": """AFTER DELETE ON runs_run WHEN OLD.state NOT IN ('QUEUED', 'RUNNING')
        BEGIN INSERT INTO runs_storedchange (team_id, runs, events) VALUES (OLD.team_id, -1, -OLD.last_seq); END""",
    "run_stored_moved": """AFTER UPDATE OF state, last_seq ON runs_run
        WHEN (OLD.state NOT IN ('QUEUED', 'RUNNING') OR NEW.state NOT IN ('QUEUED', 'RUNNING'))
            AND ((OLD.state IN ('QUEUED', 'RUNNING')) <> (NEW.state IN ('QUEUED', 'RUNNING'))
                OR OLD.last_seq <> NEW.last_seq)
        BEGIN INSERT INTO runs_storedchange (team_id, runs, events) VALUES (
            NEW.team_id,
            (NEW.state NOT IN ('QUEUED', 'RUNNING')) - (OLD.state NOT IN ('QUEUED', 'RUNNING')),
            (NEW.state NOT IN ('QUEUED', 'RUNNING')) * NEW.last_seq
                - (OLD.state NOT IN ('QUEUED', 'RUNNING')) * OLD.last_seq
        ); END""",
}
_POSTGRES_FUNCTION = """
CREATE OR REPLACE FUNCTION runs_note_stored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    n integer := 0;
    e bigint := 0;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        IF OLD.state NOT IN ('QUEUED', 'RUNNING') THEN n := n - 1; e := e - OLD.last_seq; END IF;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        IF NEW.state NOT IN ('QUEUED', 'RUNNING') THEN n := n + 1; e := e + NEW.last_seq; END IF;
    END IF;
    IF n <> 0 OR e <> 0 THEN
        IF TG_OP = 'DELETE' THEN INSERT INTO runs_storedchange (team_id, runs, events) VALUES (OLD.team_id, n, e);
        ELSE INSERT INTO runs_storedchange (team_id, runs, events) VALUES (NEW.team_id, n, e);
        END IF;
    END IF;
    RETURN NULL;
END $$"""
_POSTGRES = {
    "run_stored_new": "AFTER INSERT ON runs_run FOR EACH ROW WHEN (NEW.state NOT IN ('QUEUED', 'RUNNING'))",
    "run_stored_gone": "AFTER DELETE ON runs_run FOR EACH ROW WHEN (OLD.state NOT IN ('QUEUED', 'RUNNING'))",
    "run_stored_moved": """AFTER UPDATE OF state, last_seq ON runs_run FOR EACH ROW
        WHEN (OLD.state NOT IN ('QUEUED', 'RUNNING') OR NEW.state NOT IN ('QUEUED', 'RUNNING'))""",
}
_COUNTED = """INSERT INTO runs_storedchange (team_id, runs, events)
SELECT team_id, COUNT(*), SUM(last_seq) FROM runs_run
WHERE state NOT IN ('QUEUED', 'RUNNING') GROUP BY team_id"""


def _triggers() -> dict[str, str]:
    if connection.vendor == "sqlite":
        return _SQLITE
    return {name: f"{when} EXECUTE FUNCTION runs_note_stored()" for name, when in _POSTGRES.items()}


def count_from_here() -> None:
    """Count what is there, and have the database note what changes from now on."""
    on_table = " ON runs_run" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        if on_table:
            cursor.execute(_POSTGRES_FUNCTION)
        for name, when in _triggers().items():
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on_table}")
            cursor.execute(f"CREATE TRIGGER {name} {when}")
        cursor.execute("DELETE FROM runs_storedchange")
        cursor.execute(_COUNTED)


def count_again_where_forgotten(**_signal: object) -> None:
    """After migrations: SQLite forgets the triggers of a table that Django copies to alter it."""
    if StoredChange._meta.db_table not in connection.introspection.table_names():
        return
    names = (
        "sqlite_master WHERE type = 'trigger' AND name" if connection.vendor == "sqlite" else "pg_trigger WHERE tgname"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {names} LIKE 'run_stored_%'")  # noqa: S608 - our own words
        known = cursor.fetchone()[0]
    if known < len(_triggers()):
        with transaction.atomic():
            count_from_here()


def _operation(_apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    count_from_here()


COUNT_FROM_HERE = RunPython(_operation, RunPython.noop)
"""`count_from_here` in a migration."""


_STORED = """
SELECT SUM(runs), SUM(events), SUM(noted) FROM (
    SELECT COALESCE(SUM(runs), 0) AS runs, COALESCE(SUM(events), 0) AS events, COUNT(*) AS noted
    FROM runs_storedchange WHERE team_id = %(team)s
    UNION ALL
    SELECT COUNT(*), COALESCE(SUM(last_seq), 0), 0 FROM runs_run{in_state}
    WHERE team_id = %(team)s AND state IN ('QUEUED', 'RUNNING')
) counted"""


def runs_stored(team: str) -> tuple[int, int]:
    """(runs, events) of a team."""
    in_state = " INDEXED BY run_in_state" if connection.vendor == "sqlite" else ""
    with connection.cursor() as cursor:
        cursor.execute(_STORED.format(in_state=in_state), {"team": team})
        runs, events, noted = cursor.fetchone()
    if noted > FOLD_AT:
        fold(team)
    return int(runs), int(events)


_FOLD = (
    "WITH gone AS (DELETE FROM runs_storedchange WHERE team_id = %s RETURNING runs, events) "
    "INSERT INTO runs_storedchange (team_id, runs, events) "
    "SELECT %s, SUM(runs), SUM(events) FROM gone HAVING COUNT(*) > 0"
)


def fold(team: str) -> None:
    """Put one row in the place of all that a team has. Two at once: one finds nothing left to do."""
    with sqlite_write_lock(), transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_FOLD, [team, team])  # in one statement, which sees what it deletes and nothing newer
            return
        cursor.execute(
            "INSERT INTO runs_storedchange (team_id, runs, events) SELECT team_id, SUM(runs), SUM(events) "
            "FROM runs_storedchange WHERE team_id = %s GROUP BY team_id RETURNING id",
            [team],
        )
        if row := cursor.fetchone():
            cursor.execute("DELETE FROM runs_storedchange WHERE team_id = %s AND id <> %s", [team, row[0]])


def fold_all() -> None:
    """Keep the sums of all teams short."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT team_id FROM runs_storedchange GROUP BY team_id HAVING COUNT(*) > %s", [FOLD_AT])
        teams = [str(row[0]) for row in cursor.fetchall()]
    for team in teams:
        fold(team)
