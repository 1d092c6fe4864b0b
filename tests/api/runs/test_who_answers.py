"""Who answers: what asks for facts, a program with the scope; what lets something happen, a person who is signed in."""

from __future__ import annotations

import importlib
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from backend.accounts.auth.tokens import issue_token
from backend.accounts.models import ApiToken
from backend.runs.models import Interaction
from tests.api.runs.conftest import make_run
from tests.people import Api, Person

pytestmark = pytest.mark.django_db

APPROVING = ("approval", "recovery", "mismatch", "budget", "server")
ASKING = ("form", "params", "elicitation")


def question(bob: Person, kind: str) -> Interaction:
    """An open question of this kind, from a run that waits."""
    run = make_run(bob, state="WAITING")
    return Interaction.objects.create(
        pk=f"int_{kind}".ljust(30, "0"),
        team=bob.team,
        run=run,
        root_run=run,
        kind=kind,
        title="?",
        created_at=run.queued_at,
    )


def fitting(kind: str) -> dict[str, Any]:
    return {"action": "retry"} if kind in {"recovery", "mismatch"} else {"action": "accept", "values": {}}


def program(who: Person, *scopes: str) -> Api:
    return Api(issue_token(who.user, who.team, "program", None, scopes)[1])


def ask(api: Api, value: Interaction) -> Any:
    return api.post(f"/api/interactions/{value.pk}/answer", fitting(value.kind))


@pytest.mark.parametrize("kind", ASKING)
def test_a_program_answers_what_asks_for_facts_with_its_scope(bob: Person, kind: str) -> None:
    open_question = question(bob, kind)
    refused = ask(program(bob, "read", "run", "edit"), open_question)
    assert (refused.status, refused.data["detail"]) == (403, {"scope": "answer"})
    assert ask(program(bob, "answer"), open_question).status == 200


@pytest.mark.parametrize("kind", APPROVING)
@pytest.mark.parametrize("scopes", [(), ("answer",), ("read", "run", "answer", "edit", "admin")])
def test_no_program_approves(alice: Person, kind: str, scopes: tuple[str, ...]) -> None:
    open_question = question(alice, kind)
    refused = ask(program(alice, *scopes), open_question)
    assert (refused.status, refused.data["code"]) == (403, "FORBIDDEN"), refused.text
    assert "signed-in" in refused.data["message"]
    open_question.refresh_from_db()
    assert open_question.state == Interaction.State.OPEN
    client = Client()
    client.force_login(alice.user)
    reply = client.post(f"/api/interactions/{open_question.pk}/answer", fitting(kind), content_type="application/json")
    assert reply.status_code == 200, "the same person at the screen does"


def test_no_program_answers_many_recoveries_either(alice: Person) -> None:
    open_question = question(alice, "recovery")
    reply = program(alice).post("/api/interactions/answers", {"ids": [open_question.pk], "action": "retry"})
    [row] = reply.data["results"]
    assert (row["answered"], row["error"]["code"]) == (False, "FORBIDDEN")


def test_no_program_confirms_its_own_call(alice: Person) -> None:
    body = {"server": "none", "tool": "t", "arguments": {}, "confirm": True}
    refused = program(alice).post("/api/mcp/tools/call", body)
    assert (refused.status, refused.data["code"]) == (403, "FORBIDDEN")
    assert alice.api.post("/api/mcp/tools/call", body).status == 404


@pytest.mark.parametrize("scopes", [[], ["run"]])
def test_tokens_that_were_there_keep_it_for_ninety_days_and_are_listed_so(
    bob: Person, adam: Person, scopes: list[str]
) -> None:
    row, text = issue_token(bob.user, bob.team, "old", None, scopes)
    reader, _ = issue_token(bob.user, bob.team, "reads", None, ["read"])
    importlib.import_module("backend.accounts.migrations.0006_token_approves_until").keep(apps, None)
    reader.refresh_from_db()
    assert reader.approves_until is None, "it could answer nothing before"
    listed = {result["id"]: result["approves_until"] for result in adam.api.get("/api/tokens?of=team").data["results"]}
    assert listed[row.pk] is not None and listed[reader.pk] is None
    assert ask(Api(text), question(bob, "approval")).status == 200
    assert ask(Api(text), question(bob, "form")).status == 200
    created = bob.api.post("/api/tokens", {"name": "renewed", "scopes": scopes})
    assert (created.status, created.data["approves_until"]) == (201, None)
    ApiToken.objects.filter(pk=row.pk).update(approves_until=timezone.now() - timedelta(seconds=1))
    assert ask(Api(text), question(bob, "recovery")).status == 403
