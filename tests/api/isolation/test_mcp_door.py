"""At `/mcp` everybody sees and does what their role, their token and their team allow, and learns nothing of others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from backend.runs.models import Run
from backend.workflows.models import Version, Workflow
from tests.api.isolation.matrix import MCP_RESOURCES, MCP_TASKS, MCP_TOOLS
from tests.api.isolation.tenant import ROLES, SCOPES, Tenant, bound_to, tenant
from tests.api.mcp_server.asking import mcp_call

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ours() -> Iterator[Tenant]:
    """A team that offers a workflow."""
    created = tenant("amber")
    text = json.dumps(created.graph())
    workflow = Workflow.objects.get(pk=created.workflow)
    Version.objects.filter(workflow=workflow, number=1).update(graph=text)
    Version.objects.get_or_create(workflow=workflow, number=1, defaults={"graph": text})
    Workflow.objects.filter(pk=workflow.pk).update(expose_as_tool=True, published_version=1)
    created.ids["slug"] = workflow.slug
    yield created


def listed(token: str) -> set[str]:
    """The tools that a token is offered."""
    return {tool["name"] for tool in mcp_call(token, "tools/list")["result"]["tools"]}


def called(token: str, name: str, **arguments: Any) -> dict[str, Any]:
    """The answer to a call: a result, or an error of the protocol."""
    return mcp_call(token, "tools/call", name=name, arguments=arguments)


def refused(answer: dict[str, Any]) -> bool:
    """Whether a call or a reading was refused."""
    return "error" in answer or bool(answer["result"].get("isError"))


def arguments_of(ours: Tenant, tool: str) -> dict[str, Any]:
    """Arguments by which a tool of ours reaches an object of this team."""
    return {"list_workflows": {}, "run_workflow": {"workflow": ours.slug, "inputs": {}}}.get(tool, {"run": ours.run})


def resources_of(ours: Tenant) -> dict[str, str]:
    """Each resource of this team → the scope that it needs."""
    return {uri.format(slug=ours.slug, run=ours.run): scope for uri, scope in MCP_RESOURCES.items()}


def test_what_each_may_is_what_each_is_offered(ours: Tenant) -> None:
    for role in ROLES:
        runs = role != "viewer"
        expected = {name for name, scope in MCP_TOOLS.items() if runs or scope == "read"}
        assert listed(ours.people[role].token) == expected | ({ours.slug} if runs else set()), role
    for scope in SCOPES:
        expected = {name for name, needed in MCP_TOOLS.items() if needed == scope}
        assert listed(ours.scoped_tokens[scope]) == expected | ({ours.slug} if scope == "run" else set()), scope


def test_what_is_not_offered_is_refused(ours: Tenant) -> None:
    before = Run.objects.count()
    for name, token in ours.scoped_tokens.items():
        for tool, needed in MCP_TOOLS.items():
            if needed != name:
                assert refused(called(token, tool, **arguments_of(ours, tool))), f"{tool} with the scope {name}"
        if name != "run":
            assert refused(called(token, ours.slug)), name
        for uri, needed in resources_of(ours).items():
            assert refused(mcp_call(token, "resources/read", uri=uri)) == (needed != name), (
                f"{uri} with the scope {name}"
            )
        for method in MCP_TASKS:
            assert refused(mcp_call(token, method, taskId=ours.run)) == (name != "run"), (
                f"{method} with the scope {name}"
            )
    viewer = ours.people["viewer"].token
    for tool in (ours.slug, "run_workflow", "cancel_run"):
        assert refused(called(viewer, tool, **arguments_of(ours, tool))), tool
    assert Run.objects.count() == before


def test_another_team_learns_nothing(ours: Tenant) -> None:
    stranger = tenant("basalt").people["owner"].token
    before = Run.objects.count()
    answers = [called(stranger, tool, **arguments_of(ours, tool)) for tool in MCP_TOOLS if tool != "list_workflows"]
    answers += [called(stranger, ours.slug)]
    answers += [mcp_call(stranger, "resources/read", uri=uri) for uri in resources_of(ours)]
    answers += [mcp_call(stranger, method, taskId=ours.run) for method in MCP_TASKS]
    assert all(refused(answer) for answer in answers)
    nothing = [
        called(stranger, "list_workflows"),
        mcp_call(stranger, "tools/list"),
        mcp_call(stranger, "resources/list"),
    ]
    for answer in [*answers, *nothing]:
        text = json.dumps(answer).replace(ours.slug, "").replace(ours.run, "")
        assert not any(secret in text for secret in ours.secrets_of_the_team() - {ours.run}), text
    assert Run.objects.count() == before


def test_a_bound_token_reaches_its_workflow_alone(ours: Tenant) -> None:
    inside, outside = bound_to(ours, "workflow"), bound_to(ours, "fenced_workflow")
    assert not refused(called(inside, "get_run", run=ours.run))
    for tool in ("get_run", "cancel_run", "run_workflow", ours.slug):
        assert refused(called(outside, tool, **arguments_of(ours, tool))), tool
    for uri in resources_of(ours):
        assert refused(mcp_call(outside, "resources/read", uri=uri)), uri
    for method in MCP_TASKS:
        assert refused(mcp_call(outside, method, taskId=ours.run)), method
    assert ours.slug not in listed(outside)
    assert called(outside, "list_workflows")["result"]["structuredContent"] == {"workflows": []}
