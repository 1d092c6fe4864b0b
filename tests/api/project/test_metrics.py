"""`/metrics`: what Prometheus reads, for those who know the token."""

from __future__ import annotations

import pytest
from django.conf import settings

from backend.project.operations import readiness
from backend.runs.models import RunState
from backend.runs.queue import workers
from tests.api.runs.conftest import make_run, make_workflow
from tests.people import Api, Person

TOKEN = "a token of the installation"


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "metrics_token", TOKEN)
    readiness.forget()


def fetch_metrics(nobody: Api, token: str) -> str:
    answer = nobody.get("/metrics", Authorization=f"Bearer {token}")
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return answer.text


def test_nothing_is_there_without_the_token(nobody: Api, bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    assert nobody.get("/metrics").status == nobody.get("/metrics", Authorization="Bearer other").status == 404
    assert bob.api.get("/metrics").status == 404
    monkeypatch.setattr(settings.PATCHBAY, "metrics_token", "")
    assert nobody.get("/metrics", Authorization="Bearer ").status == 404


def test_it_counts_what_is_not_over(nobody: Api, bob: Person) -> None:
    workflow = make_workflow(bob)
    for state in (RunState.QUEUED, RunState.QUEUED, RunState.WAITING, RunState.SUCCESS):
        make_run(bob, workflow, state=state)
    text = fetch_metrics(nobody, TOKEN)
    assert 'patchbay_runs{state="queued"} 2\n' in text and 'patchbay_runs{state="waiting"} 1\n' in text
    assert 'patchbay_runs{state="running"} 0\n' in text and "success" not in text
    assert f"patchbay_runs_limit {settings.PATCHBAY.max_concurrent_runs}\n" in text
    assert 'patchbay_up{part="database"} 1\n' in text and 'patchbay_up{part="workers"} 0\n' in text
    assert "patchbay_workers 0\n" in text


def test_it_counts_the_workers_that_said_they_are_there(nobody: Api, bob: Person) -> None:
    workers.say_alive("host:1:a", 3, 64)
    workers.say_alive("host:2:b", 0, 8)
    text = fetch_metrics(nobody, TOKEN)
    assert "patchbay_workers 2\n" in text and "patchbay_workers_capacity 72\n" in text


def test_every_line_is_one_that_prometheus_reads(nobody: Api, bob: Person) -> None:
    make_run(bob, state=RunState.QUEUED)
    lines = fetch_metrics(nobody, TOKEN).splitlines()
    names = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(names) == len(set(names)) > 5
    for line in lines:
        if not line.startswith("#"):
            sample, value = line.rsplit(" ", 1)
            assert float(value) >= 0 and sample.partition("{")[0] in names
