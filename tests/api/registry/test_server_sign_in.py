"""Signing in to a server by OAuth: found, begun, come back, used, renewed, ended; and what others may do wrong."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from backend.accounts.models import AuditEntry, Membership
from backend.registry.connecting.connections import find, gated
from backend.server_signin import exchanges, renewal
from backend.server_signin.models import KnownClient, Pending, SignIn
from backend.server_signin.renewal import SignedIn
from backend.tools.calls.direct import DirectEffects
from backend.tools.loop import LOOP
from backend.tools.types import CallContext, ToolResult
from tests.api.registry.signing_in import add, at_screen, begin, sign_in
from tests.api.runs.conftest import until
from tests.oauth_mcp_server import OAuthServer
from tests.people import Person


def call(person: Person, tool: str = "echo", **more: Any) -> Any:
    return person.api.post("/api/mcp/tools/call", {"server": "octo", "tool": tool, "confirm": True, **more})


def reason(person: Person, at: str) -> str:
    problem = person.api.get(f"{at}/sign-in").data["problem"]
    return "" if problem is None else f"{problem['stage']}: {problem['reason']}"


def test_a_person_signs_in_and_the_server_is_used(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote, secret_headers={"Authorization": "Bearer mine-is-older"})
    before = anna.api.get(f"{at}/sign-in").data
    assert before["state"] == "none" and before["shared"] and before["may_sign_in"]
    refused = call(anna)
    assert (refused.status, refused.data["code"]) == (502, "MCP_AUTH_FAILED")
    assert refused.data["message"] == "Nobody is signed in at the server octo."
    shown = sign_in(anna, at, remote)
    assert shown["state"] == "signed_in" and shown["signed_in_as"] == "octo" and shown["scopes"] == ["read"]
    assert shown["signed_in_by"] == anna.user.email and shown["renews"] and shown["expires_at"]
    assert shown["client_kind"] == "registered" and shown["problem"] is None
    assert [step["stage"] for step in shown["steps"]] == ["challenge", "resource", "issuer", "client", "token"]
    reply = call(anna)
    assert reply.status == 200 and reply.data["text"].startswith("echo: I was given "), reply.text
    assert "acc-" not in reply.text and "mine-is-older" not in reply.text
    assert anna.api.post(f"{at}/test").data["ok"] is True
    assert AuditEntry.objects.filter(action="server.signed_in").count() == 1


def test_what_is_kept_and_shown_holds_no_secret(remote: OAuthServer, anna: Person, bob: Person) -> None:
    at = add(anna, remote)
    begun = begin(anna, at).data["url"]
    verifier = Pending.objects.get().held["verifier"]
    back = remote.visit(begun)
    anna.api.post("/api/mcp/sign-in/return", back)
    held = SignIn.objects.get().held
    shown = anna.api.get(f"{at}/sign-in").text
    for secret in (verifier, back["code"], back["state"], held["access"], held["refresh"]):
        assert secret not in shown
        assert secret not in json.dumps(list(SignIn.objects.values_list("steps", "facts", "problem")))
    assert bob.api.get(f"{at}/sign-in").data["steps"] == []
    assert Pending.objects.count() == 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT held FROM server_signin_signin")
        assert not {held["access"], held["refresh"]} & set(re.findall(r"[a-z]{3}-[0-9a-f]{32}", str(cursor.fetchall())))


def test_a_renewal_happens_once_for_all_calls(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert call(anna).status == 200
    first = SignIn.objects.get()
    remote.age()
    results = LOOP.run(calls(anna, ["echo"] * 4))
    assert all(result.text.startswith("echo") for result in results)
    assert remote.facts()["renewed"] == 1 and remote.facts()["reused"] == 0
    row = SignIn.objects.get()
    assert row.version == first.version + 1 and row.stamp == first.stamp and row.refreshed_at is not None
    shown = anna.api.get(f"{at}/sign-in").data
    assert shown["steps"][-1]["stage"] == "refresh" and shown["refreshed_at"]
    assert "acc-" not in json.dumps([result.as_json() for result in results])


def test_a_refresh_token_that_changes_with_every_renewal_is_used_once_each(
    remote: OAuthServer, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renewal, "AGAIN_AFTER_S", 0.0)  # as if time had passed between the two
    at = add(anna, remote)
    sign_in(anna, at, remote)
    held = [SignIn.objects.get().held["refresh"]]
    for _ in range(2):
        remote.age()
        assert call(anna).status == 200
        held.append(SignIn.objects.get().held["refresh"])
    facts = remote.facts()
    assert (facts["renewed"], facts["reused"], len(set(held))) == (2, 0, 3)


def test_calls_at_once_do_not_wait_for_one_another(remote: OAuthServer, anna: Person) -> None:
    sign_in(anna, add(anna, remote), remote)
    results = LOOP.run(calls(anna, ["together"] * 4, n=4))  # the server answers when all four are there
    assert len(results) == 4


async def calls(person: Person, tools: list[str], **arguments: Any) -> list[ToolResult]:
    """Calls at once, as nodes make them."""
    source = await asyncio.to_thread(source_for, person)

    async def one(number: int, tool: str) -> ToolResult:
        effects = DirectEffects(confirm=True, by=person.user.pk)
        result: ToolResult = await source.call_tool(tool, dict(arguments), CallContext(effects, f"call{number}"))
        return result

    return list(await asyncio.gather(*(one(number, tool) for number, tool in enumerate(tools))))


def source_for(person: Person) -> Any:
    from django.db import connections

    try:
        result = find(person.team.pk, "octo", user_id=person.user.pk)
        return gated(result, user_id=person.user.pk, run_id=None, workflow_id="")
    finally:
        connections.close_all()


def test_a_sign_in_that_was_ended_says_so_and_a_new_one_mends_it(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    remote.end_sign_ins()
    refused = call(anna)
    assert refused.data["code"] == "MCP_AUTH_FAILED" and "ended the sign-in" in refused.data["message"]
    shown = anna.api.get(f"{at}/sign-in").data
    assert shown["state"] == "ended" and shown["problem"]["reason"] == "sign_in_ended"
    assert shown["problem"]["stage"] == shown["steps"][-1]["stage"] == "refresh"
    assert "ref-" not in json.dumps(shown)
    sign_in(anna, at, remote)
    assert call(anna).status == 200


def test_an_approval_holds_for_every_sign_in_of_the_same_account(remote: OAuthServer, anna: Person) -> None:
    """Connections are another sign-in's, what was approved is not another account's."""
    at = add(anna, remote)
    sign_in(anna, at, remote)
    before = find(anna.team.pk, "octo").config
    remote.end_sign_ins()
    assert call(anna).data["code"] == "MCP_AUTH_FAILED"
    sign_in(anna, at, remote)
    same = find(anna.team.pk, "octo").config
    assert same.key != before.key and same.hash == before.hash
    SignIn.objects.update(signed_in_as="another", stamp="sgn_another")
    assert find(anna.team.pk, "octo").config.hash != before.hash


def test_signing_out_ends_the_use_at_once(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert call(anna).status == 200
    assert anna.api.delete(f"{at}/sign-in").status == 204
    assert SignIn.objects.get().held == {}
    assert call(anna).data["message"] == "Nobody is signed in at the server octo."
    assert AuditEntry.objects.filter(action="server.signed_out").count() == 1


def test_signing_out_is_told_to_the_authorization_server(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    held = SignIn.objects.get().held
    assert remote.facts()["valid"] == 2
    assert anna.api.delete(f"{at}/sign-in").status == 204
    assert remote.facts()["valid"] == 0
    shown = anna.api.get(f"{at}/sign-in")
    assert shown.data["state"] == "none" and shown.data["problem"] is None
    messages = [step for step in shown.data["steps"] if step["stage"] == "revoke"]
    assert [step["status"] for step in messages] == [200, 200]
    assert (
        "token_type_hint=refresh_token" in messages[0]["sent"] and "token_type_hint=access_token" in messages[1]["sent"]
    )
    assert held["access"] not in shown.text and held["refresh"] not in shown.text
    assert anna.api.delete(f"{at}/sign-in").status == 204  # nothing is left to tell
    assert remote.facts()["log"].count("POST /revoke") == 2


@pytest.mark.parametrize(
    ("wrong", "problems"),
    [
        ({"broken": "revoke"}, ["oauth_status", "oauth_status"]),
        ({"redirect": "revoke"}, ["oauth_redirect"]),
        ({"metadata": {"revocation_endpoint": "http://127.0.0.1:9/revoke"}}, ["oauth_unreachable"]),
        ({"metadata": {"revocation_endpoint": None}}, []),
    ],
)
def test_who_signs_out_is_out_whatever_the_authorization_server_answers(
    remote: OAuthServer, anna: Person, wrong: dict[str, Any], problems: list[str]
) -> None:
    remote.does(**wrong)
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert anna.api.delete(f"{at}/sign-in").status == 204
    shown = anna.api.get(f"{at}/sign-in").data
    assert shown["state"] == "none" and SignIn.objects.get().held == {}
    assert [step["problem"] for step in shown["steps"] if step["stage"] == "revoke"] == problems
    assert "Nobody is signed in" in call(anna).data["message"]


@pytest.mark.parametrize("end", ["deleted", "moved", "left"])
def test_tokens_of_a_forgotten_sign_in_are_revoked(remote: OAuthServer, anna: Person, bob: Person, end: str) -> None:
    at = add(anna, remote, credentials="user")
    sign_in(at_screen(bob), at, remote)
    assert remote.facts()["valid"] == 2
    if end == "deleted":
        assert anna.api.delete(at).status == 204
    elif end == "moved":
        assert anna.api.patch(at, {"url": "https://elsewhere.example/mcp"}).status == 200
    else:
        member = Membership.objects.get(user=bob.user)
        assert anna.api.delete(f"/api/teams/members/{member.pk}").status == 204
    assert SignIn.objects.count() == 0
    noted = until(lambda: AuditEntry.objects.filter(action="server.tokens_revoked").first(), 60)
    assert noted.target_id == at.rpartition("/")[2]
    messages = {name: noted.data[name] for name in ("issuer", "shared", "given", "revoked", "problem")}
    assert messages == {"issuer": remote.issuer, "shared": False, "given": 2, "revoked": 2, "problem": ""}
    assert remote.facts()["valid"] == 0


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [({"broken": "revoke"}, "oauth_status"), ({"silent": "revoke"}, "oauth_timeout")],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value)),
)
def test_what_keeps_tokens_from_being_revoked_is_in_the_audit_trail_and_holds_nothing_up(
    remote: OAuthServer, anna: Person, wrong: dict[str, Any], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    remote.does(**wrong)
    if "silent" in wrong:
        monkeypatch.setattr(exchanges, "REQUEST_S", 0.3)
    assert anna.api.delete(at).status == 204
    noted = until(lambda: AuditEntry.objects.filter(action="server.tokens_revoked").first(), 60)
    assert (noted.data["revoked"], noted.data["problem"]) == (0, problem)


def test_more_scopes_are_asked_for_when_the_server_wants_them(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    refused = call(anna, "admin")
    assert refused.data["code"] == "MCP_AUTH_FAILED" and "read admin" in refused.data["message"], refused.text
    assert anna.api.get(f"{at}/sign-in").data["needs"] == ["admin"]
    assert call(anna).status == 200  # the rest goes on
    assert sign_in(anna, at, remote)["scopes"] == ["read", "admin"]
    assert call(anna, "admin").status == 200


def test_each_member_signs_in_for_themself(remote: OAuthServer, anna: Person, bob: Person) -> None:
    at = add(anna, remote, credentials="user")
    sign_in(anna, at, remote)
    assert call(anna).status == 200
    bob = at_screen(bob)
    assert bob.api.get(f"{at}/sign-in").data["state"] == "none"
    assert "Nobody is signed in" in call(bob).data["message"]
    sign_in(bob, at, remote)
    assert call(bob).status == 200
    assert SignIn.objects.filter(user=bob.user).count() == SignIn.objects.filter(user=anna.user).count() == 1


def test_an_editor_does_not_sign_in_for_the_team_and_a_token_for_nobody(
    remote: OAuthServer, anna: Person, adam: Person, bob: Person
) -> None:
    at, editor = add(anna, remote), at_screen(bob)
    assert (begin(editor, at).status, editor.api.delete(f"{at}/sign-in").status) == (403, 403)
    assert begin(adam, at).data["message"] == "Tokens cannot do this: it requires a signed-in person."
    assert remote.facts()["log"] == []


def test_a_client_that_was_entered_is_used_and_never_given_to_another_authority(
    remote: OAuthServer, anna: Person
) -> None:
    remote.does(metadata={"registration_endpoint": None})
    at = add(anna, remote)
    refused = begin(anna, at)
    assert refused.data["code"] == "MCP_AUTH_FAILED" and "/oauth/callback" in refused.data["hint"], refused.text
    assert reason(anna, at) == "client: oauth_no_client"
    reply = anna.api.patch(at, {"oauth_client_id": "by-hand", "oauth_client_secret": "by hand: secret"}).data
    assert reply["oauth_client_id"] == "by-hand" and reply["oauth_client_secret_set"] is True
    assert sign_in(anna, at, remote)["client_kind"] == "entered"
    assert call(anna).status == 200
    KnownClient.objects.update(issuer="https://elsewhere.example")
    assert begin(anna, at).status == 502 and reason(anna, at) == "client: oauth_other_issuer"
    assert "by hand: secret" not in anna.api.get(f"{at}/sign-in").text


def test_a_document_at_our_own_https_address_is_the_client_where_one_is_taken(
    remote: OAuthServer, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "https://patchbay.example.org"
    assert anna.api.get("/oauth/client.json").status == 404, "without https nobody could read it"
    monkeypatch.setattr(settings, "SECURE", True)
    monkeypatch.setattr(settings, "PUBLIC_URL", own)
    reply = anna.api.get("/oauth/client.json")
    assert (reply.status, reply.data["client_id"]) == (200, f"{own}/oauth/client.json")
    assert reply.data["redirect_uris"] == [f"{own}/oauth/callback"]
    remote.does(metadata={"client_id_metadata_document_supported": True}, document=reply.data["client_id"])
    at = add(anna, remote)
    shown = sign_in(anna, at, remote)
    assert (shown["state"], shown["client_kind"], shown["client_id"]) == (
        "signed_in",
        "document",
        reply.data["client_id"],
    )
    assert "client" not in [step["stage"] for step in shown["steps"]] and remote.facts()["registered"] == 0
    assert call(anna).status == 200


def test_another_address_or_way_ends_the_sign_in(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    anna.api.patch(at, {"name": "Other"})
    assert SignIn.objects.count() == 1
    anna.api.patch(at, {"url": "https://elsewhere.example/mcp"})
    assert (SignIn.objects.count(), KnownClient.objects.count()) == (0, 0)


def test_a_test_of_another_address_does_not_take_the_token_there(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    with OAuthServer() as other:
        body = {"server": at.rpartition("/")[2], "url": other.url}
        report = anna.api.post("/api/mcp/servers/test", body).data
        assert report["ok"] is False and report["code"] == "MCP_AUTH_FAILED"
        assert "POST /mcp" not in other.facts()["log"]


def test_metadata_is_found_where_initialize_needs_no_sign_in(remote: OAuthServer, anna: Person) -> None:
    remote.does(open_initialize=True)
    shown = sign_in(anna, add(anna, remote), remote)
    assert shown["state"] == "signed_in" and [step["status"] for step in shown["steps"][:2]] == [200, 401]
    assert call(anna).status == 200


def test_who_greets_anybody_may_name_the_rights_for_its_list(remote: OAuthServer, anna: Person) -> None:
    remote.does(open_initialize=True, asks_for="read admin")
    assert sign_in(anna, add(anna, remote), remote)["scopes"] == ["read", "admin"]
    assert call(anna, "admin").status == 200


def test_a_registration_says_what_kind_of_client_comes(remote: OAuthServer, anna: Person) -> None:
    sign_in(anna, add(anna, remote), remote)
    assert remote.facts()["kinds"] == ["native"]  # sent back to this machine, without https


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"issuer": "https://other.example"}, "issuer: oauth_issuer"),
        ({"redirect": "metadata"}, "issuer: oauth_redirect"),
        ({"redirect": "resource"}, "resource: oauth_redirect"),
        ({"html": "metadata"}, "issuer: oauth_not_json"),
        ({"huge": "metadata"}, "issuer: oauth_too_large"),
        ({"broken": "metadata"}, "issuer: oauth_status"),
        ({"silent": "metadata"}, "issuer: oauth_timeout"),
        ({"resource": "https://other.example/mcp"}, "resource: oauth_resource"),
        ({"server": "http://auth.example.org"}, "issuer: oauth_not_https"),
        ({"metadata": {"authorization_endpoint": "http://auth.example.org/a"}}, "issuer: oauth_not_https"),
        ({"metadata": {"token_endpoint": "javascript:alert(1)"}}, "issuer: oauth_not_https"),
        ({"metadata": {"code_challenge_methods_supported": ["plain"]}}, "issuer: oauth_no_pkce"),
        ({"html": "register"}, "client: oauth_not_json"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value)),
)
def test_a_server_that_lies_or_stumbles_is_told_with_its_stage(
    remote: OAuthServer, anna: Person, wrong: dict[str, Any], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "silent" in wrong:
        monkeypatch.setattr(exchanges, "REQUEST_S", 0.3)
    at = add(anna, remote)
    remote.does(**wrong)
    refused = begin(anna, at)
    assert (refused.status, refused.data["code"]) == (502, "MCP_AUTH_FAILED"), refused.text
    assert "…" not in refused.data["message"] + refused.data["hint"]
    assert reason(anna, at) == expected
    assert anna.api.get(f"{at}/sign-in").data["steps"][-1]["problem"] == expected.partition(": ")[2]
    assert Pending.objects.count() == 0


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"iss": "https://other.example"}, "consent: oauth_iss"),
        ({"iss": "{issuer}/"}, "consent: oauth_iss"),
        ({"denies": "access_denied"}, "consent: oauth_denied"),
        ({"html": "token"}, "token: oauth_not_json"),
        ({"redirect": "token"}, "token: oauth_redirect"),
        ({"silent": "token"}, "token: oauth_timeout"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value)),
)
def test_what_goes_wrong_on_the_way_back_is_told_with_its_stage(
    remote: OAuthServer, anna: Person, wrong: dict[str, Any], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = add(anna, remote)
    url = begin(anna, at).data["url"]
    remote.does(**wrong)
    back = remote.visit(url)
    if "silent" in wrong:
        monkeypatch.setattr(exchanges, "REQUEST_S", 0.3)
    refused = anna.api.post("/api/mcp/sign-in/return", back)
    assert (refused.status, refused.data["code"]) == (502, "MCP_AUTH_FAILED"), refused.text
    assert reason(anna, at) == expected
    assert SignIn.objects.get().state == "none"
    assert anna.api.post("/api/mcp/sign-in/return", back).status == 409  # a state is good once


def test_a_state_of_another_browser_is_refused_and_stays_good_in_its_own(
    remote: OAuthServer, anna: Person, bob: Person
) -> None:
    at = add(anna, remote)
    back = remote.visit(begin(anna, at).data["url"])
    refused = at_screen(bob).api.post("/api/mcp/sign-in/return", back)
    assert (refused.status, refused.data["message"]) == (
        403,
        "This sign-in was started in another browser, or by somebody else.",
    )
    assert at_screen(anna).api.post("/api/mcp/sign-in/return", back).status == 403  # another browser of hers
    assert anna.api.post("/api/mcp/sign-in/return", back).status == 200
    assert anna.api.post("/api/mcp/sign-in/return", {"state": "never-given"}).status == 409
    assert "state" in anna.api.post("/api/mcp/sign-in/return", {}).data["fields"]


def test_a_server_elsewhere_leads_nobody_into_this_machine(remote: OAuthServer, anna: Person) -> None:
    """The word of a server that is not on this machine opens no loopback, whatever the typed address may reach."""
    from backend.accounts.teams.outbound import network_rules

    reply = exchanges.Exchanges(network_rules(), "https://mcp.example.org/mcp")
    with pytest.raises(Exception, match="NETWORK_BLOCKED"):
        LOOP.run(reply.get("resource", f"{remote.issuer}/.well-known/oauth-protected-resource/mcp"))
    assert remote.facts()["log"] == []


def test_a_token_is_renewed_before_it_ends(remote: OAuthServer, anna: Person) -> None:
    remote.does(expires_in=1)
    at = add(anna, remote)
    sign_in(anna, at, remote)
    SignIn.objects.update(expires_at=SignIn.objects.get().signed_in_at)
    remote.does()
    assert call(anna).status == 200
    facts = remote.facts()
    assert (facts["renewed"], facts["reused"]) == (1, 0)
    used = facts["log"][facts["log"].index("POST /token") :]
    assert used.index("POST /token", 1) < used.index("POST /mcp")  # not only once it was refused


@pytest.mark.parametrize(("wrong", "problem"), [("broken", "oauth_status"), ("silent", "oauth_timeout")])
def test_a_renewal_that_gets_no_answer_ends_nothing(
    remote: OAuthServer, anna: Person, monkeypatch: pytest.MonkeyPatch, wrong: str, problem: str
) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    remote.age()
    remote.does(**{wrong: "token"})
    with monkeypatch.context() as impatient:
        if wrong == "silent":
            impatient.setattr(exchanges, "REQUEST_S", 0.3)
        refused = call(anna)
    assert refused.data["code"] == "MCP_UNREACHABLE" and "could not be renewed" in refused.data["message"]
    assert anna.api.get(f"{at}/sign-in").data["state"] == "signed_in"
    assert reason(anna, at) == f"refresh: {problem}"
    remote.does()
    assert call(anna).status == 200 and reason(anna, at) == ""


def test_without_a_refresh_token_the_sign_in_ends_with_its_token(remote: OAuthServer, anna: Person) -> None:
    remote.does(no_refresh=True)
    at = add(anna, remote)
    assert sign_in(anna, at, remote)["renews"] is False
    remote.age()
    assert "cannot be renewed" in call(anna).data["message"]
    assert anna.api.get(f"{at}/sign-in").data["state"] == "ended"


def test_a_token_that_is_refused_at_once_is_not_renewed_for_ever(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert call(anna).status == 200
    remote.does(refuses_all=True)
    for _ in range(3):
        assert "issued just now" in call(anna).data["message"]
    assert remote.facts()["renewed"] == 1


def test_of_many_processes_one_renews_and_the_others_read(remote: OAuthServer, anna: Person) -> None:
    """Each has a `SignedIn` of its own; nothing but the row is common to them."""
    at = add(anna, remote)
    sign_in(anna, at, remote)
    row = SignIn.objects.get()
    known = [SignedIn(row, "octo", remote.url) for _ in range(6)]
    remote.age()

    async def at_once() -> set[str | None]:
        return set(await asyncio.gather(*(item.renewed(row.held["access"]) for item in known)))

    tokens = LOOP.run(at_once())
    facts = remote.facts()
    assert (len(tokens), facts["renewed"], facts["reused"]) == (1, 1, 0)
    assert tokens == {SignIn.objects.get().held["access"]}


def test_an_attempt_begins_the_list_of_steps_anew(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    remote.does(html="metadata")
    begin(anna, at)
    remote.does()
    shown = sign_in(anna, at, remote)
    assert [step["stage"] for step in shown["steps"]] == ["challenge", "resource", "issuer", "client", "token"]


def test_an_address_that_is_a_secret_is_neither_shown_nor_kept_in_the_clear(remote: OAuthServer, anna: Person) -> None:
    remote.does(resource=f"{remote.issuer}/mcp")
    at = add(anna, remote, url=f"{remote.url}?key=geheim-4711-mcp", url_secret=True)
    sign_in(anna, at, remote)
    remote.age()
    assert call(anna).status == 200
    assert "geheim-4711" not in anna.api.get(f"{at}/sign-in").text
    row = SignIn.objects.values("steps", "facts", "problem", "issuer").get()
    assert "geheim-4711" not in json.dumps(row)
