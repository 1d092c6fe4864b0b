"""`make bench`: every figure of design.md, "Numbers to reach", that is measured here. Names choose parts of it.

What was measured is kept in `docs/performance.md`, and what got slower since is said at the end.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile

from tests.bench.record import keep
from tests.bench.report import MISSED

PARTS = (
    "boxes",
    "boxed_servers",
    "code",
    "configurations",
    "libraries",
    "in_process",
    "growth",
    "lists",
    "results",
    "loops",
    "agents",
    "many_tools",
    "many_servers",
    "tool_search",
    "registry_page",
    "dify_import",
    "waiting",
    "parked_tasks",
    "over_http",
    "mcp_server",
    "a2a",
    "triggers",
    "tracing",
    "scaled",
    "tokens",
    "canvas",
    "opened_run",
    "at_scale",
    "at_scale_embedded",
    "leaks",
    "leaks_scaled",
    "fuzz",
    "soak",
)
SCALED = ("scaled", "triggers", "at_scale", "leaks_scaled")
"""Parts that measure a scaled installation."""
ROOM = {
    "at_scale": {
        "shared_buffers": "1GB",
        "max_wal_size": "8GB",
        "autovacuum_naptime": "1min",
        "checkpoint_timeout": "15min",
    }
}
"""What Postgres is given for parts that are about how much it holds: what its documentation recommends."""


SLOWER = "slower than kept: "
"""What a line begins with that names a figure whose ratio got worse."""


def measure(part: str) -> None:
    """Measure one part in this process, print its rows and keep them."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="backend.project.settings",
            PATCHBAY_DATA_DIR=folder,
            PATCHBAY_RUN_STARTS_PER_15S="0",
            PATCHBAY_TEAM_RUN_STARTS_PER_15S="0",
            PATCHBAY_MAX_CONCURRENT_RUNS="200",
        )
        if part in SCALED:
            from tests import services

            postgres = services.Postgres(durable=True, settings=ROOM.get(part))  # ends with this name
            os.environ[services.GIVEN_POSTGRES] = postgres.url()
            os.environ.update(DATABASE_URL=services.database(), REDIS_URL=services.redis())
        import django

        django.setup()
        rows = []
        for row in importlib.import_module(f"tests.bench.{part}").measure():
            print(row, flush=True)
            rows.append(row)
    for line in keep(part, rows):
        print(f"{SLOWER}{line}", flush=True)


def main() -> None:
    """Measure and print, each part in a process of its own. Shared machines are noisy: read the ratios."""
    expected = sys.argv[1:] or PARTS
    unknown = set(expected) - set(PARTS)
    if unknown:
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if len(expected) == 1:
        measure(expected[0])
        return
    over, broken, slower = 0, [], []
    for part in expected:
        command = [sys.executable, "-m", "tests.bench", part]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                if line.startswith(SLOWER):
                    slower.append(f"{part}: {line.removeprefix(SLOWER).strip()}")
                    continue
                print(line, end="", flush=True)
                over += any(word in line.split() for word in MISSED)
        if process.returncode:
            broken.append(part)
    print(f"\n{over} of the figures miss their target on this machine now." if over else "\nAll targets are met.")
    if slower:
        print("Slower by more than a tenth than docs/performance.md had it:", *slower, sep="\n  ")
    if broken:
        sys.exit(f"could not be measured: {', '.join(broken)}")


if __name__ == "__main__":
    main()
