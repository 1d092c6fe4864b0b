"""Rate limits: per person, per token and per team; what is refused says when to come again."""

from __future__ import annotations

import time
from typing import Any

import pytest
import redis
from django.conf import settings

from backend.accounts.auth import rate_limits
from backend.accounts.auth.rate_limits import RATES, RateCounter
from backend.accounts.auth.tokens import issue_token
from backend.errors import RateLimited
from tests.instance import until
from tests.people import Api, Person


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1_000_000 * 60.0

    sleep = staticmethod(time.sleep)

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rate_limits, "time", clock)
    return clock


def limit(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(settings.PATCHBAY, name, value)


def test_a_person_who_asks_too_often_is_told_when_to_come_again(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, bob: Person, alice: Person
) -> None:
    limit(monkeypatch, rate_person_per_min=3)
    assert [bob.api.get("/api/me").status for _ in range(4)] == [200, 200, 200, 429]
    refused = bob.api.get("/api/servers-that-do-not-exist-here")
    assert refused.status == 404
    refused = bob.api.get("/api/mcp/servers")
    assert (refused.status, refused.data["code"]) == (429, "RATE_LIMITED")
    assert "PATCHBAY_RATE_PERSON_PER_MIN" in refused.data["hint"] and refused.data["message"]
    wait = int(refused.headers["Retry-After"])
    assert alice.api.get("/api/me").status == 200
    clock.now += wait - 1
    assert bob.api.get("/api/me").status == 429
    clock.now += 2
    assert bob.api.get("/api/me").status == 200


def test_every_token_has_a_limit_of_its_own(monkeypatch: pytest.MonkeyPatch, bob: Person) -> None:
    limit(monkeypatch, rate_token_per_min=1, rate_person_per_min=100)
    other = Api(issue_token(bob.user, bob.team, "other")[1])
    assert [bob.api.get("/api/me").status, bob.api.get("/api/me").status] == [200, 429]
    assert [other.get("/api/me").status, other.get("/api/me").status] == [200, 429]


def test_a_team_has_a_limit_in_all(
    monkeypatch: pytest.MonkeyPatch, bob: Person, alice: Person, charlie: Person
) -> None:
    limit(monkeypatch, rate_team_per_min=2)
    assert [who.api.get("/api/me").status for who in (bob, alice, bob, charlie)] == [200, 200, 429, 200]
    assert "PATCHBAY_RATE_TEAM_PER_MIN" in alice.api.get("/api/me").data["hint"]


def test_what_is_not_allowed_counts_and_what_is_refused_does_not(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, vera: Person
) -> None:
    limit(monkeypatch, rate_person_per_min=1)
    assert vera.api.post("/api/mcp/servers", {}).status == 403
    assert [vera.api.get("/api/me").status for _ in range(5)] == [429] * 5
    clock.now += 121
    assert vera.api.get("/api/me").status == 200


def test_tests_of_connections_have_a_limit_of_their_own(monkeypatch: pytest.MonkeyPatch, adam: Person) -> None:
    limit(monkeypatch, rate_connections_per_min=3)
    nowhere = {"name": "N", "transport": "http", "url": "http://127.0.0.1:9/mcp"}
    adam.api.post("/api/mcp/servers", nowhere)
    request: list[tuple[str, Any]] = [
        ("/api/mcp/servers/n/test", {}),
        ("/api/providers/test", {"base_url": "http://127.0.0.1:9/v1"}),
        ("/api/mcp/tools/call", {"server": "n", "tool": "t", "arguments": {}}),
        ("/api/mcp/servers/test", nowhere),
    ]
    assert [adam.api.post(path, body).status for path, body in request] == [200, 200, 502, 429]
    assert adam.api.get("/api/mcp/servers/n/tools?refresh=1").status == 429
    assert adam.api.get("/api/mcp/servers/n/tools").status == 200


def test_a_team_starts_only_so_many_runs(monkeypatch: pytest.MonkeyPatch, alice: Person, bob: Person) -> None:
    limit(monkeypatch, team_run_starts_per_15s=2, run_starts_per_15s=0)
    graph = {
        "schema": 1,
        "nodes": [{"id": "start", "type": "start", "v": 1, "position": {"x": 0, "y": 0}}],
        "edges": [],
    }
    graph["nodes"][0]["config"] = {}  # type: ignore[index]
    flow = alice.api.post("/api/workflows", {"name": "Flow", "graph": graph}).data["id"]
    at = f"/api/workflows/{flow}/runs"
    replies = [who.api.post(at, {"version": "draft"}) for who in (alice, bob, alice)]
    assert [reply.status for reply in replies] == [202, 202, 429]
    assert "PATCHBAY_TEAM_RUN_STARTS_PER_15S" in replies[2].data["hint"] and replies[2].headers["Retry-After"]


def test_the_window_slides(clock: Clock) -> None:
    counts = RateCounter()
    for _ in range(10):
        counts.take("person", "a", 10)
    with pytest.raises(RateLimited) as raised:
        counts.take("person", "a", 10)
    clock.now += raised.value.params["retry_after"]
    counts.take("person", "a", 10)
    clock.now += 27  # half of the next window: about half of the ten count still
    for _ in range(4):
        counts.take("person", "a", 10)
    with pytest.raises(RateLimited):
        for _ in range(4):
            counts.take("person", "a", 10)


@pytest.mark.skipif(not settings.PATCHBAY.redis_url, reason="one process counts by itself")
def test_what_processes_told_each_other_is_forgotten_too() -> None:
    with redis.Redis.from_url(settings.PATCHBAY.redis_url) as shared:
        for _ in range(3):
            RATES.take("person", "told", 100)
        until(lambda: list(shared.scan_iter("patchbay:rate:person:told:*")))
        RATES.clear()
        assert list(shared.scan_iter("patchbay:rate:*")) == []
    RATES.take("person", "told", 1)


def test_counting_costs_next_to_nothing() -> None:
    counts = RateCounter()
    began = time.process_time()
    for n in range(20_000):
        counts.take("person", f"usr_{n % 50}", 1_000_000)
    assert (time.process_time() - began) / 20_000 < 0.00003  # seconds; three of these stand before a view
