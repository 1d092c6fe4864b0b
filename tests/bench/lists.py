"""Pages that grow with the team: what one page of each list costs at 100,000 runs, 10,000 workflows, 500 servers.

CPU of the thread that answers, the best of some requests: what the clock says hangs on who else works. All pages are
asked for in turn, round after round: a machine is slower for some moments, and so all of them meet such a moment, and
none finds in the caches what only itself has read. Beside it stands an answer that reads nothing but who asks.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from tests.bench import seeding
from tests.bench.report import Row
from tests.people import Api

RUNS, WORKFLOWS, SERVERS = 100_000, 10_000, 500
WAITING = 20_000
TARGET_MS = 10.0
TIMES = 15


class Grown:
    """A team that has used Patchbay for long, and its owner's token."""

    def __init__(self) -> None:
        from backend.accounts.actor import actor_for
        from backend.accounts.auth.tokens import issue_token
        from backend.accounts.teams.services import first_owner

        call_command("migrate", verbosity=0)
        settings.ALLOWED_HOSTS = ["testserver"]
        limits = settings.PATCHBAY
        limits.rate_person_per_min = limits.rate_token_per_min = limits.rate_team_per_min = 0
        actor = actor_for(first_owner("bench@example.org"))
        assert actor is not None
        self.actor, self.now = actor, timezone.now()
        _, token = issue_token(actor.user, actor.team, "bench")
        self.api = Api(token)
        with transaction.atomic():
            seeding.servers(actor.team, self.now, SERVERS)
            seeding.workflows(actor.team, actor.user, self.now, WORKFLOWS, SERVERS)
            self.runs()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")

    def runs(self) -> None:
        """Runs of them, most of them ended, many that wait for a timer; blobs that they wrote."""
        from backend.files.models import Blob, File
        from backend.files.services import blob_store
        from backend.runs.models import Run

        team, user = self.actor.team, self.actor.user
        graph, data = blob_store(team.pk, b'{"nodes": [], "edges": []}'), b"b" * 8000
        later = time.time() + 86_400
        batch = []
        for n in range(RUNS):
            at = self.now - timedelta(seconds=RUNS - n)
            waits = n >= RUNS - WAITING
            state = "WAITING" if waits else "SUCCESS"
            batch.append(
                Run(
                    id=f"run_{n:08}",
                    team=team,
                    workflow_id=f"wf_{n % WORKFLOWS:06}",
                    state=state,
                    started_by=user,
                    queued_at=at,
                    started_at=at,
                    finished_at=None if waits else at,
                    graph=graph,
                    last_seq=30,
                    wake_at=later if waits else None,
                    outputs=json.dumps({"text": "o" * 200}),
                    waiting=json.dumps([{"kind": "timer", "until": later}]) if waits else "[]",
                )
            )
        Run.objects.bulk_create(batch, 500)
        Blob.objects.bulk_create(
            [
                Blob(id=f"blob_{n:08}", team=team, sha256=sha256(str(n).encode()).hexdigest(), size=8000, data=data)
                for n in range(RUNS // 5)
            ],
            500,
        )
        File.objects.bulk_create(
            [
                File(
                    id=f"file_{n:08}",
                    team=team,
                    blob_id=f"blob_{n:08}",
                    name=f"file {n}",
                    mime="text/plain",
                    size=8000,
                )
                for n in range(RUNS // 20)
            ],
            500,
        )

    def get(self, path: str) -> Callable[[], Any]:
        """A request for a page."""

        def ask() -> Any:
            cache.delete(f"storage:{self.actor.team.pk}")
            reply = self.api.get(path)
            assert reply.status == 200, reply.text[:500]
            return reply.data

        return ask


def cpu(works: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Milliseconds of CPU of this thread for each, the best of some rounds over all."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(TIMES):
        for what, work in works.items():
            began = time.thread_time()
            work()
            best[what] = min(best[what], (time.thread_time() - began) * 1000)
    return best


def measure() -> Iterator[Row]:
    """All rows of this file."""
    from backend.runs.queue import leases
    from backend.runs.queue.leases import Terms

    here = Grown()
    pages = {
        "workflows": "/api/workflows?limit=50",
        "workflows, found by a word": "/api/workflows?limit=50&q=workflow%2099",
        "workflows to call": "/api/workflows?limit=50&published=true",
        "workflows to call, found by a word": "/api/workflows?limit=50&published=true&q=workflow%2099",
        "workflows that are named": "/api/workflows?limit=200"
        + "".join(f"&id=workflow-{n}" for n in range(0, 2000, 97)),
        "workflows, a word that none has": "/api/workflows?limit=50&q=nowhere",
        "servers": "/api/mcp/servers?limit=50",
        "servers by name": "/api/mcp/servers?limit=50&sort=name",
        "servers that need attention": "/api/mcp/servers?limit=50&sort=name&only=attention",
        "servers, found by a tool": "/api/mcp/servers?limit=50&q=tool_7",
        "servers, a word that none has": "/api/mcp/servers?limit=50&q=nowhere",
        "runs": "/api/runs",
        "runs that wait": "/api/runs?state=WAITING",
        "runs of a workflow": "/api/runs?workflow=wf_000007",
        "runs in a state that few have": "/api/runs?state=ERROR",
        "what is stored": "/api/usage/storage",
        "queue": "/api/queue",
        "questions": "/api/interactions",
        "runs of a backup to look at": "/api/restored-runs",
    }
    body = {"alone": here.get("/api/me")}
    for what, path in pages.items():
        ask = body[f"a page: {what}"] = here.get(path)
        if following := ask().get("next"):
            body[f"its next page: {what}"] = here.get(f"{path}{'&' if '?' in path else '?'}cursor={following}")
    terms = Terms(owner="bench", limit=100, lease_s=None)
    spent = cpu({**body, "reaper": lambda: leases.claim_batch(terms, 10)})
    least, reaper = spent.pop("alone"), spent.pop("reaper")
    for what, took in spent.items():
        yield Row(what, took, "ms", TARGET_MS, least, "who asks alone")
    yield Row(f"the reaper's look past {WAITING:,} waiting runs", reaper, "ms", 1.0)
