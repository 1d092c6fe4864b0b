"""What groups and e-mail domains give here: `group=team:role`, with the slug of a team and a role below owner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings

RANK = {"viewer": 0, "editor": 1, "admin": 2}
"""Roles that a provider gives. Owners are made by owners, so that whoever runs the provider takes no team over."""


def claimed_groups(claims: Mapping[str, Any]) -> set[str]:
    """The groups in the claim that the operator named (`realm_access.roles` = inside an object)."""
    claimed: Any = claims
    for part in settings.PATCHBAY.oidc_groups_claim.split("."):
        claimed = claimed.get(part) if isinstance(claimed, Mapping) else None
    listed = [claimed] if isinstance(claimed, str) else claimed if isinstance(claimed, list) else []
    return {item for item in listed if isinstance(item, str)}


def verified_email(claims: Mapping[str, Any]) -> str:
    """The e-mail that the provider vouches for, in lower case; "" without one."""
    email = claims.get("email")
    return email.strip().lower() if isinstance(email, str) and claims.get("email_verified") is True else ""


def grants(claims: Mapping[str, Any]) -> dict[str, str]:
    """Team slug → the highest role that groups and domain give there."""
    env = settings.PATCHBAY
    domain = verified_email(claims).rpartition("@")[2]
    roles = [what for group, what in env.oidc_groups if group in claimed_groups(claims)]
    return _highest([*roles, *(what for name, what in env.oidc_domains if domain and name.lower() == domain)])


def _highest(granted: Iterable[str]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for what in granted:
        team, _, role = what.rpartition(":")
        if team not in roles or RANK[roles[team]] < RANK[role]:
            roles[team] = role
    return roles
