"""Signing in to agents of others by OAuth: found by challenge or card, used, renewed, ended; and cards that mislead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from backend.server_signin.models import SignIn
from backend.tools.loop import LOOP
from tests.api.registry.signing_in import at_screen, begin, sign_in
from tests.oauth_mcp_server import OAuthServer
from tests.people import Person
from tests.sample_agents import SampleAgents

WAYS = ("challenge", "metadata", "openid", "flow", "silent", "hidden", "old")


@pytest.fixture(scope="module")
def authority() -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        yield server


@pytest.fixture(scope="module")
def process(authority: OAuthServer) -> Iterator[SampleAgents]:
    with SampleAgents(issuer=authority.issuer) as agents:
        yield agents


@pytest.fixture
def far(process: SampleAgents, authority: OAuthServer, transactional_db: None) -> Iterator[SampleAgents]:
    """The agents, where nobody is signed in yet."""
    process.do("reset")
    authority.reset()
    yield process
    LOOP.stop()


def added(person: Person, far: SampleAgents, authority: OAuthServer, how: str, **more: Any) -> str:
    """The address of a new agent in the API, for which the authorization server gives tokens from now on."""
    agent = f"{far.url}/signed-{how}"
    authority.does(audience=audience(far, how))
    body = {"name": "Sample", "transport": "a2a", "url": agent, "auth_type": "oauth", **more}
    reply = person.api.post("/api/mcp/servers", body)
    assert reply.status == 201, reply.text
    return f"/api/mcp/servers/{reply.data['id']}"


def audience(far: SampleAgents, how: str) -> str:
    own = how in ("challenge", "hidden", "silent")  # their metadata says it, of the others it is where messages go
    return f"{far.url}/signed-{how}" if own else f"{far.url}/signed-{how}/rpc"


def called(person: Person, message: str = "hi") -> Any:
    call = {"server": "sample", "tool": "echo", "arguments": {"message": message}, "confirm": True}
    return person.api.post("/api/mcp/tools/call", call)


def reason(person: Person, at: str) -> str:
    return str(person.api.get(f"{at}/sign-in").data["problem"]["reason"])


@pytest.mark.parametrize("how", WAYS)
def test_a_person_signs_in_and_the_agent_is_called(
    far: SampleAgents, authority: OAuthServer, anna: Person, how: str
) -> None:
    at = added(anna, far, authority, how)
    refused = called(anna)
    assert refused.data["code"] == "MCP_AUTH_FAILED" and "Nobody is signed in" in refused.data["message"]
    shown = sign_in(anna, at, authority)
    assert shown["state"] == "signed_in" and shown["problem"] is None and shown["client_kind"] == "registered"
    assert (shown["issuer"], shown["scopes"]) == (authority.issuer, ["read"])
    report = anna.api.post(f"{at}/test").data
    assert report["ok"] and report["protocol"] == ("A2A 0.3" if how == "old" else "A2A 1.0"), report
    held = SignIn.objects.get().held
    answer = called(anna, f"my token is {held['access']}")
    assert answer.status == 200 and answer.data["text"].startswith("You said: my token is"), answer.text
    assert held["access"] not in answer.text


def test_a_token_that_ends_is_renewed(far: SampleAgents, authority: OAuthServer, anna: Person) -> None:
    sign_in(anna, added(anna, far, authority, "challenge"), authority)
    assert called(anna).status == 200
    authority.age()
    assert called(anna).status == 200
    assert authority.facts()["renewed"] == 1 and len(far.log("send")) == 2


def test_a_sign_in_that_ends_says_so_and_a_new_one_mends_it(
    far: SampleAgents, authority: OAuthServer, anna: Person
) -> None:
    at = added(anna, far, authority, "challenge")
    sign_in(anna, at, authority)
    assert called(anna).status == 200
    authority.end_sign_ins()
    ended = called(anna)
    assert ended.data["code"] == "MCP_AUTH_FAILED" and "ended the sign-in" in ended.data["message"]
    assert len(far.log("send")) == 1 and anna.api.get(f"{at}/sign-in").data["state"] == "ended"
    sign_in(anna, at, authority)
    assert called(anna).status == 200


def test_each_member_signs_in_for_themself(
    far: SampleAgents, authority: OAuthServer, anna: Person, bob: Person
) -> None:
    at = added(anna, far, authority, "metadata", credentials="user")
    sign_in(anna, at, authority)
    assert called(anna).status == 200
    assert called(bob).data["code"] == "MCP_AUTH_FAILED"
    sign_in(at_screen(bob), at, authority)
    assert called(bob).status == 200


def test_patchbay_signs_in_itself(far: SampleAgents, authority: OAuthServer, anna: Person) -> None:
    client = {"oauth_client_id": "robot", "oauth_client_secret": "robot: secret"}
    added(anna, far, authority, "metadata", oauth_grant="client_credentials", **client)
    assert called(anna).status == 200
    authority.age()
    assert called(anna).status == 200
    [first, second] = authority.facts()["machines"]
    assert not first["problem"] and first["resource"] == audience(far, "metadata") == second["resource"]
    assert authority.facts()["log"].count("GET /.well-known/oauth-authorization-server") == 1


def test_a_page_and_tokens_on_two_hosts_are_refused(far: SampleAgents, authority: OAuthServer, anna: Person) -> None:
    at = added(anna, far, authority, "split")
    assert begin(anna, at).data["code"] == "MCP_AUTH_FAILED"
    assert reason(anna, at) == "oauth_issuer"


def test_a_flow_without_metadata_wants_a_client_that_was_registered_by_hand(
    far: SampleAgents, authority: OAuthServer, anna: Person
) -> None:
    at = added(anna, far, authority, "flow")
    authority.does(audience=audience(far, "flow"), issuer="https://another.example")
    assert begin(anna, at).status != 200 and reason(anna, at) == "oauth_no_client"
    client = {"oauth_client_id": "by-hand", "oauth_client_secret": "by hand: secret"}
    assert anna.api.patch(at, client).status == 200
    assert sign_in(anna, at, authority)["client_kind"] == "entered"
    assert called(anna).status == 200


def test_metadata_that_calls_itself_otherwise_than_the_card_is_refused(
    far: SampleAgents, authority: OAuthServer, anna: Person
) -> None:
    at = added(anna, far, authority, "metadata")
    authority.does(audience=audience(far, "metadata"), issuer="https://another.example")
    assert begin(anna, at).status != 200 and reason(anna, at) == "oauth_issuer"


def test_an_agent_whose_authority_binds_no_codes_hears_nothing_of_mcp(
    far: SampleAgents, authority: OAuthServer, anna: Person
) -> None:
    at = added(anna, far, authority, "metadata")
    authority.does(audience=audience(far, "metadata"), metadata={"code_challenge_methods_supported": ["plain"]})
    for language in ("en", "zh"):
        server = {"server": at.rpartition("/")[2]}
        refused = anna.api.post("/api/mcp/sign-in/begin", server, **{"accept-language": language})
        assert refused.data["code"] == "MCP_AUTH_FAILED" and "PKCE" in refused.data["message"], refused.text
        assert "MCP" not in refused.data["message"] + refused.data["hint"]
    assert reason(anna, at) == "oauth_no_pkce"


def test_an_agent_that_wants_a_sign_in_says_so_before_anybody_chose_it(
    far: SampleAgents, authority: OAuthServer, anna: Person
) -> None:
    draft = {"transport": "a2a", "url": f"{far.url}/signed-hidden"}
    report = anna.api.post("/api/mcp/servers/test", draft).data
    assert report["code"] == "MCP_AUTH_FAILED" and "OAuth sign-in" in report["message"], report


def test_a_card_that_cannot_be_used_begins_nothing(far: SampleAgents, authority: OAuthServer, anna: Person) -> None:
    body = {"name": "Odd", "transport": "a2a", "url": f"{far.url}/odd/moved", "auth_type": "oauth"}
    at = f"/api/mcp/servers/{anna.api.post('/api/mcp/servers', body).data['id']}"
    reply = begin(anna, at)
    assert reply.data["code"] == "MCP_PROTOCOL_ERROR" and "elsewhere.example" in reply.data["message"]
    assert reason(anna, at) == "agent_origin"
