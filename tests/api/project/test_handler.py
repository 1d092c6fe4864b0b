"""The handler's own threads: probes and signing in are answered while all others are busy."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from backend.project.serving.handler import ThreadedHandler


async def status_of(handler: ThreadedHandler, path: str) -> int:
    """What a GET of `path` is answered with."""
    scope: dict[str, Any] = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 80),
    }
    communicator = ApplicationCommunicator(handler, scope)
    await communicator.send_input({"type": "http.request", "body": b"", "more_body": False})
    status: int = (await communicator.receive_output(30))["status"]
    return status


@pytest.mark.django_db(transaction=True)
def test_busy_threads_keep_no_probe_and_no_sign_in_waiting() -> None:
    handler, gate = ThreadedHandler(1), threading.Event()

    async def probe() -> None:
        held = asyncio.get_running_loop().run_in_executor(handler._threads, gate.wait)
        waits = asyncio.ensure_future(status_of(handler, "/api/me"))
        assert await status_of(handler, "/api/health") in (200, 503)
        assert await status_of(handler, "/api/ready") in (200, 503)
        assert await status_of(handler, "/_allauth/browser/v1/auth/session") == 401
        assert not waits.done(), "all other threads are busy"
        gate.set()
        assert await waits == 401 and await held

    asyncio.run(probe())
