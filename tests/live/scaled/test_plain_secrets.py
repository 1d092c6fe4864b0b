"""The migration that moves secrets out of configurations, on Postgres, from the state before it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psycopg

from tests.instance import ROOT, ScaledInstance

KEY = "sk-proj-9f8Ghjk2LmN4pQrStUv7wXyZ01aBcDeF3GhI"
DSN = "postgresql://app:pw-of-mine-1@db.example:5432/app"
MAKE = """
from backend.accounts.models import AuditEntry, Team, User
from backend.registry.models import Server
team, user = Team.objects.get(), User.objects.get()
for slug in ("one", "two"):
    made = Server.objects.create(team=team, name=slug, slug=slug, created_by=user, transport="http", url="https://a.example/mcp")
    AuditEntry.objects.create(team=team, actor=user, action="server.created", target_kind="server", target_id=made.pk)
"""
SHOW = """
import json
from backend.registry.models import Server
from backend.registry.connecting.resolving import config_of
row = Server.objects.get(slug="one")
print(json.dumps([config_of(row).headers, config_of(row).url, row.revision]))
"""


def manage(instance: ScaledInstance, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=instance.environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rows_from_before_are_moved_and_servers_get_what_they_got(tmp_path: Path) -> None:
    instance = ScaledInstance(tmp_path, workers=1)
    instance.token()
    manage(instance, "shell", "-v", "0", "-c", MAKE)
    manage(instance, "migrate", "registry", "0005", "-v", "0")
    headers = {"X-Note": KEY, "X-Store": DSN, "Accept": "*/*"}
    with psycopg.connect(instance.environment()["DATABASE_URL"], autocommit=True) as database:
        [(server,)] = database.execute("SELECT id FROM registry_server WHERE slug = 'one'").fetchall()
        database.execute(
            "UPDATE registry_server SET headers = %s, url = %s WHERE id = %s",
            [json.dumps(headers), f"https://mcp.example/{KEY}/mcp", server],
        )
        expected = {"changes": {"headers": [None, headers]}}
        database.execute(
            "UPDATE accounts_auditentry SET content = %s WHERE target_id = %s", [json.dumps(expected), server]
        )
        before = database.execute("SELECT count(*) FROM accounts_auditentry").fetchone()

        output = manage(instance, "migrate", "-v", "0")
        assert "one: moved to the encrypted secrets: " in output and "two:" not in output
        for table in ("registry_server", "accounts_auditentry"):
            rows = str(database.execute(f"SELECT * FROM {table}").fetchall())
            assert KEY not in rows and "pw-of-mine-1" not in rows, table
        assert database.execute("SELECT count(*) FROM accounts_auditentry").fetchone() == before
    resolved, url, revision = json.loads(manage(instance, "shell", "-v", "0", "-c", SHOW))
    assert (resolved, url, revision) == (headers, f"https://mcp.example/{KEY}/mcp", 1)
    assert manage(instance, "find_secrets") == "No secrets in the clear.\n"
