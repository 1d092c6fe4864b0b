"""Members and their roles: who may give, change and take which; handing over, leaving, being removed."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from backend.accounts.models import ApiToken, AuditEntry, Invitation, Membership, Role, Team, User
from backend.accounts.roles import may_become, may_decide_on
from backend.accounts.teams import deletion_hooks
from tests.people import Person, person

ROLES = ("viewer", "editor", "admin", "owner")


def membership(of: Person) -> Membership:
    return Membership.objects.get(user=of.user, team=of.team)


def change(by: Person, whom: Person, role: str) -> Any:
    return by.api.patch(f"/api/teams/members/{membership(whom).pk}", {"role": role})


def remove(by: Person, whom: Person, query: str = "") -> Any:
    return by.api.delete(f"/api/teams/members/{membership(whom).pk}{query}")


def test_what_the_rules_say() -> None:
    may = {(role, other) for role, other in product(ROLES, ROLES) if may_decide_on(role, other)}
    assert may == {("owner", other) for other in ROLES} | {("admin", "viewer"), ("admin", "editor")}
    for role, new in product(ROLES, ROLES):
        assert may_become(role, new) == (ROLES.index(new) <= ROLES.index(role))


@pytest.mark.parametrize("actor", ROLES)
@pytest.mark.parametrize("target", ROLES)
def test_who_gives_which_role_to_whom(team: Team, actor: str, target: str) -> None:
    """For all of actor x target x new role: the answer, and what became of it."""
    person("first", team, Role.OWNER)  # so that no refusal comes from the last owner
    by, whom = person("by", team, Role(actor)), person("whom", team, Role(target))
    for new in ROLES:
        Membership.objects.filter(user=whom.user).update(role=target)
        allowed = actor in {"admin", "owner"} and may_decide_on(actor, target) and may_decide_on(actor, new)
        assert change(by, whom, new).status == (200 if allowed else 403)
        assert membership(whom).role == (new if allowed else target)
    Membership.objects.filter(user=whom.user).update(role=target)
    assert remove(by, whom).status == (204 if may_decide_on(actor, target) else 403)


def test_a_team_never_loses_its_last_owner(alice: Person, adam: Person) -> None:
    refused = change(alice, alice, "admin")
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT")
    assert "last" in refused.data["message"]
    assert alice.api.post("/api/teams/current/leave", {}).status == 409
    assert change(alice, adam, "owner").status == 200
    assert change(alice, alice, "viewer").status == 200
    assert Membership.objects.get(team=alice.team, role="owner").user == adam.user


def test_an_admin_steps_down_but_not_up(adam: Person) -> None:
    assert change(adam, adam, "owner").status == 403
    assert change(adam, adam, "editor").status == 200
    assert change(adam, adam, "admin").status == 403


def test_the_owner_hands_the_team_over(alice: Person, bob: Person, adam: Person) -> None:
    body = {"member": membership(bob).pk}
    assert adam.api.post("/api/teams/current/transfer", body).status == 403
    assert alice.api.post("/api/teams/current/transfer", {"member": membership(alice).pk}).status == 409
    assert alice.api.post("/api/teams/current/transfer", body).data["role"] == "owner"
    assert (membership(alice).role, membership(bob).role) == ("admin", "owner")
    row = AuditEntry.objects.get(action="team.transferred")
    assert (row.actor, row.data["email"]) == (alice.user, "bob@example.org")


def test_what_an_admin_may_no_longer_give_no_old_link_gives(alice: Person, adam: Person) -> None:
    adam.api.post("/api/teams/invitations", {"role": "editor"})
    alice.api.post("/api/teams/invitations", {"role": "editor"})
    change(alice, adam, "editor")
    assert [row.created_by for row in Invitation.objects.all()] == [alice.user]


def test_removing_ends_tokens_and_shows_what_goes(
    alice: Person, bob: Person, charlie: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go: list[tuple[str, str, str]] = []
    monkeypatch.setattr(deletion_hooks, "_counts", {"servers": lambda team, user: 2})
    monkeypatch.setattr(
        deletion_hooks,
        "_releases",
        {"servers": lambda team, user, private: let_go.append((team.name, user.email, private))},
    )
    Membership.objects.create(team=charlie.team, user=bob.user, role="viewer")
    seen = alice.api.get(f"/api/teams/members/{membership(bob).pk}/belongings").data
    assert seen == {"tokens": 1, "servers": 2, "providers": 0, "running": 0}

    assert remove(alice, bob, "?private=nonsense").status == 400
    assert remove(alice, bob, "?private=hand_over").status == 204

    assert let_go == [("Platform", "bob@example.org", "hand_over")]
    assert bob.api.get("/api/me").status == 401
    assert not ApiToken.objects.filter(user=bob.user, team=alice.team).exists()
    assert User.objects.get(pk=bob.user.pk).memberships.get().team == charlie.team
    row = AuditEntry.objects.get(action="member.removed")
    assert row.data == {"email": "bob@example.org", "private": "hand_over", "had": {"tokens": 1, "servers": 2}}


def test_leaving(bob: Person) -> None:
    assert bob.api.get("/api/teams/current/belongings").data["tokens"] == 1
    assert bob.api.post("/api/teams/current/leave", {"private": "hand_over"}).status == 204
    assert bob.api.get("/api/me").status == 401
    assert AuditEntry.objects.filter(action="member.left").count() == 1


def test_admins_see_who_has_a_second_factor(adam: Person, vera: Person) -> None:
    assert {row["two_factor"] for row in vera.api.get("/api/teams/members").data["results"]} == {None}
    assert {row["two_factor"] for row in adam.api.get("/api/teams/members").data["results"]} == {False}


def test_members_beyond_a_page_are_reached_by_pages_and_by_words(team: Team, alice: Person, bob: Person) -> None:
    users = User.objects.bulk_create(
        User(email=f"person{n}@crowd.example", name=f"Crowd {n}", password="!") for n in range(250)
    )
    Membership.objects.bulk_create(Membership(team=team, user=user, role=Role.VIEWER) for user in users)
    emails: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        reply = bob.api.get(f"/api/teams/members?limit=200&cursor={cursor}").data
        emails += [row["email"] for row in reply["results"]]
        cursor = reply["next"]
    assert len(emails) == len(set(emails)) == Membership.objects.filter(team=team).count() > 250

    def search(query: str) -> list[str]:
        return [row["email"] for row in bob.api.get(f"/api/teams/members?{query}").data["results"]]

    assert search("q=CROWD%20249") == search("q=person249@") == ["person249@crowd.example"]
    assert search("q=nobody") == search("q=%00") == search("user=%00") == []
    assert search(f"user={users[7].pk}") == ["person7@crowd.example"]
    owners = list(Membership.objects.filter(team=team, role=Role.OWNER).values_list("user__email", flat=True))
    assert owners and sorted(search("role=owner")) == sorted(owners)
    assert search("role=owner&q=crowd") == []
    refused = bob.api.get("/api/teams/members?role=boss")
    assert (refused.status, list(refused.data["fields"])) == (400, ["role"])


def test_others_members_are_not_found(alice: Person, charlie: Person) -> None:
    for query in ("q=alice", f"user={alice.user.pk}", "role=owner"):
        rows = charlie.api.get(f"/api/teams/members?{query}").data["results"]
        assert alice.user.email not in [row["email"] for row in rows]
