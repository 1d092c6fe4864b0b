"""A database that takes no writes, or has no room: every door says so, nothing is half done, reads and runs go on."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import services
from tests.api.runs.conftest import graph, node
from tests.instance import Instance, Reached, ScaledInstance, until
from tests.live.runs.crashes import APPROVAL
from tests.live.scaled.shop import DOCUMENT, Shop
from tests.llm_server import Gate, LlmServer

pytestmark = pytest.mark.timeout(240)
BIG = "x" * 3_000_000
"""More than any free space inside the tables."""
LARGE = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("text", "set", {"values": {"text": BIG}}),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> text",
    "text -> end",
)


class Doors:
    """What may be written from outside, and what is there."""

    def __init__(self, instance: Reached, token: str) -> None:
        self._instance, self._token = instance, token
        created = self.ask("POST", "/api/workflows", {"name": "Doors", "graph": APPROVAL})
        self._workflow = f"/api/workflows/{created['id']}"
        self.start()
        [question] = until(lambda: self.ask("GET", "/api/interactions?state=open")["results"], 60)
        self._question = f"/api/interactions/{question['id']}/answer"

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer of a request that succeeds."""
        status, answer = self._instance.request(method, path, body, self._token)
        assert status < 300, (path, status, answer)
        return answer

    def start(self, name: str = "") -> str:
        """Start a run; its state, or the code of the refusal."""
        return self._write("POST", f"{self._workflow}/runs", {"version": "draft", "inputs": {"name": name}})

    def answer(self, comment: str = "") -> str:
        """Answer the question."""
        return self._write("POST", self._question, {"action": "accept", "values": {"comment": comment}})

    def save(self, document: Any = APPROVAL) -> str:
        """Save the draft."""
        body = {"revision": self.there()["revision"], "graph": document}
        return self._write("PUT", f"{self._workflow}/draft", body)

    def upload(self, data: bytes = b"text") -> str:
        """Upload a file."""
        head = (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
        )
        request = urllib.request.Request(
            f"{self._instance.url}/api/files",
            data=head + data + b"\r\n--b--\r\n",
            headers={"Content-Type": "multipart/form-data; boundary=b", "Authorization": f"Bearer {self._token}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return str(answer.status)
        except urllib.error.HTTPError as error:
            return _code(error.code, json.loads(error.read()))

    def there(self) -> dict[str, Any]:
        """What a half-done write would change."""
        workflow = self.ask("GET", self._workflow)
        runs = self.ask("GET", "/api/runs?limit=200")["results"]
        question = self.ask("GET", "/api/interactions?state=open")["results"]
        revision = workflow["draft"]["revision"]
        return {"runs": len(runs), "open": [item["id"] for item in question], "revision": revision}

    def _write(self, method: str, path: str, body: Any) -> str:
        return _code(*self._instance.request(method, path, body, self._token))


def _code(status: int, body: Any) -> str:
    return f"{status} {body['code']}" if status >= 300 else str(status)


def end_connections(url: str) -> None:
    """So that the next ones have the database's new settings."""
    with psycopg.connect(url, autocommit=True) as connection:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
        connection.execute(ended, [connection.info.dbname])


@contextmanager
def read_only(url: str) -> Iterator[None]:
    """As after a failover to a standby: everybody is connected anew, and may only read."""
    server, name = url.rsplit("/", 1)
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        end_connections(url)
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
            end_connections(url)


def test_a_read_only_database_refuses_writes_at_every_door_and_is_waited_out_by_runs(
    tmp_path: Path, llm: LlmServer
) -> None:
    shop = Shop(tmp_path, llm)
    try:
        thinking = Gate()
        llm.reply(text="It is paid.", times=None, gate=thinking)  # interrupted, it is asked again
        workflow = shop.ask("POST", "/api/workflows", {"name": "Pay", "graph": DOCUMENT})["id"]
        run = shop.ask("POST", f"/api/workflows/{workflow}/runs", {"version": "draft", "inputs": {}})["id"]
        until(lambda: llm.requests)
        doors = Doors(shop.instance, shop.token)
        before = doors.there()
        with shop.database() as connection:
            connection.execute("UPDATE accounts_apitoken SET last_used_at = NULL")  # whose use is noted by a read
        with read_only(shop.instance.environment()["DATABASE_URL"]):
            thinking.open()
            refused = "503 STORAGE_READ_ONLY"
            assert [doors.start(), doors.answer(), doors.save(), doors.upload()] == [refused] * 4
            assert doors.there() == before
            status, answer = shop.instance.request("GET", "/api/ready")
            assert (status, answer["checks"]["database"], answer["checks"]["storage"]) == (503, True, False)
            until(lambda: any("could not be prolonged" in line for line in shop.instance.lines))
        assert [doors.start(), doors.save(), doors.upload()] == ["202", "200", "201"]
        assert doors.answer() == "200"
        until(lambda: shop.ask("GET", f"/api/runs/{run}")["state"] in {"SUCCESS", "ERROR", "CANCELLED"}, 90)
        ended = shop.ask("GET", f"/api/runs/{run}")
        assert (ended["state"], ended["outputs"]) == ("SUCCESS", {"text": "It is paid."})
    finally:
        shop.instance.kill()


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A disk of this size at `folder`."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("a disk of a given size is mounted by root")
    folder.mkdir(parents=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("no disk may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Leave no room on the disk of this folder, nor in SQLite's log there; gives the file that has taken it."""
    if (database := folder / "patchbay.sqlite3").exists():
        with contextlib.closing(sqlite3.connect(database, timeout=30)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    taken = folder / "taken"
    with taken.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 65_536)
    return taken


def refuses_until_there_is_room(doors: Doors, folder: Path) -> None:
    """Every door, with more than fits; then with room."""
    before = doors.there()
    taken = fill(folder)
    refused = "503 STORAGE_FULL"
    assert [doors.start(BIG), doors.answer(BIG), doors.save(LARGE), doors.upload(BIG.encode())] == [refused] * 4
    assert doors.there() == before
    with ThreadPoolExecutor(16) as pool:  # threads that have no connection yet open one, and read
        assert list(pool.map(lambda _: doors.there(), range(64))) == [before] * 64
    taken.unlink()
    assert [doors.start(BIG), doors.save(LARGE), doors.upload(BIG.encode())] == ["202", "200", "201"]
    assert doors.answer(BIG) == "200"


def test_an_embedded_disk_that_is_full_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "data", 64) as data:
        instance = Instance(data, extra={"PATCHBAY_MIN_FREE_MB": "0", "PATCHBAY_RUN_STARTS_PER_15S": "0"})
        try:
            refuses_until_there_is_room(Doors(instance.start(), instance.token()), data)
        finally:
            instance.kill()


def test_a_postgres_without_room_loses_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    server = services.own_postgres()
    with small_disk(server.folder / "small", 96) as disk:
        shutil.chown(disk, "postgres")
        where = {"DATABASE_URL": services.database_on(server, disk), "REDIS_URL": services.redis()}
        limits = {"PATCHBAY_RUN_STARTS_PER_15S": "0"}
        instance = ScaledInstance(tmp_path_factory.mktemp("full") / "data", workers=1, extra=limits, where=where)
        try:
            refuses_until_there_is_room(Doors(instance.start(), instance.token()), disk)
        finally:
            instance.kill()
            services.remove_database(where["DATABASE_URL"], "small")
