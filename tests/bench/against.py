"""CPU and statements of a trivial run beside another checkout's: `python -m tests.bench.against CHECKOUT [PAIRS]`.

Both installations run at once with the same packages; pairs of runs, one in each, alternate in chance order, so that
whatever else the machine does meets both. What counts is CPU of the installation's process, summed over blocks of 25
pairs; given are the median of the blocks' ratios and the ratio of the sums. Statements are counted by SQLite itself in
a process of each checkout, over one run after a warm one; the journal's and the worker's are among them.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.over_http import SETTINGS, Client, cpu, workflow
from tests.instance import ROOT, Instance, clean_environment

GRAPH = {
    "schema": 1,
    "nodes": [
        {"id": "start", "type": "start", "v": 1, "config": {"inputs": {"type": "object"}}},
        {"id": "say", "type": "template", "v": 1, "config": {"template": "Hello {{ start.name }}"}},
        {"id": "end", "type": "end", "v": 1, "config": {"outputs": {"text": "{{ say.text }}"}}},
    ],
    "edges": [
        {"id": "a", "source": "start", "source_port": "out", "target": "say", "target_port": "in"},
        {"id": "b", "source": "say", "source_port": "out", "target": "end", "target_port": "in"},
    ],
}
RUN = {"version": "draft", "inputs": {"name": "Ada"}, "wait": 30}
BLOCK = 25
WARM = 40

COUNTED = """
import json, os, sys, threading, time
import django
django.setup()
from django.conf import settings
settings.ALLOWED_HOSTS = ["*"]
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.db.backends.signals import connection_created
from django.db import connections
lock, seen, on, quiet = threading.Lock(), [], [False], threading.local()
def trace(statement):
    if on[0] and not getattr(quiet, "looking", False):
        with lock:
            seen.append(statement.split(None, 1)[0].upper())
connection_created.connect(lambda connection, **_: connection.connection.set_trace_callback(trace), weak=False)
connections.close_all()
from backend.accounts.models import Role, Team
try:
    from tests.people import person
    hinted = True
except ImportError:  # a checkout of before the rooms were divided
    from tests.cast import person
    from backend.runs.hub import HUB
    hinted = hasattr(HUB, "on_wake")  # else its hints go by a broker
from backend.runs.models import Run
from tests.api.runs.conftest import make_worker, make_workflow
bob = person("bob", Team.objects.create(name="T", slug="t"), Role.OWNER)
flow = make_workflow(bob, json.loads(os.environ["GRAPH"]))
worker = make_worker()
worker.start()
def once():
    reply = bob.api.post(f"/api/workflows/{flow.pk}/runs", {"version": "draft", "inputs": {"name": "Ada"}})
    assert reply.status == 202, reply.text
    run = reply.data["id"]
    if not hinted:
        worker.take(run)
    quiet.looking = True
    while Run.objects.filter(pk=run).exclude(state="SUCCESS").exists():
        time.sleep(0.01)
    quiet.looking = False
for _ in range(3):
    once()
on[0] = True
once()
on[0] = False
worker.stop(5)
print(len(seen))
"""


class Other(Instance):
    """An installation of another checkout."""

    def __init__(self, checkout: Path, data: Path) -> None:
        super().__init__(data, extra=dict(SETTINGS), folder=checkout)

    def token(self, email: str = "alice@example.org") -> str:
        """A token of it, by its own command."""
        command = [sys.executable, "manage.py", "issue_token", email]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        return done.stdout.strip()


def statements(checkout: Path) -> int:
    """How many statements one trivial run takes there."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **clean_environment(),
            "DJANGO_SETTINGS_MODULE": "backend.project.settings",
            "PATCHBAY_DATA_DIR": folder,
            "PYTHONPATH": str(checkout),
            "GRAPH": json.dumps(GRAPH),
            **SETTINGS,
        }
        command = [sys.executable, "-c", COUNTED]
        done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        return int(done.stdout.split()[-1])


def main(checkout: Path, pairs: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        sides = {"here": Other(ROOT, Path(folder) / "here"), "there": Other(checkout, Path(folder) / "there")}
        try:
            clients: dict[str, tuple[Client, str]] = {}
            tokens = {name: side.start().token() for name, side in sides.items()}
            for name, side in sides.items():  # once both stand: a connection that rests for long is closed
                client = Client(side, tokens[name])
                clients[name] = (client, workflow(client, "trivial", GRAPH))
            for _ in range(WARM):
                for client, key in clients.values():
                    client.ask("POST", f"/api/workflows/{key}/runs", RUN)
            used: dict[str, list[float]] = {name: [cpu(side)] for name, side in sides.items()}
            for pair in range(1, pairs + 1):
                for name in random.sample(sorted(sides), 2):
                    client, key = clients[name]
                    client.ask("POST", f"/api/workflows/{key}/runs", RUN)
                if pair % BLOCK == 0:
                    for name, side in sides.items():
                        used[name].append(cpu(side))
        finally:
            for side in sides.values():
                side.kill()
    spent = {name: [b - a for a, b in itertools.pairwise(marks)] for name, marks in used.items()}
    ratios = [here / there for here, there in zip(spent["here"], spent["there"], strict=True)]
    total = {name: sum(blocks) / pairs * 1000 for name, blocks in spent.items()}
    print(f"{pairs} pairs: CPU per run here {total['here']:.3f} ms, there {total['there']:.3f} ms")
    print(f"ratio of the sums {total['here'] / total['there']:.3f}, median of blocks {statistics.median(ratios):.3f}")
    print(f"statements here {statements(ROOT)}, there {statements(checkout)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 500)
