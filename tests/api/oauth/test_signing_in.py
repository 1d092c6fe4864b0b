"""Signing in by OAuth: what clients learn, what a member is asked, which tokens come of it, and how they end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.signing import TimestampSigner
from django.test import Client
from django.utils import timezone

from backend.accounts.models import ApiToken, AuditEntry, Membership, Role, Team
from backend.oauth import clients, granting
from backend.oauth.models import Code, Grant, Registration
from backend.runs.worker.worker import Worker
from tests.api.mcp_server.asking import call_at, mcp_call
from tests.api.mcp_server.offering import offered
from tests.api.oauth.program import BACK, Browser, Program, arrived, origin, signed_in
from tests.api.runs.conftest import ONE_NODE
from tests.people import Api, Person, person

pytestmark = pytest.mark.django_db(transaction=True)


def refused(token: str, path: str = "/mcp", **headers: str) -> tuple[int, str]:
    """Status and challenge of a request to `/mcp`."""
    import httpx2
    from asgiref.sync import async_to_sync

    from backend.project.asgi import application

    async def go() -> tuple[int, str]:
        transport = httpx2.ASGITransport(app=application)
        async with httpx2.AsyncClient(transport=transport, base_url=origin()) as http:
            sent = {"authorization": f"Bearer {token}"} if token else {}
            answer = await http.post(path, json={}, headers={**sent, **headers})
            return answer.status_code, answer.headers.get("www-authenticate", "")

    return async_to_sync(go)()


REVISIONS: dict[str, dict[str, str]] = {
    "2025-11-25": {"mcp-protocol-version": "2025-11-25"},
    "2026-07-28": {"mcp-protocol-version": "2026-07-28"},
}


def sent(token: str, revision: str, method: str, **params: Any) -> tuple[int, str, Any]:
    """Status, challenge and body of a request in one revision."""
    import httpx2
    from asgiref.sync import async_to_sync

    from backend.project.asgi import application

    named = str(params.get("name") or params.get("uri") or params.get("taskId") or "")
    headers = {
        **REVISIONS[revision],
        "authorization": f"Bearer {token}",
        "accept": "application/json, text/event-stream",
    }
    if revision == "2026-07-28":
        headers |= {"mcp-method": method, "mcp-name": named}
        meta = {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {**params, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    async def go() -> tuple[int, str, Any]:
        transport = httpx2.ASGITransport(app=application)
        async with httpx2.AsyncClient(transport=transport, base_url=origin()) as http:
            answer = await http.post("/mcp", json=message, headers=headers)
            reply = answer.json() if answer.status_code >= 400 else answer.text
            return answer.status_code, answer.headers.get("www-authenticate", ""), reply

    return async_to_sync(go)()


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_client_hears_which_scope_a_call_lacks(worker: Worker, adam: Person, revision: str) -> None:
    flow = offered(adam, ONE_NODE)
    _, tokens = signed_in(adam, scopes=[])
    assert tokens["scope"] == "read"
    reads = tokens["access_token"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("tools/call", {"name": name, "arguments": {}}) for name in (flow.slug, "run_workflow", "cancel_run")
    ]
    for method, params in [*calls, ("tasks/get", {"taskId": "run_1"})]:
        status, challenge, body = sent(reads, revision, method, **params)
        assert (status, body["code"]) == (403, "FORBIDDEN"), f"{method} {params}"
        assert 'error="insufficient_scope"' in challenge and 'scope="read run"' in challenge
        assert f'resource_metadata="{origin()}/.well-known/oauth-protected-resource/mcp"' in challenge
    status, challenge, reply = sent(reads, revision, "tools/call", name="list_workflows", arguments={})
    assert (status, challenge) == (200, "") and flow.slug in reply
    _, tokens = signed_in(adam, scopes=["run"])
    assert sent(tokens["access_token"], revision, "tools/call", name=flow.slug, arguments={})[0] == 200


def test_what_an_api_token_lacks_is_told_to_the_model(adam: Person) -> None:
    """Nobody could be asked for more."""
    token = adam.api.post("/api/tokens", {"name": "reads", "scopes": ["read"]}).data["token"]
    status, challenge, reply = sent(token, "2026-07-28", "tools/call", name="run_workflow", arguments={})
    assert (status, challenge) == (200, "") and "FORBIDDEN" in reply


def works(token: str) -> bool:
    """Whether a token is answered at `/mcp`."""
    return "result" in mcp_call(token, "tools/list")


def test_a_client_finds_its_way_from_the_refusal() -> None:
    status, challenge = refused("")
    at = f"{origin()}/.well-known/oauth-protected-resource/mcp"
    assert (status, f'resource_metadata="{at}"' in challenge, "error=" in challenge) == (401, True, False)
    assert 'error="invalid_token"' in refused("pb_wrong")[1]
    http = Client(headers={"host": origin().removeprefix("http://")})
    resource = http.get("/.well-known/oauth-protected-resource/mcp").json()
    assert (resource["resource"], resource["authorization_servers"]) == (f"{origin()}/mcp", [origin()])
    assert http.get("/.well-known/oauth-protected-resource").json() == resource
    server = http.get("/.well-known/oauth-authorization-server").json()
    assert (server["issuer"], server["token_endpoint"]) == (origin(), f"{origin()}/oauth/token")
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert http.get("/.well-known/oauth-authorization-server/mcp").json() == server
    for elsewhere in ("oauth-protected-resource/api", "oauth-authorization-server/x", "openid-configuration"):
        assert http.get(f"/.well-known/{elsewhere}").status_code == 404, elsewhere


def test_a_member_allows_a_client_and_it_calls(bob: Person, worker: Worker) -> None:
    row = offered(bob, ONE_NODE)
    program, browser = Program(), Browser(bob)
    ask = browser.ask(program.query())
    assert ask["client"] == {"id": program.id, "name": "Claude", "host": ""}
    assert (ask["address"], ask["scopes"], ask["this_machine"]) == (
        f"{origin()}/mcp",
        ["read", "run", "answer"],
        True,
    )
    answer = arrived(browser.decide(ask["ticket"])["location"])
    assert (answer["state"], answer["iss"]) == (program.state, origin())
    tokens = program.redeem(answer["code"])
    assert (tokens["token_type"], tokens["scope"], tokens["expires_in"]) == ("Bearer", "read run", 3600)
    result = mcp_call(tokens["access_token"], "tools/call", {}, name=row.slug, arguments={"name": "Ada"})["result"]
    assert result["structuredContent"] == {"text": "Hello Ada"}


def test_a_client_signs_in_to_a_collection_and_reaches_nothing_else(bob: Person, worker: Worker) -> None:
    row = offered(bob, ONE_NODE)
    desk = bob.api.post("/api/collections", {"name": "Support desk"}).data
    assert bob.api.post(f"/api/collections/{desk['id']}/tools", {"workflow": row.slug, "name": "greet"}).status == 201
    door = f"/mcp/{bob.team.slug}/{desk['slug']}"
    assert f'oauth-protected-resource{door}"' in refused("", door)[1]
    program, browser = Program(), Browser(bob)
    http = program.http
    assert http.get(f"/.well-known/oauth-protected-resource{door}").json()["resource"] == f"{origin()}{door}"
    ask = browser.ask(program.query(resource=f"{origin()}{door}"))
    assert (ask["collection"], ask["team"], ask["address"]) == ("Support desk", bob.team.pk, f"{origin()}{door}")
    code = arrived(browser.decide(ask["ticket"])["location"])["code"]
    assert program.redeem(code)["error"] == "invalid_target", "the code is for the collection"
    tokens = program.redeem(code, resource=f"{origin()}{door}")
    token = tokens["access_token"]
    called = call_at(door, token, "tools/call", {}, name="greet", arguments={"name": "Ada"})["result"]
    assert called["structuredContent"] == {"text": "Hello Ada"}
    assert refused(token)[0] == 401 and Api(token).get("/api/runs").status == 401
    assert bob.api.get("/api/tokens").data["results"][0]["collection"] == desk["id"]
    assert bob.api.delete(f"/api/collections/{desk['id']}").status == 204
    assert refused(token, door)[0] == 401
    assert program.renew(tokens["refresh_token"])["error"] == "invalid_grant"


def test_a_collection_of_another_team_is_as_none(bob: Person) -> None:
    there = person("otto", Team.objects.create(name="Elsewhere", slug="elsewhere"), Role.OWNER)
    desk = there.api.post("/api/collections", {"name": "Theirs"}).data
    program, browser = Program(), Browser(bob)
    for slug in (desk["slug"], "none-such"):
        ask = browser.ask(program.query(resource=f"{origin()}/mcp/elsewhere/{slug}"))
        assert (ask["status"], [*ask["fields"]]) == (400, ["resource"]), ask


def test_it_stands_beside_the_tokens_and_ends_like_them(bob: Person, alice: Person) -> None:
    tokens = signed_in(bob, days=1)[1]
    (listed,) = [row for row in bob.api.get("/api/tokens").data["results"] if row["audience"]]
    assert (listed["name"], listed["audience"], listed["scopes"]) == ("Claude", "/mcp", ["read", "run"])
    entry = AuditEntry.objects.get(action="token.created")
    assert (entry.actor_id, entry.data["client"], entry.data["audience"]) == (
        bob.user.pk,
        Grant.objects.get().client,
        "/mcp",
    )
    assert works(tokens["access_token"])
    assert alice.api.delete(f"/api/tokens/{listed['id']}").status == 204
    assert refused(tokens["access_token"])[0] == 401
    assert not Grant.objects.exists()


def test_nothing_of_it_is_kept_readable(bob: Person) -> None:
    tokens = signed_in(bob)[1]
    kept = str([*ApiToken.objects.values(), *Grant.objects.values(), *Code.objects.values()])
    assert tokens["access_token"] not in kept and tokens["refresh_token"] not in kept


def test_it_ends_with_the_membership(bob: Person) -> None:
    program, tokens = signed_in(bob)
    code = Browser(bob).allow(program)
    member = Membership.objects.get(user=bob.user, team=bob.team)
    assert bob.api.post("/api/teams/current/leave", {"private": "delete"}).status == 204, member
    assert refused(tokens["access_token"])[0] == 401
    assert program.renew(tokens["refresh_token"])["error"] == "invalid_grant"
    assert program.redeem(code)["error"] == "invalid_grant"


def test_it_opens_mcp_and_nothing_else(bob: Person) -> None:
    token = signed_in(bob, scopes=["run", "answer"])[1]["access_token"]
    assert works(token)
    for path in ("/api/me", "/api/tokens", "/api/runs"):
        assert Api(token).get(path).status == 401, path
    assert Browser(bob).http.get("/api/oauth/ask", headers={"authorization": f"Bearer {token}"}).status_code == 403


def test_a_token_of_another_audience_is_none(bob: Person) -> None:
    token = signed_in(bob)[1]["access_token"]
    ApiToken.objects.filter(audience="/mcp").update(audience="/mcp/platform/desk")
    assert refused(token)[0] == 401


def test_a_token_of_another_team_sees_its_own(bob: Person, charlie: Person) -> None:
    row = offered(bob, ONE_NODE)
    token = signed_in(charlie)[1]["access_token"]
    listed = {tool["name"] for tool in mcp_call(token, "tools/list")["result"]["tools"]}
    assert row.slug not in listed


def test_a_token_in_the_query_is_not_looked_at(bob: Person) -> None:
    token = signed_in(bob)[1]["access_token"]
    assert refused("", f"/mcp?access_token={token}")[0] == 401


def test_what_is_over_is_renewed(bob: Person) -> None:
    program, tokens = signed_in(bob)
    ApiToken.objects.filter(audience="/mcp").update(text_until=timezone.now())
    assert 'error="invalid_token"' in refused(tokens["access_token"])[1]
    new = program.renew(tokens["refresh_token"])
    assert works(new["access_token"]) and new["scope"] == "read run"
    assert ApiToken.objects.filter(audience="/mcp").count() == 1
    ApiToken.objects.filter(audience="/mcp").update(expires_at=timezone.now())
    assert refused(new["access_token"])[0] == 401
    assert program.renew(new["refresh_token"])["error"] == "invalid_grant"


def test_a_refresh_token_that_two_hold_ends_the_grant(bob: Person) -> None:
    program, tokens = signed_in(bob)
    new = program.renew(program.renew(tokens["refresh_token"])["refresh_token"])
    assert program.renew(tokens["refresh_token"])["error"] == "invalid_grant"
    assert refused(new["access_token"])[0] == 401
    assert AuditEntry.objects.get(action="token.deleted").data["reason"] == "refresh_used_twice"


def test_a_code_works_once(bob: Person) -> None:
    program = Program()
    code = Browser(bob).allow(program)
    tokens = program.redeem(code)
    assert program.redeem(code)["error"] == "invalid_grant"
    assert refused(tokens["access_token"])[0] == 401, "two had the code"


UNREDEEMED: tuple[tuple[dict[str, str | None], str], ...] = (
    ({"code_verifier": "x" * 43}, "invalid_grant"),
    ({"code_verifier": None}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:43210/other"}, "invalid_grant"),
    ({"client_id": "ocl_other"}, "invalid_grant"),
    ({"code": "other"}, "invalid_grant"),
    ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
    ({"grant_type": "password"}, "unsupported_grant_type"),
    ({"code": "\0"}, "invalid_request"),
)


def test_a_code_is_not_redeemed(bob: Person) -> None:
    program = Program()
    code = Browser(bob).allow(program)
    for other, error in UNREDEEMED:
        answer = program.redeem(code, **other)
        assert (answer["status"], answer["error"]) == (400, error), other
    assert not ApiToken.objects.filter(audience="/mcp").exists()


def test_a_code_is_good_for_two_minutes(bob: Person) -> None:
    program = Program()
    code = Browser(bob).allow(program)
    Code.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert program.redeem(code)["error"] == "invalid_grant"


WRONG: tuple[tuple[dict[str, str | None], str], ...] = (
    ({"redirect_uri": "https://elsewhere.example/callback"}, "redirect_uri"),
    ({"redirect_uri": "http://127.0.0.1:43210/other"}, "redirect_uri"),
    ({"redirect_uri": "http://127.0.0.1.elsewhere.example:43210/callback"}, "redirect_uri"),
    ({"redirect_uri": "http://a@127.0.0.1:43210/callback"}, "redirect_uri"),
    ({"client_id": "ocl_none"}, "client_id"),
    ({"client_id": None}, "client_id"),
    ({"response_type": "token"}, "response_type"),
    ({"code_challenge": None}, "code_challenge"),
    ({"code_challenge_method": "plain"}, "code_challenge_method"),
    ({"resource": "https://elsewhere.example/mcp"}, "resource"),
    ({"resource": "http://localhost/api"}, "resource"),
    ({"state": "x" * 5000}, "state"),
)


def test_a_wrong_request_is_said_on_the_page(bob: Person) -> None:
    browser, program = Browser(bob), Program()
    for other, field in WRONG:
        answer = browser.ask(program.query(**other))
        assert (answer["status"], list(answer["fields"])) == (400, [field]), other


def test_a_client_on_this_machine_listens_where_it_can(bob: Person) -> None:
    program = Program()
    answer = Browser(bob).ask(program.query(redirect_uri=BACK.replace("43210", "51999")))
    assert answer["redirect_host"] == "127.0.0.1:51999"


def test_a_decision_counts_in_the_browser_that_was_asked(bob: Person, alice: Person) -> None:
    program, asked_one = Program(), Browser(bob)
    ticket = asked_one.ask(program.query())["ticket"]
    for other in (Browser(bob), Browser(alice)):
        answer = other.decide(ticket)
        assert (answer["status"], answer["code"]) == (403, "FORBIDDEN")
    assert "another browser" in answer["message"]
    assert "location" in asked_one.decide(ticket)
    assert asked_one.decide(ticket + "x")["status"] == 403


def test_a_page_is_good_for_ten_minutes(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(bob)
    with monkeypatch.context() as earlier:
        earlier.setattr(TimestampSigner, "timestamp", lambda self: "1oZZZZ")
        ticket = browser.ask(Program().query())["ticket"]
    answer = browser.decide(ticket)
    assert (answer["status"], "10 minutes" in answer["message"]) == (403, True)


def test_a_page_of_another_site_decides_nothing(bob: Person) -> None:
    browser = Browser(bob)
    ticket = browser.ask(Program().query())["ticket"]
    browser.http.cookies["patchbay_csrf"] = ""
    assert browser.decide(ticket)["status"] == 403
    assert not Code.objects.exists()


def test_a_refusal_goes_back_to_the_client(bob: Person) -> None:
    program, browser = Program(), Browser(bob)
    answer = arrived(browser.decide(browser.ask(program.query())["ticket"], allow=False)["location"])
    assert answer == {"error": "access_denied", "state": program.state, "iss": origin()}


def test_no_more_than_was_asked_for_and_only_ones_own_team(bob: Person) -> None:
    program, browser = Program(), Browser(bob)
    ticket = browser.ask(program.query(scope="read openid"))["ticket"]
    answer = browser.decide(ticket, scopes=["run"])
    assert (answer["status"], list(answer["fields"])) == (400, ["scopes"])
    other = Team.objects.create(name="Other", slug="other")
    assert browser.decide(ticket, scopes=[], team=other.pk)["status"] == 404
    tokens = program.redeem(arrived(browser.decide(ticket, scopes=[])["location"])["code"])
    assert tokens["scope"] == "read"


def test_a_viewers_client_starts_nothing(vera: Person, bob: Person) -> None:
    row = offered(bob, ONE_NODE)
    token = signed_in(vera)[1]["access_token"]
    answer = mcp_call(token, "tools/call", {}, name=row.slug, arguments={"name": "Ada"})
    assert "error" in answer or answer["result"]["isError"]


def test_a_token_is_given_back(bob: Person) -> None:
    for name in ("access_token", "refresh_token"):
        program, tokens = signed_in(bob)
        assert program.form("/oauth/revoke", client_id="ocl_other", token=tokens[name])["status"] == 200
        assert works(tokens["access_token"])
        assert program.form("/oauth/revoke", client_id=program.id, token=tokens[name])["status"] == 200
        assert refused(tokens["access_token"])[0] == 401
    assert program.form("/oauth/revoke", client_id=program.id, token="none")["status"] == 200


UNREGISTERED: tuple[tuple[Any, str], ...] = (
    ([], "invalid_client_metadata"),
    ({}, "invalid_redirect_uri"),
    ({"redirect_uris": ["http://elsewhere.example/cb"]}, "invalid_redirect_uri"),
    ({"redirect_uris": ["javascript://x/%0aalert(1)"]}, "invalid_redirect_uri"),
    ({"redirect_uris": ["https://x.example/#there"]}, "invalid_redirect_uri"),
    ({"redirect_uris": ["https://x.example\\@y.example/"]}, "invalid_redirect_uri"),
    ({"redirect_uris": [BACK, 7]}, "invalid_redirect_uri"),
    ({"redirect_uris": [BACK] * 21}, "invalid_redirect_uri"),
)


def test_a_registration_is_refused() -> None:
    program = Program()
    for body, error in UNREGISTERED:
        answer = program.register(body)
        assert (answer["status"], answer["error"]) == (400, error), body


def test_a_client_never_gets_a_secret_and_a_name_hides_nothing() -> None:
    wants = {"redirect_uris": ["cursor://x/cb", "org.example.app://cb"], "token_endpoint_auth_method": "none"}
    answer = Program().register({**wants, "client_name": "Cl\u202eau\nde" + "x" * 500})
    assert answer["token_endpoint_auth_method"] == "none" and "client_secret" not in answer
    assert answer["client_name"].startswith("Cl au de") and len(answer["client_name"]) == 100


def test_a_flood_of_registrations_is_stopped_and_leaves_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "PER_ADDRESS", 4)
    monkeypatch.setattr(clients, "MOST_UNUSED", 2)
    program = Program()
    answers = [program.register({"redirect_uris": [BACK]}) for _ in range(4)]
    assert [answer["status"] for answer in answers] == [201, 201, 201, 429]
    assert Registration.objects.count() == 2
    assert Client().post("/oauth/register", "x" * 70_000, content_type="application/json").status_code == 413


def test_who_was_allowed_stays_registered(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    program, tokens = signed_in(bob)
    Registration.objects.update(created_at=timezone.now() - timedelta(days=400))
    Program()
    assert "access_token" in program.renew(tokens["refresh_token"])
    assert Registration.objects.filter(pk=program.id).exists()


def test_tokens_are_asked_for_at_a_measured_pace(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.oauth.door.PER_MINUTE", 2)
    program = Program()
    statuses = [program.redeem("x")["status"] for _ in range(3)]
    assert statuses == [400, 400, 429]
    assert granting.CODE_S <= 600
