"""Redis goes away and comes back: what counts is in the database, so work only gets slower meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests import services
from tests.instance import ScaledInstance, until
from tests.live.runs.crashes import APPROVAL, steps
from tests.live.scaled.several import SOON_S, Scaled, ends

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scaled]:
    folder = tmp_path_factory.mktemp("redis")
    limits = {"PATCHBAY_RUN_STARTS_PER_15S": "0", "REDIS_URL": services.own_redis().url(200)}
    instance = ScaledInstance(folder / "data", extra=limits, lease_s=3)
    try:
        yield Scaled(instance, folder / "ledger.txt")
    finally:
        instance.kill()


def test_runs_go_on_without_redis_and_everything_is_as_before_once_it_is_back(live: Scaled) -> None:
    redis, web = services.own_redis(), live.instance.web[0]
    work, ask = live.workflow("Work", steps(4, 0.2)), live.workflow("Ask", APPROVAL)
    before = live.start(work, "before")
    redis.kill()
    try:
        ready = until(lambda: _unless(live.instance.request("GET", "/api/ready"), 200), SOON_S)
        assert ready["checks"] == {
            "database": True,
            "migrations": True,
            "workers": True,
            "storage": True,
            "redis": False,
        }
        assert live.instance.request("GET", "/api/health")[0] == 200
        during, asking = live.start(work, "during"), live.start(ask, "asking")
        for run in (before, during):
            ends(live, run)
        [question] = until(lambda: live.get(f"/api/interactions?state=open&run={asking}")["results"], SOON_S)
        live.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"})
        ends(live, asking)
        long = live.start(live.workflow("Long", steps(1, 300.0)), "long")
        until(lambda: live.calls()["read long/0"] == 1, SOON_S)
        live.post(f"/api/runs/{long}/cancel")
        ends(live, long, "CANCELLED")
    finally:
        redis.start()
    until(lambda: live.instance.request("GET", "/api/ready")[0] == 200, SOON_S)
    with live.socket(web) as socket:
        after = live.start(work, "after")
        socket.send(json.dumps({"action": "subscribe", "topic": f"run:{after}", "after": 0}))
        seen: list[int] = []
        while not seen or seen[-1] < live.get(f"/api/runs/{after}")["last_seq"]:
            seen += [event["seq"] for event in json.loads(socket.recv(SOON_S)).get("events", [])]
    assert seen == list(range(1, len(seen) + 1))
    ends(live, after)
    assert set(live.calls().values()) == {1}

    def previewed() -> bool:
        """Hints travel only through Redis: the page hears of a run that ends in a worker."""
        with live.socket(web) as socket:
            socket.send(json.dumps({"action": "subscribe", "topic": f"team:{live.get('/api/me')['team']['id']}"}))
            run = live.start(work, "hinted")
            ends(live, run)
            try:
                while True:
                    hint = json.loads(socket.recv(1)).get("hint", {})
                    if hint.get("id") == run and hint.get("change") == "ended":
                        return True
            except TimeoutError:
                return False

    until(previewed, SOON_S)


def _unless(answer: tuple[int, dict[str, object]], status: int) -> dict[str, object] | None:
    """The body, unless it came with this status."""
    return None if answer[0] == status else answer[1]
