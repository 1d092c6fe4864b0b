"""The floor of a run over HTTP: Daphne, an async Django view, two durable SQLite commits, and nothing else.

`python -m tests.bench.floor PORT FOLDER` serves it: a POST is parsed, a row is stored, then changed, each in a
transaction that waits for the disk, and the row is the answer. What Patchbay takes beside it is what Patchbay adds.
`Floor` starts it as a process of its own.
"""

from __future__ import annotations

import json
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil

from tests.instance import ROOT, clean_environment
from tests.services import free_port

PATH = "/runs"


class Floor:
    """The process that serves it: `start`, `kill`."""

    def __init__(self, folder: Path) -> None:
        self.port, self._folder = free_port(), folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Floor:
        """Start it and wait until it takes connections."""
        self._folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tests.bench.floor", str(self.port), str(self._folder)]
        self._process = subprocess.Popen(command, cwd=ROOT, env=clean_environment(), stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return self
        self.kill()
        raise AssertionError("the floor did not start")

    def processes(self) -> list[psutil.Process]:
        """Its one process."""
        assert self._process is not None
        return [psutil.Process(self._process.pid)]

    def kill(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(60)


class _Rows:
    """Its database: one connection, every commit on the disk before it returns."""

    def __init__(self, folder: Path) -> None:
        self._database = sqlite3.connect(folder / "floor.sqlite3", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=FULL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, state TEXT, inputs TEXT, outputs TEXT)"
        )

    def change(self, statement: str, *values: str) -> None:
        """One transaction."""
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute(statement, values)
        self._database.execute("COMMIT")


def _serve(port: int, folder: Path) -> None:
    import daphne.server  # the first import: it installs the asyncio reactor
    import django
    from django.conf import settings

    settings.configure(ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, SECRET_KEY="floor", MIDDLEWARE=[])
    django.setup()
    from django.core.asgi import get_asgi_application
    from django.http import HttpRequest, JsonResponse
    from django.urls import path

    rows = _Rows(folder)

    async def run(request: HttpRequest) -> JsonResponse:
        inputs, key = json.loads(request.body), uuid4().hex
        rows.change("INSERT INTO run VALUES (?, 'QUEUED', ?, '{}')", key, json.dumps(inputs))
        rows.change("UPDATE run SET state = 'SUCCESS', outputs = ? WHERE id = ?", '{"text": "x"}', key)
        return JsonResponse({"id": key, "state": "SUCCESS", "inputs": inputs, "outputs": {"text": "x"}})

    here: Any = sys.modules[__name__]
    here.urlpatterns = [path(PATH.removeprefix("/"), run)]
    endpoint = f"tcp:port={port}:interface=127.0.0.1"
    daphne.server.Server(get_asgi_application(), endpoints=[endpoint], verbosity=0).run()


if __name__ == "__main__":
    _serve(int(sys.argv[1]), Path(sys.argv[2]))
