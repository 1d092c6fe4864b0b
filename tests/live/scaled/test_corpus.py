"""A backup that an older version made in one process goes on in this one's scaled mode."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import outside
from tests.corpus.comparing import VERSIONS, finish_and_compare
from tests.corpus.office import FOLDER, Office
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
            finish_and_compare(Office(instance.start(), left["token"], left), name)
        finally:
            instance.kill()
