"""A backup that an older version made in one process: paused in this one's scaled mode, it goes on when told to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import outside
from tests.corpus.api_user import ENDED, FOLDER, ApiUser
from tests.corpus.comparing import VERSIONS, finish_and_compare
from tests.instance import ROOT, ScaledInstance


@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", VERSIONS)
def test_a_backup_goes_on_in_the_scaled_mode(tmp_path: Path, name: str) -> None:
    with outside.outside():
        left = outside.restore(name)
        instance = ScaledInstance(tmp_path / "scaled", workers=1, extra=outside.environment())
        command = [sys.executable, "manage.py", "restore", str(FOLDER / name / "backup.tar.gz")]
        subprocess.run(command, cwd=ROOT, env=instance.environment(), check=True, capture_output=True)
        try:
            user = ApiUser(instance.start(), left["token"], left)
            all_are_paused(user)
            user.ask("POST", "/api/restored-runs/resume", {})
            finish_and_compare(user, name)
        finally:
            instance.kill()


def all_are_paused(user: ApiUser) -> None:
    """Nothing goes on by itself, and for each run it is said what it may have written since."""
    states = {run: user.state(run) for run in user.left["runs"].values()}
    assert set(states.values()) <= {"PAUSED", *ENDED}
    listed = {result["run"]: result for result in user.get("/api/restored-runs?limit=200")["results"]}
    assert listed.keys() == {run for run, state in states.items() if state == "PAUSED"}
    assert any(item["writes"] for item in listed.values()) and all(item["restored_from"] for item in listed.values())
