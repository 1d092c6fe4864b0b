"""API tokens with scopes: a token does at most what its scopes and its member's role allow."""

from __future__ import annotations

from typing import Any

import pytest

from backend.accounts.actor import SCOPES
from backend.accounts.auth.tokens import issue_token
from backend.accounts.models import ApiToken
from tests.people import Api, Person

DEEDS: dict[str, Any] = {
    "read": lambda api: api.get("/api/workflows"),
    "run": lambda api: api.post("/api/workflows/none/runs", {"inputs": {}}),
    "edit": lambda api: api.post("/api/workflows", {"name": "New"}),
    "admin": lambda api: api.post("/api/teams/invitations", {"role": "viewer"}),
}
DONE = {"read": 200, "run": 404, "edit": 201, "admin": 201}


def with_scopes(who: Person, *scopes: str) -> Api:
    return Api(issue_token(who.user, who.team, "scoped", None, scopes)[1])


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_opens_its_own_deeds_only(alice: Person, scope: str) -> None:
    api = with_scopes(alice, scope)
    for expected, deed in DEEDS.items():
        answer = deed(api)
        if expected == scope:
            assert answer.status == DONE[expected]
        else:
            assert (answer.status, answer.data["detail"]) == (403, {"scope": expected})
            assert f"“{expected}”" in answer.data["message"]


def test_without_scopes_a_token_keeps_everything(alice: Person) -> None:
    for expected, deed in DEEDS.items():
        assert deed(with_scopes(alice)).status == DONE[expected]


def test_a_scope_gives_no_right_that_the_role_has_not(vera: Person) -> None:
    api = with_scopes(vera, *SCOPES)
    assert {name: deed(api).status for name, deed in DEEDS.items()} == {
        "read": 200,
        "run": 403,
        "edit": 403,
        "admin": 403,
    }


def test_an_admins_token_without_that_scope_is_no_admin_inside_either(adam: Person, bob: Person) -> None:
    other = ApiToken.objects.get(user=bob.user)
    assert with_scopes(adam, "read", "edit").delete(f"/api/tokens/{other.pk}").status == 404
    assert with_scopes(adam, "edit", "admin").delete(f"/api/tokens/{other.pk}").status == 204


def test_a_token_makes_none_that_may_more_or_lives_longer(bob: Person) -> None:
    api = with_scopes(bob, "read", "edit")
    wider: list[dict[str, Any]] = [{}, {"scopes": []}, {"scopes": ["read", "run"]}, {"scopes": ["admin"]}]
    for body in wider:
        refused = api.post("/api/tokens", {"name": "child", **body})
        assert refused.status == 403, body
    created = api.post("/api/tokens", {"name": "child", "scopes": ["read"], "expires_in_days": 7})
    assert (created.status, created.data["scopes"]) == (201, ["read"])
    short = bob.api.post("/api/tokens", {"name": "short", "expires_in_days": 7}).data["token"]
    assert Api(short).post("/api/tokens", {"name": "long", "expires_in_days": 8}).status == 403
    assert Api(short).post("/api/tokens", {"name": "long"}).status == 403
    assert Api(short).post("/api/tokens", {"name": "brief", "expires_in_days": 6}).status == 201


def test_admins_see_and_end_the_teams_tokens(adam: Person, bob: Person) -> None:
    assert bob.api.get("/api/tokens?of=team").status == 403
    assert adam.api.get("/api/tokens?of=nobody").status == 400
    seen = {row["user"]["email"]: row for row in adam.api.get("/api/tokens?of=team").data["results"]}
    assert set(seen) == {"adam@example.org", "bob@example.org"}
    assert [row["user"]["email"] for row in adam.api.get("/api/tokens").data["results"]] == ["adam@example.org"]
    assert adam.api.delete(f"/api/tokens/{seen['bob@example.org']['id']}").status == 204
    assert bob.api.get("/api/me").status == 401


def test_unknown_scopes_are_refused(bob: Person) -> None:
    assert bob.api.post("/api/tokens", {"name": "x", "scopes": ["root"]}).status == 400
