"""What a team has that has used Patchbay for long, written straight into the database: servers, workflows, runs.

Servers and workflows are made with the models. Runs are copies of one that really ran, with its log, made by statements
that copy many at a time: a million runs with fifty lines each in minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

if TYPE_CHECKING:
    from backend.accounts.models import Team, User

TOOLS = 20
DRAFT = 4_000
"""Characters of a draft: some ten nodes."""
RUNS_AT_ONCE = 5_000
"""Runs of one statement: their lines are sorted in memory, so that those of a run lie together."""


def servers(team: Team, now: datetime, count: int) -> None:
    """Servers `server-0` … with tools, as a test of their connections left them."""
    from backend.registry.models import Server, Tool

    status = {"state": "ok", "checked_at": now.isoformat(), "tool_count": TOOLS, "protocol": "2025-06-18"}
    rows = [
        Server(
            id=f"srv_{n:06}",
            team=team,
            name=f"Server {n}",
            slug=f"server-{n}",
            transport="http",
            url=f"https://server-{n}.example/mcp",
            status=status,
        )
        for n in range(count)
    ]
    Server.objects.bulk_create(rows)
    field = {"type": "string", "description": "x" * 100}
    schema = {"type": "object", "properties": {f"p{k}": field for k in range(8)}}
    tools = []
    for server in rows:
        for k in range(TOOLS):
            name = f"tool_{k}"
            definition = {"name": name, "title": f"Tool {k}", "description": "y" * 300, "input_schema": schema}
            digest = sha256(f"{server.id}{k}".encode()).hexdigest()
            pinned = digest if k else "other"
            tools.append(
                Tool(
                    server=server,
                    name=name,
                    title=f"Tool {k}",
                    position=k,
                    definition=definition,
                    definition_hash=digest,
                    pinned_definition=definition,
                    pinned_hash=pinned,
                    listed_at=now,
                )
            )
    Tool.objects.bulk_create(tools, 500)


def workflows(team: Team, user: User, now: datetime, count: int, of_servers: int) -> None:
    """Workflows `wf_000000` … whose drafts name servers of `servers`."""
    from backend.workflows.models import ServerName, Workflow

    rows = [
        Workflow(
            id=f"wf_{n:06}",
            team=team,
            name=f"Workflow {n}",
            slug=f"workflow-{n}",
            description="What for. " * 6,
            draft=json.dumps({"nodes": [], "edges": [], "x": "z" * DRAFT}),
            draft_by=user,
            draft_at=now,
            servers=[f"server-{n % of_servers}", f"server-{(n * 7) % of_servers}"],
            node_count=10,
            published_version=1 if n % 2 else None,
        )
        for n in range(count)
    ]
    Workflow.objects.bulk_create(rows, 500)
    for n, row in enumerate(rows):
        row.updated_at = now - timedelta(seconds=n)
    Workflow.objects.bulk_update(rows, ["updated_at"], 200)
    names = (ServerName(team=team, workflow=row, name=name) for row in rows for name in sorted(set(row.servers)))
    ServerName.objects.bulk_create(names, 500)


class Copies:
    """Copies of a run with its log. `key(n)` is the id of the copy with this number."""

    def __init__(self, of_run: str, workflows: int) -> None:
        """`workflows` = how many of `workflows` they are spread over."""
        from backend.runs.models import LogLine, Run

        self._run, self._workflows = of_run, workflows
        self._postgres = connection.vendor == "postgresql"
        self._columns = [str(field.column) for field in Run._meta.local_concrete_fields]
        self._line = [str(field.column) for field in LogLine._meta.local_concrete_fields if field.column != "id"]
        self.lines = LogLine.objects.filter(run=of_run).count()

    @staticmethod
    def key(number: int) -> str:
        """The id of a copy: as long as those of other runs."""
        return f"run_{number:026}"

    def make(self, first: int, count: int, since: datetime, until: datetime, **columns: str) -> None:
        """Copies `first` … queued evenly between two moments. `columns` = SQL for columns of the run by their names,
        in which `n` is the number of the copy. Inside of `many`."""
        step = (until - since).total_seconds() / count
        for begin in range(first, first + count, RUNS_AT_ONCE):
            end = min(begin + RUNS_AT_ONCE, first + count) - 1
            begun = since + timedelta(seconds=step * (begin - first))
            with transaction.atomic():
                self._copy_runs(begin, end, begun, step, columns)
                self._copy_lines(begin, end)

    def _copy_runs(self, first: int, last: int, since: datetime, step: float, columns: dict[str, str]) -> None:
        at = self._moment(since, step, first)
        changed = {
            "id": self._key(),
            "workflow_id": f"'wf_' || {self._padded(f'n %% {self._workflows}', 6)}",
            "state": "CASE WHEN n %% 20 = 0 THEN 'ERROR' ELSE 'SUCCESS' END",
            "idempotency_key": "NULL",
            "queued_at": at,
            "started_at": at,
            "finished_at": at,
            **columns,
        }
        names = ", ".join(self._columns)
        values = ", ".join(changed.get(name, f"t.{name}") for name in self._columns)
        self._execute(
            f"INSERT INTO runs_run ({names}) SELECT {values} FROM {self._numbers()}, runs_run t WHERE t.id = %s",
            [first, last, self._run],
        )

    def _copy_lines(self, first: int, last: int) -> None:
        values = ", ".join(self._key() if name == "run_id" else f"t.{name}" for name in self._line)
        self._execute(
            f"INSERT INTO runs_logline ({', '.join(self._line)}) SELECT {values} "
            f"FROM {self._numbers()}, runs_logline t WHERE t.run_id = %s ORDER BY n, t.position",
            [first, last, self._run],
        )

    def _execute(self, sql: str, values: list[Any]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)

    def _numbers(self) -> str:
        if self._postgres:
            return "generate_series(%s, %s) AS numbers(n)"
        return "(WITH RECURSIVE s(n) AS (SELECT %s UNION ALL SELECT n + 1 FROM s WHERE n < %s) SELECT n FROM s) numbers"

    def _padded(self, number: str, length: int) -> str:
        if self._postgres:
            return f"lpad(({number})::text, {length}, '0')"
        return f"printf('%%0{length}d', {number})"

    def _key(self) -> str:
        return f"'run_' || {self._padded('n', 26)}"

    def _moment(self, since: datetime, step: float, first: int) -> str:
        after = f"(n - {first}) * {step}"
        if self._postgres:
            return f"'{since.isoformat()}'::timestamptz + {after} * interval '1 second'"
        return f"strftime('%%Y-%%m-%%d %%H:%%M:%%f', {since.timestamp()} + {after}, 'unixepoch')"

    @contextmanager
    def many(self) -> Iterator[None]:
        """Postgres: without the checks of each row, and with the log's indexes made once at the end."""
        if not self._postgres:
            yield
            return
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = replica")
            cursor.execute("SET synchronous_commit = off")
            cursor.execute("SET work_mem = '512MB'")
            cursor.execute("SET maintenance_work_mem = '1GB'")
            again = self._take_indexes(cursor)
            yield
            for statement in again:
                cursor.execute(statement)
            cursor.execute("RESET ALL")

    @staticmethod
    def _take_indexes(cursor: Any) -> list[str]:
        """Drop what makes each line dearer; gives the statements that bring it back."""
        cursor.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE conrelid = 'runs_logline'::regclass AND contype IN ('p', 'u', 'f') ORDER BY contype DESC"
        )
        constraints = cursor.fetchall()
        for name, _ in constraints:
            cursor.execute(f"ALTER TABLE runs_logline DROP CONSTRAINT {name}")
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'runs_logline'")
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
        back = [f"ALTER TABLE runs_logline ADD CONSTRAINT {name} {how}" for name, how in constraints]
        return [how for _, how in indexes] + back


def after_seeding() -> None:
    """What an installation has that grew by itself: totals of what is stored, and statistics of its tables."""
    from backend.runs.log import stored_runs

    with transaction.atomic():
        stored_runs.count_from_here()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE runs_run" if connection.vendor == "postgresql" else "ANALYZE")
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE")
