"""The team acted in: its budget is set by admins, kept in parts, audited."""

from __future__ import annotations

from backend.accounts.models import AuditEntry
from tests.looking import inside
from tests.people import Person


def test_an_admin_sets_the_budget_in_parts_and_it_is_audited(adam: Person, vera: Person) -> None:
    assert vera.api.get("/api/teams/current").data["budget"] == {}
    reply = adam.api.patch("/api/teams/current", {"budget": {"tokens_per_day": 1000, "cost_per_day": 2.5}})
    assert (reply.status, reply.data["budget"]) == (200, {"tokens_per_day": 1000, "cost_per_day": 2.5})
    adam.api.patch("/api/teams/current", {"budget": {"tokens_per_day": None}})
    assert vera.api.get("/api/teams/current").data["budget"] == {"cost_per_day": 2.5}
    rows = AuditEntry.objects.filter(action="team.updated").order_by("at")
    assert [inside(row.content)["changes"]["budget"] for row in rows] == [
        [{}, {"tokens_per_day": 1000, "cost_per_day": 2.5}],
        [{"tokens_per_day": 1000, "cost_per_day": 2.5}, {"cost_per_day": 2.5}],
    ]


def test_an_editor_may_not_and_nonsense_is_refused(adam: Person, bob: Person) -> None:
    assert bob.api.patch("/api/teams/current", {"budget": {"tokens_per_day": 1}}).status == 403
    for wrong in ({"tokens_per_day": -1}, {"cost_per_day": "much"}, {"tokens_per_day": 1.5}, 7):
        assert adam.api.patch("/api/teams/current", {"budget": wrong}).status == 400
    assert adam.api.get("/api/teams/current").data["budget"] == {}
