"""Triggers from outside: a webhook to its durable run, ten thousand calls at once, a thousand schedules due together.

The schedules are those of a scaled installation: three of its four workers are killed while they take what is due.
"""

from __future__ import annotations

import http.client
import json
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from tests.bench.in_process import chain
from tests.bench.over_http import SETTINGS, Client, workflow
from tests.bench.report import Row, percentile
from tests.instance import Instance, ScaledInstance

CALLS = 300
FLOOD = 10_000
CLIENTS = 20
PER_MINUTE = 60
SCHEDULES = 1000
KILLED = 3
AHEAD_S = 20
"""How long after the last one is made they are due: a reaper has looked meanwhile."""
LIMITS = {
    "PATCHBAY_HOOK_PER_MIN": "0",
    "PATCHBAY_HOOK_QUEUE": "0",
    "PATCHBAY_TRIGGERS_PER_TEAM": "0",
}
_TAKEN = "SELECT COUNT(*), COUNT(DISTINCT trigger_id), MAX(queued_at) FROM runs_run WHERE trigger = 'schedule'"


def published(client: Client) -> str:
    """A published workflow of one node."""
    key = workflow(client, "Triggered", chain(1, "template", {"template": "x"}))
    client.ask("POST", f"/api/workflows/{key}/publish", {})
    return key


def webhook(instance: Instance, token: str) -> list[Row]:
    """From a call to the answer that says that its run is on the disk: where nothing else goes on, and where the run of
    the call before is still going on in the same process."""
    client = Client(instance, token)
    body = {"kind": "webhook", "name": "Bell", "enabled": True, "config": {}}
    trigger = client.ask("POST", f"/api/workflows/{published(client)}/triggers", body)
    path = "/hooks/" + trigger["url"].rpartition("/")[2]
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(instance.url).port, timeout=60)

    def called(number: int) -> tuple[float, str]:
        began = time.perf_counter()
        connection.request("POST", path, json.dumps({"n": number}), {"content-type": "application/json"})
        answer = connection.getresponse()
        body = answer.read()
        spent = (time.perf_counter() - began) * 1000
        assert answer.status == 202, answer.status
        return spent, json.loads(body)["run"]

    def alone(number: int) -> float:
        spent, run = called(number)
        while client.ask("GET", f"/api/runs/{run}")["state"] != "SUCCESS":
            pass
        return spent

    health = percentile([client.timed("GET", "/api/health") for _ in range(CALLS)], 0.5)
    for number in range(20):
        called(number)
    busy = [called(number)[0] for number in range(CALLS)]
    quiet = [alone(number) for number in range(CALLS)]
    return [
        Row("webhook to durable run, p50", percentile(quiet, 0.5), "ms", 12, health, "GET /api/health p50"),
        Row("  call after call, the run before going on", percentile(busy, 0.5), "ms", None, health, "the same"),
    ]


def flood(instance: Instance, token: str) -> list[Row]:
    """Ten thousand calls as fast as they come: all but those of the limit are refused, and nothing of them is kept."""
    client = Client(instance, token)
    body = {"kind": "webhook", "name": "Flood", "enabled": True, "config": {}}
    trigger = client.ask("POST", f"/api/workflows/{published(client)}/triggers", body)
    path = "/hooks/" + trigger["url"].rpartition("/")[2]

    def call(count: int) -> list[tuple[int, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(instance.url).port, timeout=60)
        answers = []
        for _ in range(count):
            connection.request("POST", path, b"{}", {"content-type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            answers.append((answer.status, answer.headers.get("Retry-After", "")))
        return answers

    began = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as programs:
        answers = [item for part in programs.map(call, [FLOOD // CLIENTS] * CLIENTS) for item in part]
    spent = time.perf_counter() - began
    taken = sum(status == 202 for status, _ in answers)
    assert all(status == 202 or (status == 429 and int(wait) > 0) for status, wait in answers), set(answers)
    after = Client(instance, token)  # the server closed the other one's connection, which was idle meanwhile
    kept = after.ask("GET", f"/api/triggers/{trigger['id']}/deliveries?limit=200")
    assert (len(kept["results"]), kept["next"]) == (taken, None), (len(kept["results"]), taken)
    return [
        Row(f"{FLOOD} deliveries at once, those that were taken", taken, "", PER_MINUTE * (2 + spent / 60)),
        Row("of them answered", FLOOD / spent, "1/s", lower=False),
    ]


def schedules(instance: ScaledInstance, token: str) -> list[Row]:
    """A thousand that are due at once, and workers that are killed meanwhile; none is taken twice."""
    client = Client(instance, token)
    key = published(client)
    config = {"at": [(datetime.now(UTC) + timedelta(days=1)).isoformat()], "overlap": "allow"}
    for number in range(SCHEDULES):
        body = {"kind": "schedule", "name": f"Sweep {number}", "enabled": True, "config": config}
        client.ask("POST", f"/api/workflows/{key}/triggers", body)
    victims = instance.workers[:KILLED]
    with psycopg.connect(instance.environment()["DATABASE_URL"], autocommit=True) as database:
        due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=AHEAD_S)
        database.execute("UPDATE triggers_trigger SET next_at = %s", [due.timestamp()])
        time.sleep(AHEAD_S)
        while True:
            runs, triggers, last = database.execute(_TAKEN).fetchone() or (0, 0, None)
            if victims and runs >= SCHEDULES * (KILLED + 1 - len(victims)) // (KILLED + 2):
                victims.pop(0).kill()
            if runs >= SCHEDULES or datetime.now(UTC) > due + timedelta(seconds=120):
                break
            time.sleep(0.02)
    spent = (last - due).total_seconds() if last is not None else float("inf")
    return [
        Row(f"{runs} schedules due in one second, last durable run", spent, "s", 5),
        Row("of them taken twice", float(runs - triggers), "", 0),
        Row("of them not taken", float(SCHEDULES - triggers), "", 0),
    ]


def measure() -> Iterator[Row]:
    """All rows of this file, each part's when it ends."""
    with tempfile.TemporaryDirectory() as folder:
        embedded = Instance(Path(folder) / "embedded", extra={**SETTINGS, **LIMITS})
        try:
            yield from webhook(embedded, embedded.start().token())
        finally:
            embedded.kill()
        limited = Instance(Path(folder) / "limited", extra={**SETTINGS, "PATCHBAY_HOOK_PER_MIN": str(PER_MINUTE)})
        try:
            yield from flood(limited, limited.start().token())
        finally:
            limited.kill()
        scaled = ScaledInstance(Path(folder) / "scaled", web=1, workers=KILLED + 1, extra={**SETTINGS, **LIMITS})
        try:
            yield from schedules(scaled, scaled.start().token())
        finally:
            scaled.kill()
