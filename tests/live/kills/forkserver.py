"""Starts one of Patchbay's processes again and again without importing everything each time: it forks.

`python -m tests.live.kills.forkserver` imports what the processes need, then reads commands: `run,<point>,<lease>` (or
`web`, `worker`) forks a child that is Patchbay's own start from there on (migrate, check keys, serve), with the crash
point armed and with leases of so many seconds; both may be empty. When the child is over it says how. What the tests
kill is such a child: a process of its own, with the database on the disk or in Postgres.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import sys

MARK = "forkserver:"
PR_SET_PDEATHSIG = 1
LATE = (
    "backend.llm.client",
    "backend.project.processes.embedded",
    "backend.project.processes.scaled",
    "backend.project.urls",
    "backend.providers.connections",
    "backend.runs.worker.worker",
    "backend.tools.mcp.pool",
    "backend.tools.mcp.source",
    "celery.worker",
    "openai.resources.chat.completions",
)
"""What a process imports on first use."""


def die_with_parent() -> None:
    """Be killed when whoever started this dies, so that no test leaves a server behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    die_with_parent()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")
    import django

    django.setup()
    from django.conf import settings

    from backend.nodes import node_types
    from backend.project import cli
    from backend.runs.worker import failpoints

    for name in LATE:
        importlib.import_module(name)
    node_types()

    starts = {"run": cli.run, "web": cli.web, "worker": cli.worker}

    print(MARK, "ready", flush=True)
    for line in sys.stdin:
        kind, point, lease_s = line.strip().split(",")
        child = os.fork()
        if child == 0:
            code = 70
            try:
                die_with_parent()
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                failpoints.arm(point)
                if lease_s:
                    settings.PATCHBAY.lease_s = float(lease_s)
                code = starts[kind]()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        print(MARK, "started", child, flush=True)
        _, status = os.waitpid(child, 0)
        print(MARK, "over", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
