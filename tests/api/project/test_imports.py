"""What a start costs: libraries that only a used server needs are not imported before one is used."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.instance import clean_environment
from tests.wide import besides

ROOT = Path(__file__).resolve().parents[3]
START = """
import sys
from backend.project.processes import embedded
from django.urls import get_resolver
from backend.runs.worker.worker import Worker
get_resolver().url_patterns
late = {"a2a", "ag_ui", "mcp", "mcp_types", "openai", "starlette", "uvicorn", "redis", "opentelemetry"}
late |= {"prometheus_client", "google.protobuf", "backend.telemetry"}
print(sorted(late & set(sys.modules)))
"""


def printed(program: str, folder: Path, *arguments: str) -> str:
    """What a fresh process prints that does this."""
    ours = {
        **clean_environment(),
        "PATCHBAY_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "backend.project.settings",
    }
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=ours, capture_output=True, text=True, check=True)
    return done.stdout.strip()


REFUSED = """
import asyncio, sys
from backend.project.asgi import application

async def refused(path, method="POST"):
    given = [{"type": "http.request", "body": b"{}", "more_body": False}]
    told = []
    async def receive():
        return given.pop() if given else {"type": "http.disconnect"}
    async def send(message):
        told.append(message)
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": method, "path": path, "headers": headers, "client": ("127.0.0.1", 1)}
    await application({**scope, "query_string": b"", "scheme": "http"}, receive, send)
    return told[0]["status"]

paths = ["/a2a/team/flow", "/agui/team/flow"]
print([asyncio.run(refused(path)) for path in paths], [asyncio.run(refused(path, "GET")) for path in paths])
print(sorted({"a2a", "ag_ui", "google.protobuf", "sse_starlette", "starlette"} & set(sys.modules)))
"""


def test_a_refused_request_imports_no_library_of_its_protocol(tmp_path: Path) -> None:
    assert printed(REFUSED, tmp_path).splitlines() == ["[401, 401] [405, 405]", "[]"]


def test_a_start_imports_no_sdk(tmp_path: Path) -> None:
    assert printed(START, tmp_path) == "[]"


AT_ONCE = """
import importlib, sys, threading
import django
django.setup()
both, failed = threading.Barrier(2), []

def fetch(name):
    both.wait()
    try:
        importlib.import_module(name)
    except (ImportError, RuntimeError) as error:
        failed.append(f"{name}: {error!r}")

threads = [threading.Thread(target=fetch, args=(name,)) for name in sys.argv[1:]]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(failed)
"""
DOORS = ("backend.mcp_server.endpoint", "backend.a2a.dispatching", "backend.agui.serving")
WORK = ("backend.tools.mcp.source", "backend.tools.a2a.source", "backend.llm.client")


BESIDE = (DOORS[0], WORK[0])
"""Both ends of the SDK whose parts import each other; the other pairs are left to `make test-wide`."""


@pytest.mark.parametrize(
    ("door", "work"), [BESIDE, *besides(*(pair for pair in product(DOORS, WORK) if pair != BESIDE))]
)
def test_two_threads_fetch_libraries_at_once(door: str, work: str, tmp_path: Path) -> None:
    """The first request of a client may come while a worker's thread of this process meets its first tool."""
    assert printed(AT_ONCE, tmp_path, door, work) == "[]"


def test_who_takes_a_part_of_the_mcp_sdk_takes_it_whole_before() -> None:
    """A thread that holds a part and waits for the whole is in the way of one that loads the whole."""
    part, whole = re.compile(r"^(?:from|import) mcp\.", re.MULTILINE), re.compile(r"^import mcp\b(?!\.)", re.MULTILINE)
    for file in sorted((ROOT / "backend").glob("*/**/*.py")):
        text = file.read_text()
        if file.is_relative_to(ROOT / "backend" / "demo") or not (first := part.search(text)):
            continue  # a process of its own, without a second thread
        assert (before := whole.search(text)) and before.start() < first.start(), file
