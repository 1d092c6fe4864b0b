"""Writes on teams as a whole: make one, rename it, set its budget, delete it with everything in it."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.erasing import erase_team
from backend.accounts.audit.trail import audit
from backend.accounts.auth.factor_demands import has_factor
from backend.accounts.models import Membership, Role, Team
from backend.accounts.teams import deletion_hooks
from backend.accounts.teams.members import lock
from backend.accounts.teams.request_hosts import checked_hosts
from backend.accounts.teams.services import team_create
from backend.errors import Conflict, Forbidden, ValidationFailed
from backend.notifications.clients import notify_team


def may_make_teams(actor: Actor) -> bool:
    """Whether the actor is owner or admin somewhere.

    Whoever makes a team owns it, and an owner may start programs where the installation allows stdio servers: a
    viewer must not come to that by making a team.
    """
    return Membership.objects.filter(user=actor.user, role__in=[Role.ADMIN, Role.OWNER]).exists()


def team_new(actor: Actor, name: str) -> Team:
    """A new team of the actor with what a new team starts with. Raises Forbidden."""
    if not may_make_teams(actor):
        raise Forbidden(params={"reason": "team_creation"})
    return team_create(actor.user, name)


@transaction.atomic
def team_update(actor: Actor, changes: dict[str, Any]) -> Team:
    """Change the team's `name`, `currency`, whether it demands a `second_factor`, its `request_hosts`, and of its
    `budget` {tokens_per_day, cost_per_day, page_cost_per_day} those named; null removes one.

    Raises Conflict (who demands a factor has one), ValidationFailed (a host)."""
    actor.require("admin")
    team = Team.objects.select_for_update().get(pk=actor.team.pk)
    differences: dict[str, list[Any]] = {}
    if "name" in changes and changes["name"] != team.name:
        differences["name"] = [team.name, changes["name"]]
        team.name = changes["name"]
    if "currency" in changes and changes["currency"] != team.currency:
        differences["currency"] = [team.currency, changes["currency"]]
        team.currency = changes["currency"]
    if "second_factor" in changes and changes["second_factor"] != team.second_factor:
        if changes["second_factor"] and not has_factor(actor.user):
            raise Conflict(params={"reason": "second_factor_first"})
        differences["second_factor"] = [team.second_factor, changes["second_factor"]]
        team.second_factor = changes["second_factor"]
    if "request_hosts" in changes:
        hosts = checked_hosts(changes["request_hosts"])
        if hosts != team.request_hosts:
            differences["request_hosts"] = [team.request_hosts, hosts]
            team.request_hosts = hosts
    if "budget" in changes:
        budget = {**team.budget, **changes["budget"]}
        budget = {name: value for name, value in budget.items() if value is not None}
        differences["budget"] = [team.budget, budget]
        team.budget = budget
    if differences:
        team.save(update_fields=list(differences))
        audit(actor, "team.updated", "team", team.id, changes=differences)
        notify_team(team.pk, "team", team.pk, "updated")
    actor.team.second_factor, actor.team.request_hosts = team.second_factor, team.request_hosts
    actor.team.name, actor.team.currency, actor.team.budget = team.name, team.currency, team.budget
    return team


@transaction.atomic
def team_delete(actor: Actor, name: str) -> None:
    """Delete the actor's team and everything in it; `name` must be its name. Raises Forbidden, ValidationFailed."""
    if lock(actor) != Role.OWNER:
        raise Forbidden(params={"reason": "rank"})
    team = Team.objects.get(pk=actor.team.pk)
    if name != team.name:
        raise ValidationFailed(fields={"name": ["is not the name"]})
    team_erase(actor)


def team_erase(actor: Actor) -> None:
    """Clear and delete the actor's team; its members' sockets close. The caller has checked the rights.

    Of the audit trail who did what and when stays, without names and without what anybody wrote.
    """
    team = actor.team
    deletion_hooks.run_before_team_delete(team)
    erase_team(team.pk)
    audit(actor, "team.deleted", "team", team.pk)
    notify_team(team.pk, "team", team.pk, "deleted")
    team.delete()
