"""At `/agui` everybody does what their role, their token and their team allow, and learns nothing of others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from backend.runs.models import Run
from backend.workflows.models import Version, Workflow
from tests.api.agui.speaking import body, refused, sent, user_message
from tests.api.isolation.tenant import ROLES, SCOPES, Tenant, bound_to, tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ours() -> Iterator[Tenant]:
    """A team that offers a workflow to front ends."""
    created = tenant("amber")
    text = json.dumps(created.graph())
    workflow = Workflow.objects.get(pk=created.workflow)
    Version.objects.filter(workflow=workflow, number=1).update(graph=text)
    Version.objects.get_or_create(workflow=workflow, number=1, defaults={"graph": text})
    Workflow.objects.filter(pk=workflow.pk).update(expose_as_agui=True, published_version=1)
    created.ids["at"] = f"/agui/{workflow.team.slug}/{workflow.slug}"
    yield created


def answered(token: str | None, ours: Tenant, thread: str = "t1") -> tuple[int, str]:
    """(status, code) of a request that begins nothing: its answers are to questions that were never put."""
    resume = [{"interruptId": "int_none", "status": "cancelled"}]
    answer = sent(token, ours.at, body(user_message("x"), thread=thread, resume=resume))
    return refused(answer)[:2]


def test_who_may_ask(ours: Tenant) -> None:
    let_in = (400, "VALIDATION_ERROR")
    before = Run.objects.count()
    for role in ROLES:
        expected = (403, "FORBIDDEN") if role == "viewer" else let_in
        assert answered(ours.people[role].token, ours) == expected, role
    for scope in SCOPES:
        expected = let_in if scope == "run" else (403, "FORBIDDEN")
        assert answered(ours.scoped_tokens[scope], ours) == expected, scope
    assert answered(None, ours) == (401, "UNAUTHENTICATED")
    assert Run.objects.count() == before


def test_another_team_learns_nothing(ours: Tenant) -> None:
    stranger = tenant("basalt").people["owner"].token
    there = sent(stranger, ours.at, body(user_message("x")))
    nowhere = sent(stranger, "/agui/nobody/nothing", body(user_message("x")))
    assert refused(there)[:2] == refused(nowhere)[:2] == (404, "NOT_FOUND")
    expected: dict[str, Any] = {**there.json(), "request_id": ""}
    assert expected == {**nowhere.json(), "request_id": ""}


def test_a_bound_token_reaches_its_workflow_alone(ours: Tenant) -> None:
    assert answered(bound_to(ours, "workflow"), ours) == (400, "VALIDATION_ERROR")
    assert answered(bound_to(ours, "fenced_workflow"), ours) == (404, "NOT_FOUND")
