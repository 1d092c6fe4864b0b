"""What requests about people, teams and tokens may hold."""

from __future__ import annotations

import ipaddress
from typing import Any

from rest_framework import serializers

from backend.accounts.actor import SCOPES, Actor
from backend.accounts.models import ApiToken, Membership, Team
from backend.accounts.teams.operators import is_operator
from backend.accounts.teams.request_hosts import MOST


class BudgetSerializer(serializers.Serializer[Any]):
    """What a team's models may use in a day (UTC); null or absent = no limit."""

    tokens_per_day = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=10**15)
    cost_per_day = serializers.FloatField(required=False, allow_null=True, min_value=0, max_value=1e12)
    page_cost_per_day = serializers.FloatField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=1e12,
        help_text="Of each page that says nothing itself; null or absent = PATCHBAY_PAGE_COST_PER_DAY.",
    )


class TeamChangeSerializer(serializers.Serializer[Any]):
    """What an admin may change about the team."""

    name = serializers.CharField(required=False, max_length=200)
    currency = serializers.RegexField(
        r"^[A-Z]{3}$", required=False, help_text="Of prices, costs and budgets (ISO 4217). Nothing is converted."
    )
    second_factor = serializers.BooleanField(
        required=False, help_text="Who has none sets it up before anything else; until then their tokens stop."
    )
    request_hosts = serializers.ListField(
        child=serializers.CharField(max_length=253),
        required=False,
        max_length=MOST,
        help_text="Hosts to which HTTP requests go unasked though an expression gives them; *.example.org too.",
    )
    budget = BudgetSerializer(required=False)


class MeChangeSerializer(serializers.Serializer[Any]):
    """What one may change about oneself."""

    name = serializers.CharField(required=False, allow_blank=True, max_length=200)
    language = serializers.ChoiceField(required=False, choices=["en", "zh"])
    theme = serializers.ChoiceField(required=False, choices=["system", "light", "dark"])
    auto_execute = serializers.BooleanField(required=False)


class SetupUseSerializer(serializers.Serializer[Any]):
    """Using a one-time link; all but `token` only for the first owner."""

    token = serializers.CharField(max_length=200)
    email = serializers.CharField(required=False, allow_blank=True, max_length=254)
    name = serializers.CharField(required=False, allow_blank=True, max_length=200)
    password = serializers.CharField(required=False, allow_blank=True, max_length=200, trim_whitespace=False)
    team = serializers.CharField(required=False, allow_blank=True, max_length=200)
    language = serializers.ChoiceField(required=False, choices=["en", "zh"])


class NetworkField(serializers.CharField):
    """An IP address or network, kept as a network (`192.0.2.7` is `192.0.2.7/32`)."""

    def to_internal_value(self, data: Any) -> str:
        """The network in its one spelling."""
        try:
            return str(ipaddress.ip_network(super().to_internal_value(data), strict=False))
        except ValueError:
            raise serializers.ValidationError("must be an IP address or network, such as 192.0.2.0/24") from None


class TokenNewSerializer(serializers.Serializer[Any]):
    """A token to make; without `scopes` it may all that its member may."""

    name = serializers.CharField(max_length=200)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=SCOPES), required=False, default=list, max_length=len(SCOPES)
    )
    expires_in_days = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=3650)
    workflows = serializers.ListField(
        child=serializers.CharField(max_length=40),
        required=False,
        default=list,
        max_length=100,
        help_text="Ids of the workflows that it is bound to, with the scopes read, run and answer alone.",
    )
    networks = serializers.ListField(
        child=NetworkField(max_length=64),
        required=False,
        default=list,
        max_length=50,
        help_text="IP addresses and networks (CIDR) that it works from.",
    )


def me_shape(actor: Actor) -> dict[str, Any]:
    """The person signed in, with the team acted in and all teams."""
    user = actor.user
    # One read for all that the token's own statement left out: columns that are asked for singly cost one each.
    rows = Membership.objects.filter(user=user).order_by("created_at", "id").values_list(*_OF_TEAM, *_OF_PERSON)
    teams = [_team(*row[: len(_OF_TEAM)]) for row in rows]
    for row in rows[:1]:
        user.theme, user.auto_execute, user.is_operator = row[len(_OF_TEAM) :]
    here = next((team for team in teams if team["id"] == actor.team.id), None)
    return {
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "language": user.language,
        "theme": user.theme,
        "auto_execute": user.auto_execute,
        "operator": is_operator(user, [team["role"] for team in teams]),
        "team": here or _team(actor.team.id, actor.team.name, actor.team.slug, actor.role, actor.team.currency),
        "teams": teams,
    }


_OF_TEAM = ("team__id", "team__name", "team__slug", "role", "team__currency")
_OF_PERSON = ("user__theme", "user__auto_execute", "user__is_operator")


def _team(id: str, name: str, slug: str, role: str, currency: str) -> dict[str, str]:
    return {"id": id, "name": name, "slug": slug, "role": role, "currency": currency}


def team_shape(actor: Actor, team: Team | None = None) -> dict[str, Any]:
    """The team acted in, or another one as the actor sees it."""
    team = team or actor.team
    return {
        **_team(team.id, team.name, team.slug, actor.role, team.currency),
        "second_factor": team.second_factor,
        "request_hosts": team.request_hosts,
        "budget": team.budget,
    }


def token_shape(row: ApiToken, text: str | None = None) -> dict[str, Any]:
    """A token without its text, or with it in the answer that makes it."""
    shape = {
        "id": row.id,
        "name": row.name,
        "prefix": row.prefix,
        "scopes": row.scopes,
        "user": {"id": row.user.id, "email": row.user.email, "name": row.user.name},
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "last_used_at": row.last_used_at,
        "approves_until": row.approves_until,
        "workflows": row.workflows,
        "networks": row.networks,
        "collection": row.collection or None,
        "audience": row.audience,
    }
    return shape | {"token": text} if text else shape
