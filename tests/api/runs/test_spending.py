"""What a team's models used today of its budget, as its members see it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from backend.accounts.models import Team
from backend.providers.models import Provider
from backend.runs.models import Spending, Usage
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.llm_server import LlmServer
from tests.people import Person


def budget(person: Person, **limits: float) -> None:
    Team.objects.filter(pk=person.team.pk).update(budget={f"{name}_per_day": value for name, value in limits.items()})


def test_today_is_held_against_the_budget(vera: Person, charlie: Person) -> None:
    today = timezone.now().date()
    Spending.objects.create(team=vera.team, day=today, tokens=790, cost=0.5)
    Spending.objects.create(team=vera.team, day="2020-01-01", tokens=9000, cost=9)
    plain = vera.api.get("/api/spending").data
    assert plain["state"] == "ok" and plain["day"] == today.isoformat() and plain["until"] > plain["day"]
    assert [(budget["name"], budget["used"], budget["limit"]) for budget in plain["budgets"]] == [
        ("tokens", 790, None),
        ("cost", 0.5, None),
    ]
    for limits, reply in (
        ({"tokens": 1000}, "ok"),
        ({"tokens": 987}, "near"),
        ({"cost": 0.5, "tokens": 987}, "reached"),
    ):
        budget(vera, **limits)
        assert vera.api.get("/api/spending").data["state"] == reply
    assert charlie.api.get("/api/spending").data["budgets"][0]["used"] == 0


def test_models_that_a_cost_budget_cannot_see_are_named(adam: Person, vera: Person) -> None:
    models: list[dict[str, Any]] = [
        {"id": "priced", "input_price": 1, "output_price": 1},
        {"id": "free", "input_price": 0},
        {"id": "dark"},
    ]
    rows = [{"context": None, "features": None, "input_price": None, "output_price": None, **model} for model in models]
    created = {"team": adam.team, "base_url": "http://127.0.0.1:9", "models": rows, "created_by": adam.user}
    Provider.objects.create(name="Ours", slug="ours", **created)
    Provider.objects.create(name="Adam's", slug="adams", visibility="private", **created)
    Provider.objects.create(name="Off", slug="off", enabled=False, **created)
    day = timezone.now().date()
    Usage.objects.create(team=adam.team, day=day, workflow="wf", model="ours/unlisted", input_tokens=7, rounds=1)
    Usage.objects.create(team=adam.team, day=day, workflow="wf", model="ours/priced", input_tokens=7, cost=1, rounds=1)
    unpriced = [
        (item["provider"], item["model"], item["tokens"]) for item in vera.api.get("/api/spending").data["unpriced"]
    ]
    assert unpriced == [("ours", "unlisted", 7), ("ours", "dark", 0)]
    assert ("adams", "dark", 0) in [tuple(item.values()) for item in adam.api.get("/api/spending").data["unpriced"]]


@pytest.mark.wide
@pytest.mark.django_db(transaction=True)
def test_a_teams_budget_holds_for_many_runs_at_once(worker: Worker, adam: Person, bob: Person, llm: LlmServer) -> None:
    """Each round is counted once; a run that is under way makes at most the round that it had begun."""
    about = {"name": "LLM", "slug": "llm", "base_url": llm.url, "models": [{"id": "m"}]}
    assert adam.api.post("/api/providers", about).status == 201
    each, budgeted, at_once = 18, 100, 6  # tokens of a scripted round; the budget; runs
    budget(bob, tokens=budgeted)
    ask = {"provider": "llm", "model": "m", "messages": [{"role": "user", "content": "?"}]}
    names = [f"ask{n}" for n in range(4)]
    flow = make_workflow(
        bob,
        graph(
            [node("start", "start", {}), *(node(name, "llm", ask) for name in names)],
            *(f"{item} -> {other}" for item, other in pairwise(["start", *names])),
        ),
    )
    for _ in range(at_once * len(names)):
        llm.say("yes")
    runs = [start(bob, flow, {"inputs": {}}).data["id"] for _ in range(at_once)]
    until(lambda: all(state(run) in {"SUCCESS", "ERROR"} for run in runs), 90)
    rounds = len(llm.requests)
    spent = Spending.objects.get(team=bob.team)
    assert spent.tokens == each * rounds, "what was used is counted once, whoever writes it"
    assert -(-budgeted // each) <= rounds <= -(-budgeted // each) + at_once - 1
    ends = {bob.api.get(f"/api/runs/{run}").data["error"]["code"] for run in runs if state(run) == "ERROR"}
    assert ends == {"BUDGET_EXCEEDED"}
    assert bob.api.get("/api/spending").data["state"] == "reached"
    late = start(bob, flow, {"inputs": {}, "wait": 60}).data
    assert (late["state"], late["error"]["code"], len(llm.requests)) == ("ERROR", "BUDGET_EXCEEDED", rounds)
