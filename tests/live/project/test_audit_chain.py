"""The audit chain through a backup into the other database, and by the commands that an operator has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import psycopg

from tests.instance import ROOT, Reached, ScaledInstance, owned

VERIFIED = re.compile(r"(\S+): verified up to row (\d+), digest ([0-9a-f]{64})\n")


def command(instance: Reached, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`manage.py` beside an instance that need not run."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=instance.environment(),
        capture_output=True,
        text=True,
    )


def test_a_chain_of_sqlite_verifies_in_postgres_where_it_was_restored(tmp_path: Path) -> None:
    first = owned(tmp_path / "first")
    first.token()
    output = command(first, "audit_verify")
    result = VERIFIED.fullmatch(output.stdout)
    assert output.returncode == 0 and result is not None, output
    team, end, digest = result.groups()
    assert command(first, "backup", str(tmp_path / "first.tar.gz")).returncode == 0

    scaled = ScaledInstance(tmp_path / "scaled", workers=1)
    restored = command(scaled, "restore", str(tmp_path / "first.tar.gz"))
    assert restored.returncode == 0, restored.stderr
    output = command(scaled, "audit_verify", "--team", team, "--anchor", f"{end}:{digest}")
    assert output.returncode == 0 and VERIFIED.fullmatch(output.stdout), output
    followed = command(scaled, "audit_follow", "--once", "--after", "1")
    lines = [json.loads(line) for line in followed.stdout.splitlines()]
    assert [line["link"]["position"] for line in lines] == list(range(2, int(end) + 1))
    assert lines[-1]["link"]["digest"] == digest

    with psycopg.connect(scaled.environment()["DATABASE_URL"]) as database:
        database.execute("UPDATE accounts_auditentry SET action = 'x.y' WHERE id = %s", [lines[0]["id"]])
    output = command(scaled, "audit_verify")
    assert output.returncode == 1 and f"{team}: row 2 ({lines[0]['id']})" in output.stderr
