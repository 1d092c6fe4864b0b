"""Where processes of a scaled installation end themselves, and how a run goes on that was there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from backend.engine.execution.failpoints import FAILPOINTS
from tests.instance import Process, until
from tests.live.kills import graphs
from tests.live.kills.harness import ENDED, Harness, Started
from tests.live.kills.own import OwnScaled
from tests.live.kills.watcher import Watcher

STARTING = {"swept.uncommitted", "lease.before", "lease.after"}
STOPPING = {"handed.uncommitted", "handed.committed"}
FAMILY = {"child.uncommitted", "child.committed", "over.untold", "over.committed", "suspended.committed"}
"""Where a child run makes a difference."""
FILES = {"file.uncommitted", "file.committed"}
EXPIRING = {"expired.uncommitted"}
HOOKS = {"delivery.uncommitted", "delivery.committed"}
"""Where a webhook is called, or a page's form is sent."""
SLOTS = {"slot.uncommitted"}
"""Where a schedule is due."""
TASKS = {"task.followed"}
"""Where a server answered with a task."""
SIGN_INS = {"sign_in.answered", "sign_in.stored"}
"""Where a person comes back from signing in at a server."""
RENEWALS = {"renewal.answered", "renewal.stored"}
"""Where a token is renewed (both: test_sign_ins)."""
CALLS = {"call.stored", "call.ended"}
"""Where a client calls a tool of ours (test_client_calls)."""
MESSAGES = {"a2a.stored", "a2a.answered"}
"""Where a client sends an agent a message (test_messages)."""
FRONTS = {"agui.stored"}
"""Where a front end asks (test_fronts)."""
TALKS = {"conversation.uncommitted", "conversation.committed"}
"""Where a run of a conversation ends."""
WEB = {"start.uncommitted", "inbox.uncommitted", "hint.unsent"} | FILES | HOOKS
"""Scaled, those of a web process; the others are a worker's."""
LOSING = {"lease.over"}
"""Where a process comes only when it was cut off or stood still beyond its lease (test_fence)."""
_OWN = LOSING | SIGN_INS | RENEWALS | CALLS | MESSAGES | FRONTS
SCALED = [name for name in FAILPOINTS if name not in {"swept.uncommitted"} | _OWN]
"""All but what happens only where one process owns the database, or has lost it, or what has tests of its own."""
SOME = [
    "start.uncommitted",
    "inbox.uncommitted",
    "hint.unsent",
    "claim.committed",
    "started.uncommitted",
    "started.committed",
    "effect.write.after",
    "task.followed",
    "ended.uncommitted",
    "ended.committed",
    "answered.committed",
    "blob.uncommitted",
    "child.committed",
    "over.uncommitted",
    "delivery.committed",
    "slot.uncommitted",
    "conversation.uncommitted",
]
"""Of the scaled ones what every test run goes through; the soak goes through all."""

SLUGS = {
    **dict.fromkeys(STARTING, "slow"),
    **dict.fromkeys(STOPPING, "slower"),  # a worker that stops turns hints away first
    **dict.fromkeys(EXPIRING, "expiring"),
    **dict.fromkeys(TASKS, "task"),
}
LEASE_S = 1.0


def watched(harness: Harness, run: Started) -> Watcher:
    """A page that follows the run."""
    urls = harness.urls or [harness.instance.url]
    watcher = Watcher([url.replace("http", "ws") + "/ws/" for url in urls], harness.token, seed=1, fickle=False)
    watcher.follow(run.id)
    return watcher


def seen_whole(harness: Harness, watcher: Watcher, run: Started) -> None:
    """The page that lost its connection saw what the log holds, once and in order."""
    until(lambda: watcher.ended(run.id), 30)
    watcher.stop()
    assert not watcher.wrong and watcher.seen[run.id] == harness.events(run.id)


def upload(harness: Harness, name: str) -> None:
    """Store a small file."""
    body = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}.txt"\r\n\r\nbytes of it\r\n--x--\r\n'
    kind: dict[str, Any] = {"content-type": "multipart/form-data; boundary=x"}
    created: Any = harness.ask("POST", "/api/files", body.encode(), **kind)
    assert created["size"] == len("bytes of it")


def called(harness: Harness, name: str) -> Started:
    """The run of a webhook that is called again and again, as its senders do, until somebody answers."""
    trigger = _trigger(harness, "webhook", {})
    path = "/hooks/" + trigger["url"].rpartition("/")[2]
    key: dict[str, Any] = {"Idempotency-Key": name}
    answer = harness.ask("POST", path, {"name": name}, **key)
    again = harness.ask("POST", path, {"name": name}, **key)
    assert again["run"] == answer["run"], "the same delivery is the same run"
    return _only_run(harness, trigger, name)


def filled(harness: Harness, name: str) -> Started:
    """The run of a page's form that is sent again and again, as the page does, until somebody answers."""
    trigger = _trigger(harness, "page", {})
    path = f"/p/{trigger['url'].rpartition('/')[2]}/runs"
    body = {"key": name.replace(".", "-").ljust(43, "x"), "inputs": {"name": name}}
    assert harness.ask("POST", path, body)["state"] == "working"
    harness.ask("POST", path, body)
    return _only_run(harness, trigger, name)


def talks(harness: Harness, name: str) -> Started:
    """The run of a message, which goes on from one before; both are kept in the conversation once they have ended."""
    trigger = _trigger(harness, "chat", {}, graphs.TALK)
    path = f"/api/triggers/{trigger['id']}/chat"
    first = harness.ask("POST", path, {"text": name})
    return harness.began(first["id"], name, "talk")


def assert_heard(harness: Harness, run: Started) -> None:
    """What the conversation kept of the run is what it said, once; the next message is told of it."""
    conversation = harness.ask("GET", f"/api/runs/{run.id}")["conversation"]
    (turn,) = harness.ask("GET", f"/api/conversations/{conversation}")["turns"]
    assert (turn["text"], turn["answer"]) == (run.name, f"{run.name} 1"), turn


def due(harness: Harness, name: str) -> Started:
    """The run of a schedule that is due once, soon."""
    at = datetime.fromtimestamp(time.time() + 2, UTC).isoformat()
    trigger = _trigger(harness, "schedule", {"at": [at], "inputs": {"name": name}})

    def taken() -> bool:
        if harness.revive is not None:
            harness.revive()
        return bool(_deliveries(harness, trigger))

    until(taken, 60)
    return _only_run(harness, trigger, name)


def _trigger(harness: Harness, kind: str, config: dict[str, Any], graph: Any = graphs.BRIEF) -> dict[str, Any]:
    name = "triggered" if graph is graphs.BRIEF else "talking"
    workflow = harness.workflow(name, graph, publish=True)
    body = {"kind": kind, "name": kind, "enabled": True, "config": config}
    created: dict[str, Any] = harness.ask("POST", f"/api/workflows/{workflow}/triggers", body)
    return created


def _deliveries(harness: Harness, trigger: dict[str, Any]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = harness.ask("GET", f"/api/triggers/{trigger['id']}/deliveries")["results"]
    return result


def _only_run(harness: Harness, trigger: dict[str, Any], name: str) -> Started:
    """The one run that all deliveries of a trigger led to; one of them started it."""
    result = _deliveries(harness, trigger)
    assert [item["outcome"] for item in result].count("started") == 1, result
    (run,) = {item["run"] for item in result}
    harness.ask("PATCH", f"/api/triggers/{trigger['id']}", {"enabled": False})
    return harness.began(run, name, "brief")


@contextmanager
def alone(instance: OwnScaled, victim: Process) -> Iterator[None]:
    """Nobody starts again what ends; the victim and, where that is a worker, the others of its kind do not run."""
    instance.keep = []
    instance.wait_until_idle()
    for process in {victim, *(instance.workers if victim in instance.workers else [])}:
        process.kill()
    instance.lease(LEASE_S)
    try:
        yield
    finally:
        instance.lease(None)
        for process in instance.processes:
            process.kill()
        instance.start()
        instance.keep = instance.processes


def end_at(harness: Harness, point: str) -> None:
    """A process ends itself at this point; another goes on, and everything is as if nothing had happened."""
    instance = harness.instance
    assert isinstance(instance, OwnScaled)
    web, (first, second) = instance.web[0], instance.workers
    victim, heir = (web, web) if point in WEB else (first, second)
    deaths: list[int] = []

    def revive() -> None:
        if not deaths and not victim.running:
            deaths.append(victim.ended())
            heir.start()

    with alone(instance, victim):
        instance.arm(victim, f"{point}:2" if point in STARTING else point)  # not before it has a run
        victim.start()
        harness.revive = revive
        try:
            _live_through(harness, victim, point, revive)
        finally:
            harness.revive = None
    assert deaths == [-9], deaths


def _live_through(harness: Harness, victim: Process, point: str, revive: Any) -> None:
    if point in FILES:
        return upload(harness, point)
    if point in TALKS:
        run = talks(harness, f"scaled-{point}")
    elif point in HOOKS | SLOTS:
        run = (called if point in HOOKS else due)(harness, f"scaled-{point}")
    else:
        slug = SLUGS.get(point, "everything" if point in FAMILY else "brief")
        run = harness.start(slug, graphs.ALL[slug], f"scaled-{point}")
    watcher = watched(harness, run)
    if point in STOPPING:
        until(lambda: harness.ledger.has(f"{run.name}/slow"), 30)
        victim.stop()
    if point in EXPIRING:  # nobody answers
        until(lambda: revive() or harness.state(run) in ENDED, 60)
    harness.finish([run], watcher)
    harness.verify(run)
    seen_whole(harness, watcher, run)
    if point in TALKS:
        assert_heard(harness, run)
