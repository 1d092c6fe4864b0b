"""A team is deleted while its runs are RUNNING: they end where they are, and nothing of theirs comes after."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from django.db.models import QuerySet

from backend.accounts.models import Team
from backend.files.models import Blob
from backend.runs.models import InboxMessage, Interaction, LogLine, Run, RunBlob, RunState, Spending, Usage
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import start, state
from tests.api.runs.children import calls, published
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.llm_server import Gate, LlmServer, Reply
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

ASK = {"provider": "llm", "model": "m", "messages": [{"role": "user", "content": "?"}]}
NAMES = ["first", "second", "third"]
ROUNDS = graph(
    [node("start", "start", {"inputs": {"type": "object"}}), *(node(name, "llm", ASK) for name in NAMES)],
    *(f"{item} -> {other}" for item, other in pairwise(["start", *NAMES])),
)
"""Three rounds with a model, one after the other."""


def test_runs_that_go_on_end_with_their_team(
    worker: Worker, alice: Person, adam: Person, bob: Person, charlie: Person, llm: LlmServer
) -> None:
    about = {"name": "LLM", "slug": "llm", "base_url": llm.url, "models": [{"id": "m"}]}
    assert adam.api.post("/api/providers", about).status == 201
    gate = Gate()
    llm.otherwise = lambda asked: Reply(text="yes", gate=gate)
    published(bob, ROUNDS, "below")
    whole = make_workflow(bob, ROUNDS)
    runs = [start(bob, whole).data["id"] for _ in range(3)]
    parent = start(bob, make_workflow(bob, calls("below"), "above"), {"inputs": {"n": 1}}).data["id"]
    until(lambda: len(llm.requests) == 4 and state(parent) == RunState.WAITING, 20)
    until(lambda: worker.live == 4, 60)
    assert all(state(run) == RunState.RUNNING for run in runs)

    other = start(charlie, make_workflow(charlie)).data["id"]
    team = bob.team.pk
    assert alice.api.delete("/api/teams/current?name=Platform").status == 204
    until(lambda: worker.live == 0, 25)
    gate.open()
    until(lambda: state(other) == RunState.SUCCESS, 60)
    assert len(llm.requests) == 4, "no round was begun after it"
    assert not Team.objects.filter(pk=team).exists()
    assert list(Run.objects.values_list("pk", flat=True)) == [other]
    of_runs: list[QuerySet[Any]] = [LogLine.objects.all(), RunBlob.objects.all(), InboxMessage.objects.all()]
    assert not [rows.model for rows in of_runs if rows.exclude(run=other).exists()]
    of_teams = [Interaction.objects.all(), Spending.objects.all(), Usage.objects.all(), Blob.objects.all()]
    assert not [rows.model for rows in of_teams if rows.filter(team=team).exists()]
