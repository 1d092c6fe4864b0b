"""The line to Postgres dies without a word, and never comes back to life: new ones are taken within a lease."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import services
from tests.api.runs.conftest import graph, node
from tests.instance import ScaledInstance, until
from tests.live.kills.partition import wire_to

TRIVIAL = graph([node("start", "start", {}), node("end", "end", {"outputs": {}})], "start -> end")


@pytest.mark.timeout(240)
def test_half_open_connections_are_given_up_within_a_lease(tmp_path: Path) -> None:
    url, redis = services.database(), services.redis()
    parts = urlsplit(url)
    with wire_to(parts.hostname or "", parts.port or 0) as wire:
        through = parts._replace(netloc=parts.netloc.replace(f":{parts.port}", f":{wire.port}")).geturl()
        instance = ScaledInstance(tmp_path, workers=1, where={"DATABASE_URL": through, "REDIS_URL": redis}).start()
        [web], [worker] = instance.web, instance.workers
        try:
            token = instance.token()
            status, created = instance.request("POST", "/api/workflows", {"name": "Trivial", "graph": TRIVIAL}, token)
            assert status == 201
            runs = f"/api/workflows/{created['id']}/runs"
            wire.cut()
            status, answer = instance.request("GET", "/api/runs", token=token)
            assert (status, answer["code"]) == (503, "STORAGE_UNREACHABLE")
            for process in (web, worker):
                until(lambda: any("the database does not answer" in line for line in process.lines))  # noqa: B023 - called within this round
            wire.renew()
            status, run = instance.request("POST", runs, {"version": "draft", "inputs": {}}, token)
            assert status == 202, run
            until(lambda: instance.request("GET", f"/api/runs/{run['id']}", token=token)[1]["state"] == "SUCCESS")
            until(lambda: instance.request("GET", "/api/ready")[0] == 200)
            assert instance.stop() == 0
        finally:
            instance.kill()
