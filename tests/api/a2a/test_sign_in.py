"""Clients of agents that sign in by OAuth: a token for one agent opens that one and nothing else, and none other it."""

from __future__ import annotations

from typing import Any

import pytest

from backend.accounts.models import ApiToken, AuditEntry, Role, Team
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.a2a.sending import (
    ASKS,
    CARD,
    AgentReply,
    agent,
    message,
    place,
    requested,
    rpc,
    state_of,
    task_of,
    texts_of,
)
from tests.api.oauth.program import Browser, Program, arrived, origin
from tests.api.runs.conftest import ONE_NODE
from tests.people import Api, Person, person

pytestmark = pytest.mark.django_db(transaction=True)


def signed_in(who: Person, resource: str, **decision: Any) -> tuple[Program, dict[str, Any]]:
    """A client that a member allowed at an address, with its tokens."""
    program, browser = Program(), Browser(who)
    ask = browser.ask(program.query(resource=f"{origin()}{resource}"))
    code = arrived(browser.decide(ask["ticket"], **decision)["location"])["code"]
    return program, program.redeem(code, resource=f"{origin()}{resource}")


def token_for(who: Person, row: Workflow, **decision: Any) -> str:
    token: str = signed_in(who, place(row), **decision)[1]["access_token"]
    return token


def send_with(token: str, path: str, *parts: Any, **more: Any) -> AgentReply:
    """What a task is answered with."""
    return rpc(token, path, "SendMessage", {"message": message(*parts, **more)})


def mcp(token: str, path: str = "/mcp") -> int:
    """The status with which MCP answers."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'
    return requested("POST", path, token, body, **headers).status


def test_a_client_finds_its_way_from_the_refusal(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    request = send_with("", place(row), "Ada").headers["www-authenticate"]
    at = f"/.well-known/oauth-protected-resource{place(row)}"
    assert f'resource_metadata="{origin()}{at}"' in request and 'scope="read run answer"' in request
    http = Program().http
    resource = http.get(at).json()
    assert (resource["resource"], resource["authorization_servers"]) == (f"{origin()}{place(row)}", [origin()])
    assert http.get(f"/.well-known/oauth-authorization-server{place(row)}").json()["issuer"] == origin()
    for nothing in ("/a2a", f"/a2a/{row.team.slug}", f"{place(row)}/more", f"/agui/{row.team.slug}/{row.slug}"):
        assert http.get(f"/.well-known/oauth-protected-resource{nothing}").status_code == 404, nothing


def test_a_member_allows_a_client_and_it_gives_a_task(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    program, browser = Program(), Browser(bob)
    ask = browser.ask(program.query(resource=f"{origin()}{place(row)}"))
    assert (ask["agent"], ask["collection"], ask["team"]) == (row.name, None, bob.team.pk)
    assert (ask["address"], ask["scopes"]) == (f"{origin()}{place(row)}", ["read", "run", "answer"])
    code = arrived(browser.decide(ask["ticket"])["location"])["code"]
    assert program.redeem(code)["error"] == "invalid_target", "the code is for the agent"
    tokens = program.redeem(code, resource=f"{origin()}{place(row)}")
    task = task_of(send_with(tokens["access_token"], place(row), "Ada"))
    assert (state_of(task), texts_of(task)) == ("completed", ["Hello Ada"])
    assert requested("GET", place(row) + CARD, tokens["access_token"])["name"] == row.name
    (listed,) = [token for token in bob.api.get("/api/tokens").data["results"] if token["audience"]]
    assert (listed["audience"], listed["workflows"]) == (place(row), [row.pk])
    assert bob.api.delete(f"/api/tokens/{listed['id']}").status == 204
    assert send_with(tokens["access_token"], place(row), "Ada").status == 401
    assert program.renew(tokens["refresh_token"])["error"] == "invalid_grant"


def test_a_token_for_an_agent_opens_nothing_else(bob: Person) -> None:
    row, other = agent(bob, ONE_NODE), agent(bob, ASKS)
    desk = bob.api.post("/api/collections", {"name": "Desk"}).data
    token = token_for(bob, row)
    assert "error" not in rpc(token, place(row), "ListTasks")
    assert rpc(token, place(other), "ListTasks").status == 401
    assert requested("GET", place(other) + CARD, token).status == 401
    assert mcp(token) == mcp(token, f"/mcp/{bob.team.slug}/{desk['slug']}") == 401
    assert Api(token).get("/api/runs").status == 401
    assert rpc(token, f"/agui/{row.team.slug}/{row.slug}", "run").status == 401


def test_no_other_token_of_a_client_opens_an_agent(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    desk = bob.api.post("/api/collections", {"name": "Desk"}).data
    for resource in ("/mcp", f"/mcp/{bob.team.slug}/{desk['slug']}"):
        token = signed_in(bob, resource)[1]["access_token"]
        refused = send_with(token, place(row), "Ada")
        assert (refused.status, requested("GET", place(row) + CARD, token).status) == (401, 401), resource
        assert 'error="invalid_token"' in refused.headers["www-authenticate"]


def test_an_agent_that_is_not_there_is_as_one_of_another_team(bob: Person) -> None:
    there = person("otto", Team.objects.create(name="Elsewhere", slug="elsewhere"), Role.OWNER)
    theirs, hidden = agent(there, ONE_NODE, public=True), agent(bob, ONE_NODE)
    Workflow.objects.filter(pk=hidden.pk).update(expose_as_agent=False)
    program, browser = Program(), Browser(bob)
    for path in (place(theirs), place(hidden), f"/a2a/{bob.team.slug}/nothing"):
        ask = browser.ask(program.query(resource=f"{origin()}{path}"))
        assert (ask["status"], [*ask["fields"]]) == (400, ["resource"]), ask


def test_what_a_client_lacks_is_told_so_that_it_asks_its_member(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    reads = token_for(bob, row, scopes=[])
    refused = send_with(reads, place(row), "go")
    assert (refused.status, refused["code"]) == (403, "FORBIDDEN")
    asks = refused.headers["www-authenticate"]
    assert 'scope="read run"' in asks and 'error="insufficient_scope"' in asks
    runs = token_for(bob, row, scopes=["run"])
    task = task_of(send_with(runs, place(row), "go"))
    assert state_of(task) == "input_required"
    refused = send_with(runs, place(row), "Ada", taskId=task["id"])
    assert refused.status == 403 and 'scope="read run answer"' in refused.headers["www-authenticate"]
    answers = token_for(bob, row, scopes=["run", "answer"])
    assert state_of(task_of(send_with(answers, place(row), "Ada", taskId=task["id"]))) == "completed"
    own = bob.api.post("/api/tokens", {"name": "reads", "scopes": ["read"]}).data["token"]
    pasted = send_with(own, place(row), "go")
    assert pasted.status == 403 and "www-authenticate" not in pasted.headers, "nobody could be asked for more"


def test_another_workflow_at_the_same_address_is_not_what_was_allowed(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    program, tokens = signed_in(bob, place(row))
    slug = row.slug
    Workflow.objects.filter(pk=row.pk).update(slug="elsewhere-now")
    new = agent(bob, ONE_NODE)
    Workflow.objects.filter(pk=new.pk).update(slug=slug)
    assert rpc(tokens["access_token"], place(row), "ListTasks").status == 404
    renewed = program.renew(tokens["refresh_token"], resource=f"{origin()}{place(row)}")
    assert rpc(renewed["access_token"], place(row), "ListTasks").status == 404
    assert ApiToken.objects.get(audience=place(row)).workflows == [row.pk]


def test_tokens_open_nothing_while_the_agent_is_not_offered(bob: Person) -> None:
    row = agent(bob, ONE_NODE)
    program, tokens = signed_in(bob, place(row))
    for offered, status in ((False, 404), (True, 200)):
        assert bob.api.patch(f"/api/workflows/{row.pk}", {"expose_as_agent": offered}).status == 200
        assert rpc(tokens["access_token"], place(row), "ListTasks").status == status
        assert [token["audience"] for token in bob.api.get("/api/tokens").data["results"]].count(place(row)) == 1
        tokens = program.renew(tokens["refresh_token"], resource=f"{origin()}{place(row)}")


def test_tokens_end_with_the_agent(bob: Person, adam: Person) -> None:
    row, other = agent(bob, ONE_NODE), agent(bob, ASKS)
    (program, tokens), kept = signed_in(bob, place(row)), token_for(bob, other)
    signed_in(adam, place(row))
    own = bob.api.post("/api/tokens", {"name": "own", "scopes": ["read"], "workflows": [row.pk]})
    assert own.status == 201, own.text
    assert bob.api.delete(f"/api/workflows/{row.pk}").status == 204
    assert rpc(tokens["access_token"], place(row), "ListTasks").status == 401
    assert program.renew(tokens["refresh_token"])["error"] == "invalid_grant"
    assert [*ApiToken.objects.exclude(audience="").values_list("audience", flat=True)] == [place(other)]
    assert ApiToken.objects.filter(pk=own.data["id"]).exists(), "a member made it for more than this agent"
    assert "error" not in rpc(kept, place(other), "ListTasks")
    ended = AuditEntry.objects.filter(action="token.deleted")
    assert sorted(entry.data["of"] for entry in ended) == sorted([bob.user.email, adam.user.email])
    assert {entry.data["reason"] for entry in ended} == {"agent_deleted"}
