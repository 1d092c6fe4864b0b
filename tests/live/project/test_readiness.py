"""A full disk is said before anything is half done; what is there is read."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests import forkserver
from tests.api.runs.conftest import graph, node
from tests.instance import Instance, owned, until
from tests.live.kills.outages import disk

DOCUMENT = graph([node("start", "start", {}), node("end", "end", {"outputs": {}})], "start -> end")
pytestmark = pytest.mark.timeout(120)


def test_a_disk_without_room_refuses_starts_and_serves_reads(tmp_path: Path) -> None:
    instance = owned(tmp_path / "data", {"PATCHBAY_MIN_FREE_MB": "1000000000"})
    try:
        instance.start()
        token = instance.token()
        path = started_path(instance, token)
        status, answer = instance.request("POST", path, {"version": "draft", "inputs": {}}, token)
        assert (status, answer["code"]) == (503, "STORAGE_FULL") and "MB" in answer["message"]
        status, answer = instance.request("GET", "/api/ready")
        assert (status, answer["checks"]["storage"], answer["checks"]["database"]) == (503, False, True)
        assert answer["free_mb"] > 0 and answer["queue_lag_s"] == 0
        status, answer = instance.request("GET", "/api/runs", token=token)
        assert (status, answer["results"]) == (200, [])
    finally:
        instance.kill()


@pytest.mark.wide
def test_a_disk_without_inodes_refuses_starts_and_says_so(tmp_path: Path) -> None:
    with disk(tmp_path / "disk", megabytes=600, inodes=2000):
        if not os.path.ismount(tmp_path / "disk"):
            pytest.skip("no right to mount a disk of its own")
        instance = owned(tmp_path / "disk" / "data")
        try:
            instance.start()
            token = instance.token()
            path = started_path(instance, token)
            fill = os.statvfs(tmp_path / "disk").f_favail - 20
            for number in range(fill):
                (tmp_path / "disk" / f"small-{number}").touch()
            until(lambda: instance.request("GET", "/api/ready")[0] == 503, 30)
            _, answer = instance.request("GET", "/api/ready")
            assert answer["checks"]["storage"] is False and answer["free_inodes"] <= 20 and answer["free_mb"] > 100
            status, answer = instance.request("POST", path, {"version": "draft", "inputs": {}}, token)
            assert (status, answer["code"]) == (503, "STORAGE_FULL") and "inodes" in answer["message"]
            for number in range(fill):
                (tmp_path / "disk" / f"small-{number}").unlink()
            until(lambda: instance.request("GET", "/api/ready")[0] == 200, 30)
            assert instance.request("POST", path, {"version": "draft", "inputs": {}}, token)[0] == 202
        finally:
            instance.kill()


def started_path(instance: Instance, token: str) -> str:
    """Where runs of a small workflow are started."""
    status, created = instance.request("POST", "/api/workflows", {"name": "W", "graph": DOCUMENT}, token)
    assert status == 201
    return f"/api/workflows/{created['id']}/runs"


def test_a_running_instance_is_not_migrated_under_its_feet(tmp_path: Path) -> None:
    instance = Instance(tmp_path / "data", begins="migrated", forked=True)
    try:
        instance.start()
        with closing(sqlite3.connect(instance.data / "patchbay.sqlite3")) as database, database:
            database.execute("DELETE FROM django_migrations WHERE app = 'usersessions'")  # as an older one has it
        migrating = forkserver.popen(["-m", "backend.project.cli", "migrate"], instance.environment())
        text = migrating.output()
        assert migrating.wait() == 1 and "Another Patchbay" in text
        assert instance.process is not None and str(instance.process.pid) in text
    finally:
        instance.kill()


@pytest.mark.wide
def test_one_database_has_one_owner_whatever_it_is_called(tmp_path: Path) -> None:
    first = Instance(tmp_path / "first", begins="migrated", forked=True)
    database = first.data / "patchbay.sqlite3"
    linked, hard, named = (tmp_path / name for name in ("linked", "hard", "named"))
    try:
        first.start()
        for folder in (linked, hard, named):
            folder.mkdir()
        (linked / database.name).symlink_to(database)
        (hard / database.name).hardlink_to(database)
        setting = {"DATABASE_URL": f"sqlite:///{database}"}
        pid = first.process.pid if first.process else 0
        assert f"Another Patchbay runs on {database} (process {pid})." in refusal(Instance(linked))
        assert f"Another Patchbay runs on {hard / database.name} (process {pid})." in refusal(Instance(hard))
        assert f"Another Patchbay runs on {database} (process {pid})." in refusal(Instance(named, extra=setting))
    finally:
        first.kill()


def refusal(instance: Instance) -> str:
    """What it says that does not start."""
    second = forkserver.popen(Instance.DIRECT[1:], instance.environment())
    text = second.output()
    assert second.wait() == 1
    return text


def test_a_data_directory_that_cannot_be_written_is_one_sentence() -> None:
    instance = Instance(Path("/proc/patchbay"))  # not even root makes one there
    [sentence] = refusal(instance).strip().splitlines()
    assert "cannot write its data directory /proc/patchbay" in sentence
