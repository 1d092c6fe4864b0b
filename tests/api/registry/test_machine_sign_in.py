"""Patchbay signing in at a server itself: with a secret or a signed assertion, once for all, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from django.db import connection

from backend.accounts.models import AuditEntry
from backend.registry.configuration.oauth_client import machine_of
from backend.registry.models import Server
from backend.server_signin import exchanges
from backend.server_signin.machines import MachineToken
from backend.server_signin.models import KnownClient, SignIn
from backend.tools.loop import LOOP
from tests.api.registry.signing_in import add, at_screen, begin
from tests.oauth_mcp_server import OAuthServer
from tests.people import Person

SECRET = {"oauth_grant": "client_credentials", "oauth_client_id": "robot", "oauth_client_secret": "robot: secret"}


def pem_of(key: Any, password: bytes | None = None) -> str:
    kind = BestAvailableEncryption(password) if password else NoEncryption()
    return str(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, kind).decode())


def public_of(key: Any) -> str:
    return str(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode())


def signed(key: Any, **more: Any) -> dict[str, Any]:
    """A client that signs assertions with `key`."""
    client = {"oauth_grant": "client_credentials", "oauth_client_auth": "private_key_jwt", "oauth_client_id": "robot"}
    return {**client, "oauth_private_key": pem_of(key), **more}


@pytest.fixture
def remote(oauth_process: OAuthServer, transactional_db: None) -> Iterator[OAuthServer]:
    """A server that knows nobody yet, and lets people sign in no more than machines need."""
    oauth_process.reset()
    oauth_process.does(metadata={"authorization_endpoint": None, "code_challenge_methods_supported": None})
    yield oauth_process
    LOOP.stop()


def call(person: Person, tool: str = "echo") -> Any:
    return person.api.post("/api/mcp/tools/call", {"server": "octo", "tool": tool, "confirm": True})


def reason(person: Person, at: str) -> str:
    problem = person.api.get(f"{at}/sign-in").data["problem"]
    return "" if problem is None else f"{problem['stage']}: {problem['reason']}"


def test_the_first_call_fetches_a_token_and_the_next_uses_it(remote: OAuthServer, anna: Person, bob: Person) -> None:
    at = add(anna, remote, **SECRET)
    before = anna.api.get(f"{at}/sign-in").data
    assert (before["state"], before["machine"], before["shared"], before["steps"]) == ("none", True, True, [])
    assert call(bob).status == call(bob).status == 200, "nobody had to sign in"
    facts = remote.facts()
    assert facts["machines"] == [
        {"how": "client_secret_basic", "scopes": ["read"], "resource": remote.url, "problem": ""}
    ]
    shown = anna.api.get(f"{at}/sign-in").data
    assert (shown["state"], shown["issuer"], shown["scopes"]) == ("signed_in", remote.issuer, ["read"])
    assert (shown["client_id"], shown["renews"], shown["signed_in_by"]) == ("robot", True, None)
    assert [step["stage"] for step in shown["steps"]] == ["challenge", "resource", "issuer", "token"]
    assert shown["expires_at"] and shown["refreshed_at"] and shown["problem"] is None


def test_nothing_of_the_credentials_is_shown_or_kept_in_the_clear(remote: OAuthServer, anna: Person) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    remote.does(key=public_of(key))
    at = add(anna, remote, **signed(key))
    assert call(anna).status == 200
    row = SignIn.objects.get()
    shown = anna.api.get(f"{at}/sign-in").text + anna.api.get(at).text
    kept = json.dumps(list(SignIn.objects.values_list("steps", "facts", "problem")), ensure_ascii=False)
    body = pem_of(key).splitlines()[1]
    for secret in (row.held["access"], body):
        assert secret not in shown and secret not in kept
    assert "client_assertion=••••••" in kept and "robot: secret" not in shown
    server = anna.api.get(at).data
    assert server["oauth_private_key_set"] is True and server["oauth_signing_alg"] == "ES256"
    assert "oauth_private_key" not in server and server["oauth_client_secret_set"] is False
    with connection.cursor() as cursor:
        cursor.execute("SELECT s.secrets, g.held FROM registry_server s, server_signin_signin g")
        assert body not in str(cursor.fetchall())


@pytest.mark.parametrize("kind", ["ES256", "RS256"])
def test_an_assertion_is_signed_by_the_kind_of_key_and_new_each_time(
    remote: OAuthServer, anna: Person, kind: str
) -> None:
    key: Any = ec.generate_private_key(ec.SECP256R1()) if kind == "ES256" else rsa.generate_private_key(65537, 2048)
    remote.does(key=public_of(key), kid="k-1")
    at = add(anna, remote, **signed(key, oauth_key_id="k-1"))
    shown = anna.api.get(at).data
    assert (shown["oauth_signing_alg"], shown["oauth_key_id"]) == (kind, "k-1")
    assert call(anna).status == 200
    remote.age()
    assert call(anna).status == 200, "a token that is refused is fetched again"
    assert [(item["how"], item["problem"]) for item in remote.facts()["machines"]] == [("private_key_jwt", "")] * 2


def test_a_secret_goes_where_the_authorization_server_takes_it_or_where_an_admin_says(
    remote: OAuthServer, anna: Person
) -> None:
    remote.does(metadata={"token_endpoint_auth_methods_supported": ["client_secret_post"]})
    at = add(anna, remote, **SECRET)
    assert call(anna).status == 200
    assert anna.api.patch(at, {"oauth_client_auth": "client_secret_basic"}).status == 200
    assert call(anna).status == 200
    assert [item["how"] for item in remote.facts()["machines"]] == ["client_secret_post", "client_secret_basic"]


@pytest.mark.wide
def test_of_many_processes_one_fetches_and_the_others_read(remote: OAuthServer, anna: Person) -> None:
    """Each has a token object of its own; nothing but the row is common to them."""
    at = add(anna, remote, **SECRET)
    assert anna.api.post(f"{at}/sign-in").status == 200
    anna.api.delete(f"{at}/sign-in")
    server = Server.objects.get()
    own, row = machine_of(server, {}, remote.url), SignIn.objects.get()
    assert own is not None and row.state == "none" and row.stamp
    tokens = [MachineToken(row, "octo", remote.url, own) for _ in range(6)]

    async def at_once() -> set[str]:
        return set(await asyncio.gather(*(token.token() for token in tokens)))

    assert LOOP.run(at_once()) == {SignIn.objects.get().held["access"]}
    assert len(remote.facts()["machines"]) == 2


def test_more_scopes_are_fetched_when_the_server_wants_them(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote, **SECRET)
    assert call(anna, "admin").status == 200, "nobody is asked"
    assert anna.api.get(f"{at}/sign-in").data["scopes"] == ["read", "admin"]
    remote.age()
    assert call(anna, "admin").status == 200
    assert [item["scopes"] for item in remote.facts()["machines"]] == [["read"], ["read", "admin"], ["read", "admin"]]


def test_scopes_that_are_not_given_fail_that_call_alone(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote, **SECRET)
    remote.does(withholds=["admin"])
    refused = call(anna, "admin")
    assert (refused.status, refused.data["code"]) == (502, "MCP_AUTH_FAILED") and "does not give" in refused.data[
        "message"
    ]
    remote.does(forbids=["admin"])
    refused = call(anna, "admin")
    assert refused.data["code"] == "MCP_AUTH_FAILED" and "invalid_scope" in refused.data["message"]
    assert call(anna).status == 200 and anna.api.get(f"{at}/sign-in").data["state"] == "signed_in"
    remote.age()
    assert call(anna).status == 200, "the next token is asked for without them"
    assert remote.facts()["machines"][-1]["scopes"] == ["read"]


def test_refused_credentials_end_it_until_an_admin_puts_them_right(
    remote: OAuthServer, anna: Person, bob: Person
) -> None:
    at = add(anna, remote, **{**SECRET, "oauth_client_secret": "wrong: secret"})
    for _ in range(2):
        refused = call(anna)
        assert refused.data["code"] == "MCP_AUTH_FAILED" and "invalid_client" in refused.data["message"], refused.text
    assert len(remote.facts()["machines"]) == 1, "the same credentials are not offered again"
    shown = anna.api.get(f"{at}/sign-in").data
    assert (shown["state"], reason(anna, at)) == ("ended", "token: machine_refused")
    assert shown["steps"][-1]["stage"] == "token" and shown["steps"][-1]["problem"] == "machine_refused"
    assert "wrong: secret" not in json.dumps(shown) and "client_credentials" in shown["problem"]["hint"]
    assert at_screen(bob).api.post(f"{at}/sign-in").status == 403
    again = anna.api.post(f"{at}/sign-in")
    assert (again.status, again.data["code"]) == (502, "MCP_AUTH_FAILED")
    assert anna.api.patch(at, {"oauth_client_secret": "robot: secret"}).status == 200
    assert call(anna).status == 200 and reason(anna, at) == ""


def test_an_admin_fetches_a_token_at_once_and_gives_it_back(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote, **SECRET)
    fetched = anna.api.post(f"{at}/sign-in")
    assert fetched.status == 200 and fetched.data["state"] == "signed_in", fetched.text
    assert AuditEntry.objects.get(action="server.signed_in").data["machine"] is True
    assert remote.facts()["valid"] == 1
    assert anna.api.delete(f"{at}/sign-in").status == 204
    assert remote.facts()["valid"] == 0, "the authorization server is told"
    assert anna.api.get(f"{at}/sign-in").data["state"] == "none"
    assert call(anna).status == 200, "and the next call fetches another"
    refused = begin(anna, at)
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT") and "itself" in refused.data["message"]


def test_where_people_sign_in_there_is_nothing_to_fetch(remote: OAuthServer, anna: Person) -> None:
    refused = anna.api.post(f"{add(anna, remote)}/sign-in")
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT")


def test_a_configuration_is_tested_with_its_credentials_before_it_is_kept(remote: OAuthServer, anna: Person) -> None:
    body = {"name": "Octo", "transport": "http", "url": remote.url, "auth_type": "oauth", **SECRET}
    report = anna.api.post("/api/mcp/servers/test", body).data
    assert report["ok"] is True, report
    assert SignIn.objects.count() == KnownClient.objects.count() == 0
    report = anna.api.post("/api/mcp/servers/test", {**body, "oauth_client_secret": "wrong: secret"}).data
    assert report["ok"] is False and report["code"] == "MCP_AUTH_FAILED" and "invalid_client" in report["message"]
    assert "wrong: secret" not in json.dumps(report)


def test_credentials_never_go_to_another_authority(remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote, **SECRET)
    assert call(anna).status == 200
    KnownClient.objects.update(issuer="https://elsewhere.example")
    SignIn.objects.update(problem={"code": "MCP_AUTH_FAILED"})  # what was found out is not trusted any more
    remote.age()
    assert call(anna).status == 502 and reason(anna, at) == "client: oauth_other_issuer"
    assert len(remote.facts()["machines"]) == 1


@pytest.mark.parametrize(
    ("wrong", "code", "expected"),
    [
        ({"metadata": {"issuer": "https://other.example"}}, "MCP_AUTH_FAILED", "issuer: oauth_issuer"),
        ({"metadata": {"token_endpoint": "http://auth.example.org/t"}}, "MCP_AUTH_FAILED", "issuer: oauth_not_https"),
        ({"html": "token"}, "MCP_AUTH_FAILED", "token: oauth_not_json"),
        ({"redirect": "token"}, "MCP_AUTH_FAILED", "token: oauth_redirect"),
        ({"broken": "token"}, "MCP_UNREACHABLE", "token: oauth_status"),
        ({"silent": "token"}, "MCP_UNREACHABLE", "token: oauth_timeout"),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, dict) else value,
)
def test_what_else_goes_wrong_is_told_with_its_stage_and_ends_nothing(
    remote: OAuthServer,
    anna: Person,
    wrong: dict[str, Any],
    code: str,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "silent" in wrong:
        monkeypatch.setattr(exchanges, "REQUEST_S", 0.3)
    at = add(anna, remote, **SECRET)
    remote.does(**wrong)
    assert call(anna).data["code"] == code
    assert reason(anna, at) == expected
    assert anna.api.get(f"{at}/sign-in").data["state"] == "none"
    remote.does()
    monkeypatch.undo()
    assert call(anna).status == 200 and reason(anna, at) == ""


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"oauth_client_id": ""}, "oauth_client_id"),
        ({"oauth_client_secret": ""}, "oauth_client_secret"),
        ({"oauth_client_auth": "private_key_jwt", "oauth_client_secret": None}, "oauth_private_key"),
        ({"oauth_client_auth": "tls_client_auth"}, "oauth_client_auth"),
        ({"oauth_grant": "password"}, "oauth_grant"),
        ({"oauth_grant": "authorization_code", "oauth_client_auth": "client_secret_post"}, "oauth_client_auth"),
        ({"oauth_private_key": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"}, "oauth_private_key"),
        ({"oauth_key_id": "k-1"}, "oauth_key_id"),
        ({"credentials": "user"}, "oauth_grant"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
)
def test_what_does_not_fit_together_is_refused_by_field(
    remote: OAuthServer, anna: Person, change: dict[str, Any], field: str
) -> None:
    body = {"name": "Octo", "transport": "http", "url": remote.url, "auth_type": "oauth", **SECRET, **change}
    refused = anna.api.post("/api/mcp/servers", body)
    assert (refused.status, list(refused.data["fields"])) == (400, [field]), refused.text


@pytest.mark.parametrize(
    "key",
    [
        pem_of(ec.generate_private_key(ec.SECP384R1())),
        pem_of(rsa.generate_private_key(65537, 1024)),  # noqa: S505 - to be refused
        pem_of(ec.generate_private_key(ec.SECP256R1()), b"a password"),
        public_of(ec.generate_private_key(ec.SECP256R1())),
        "x" * 9000,
    ],
    ids=["P-384", "RSA 1024", "with a password", "public", "too long"],
)
def test_a_key_that_cannot_sign_is_refused(remote: OAuthServer, anna: Person, key: str) -> None:
    client = {**signed(ec.generate_private_key(ec.SECP256R1())), "oauth_private_key": key}
    body = {"name": "Octo", "transport": "http", "url": remote.url, "auth_type": "oauth", **client}
    refused = anna.api.post("/api/mcp/servers", body)
    assert (refused.status, list(refused.data["fields"])) == (400, ["oauth_private_key"]), refused.text
    assert key[:200] not in refused.text


def test_another_origin_wants_the_credentials_again_and_another_client_its_own(
    remote: OAuthServer, anna: Person
) -> None:
    at = add(anna, remote, **SECRET)
    assert call(anna).status == 200
    refused = anna.api.patch(at, {"url": "https://elsewhere.example/mcp"})
    assert (refused.status, list(refused.data["fields"])) == (400, ["oauth_client_id"])
    refused = anna.api.patch(at, {"oauth_client_id": "another"})
    assert (refused.status, list(refused.data["fields"])) == (400, ["oauth_client_secret"])
    people = anna.api.patch(at, {"oauth_grant": "authorization_code"}).data
    assert (people["oauth_grant"], people["oauth_client_id"]) == ("authorization_code", "robot")
    assert anna.api.get(f"{at}/sign-in").data["machine"] is False
    assert "Nobody is signed in" in call(anna).data["message"]
