"""Teams as a whole: made, renamed, deleted with everything in them."""

from __future__ import annotations

from backend.accounts.models import Membership, Team
from backend.workflows.models import Workflow
from tests.people import Person


def test_owners_and_admins_make_teams_of_their_own(adam: Person) -> None:
    created = adam.api.post("/api/teams", {"name": "Research"})
    assert (created.status, created.data["role"], created.data["slug"]) == (201, "owner", "research")
    assert [result["name"] for result in adam.api.get("/api/teams").data["results"]] == ["Platform", "Research"]
    assert Workflow.objects.filter(team=created.data["id"]).exists(), "a new team begins with the examples"


def test_editors_and_viewers_do_not_come_to_an_owners_rights_by_making_a_team(bob: Person, vera: Person) -> None:
    for who in (bob, vera):
        refused = who.api.post("/api/teams", {"name": "Mine"})
        assert (refused.status, refused.data["code"]) == (403, "FORBIDDEN")
    assert Team.objects.count() == 1


def test_renaming(adam: Person, bob: Person) -> None:
    assert bob.api.patch("/api/teams/current", {"name": "Ours"}).status == 403
    assert adam.api.patch("/api/teams/current", {"name": "  "}).status == 400
    renamed = adam.api.patch("/api/teams/current", {"name": "Platform and tools"}).data
    assert (renamed["name"], renamed["slug"]) == ("Platform and tools", "platform")


def test_deleting_wants_the_owner_and_the_name(alice: Person, adam: Person, charlie: Person) -> None:
    alice.api.post("/api/workflows", {"name": "Gone"})
    assert adam.api.delete("/api/teams/current?name=Platform").status == 403
    refused = alice.api.delete("/api/teams/current?name=platform")
    assert (refused.status, refused.data["fields"]) == (400, {"name": ["is not the name"]})
    assert alice.api.delete("/api/teams/current?name=Platform").status == 204
    assert list(Team.objects.all()) == [charlie.team]
    assert not Workflow.objects.filter(team=alice.team.pk).exists()
    assert not Membership.objects.filter(team=alice.team.pk).exists()
    assert alice.api.get("/api/me").status == 401
