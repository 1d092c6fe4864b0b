"""At `/a2a` everybody sees and does what their role, their token and their team allow, and learns nothing of others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import timezone

from backend.a2a.models import Task
from backend.runs.models import Run
from backend.workflows.models import Version, Workflow
from tests.api.a2a.sending import CARD, AgentReply, message, place, requested, rpc
from tests.api.isolation.matrix import AGENT_METHODS
from tests.api.isolation.tenant import ROLES, SCOPES, Tenant, bound_to, tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ours() -> Tenant:
    """A team that offers a workflow as an agent, with a task of its owner's."""
    created = tenant("amber")
    text = json.dumps(created.graph())
    workflow = Workflow.objects.get(pk=created.workflow)
    Version.objects.filter(workflow=workflow, number=1).update(graph=text)
    Version.objects.get_or_create(workflow=workflow, number=1, defaults={"graph": text})
    Workflow.objects.filter(pk=workflow.pk).update(expose_as_agent=True, published_version=1)
    run = Run.objects.get(pk=created.run)
    owner = created.people["owner"].user
    Task.objects.create(
        run=run.pk, team=run.team, workflow=workflow, person=owner, context="c", created_at=timezone.now()
    )
    return created


def path(ours: Tenant) -> str:
    """The agent's address."""
    return place(Workflow.objects.select_related("team").get(pk=ours.workflow))


def call_agent(ours: Tenant, token: str, method: str) -> AgentReply:
    """A request that reaches an object of this team; a message is sent to its task."""
    params: dict[str, Any] = {"id": ours.run}
    if "Message" in method:
        params = {"message": message("x", taskId=ours.run)}
    return rpc(token, path(ours), method, {} if method == "ListTasks" else params)


def listed(answer: AgentReply) -> list[str]:
    """The ids of tasks in a list."""
    return [task["id"] for task in answer["result"]["tasks"]]


def test_roles_and_scopes(ours: Tenant) -> None:
    for method in AGENT_METHODS:
        for role in ROLES:
            reply = call_agent(ours, ours.people[role].token, method)
            assert reply.status == (403 if role == "viewer" else 200), (method, role)
        for scope in SCOPES:
            reply = call_agent(ours, ours.scoped_tokens[scope], method)
            assert reply.status == (200 if scope == "run" else 403), (method, scope)
            assert scope == "run" or "run" in reply["message"], "the sentence names the scope"


def test_a_task_is_the_members_alone(ours: Tenant) -> None:
    owner, editor = ours.people["owner"].token, ours.people["editor"].token
    assert (listed(call_agent(ours, owner, "ListTasks")), listed(call_agent(ours, editor, "ListTasks"))) == (
        [ours.run],
        [],
    )
    for method in AGENT_METHODS:
        if method != "ListTasks":
            assert call_agent(ours, editor, method).code == -32001, method


def test_another_team_learns_nothing(ours: Tenant) -> None:
    theirs = tenant("basalt")
    stranger = theirs.people["owner"].token
    before = Run.objects.count()
    answers = [call_agent(ours, stranger, method) for method in AGENT_METHODS]
    answers += [requested("GET", path(ours) + CARD, stranger), requested("GET", path(ours) + CARD)]
    assert [answer.status for answer in answers] == [404] * (len(AGENT_METHODS) + 1) + [401]
    Workflow.objects.filter(pk=theirs.workflow).update(expose_as_agent=True, published_version=1)
    row = Workflow.objects.select_related("team").get(pk=theirs.workflow)
    text = json.dumps(theirs.graph())
    Version.objects.update_or_create(workflow=row, number=1, defaults={"graph": text})
    for method in ("GetTask", "CancelTask", "SubscribeToTask"):
        answers.append(rpc(stranger, place(row), method, {"id": ours.run}))
        assert answers[-1].code == -32001, method
    answers.append(rpc(stranger, place(row), "SendMessage", {"message": message("x", taskId=ours.run)}))
    assert answers[-1].code == -32001
    for answer in answers:
        reply = json.dumps(answer).replace(ours.run, "")
        assert not any(secret in reply for secret in ours.secrets_of_the_team() - {ours.run}), reply
    assert Run.objects.count() == before


def test_a_bound_token_reaches_its_workflow_alone(ours: Tenant) -> None:
    inside, outside = bound_to(ours, "workflow"), bound_to(ours, "fenced_workflow")
    for method in AGENT_METHODS:
        assert call_agent(ours, inside, method).status == 200, method
        assert call_agent(ours, outside, method).status == 404, method
    assert requested("GET", path(ours) + CARD, inside).status == 200
    assert requested("GET", path(ours) + CARD, outside).status == 404


def test_a_page_of_another_origin_is_no_client(ours: Tenant) -> None:
    token = ours.people["owner"].token
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        answer = rpc(token, path(ours), "ListTasks", **headers)
        assert (answer.status, answer["code"]) == (403, "FORBIDDEN"), headers
