"""What survives a process: marks of a step that held the loop or grew memory, the kernel's count, nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from backend.runs.models import Run
from backend.runs.queue import leases
from backend.runs.queue.leases import Terms
from backend.runs.worker import evidence
from tests.api.runs.conftest import make_run
from tests.live.kills.outages import disk
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def mark_of(run: Run) -> evidence.Mark:
    """What a step of the run does."""
    return {"run": run.pk, "node": "n", "path": [["each", 2]], "attempt": 1, "ended": 3, "amount": 7}


DIES = """
import json, os, signal, sys, django
django.setup()
from backend.runs.worker.evidence import Marks
marks = Marks(sys.argv[1]); marks.open()
for kind, what in json.loads(sys.argv[2]):
    marks.mark(kind, what)
for kind in json.loads(sys.argv[3]):
    marks.clear(kind)
if sys.argv[4] == "stops":
    marks.close()
os.kill(os.getpid(), signal.SIGKILL)
"""
FULL_DISK = """
import os, sys, django
django.setup()
from django.conf import settings
from backend.runs.worker.evidence import Marks
marks = Marks("w1"); marks.open()
with (settings.PATCHBAY.data / "ballast").open("wb") as ballast:
    try:
        while True:
            os.write(ballast.fileno(), bytes(4096))
    except OSError:
        pass
for kind in ("held", "grew"):
    marks.mark(kind, {"node": "n"})
marks.close()
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory of its own."""
    monkeypatch.setattr(settings.PATCHBAY, "data_dir", tmp_path)
    return tmp_path


def dies(data: Path, name: str, marks: list[Any], cleared: list[str], how: str = "dies") -> None:
    """A process that leaves these marks and is killed."""
    environment = {**os.environ, "PATCHBAY_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "backend.project.settings"}
    command = [sys.executable, "-c", DIES, name, json.dumps(marks), json.dumps(cleared), how]
    assert subprocess.run(command, env=environment, check=False).returncode == -9


def test_a_mark_is_noted_once_and_its_run_is_taken_last(bob: Person, data: Path) -> None:
    run = make_run(bob)
    dies(data, "one", [["held", mark_of(run)]], [])
    assert (evidence.collect(), evidence.collect()) == (1, 0)
    run.refresh_from_db()
    assert run.losses == 1 and '"ended":3' in run.evidence
    terms = Terms("me", 30, None)
    Run.objects.filter(pk=run.pk).update(state="QUEUED")
    assert leases.claim_batch(terms, 5, suspects=False).taken == []
    assert leases.claim(terms, run.pk, suspects=False).taken == []
    assert [item.run for item in leases.claim_batch(terms, 5).taken] == [run.pk]


@pytest.mark.parametrize(("cleared", "how"), [(["held"], "dies"), ([], "stops")])
def test_what_was_over_and_a_process_that_was_asked_to_stop_charge_nobody(
    bob: Person, data: Path, cleared: list[str], how: str
) -> None:
    run = make_run(bob)
    dies(data, "one", [["held", mark_of(run)]], cleared, how)
    assert evidence.collect() == 0 and not list((data / "evidence").iterdir())
    assert Run.objects.get(pk=run.pk).losses == 0


def test_the_file_of_a_process_that_lives_is_left_alone(bob: Person, data: Path) -> None:
    run, marks = make_run(bob), evidence.Marks("me")
    marks.open()
    marks.mark("held", mark_of(run))
    assert evidence.collect() == 0 and len(list((data / "evidence").iterdir())) == 1
    marks.close()


def system(root: Path, kills: int, *, version: int = 2) -> Path:
    """The files in which a kernel says how often it killed."""
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    line = "0::/box" if version == 2 else "4:memory:/box"
    (root / "proc/self/cgroup").write_text(f"9:cpu:/\n{line}\n")
    group = root / ("sys/fs/cgroup/box" if version == 2 else "sys/fs/cgroup/memory/box")
    group.mkdir(parents=True, exist_ok=True)
    (group / ("memory.events" if version == 2 else "memory.oom_control")).write_text(f"max 3\noom_kill {kills}\n")
    return root


@pytest.mark.parametrize("version", [1, 2])
def test_the_kernels_count_is_read(tmp_path: Path, version: int) -> None:
    assert evidence.kernel_kills(system(tmp_path, 4, version=version)) == {"group": "/box", "kills": 4}
    assert evidence.kernel_kills(tmp_path / "nothing") is None


@pytest.mark.parametrize(("killed", "noted"), [(0, 0), (1, 1)])
def test_growth_counts_where_the_kernel_killed(
    bob: Person, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: int, noted: int
) -> None:
    run, marks, root = make_run(bob), evidence.Marks("me"), system(tmp_path / "root", 2)
    monkeypatch.setattr(evidence, "_SYSTEM", root)
    marks.open()
    marks.mark("grew", mark_of(run))
    left = (data / "evidence" / "me.marks").read_bytes()
    marks.close()
    (data / "evidence" / "dead.marks").write_bytes(left)  # as its process left it
    system(root, 2 + killed)
    assert evidence.collect() == noted


def test_marks_are_made_on_a_full_disk(tmp_path: Path) -> None:
    """A mapped file that has no room on the disk yet would end the process by SIGBUS."""
    with disk(tmp_path / "data", megabytes=1):
        if not os.path.ismount(tmp_path / "data"):
            pytest.skip("no right to mount a disk of its own")
        data_dir = {"PATCHBAY_DATA_DIR": str(tmp_path / "data")}
        environment = {**os.environ, **data_dir, "DJANGO_SETTINGS_MODULE": "backend.project.settings"}
        command = [sys.executable, "-c", FULL_DISK]
        assert subprocess.run(command, env=environment, check=False).returncode == 0
