"""What `make test` and its like (`-scaled`, `-kills`, `-conformance`, `-wide`, `coverage`) run: lanes side by side.

Standard library only, as `bootstrap.py`, which calls it. Half of the time these tests wait for processes, pages and
databases, so on two cores several lanes together take little longer than the longest of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from xml.etree import ElementTree

from tests import exhaustive, shared_folders

ROOT = Path(__file__).resolve().parents[1]
FRONTEND = ROOT / "frontend"
FIRST_PORT = 8000
"""Nothing listens there: a port names the test database of what runs beside something else."""

BY_FILE = ("--dist", "loadfile", "--max-worker-restart", "4")
"""A test that ends its process is tried in the next one, without end unless the number of those is bounded."""
TWO = ("-n", "2", *BY_FILE)
THREE = ("-n", "3", *BY_FILE)
"""On two cores: for tests that wait for nearly half of their time."""
IN_ORDER = ("--no-loadscope-reorder",)
"""Files of a folder one after the other: what they share is started once per worker, not for every file."""
SCALED = ("-p", "tests.scaled")
NARROW, WIDE = ("-m", "not wide"), ("-m", "wide")
DRAWN = ("-m", "hypothesis and not wide")
"""Whose examples are drawn."""
INNER = ("tests/unit", "tests/properties", "tests/api")
OPEN = (
    *("PATCHBAY_URL=https://patchbay.example.org", "PATCHBAY_DATA_DIR=.stamps/deployment"),
    *("DATABASE_URL=postgres://patchbay:x@127.0.0.1/patchbay", "REDIS_URL=redis://127.0.0.1:6379/0"),
)
"""The environment of an installation of many machines, open to the internet; nothing of it is connected to."""


REPORT = "report.xml"
"""Beside what failed: how long each test of a part took."""


GRACE = 5.0
"""Seconds that what is stuck has to say where."""


class Check(NamedTuple):
    """Something to run: what it is called, the command, the folder it runs in."""

    name: str
    command: Sequence[str | Path]
    folder: Path = ROOT
    cache: Path | None = None
    """Of a part of pytest: where it keeps what failed, so that just that can run by itself."""
    more: Mapping[str, str] = MappingProxyType({})
    """More environment variables."""
    limit: float = 2100
    """Seconds until it counts as stuck: about twice what the longest part takes on two busy cores."""


class Result(NamedTuple):
    """How a check ended."""

    check: Check
    passed: bool


def part(python: Path, name: str, *arguments: str) -> Check:
    """A part of the tests that pytest runs."""
    cache = ROOT / ".pytest_cache" / name.replace(" ", "-").replace(",", "")
    command: list[str | Path] = [python, "-m", "pytest", "-q", "-o", f"cache_dir={cache}", *arguments]
    return Check(f"pytest, {name}", command, cache=cache)


def quick(python: Path) -> list[Check]:
    """What tells in seconds that something is wrong."""
    tools = python.parent
    return [
        Check("ruff", [tools / "ruff", "check", "backend", "tests", "bootstrap.py"]),
        Check("ruff format", [tools / "ruff", "format", "--check", "backend", "tests", "bootstrap.py"]),
        Check("rooms", [tools / "lint-imports"]),
        Check("migrations", [python, "manage.py", "makemigrations", "--check", "--dry-run"]),
        Check("deployment", ["env", *OPEN, python, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]),
    ]


def thorough(python: Path, npm: Sequence[str | Path]) -> list[Check]:
    """Types (also of tests), and the frontend's own checks: they compute, and take what the tests beside them leave."""
    last = ("nice", "-n", "10")
    return [
        Check("mypy", [*last, python.parent / "mypy"]),
        Check("API types", [*last, *npm, "apigen", "--", "--check"], FRONTEND),
        Check("biome", [*last, *npm, "lint"], FRONTEND),
        Check("tsc", [*last, *npm, "typecheck"], FRONTEND),
        Check("vitest", [*last, *npm, "test"], FRONTEND),
    ]


KILLS, SCALED_LIVE = "tests/live/kills", "tests/live/scaled"
"""They choose their modes themselves; what they kill is started in both."""
BOTH_MODES = [f"tests/live/project/test_{name}.py" for name in ("backup", "audit_chain")]
"""From one mode into the other."""


def everyday(python: Path, npm: Sequence[str | Path]) -> list[list[list[Check]]]:
    """`make test`, in order: lanes beside each other, one group of lanes after the other.

    The browser's tests and those of real processes cannot share a process: the browser's driver keeps an event loop
    going in its own. What only computes runs beside the tests of one process, in the time that these wait: for a
    program's start, a disk, a pause that the product makes.
    """
    live = ["tests/live", *(f"--ignore={path}" for path in (KILLS, SCALED_LIVE, *BOTH_MODES))]
    return [
        [[check] for check in quick(python)],
        [thorough(python, npm), [part(python, "in this process", *TWO, *NARROW, *INNER)]],
        [
            [part(python, "real processes", *THREE, *IN_ORDER, *NARROW, *live)],
            [part(python, "a browser", *TWO, *NARROW, "tests/e2e")],
        ],
    ]


def durable(python: Path, _npm: Sequence[str | Path]) -> list[list[list[Check]]]:
    """`make test-scaled`: what `make test` tried in one process, on Postgres, Redis and several.

    Servers are the same in both modes, so their tests do not run again.
    """
    both = [f"tests/live/{name}" for name in ("runs", "agents", "providers", "project/test_bodies.py")]
    live = part(python, "real processes, scaled", *TWO, *IN_ORDER, *both)._replace(
        more={"PATCHBAY_TEST_MODE": "scaled"}
    )
    api = part(python, "in this process, scaled", *SCALED, *TWO, *NARROW, "tests/api")
    return [[[api]], [[live]]]


def killing(python: Path, _npm: Sequence[str | Path]) -> list[list[list[Check]]]:
    """`make test-kills`: processes, servers and databases are killed in both modes, one after the other."""
    return [[[part(python, "kills", KILLS, SCALED_LIVE, *BOTH_MODES)._replace(limit=3600)]]]


def conforming(python: Path, _npm: Sequence[str | Path]) -> list[list[list[Check]]]:
    """`make test-conformance`: the protocol's own suite, with Patchbay as client and as server, both revisions."""
    return [[[part(python, "conformance", "tests/conformance")]]]


def wide(python: Path, _npm: Sequence[str | Path]) -> list[list[list[Check]]]:
    """`make test-wide`: every page at every width, in each language and theme, every preset, and what takes long.

    `make test` has one of each kind; these are as many as there are pages, and would double its time. CI runs them too.
    """
    every = {exhaustive.VARIABLE: "1"}
    return [
        [[part(python, "in this process, wide", *TWO, *WIDE, *INNER)]],
        [[part(python, "every example", *TWO, *NARROW, "tests/properties")._replace(more=every)]],
        [[part(python, "every example, elsewhere", *TWO, *DRAWN, "tests/unit", "tests/api")._replace(more=every)]],
        [
            [part(python, "real processes, wide", *TWO, *IN_ORDER, *WIDE, "tests/live")],
            [part(python, "a browser, wide", *TWO, *WIDE, "tests/e2e")],
        ],
    ]


def measured(python: Path, npm: Sequence[str | Path]) -> list[list[list[Check]]]:
    """`make coverage`: which lines and branches the tests of one process reach; each language below its floor fails.

    What only processes of their own and browsers reach is not counted: much of it is killed before it could tell.
    """
    tool = python.parent / "coverage"
    return [
        [[Check("coverage of the screen", [*npm, "coverage"], FRONTEND)]],
        [[Check("coverage begins anew", [tool, "erase"])]],
        [[Check("pytest, measured", [tool, "run", "-m", "pytest", "-q", *TWO, *INNER])]],
        [[Check("coverage together", [tool, "combine", "--quiet"])]],
        [[Check("coverage of the backend", [tool, "report"])]],
    ]


def run_phases(phases: Sequence[Sequence[Sequence[Check]]], environment: Mapping[str, str]) -> list[str]:
    """Run one phase after the other; gives the names of what failed. What is made once for many tests serves all."""
    with tempfile.TemporaryDirectory(prefix="patchbay-templates-") as templates:
        shared = {**environment, shared_folders.TEMPLATES: templates}
        return [name for phase in phases for name in run(phase, shared)]


def run(together: Sequence[Sequence[Check]], environment: Mapping[str, str]) -> list[str]:
    """Run lanes side by side; gives the names of what failed.

    What a check prints comes in one piece, when it has ended. What failed runs once more by itself, for the reader
    alone: whether a test fails without neighbours says where to look, and does not make it pass.
    """
    printing = threading.Lock()
    numbers = {check.name: number for number, check in enumerate(check for lane in together for check in lane)}

    def result(check: Check) -> Result:
        if check.cache:
            _lastfailed(check.cache).unlink(missing_ok=True)
            check = check._replace(command=[*check.command, f"--junit-xml={check.cache / REPORT}"])
        return _run(check, environment, FIRST_PORT + numbers[check.name], printing)

    with ThreadPoolExecutor(len(together)) as threads:
        results = [
            item for lane in threads.map(lambda lane: [result(check) for check in lane], together) for item in lane
        ]
    failed = [result.check for result in results if not result.passed]
    for check in failed:
        _tell_whether_it_fails_alone(check, environment)
    return [check.name for check in failed]


def slowest(phases: Sequence[Sequence[Sequence[Check]]], count: int = 20) -> list[str]:
    """The tests that took longest when the checks of these phases last ran, as `12.3 s name`, the longest first."""
    taken = []
    for check in (check for together in phases for lane in together for check in lane):
        if check.cache and (report := check.cache / REPORT).exists():
            for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - written by our own pytest
                name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
                taken.append((float(case.get("time", 0)), name))
    return [f"{seconds:.1f} s {name}" for seconds, name in sorted(taken, reverse=True)[:count]]


def _run(check: Check, environment: Mapping[str, str], port: int, printing: threading.Lock) -> Result:
    started = time.monotonic()
    # A file, not a pipe: a pipe is at its end only when every process that a test left behind has let go of it.
    with tempfile.TemporaryFile("w+", errors="replace") as reply:
        process = subprocess.Popen(
            [str(word) for word in check.command],
            cwd=check.folder,
            env={**environment, **check.more, "PATCHBAY_PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stdout=reply,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        in_time = _ends(process, check.limit)
        reply.seek(0)
        with printing:
            shutil.copyfileobj(reply, sys.stdout)
            if not in_time:
                print(f"did not end within {check.limit} s; its threads are above", flush=True)
            passed = in_time and process.returncode == 0
            print(f"{'ok' if passed else 'FAILED'}: {check.name} ({time.monotonic() - started:.1f} s)", flush=True)
    return Result(check, passed)


def _ends(process: subprocess.Popen[bytes], limit: float) -> bool:
    """Whether a check ended by itself within so many seconds; one that did not is ended with all of its group.

    SIGABRT first: pytest answers it with what each of its threads was at, which is all there is to find the cause by.
    """
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired:
        for sign in (signal.SIGABRT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, sign)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
        return False
    return True


def _tell_whether_it_fails_alone(check: Check, environment: Mapping[str, str]) -> None:
    if check.cache is None or not (failed := _failed(check.cache)):
        return
    print(f"once more, by themselves, of {check.name}: {', '.join(failed)}", flush=True)
    alone = ["-n", "0", "--last-failed", "--last-failed-no-failures", "none"]
    report = f"--junit-xml={check.cache / 'alone.xml'}"  # the other says how long each test took
    again = check._replace(command=[*check.command, *alone, report], name=f"{check.name}, by itself")
    if _run(again, environment, FIRST_PORT, threading.Lock()).passed:
        print(f"unsteady (failed beside others, passed by itself): {', '.join(failed)}", flush=True)


def _lastfailed(cache: Path) -> Path:
    return cache / "v" / "cache" / "lastfailed"


def _failed(cache: Path) -> list[str]:
    result = _lastfailed(cache)
    return sorted(json.loads(result.read_text())) if result.exists() else []
