"""API tokens: `pb_…`, shown once, kept as SHA-256."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.auth import addresses
from backend.accounts.auth.audiences import INSTALLATION, require_audience
from backend.accounts.auth.factor_demands import missing
from backend.accounts.models import ApiToken, Team, User
from backend.database.storage_errors import if_it_can_be_kept
from backend.errors import Forbidden, Unauthenticated


def hashed(token: str) -> str:
    """The form in which a token is stored and looked up."""
    return hashlib.sha256(token.encode()).hexdigest()


def access_text() -> str:
    """A new token's text."""
    return f"pb_{secrets.token_urlsafe(32)}"


def issue_token(
    user: User,
    team: Team,
    name: str,
    expires_in: timedelta | None = None,
    scopes: Sequence[str] = (),
    workflows: Sequence[str] = (),
    networks: Sequence[str] = (),
    collection: str = INSTALLATION,
) -> tuple[ApiToken, str]:
    """A new token's row and its text, which is never shown again. Without `scopes` it may all that its member may."""
    text = access_text()
    row = ApiToken.objects.create(
        user=user,
        team=team,
        name=name,
        prefix=text[:8],
        token_hash=hashed(text),
        scopes=list(scopes),
        workflows=list(workflows),
        networks=list(networks),
        collection=collection,
        expires_at=timezone.now() + expires_in if expires_in else None,
    )
    return row, text


_USER = ("id", "email", "name", "language")
_TEAM = ("id", "name", "slug")
_TOKEN = (
    *("id", "user_id", "team_id", "name", "scopes", "approves_until"),
    *("workflows", "networks", "collection", "audience"),
)
_FIND = """
    SELECT t.id, t.last_used_at IS NULL OR t.last_used_at < %s,
        t.expires_at IS NOT NULL AND t.expires_at <= %s OR t.text_until IS NOT NULL AND t.text_until <= %s,
        t.name, t.scopes, t.approves_until, t.workflows, t.networks, t.collection, t.audience,
        m.role, s.second_factor, m.managed,
        u.id, u.email, u.name, u.language, s.id, s.name, s.slug
    FROM accounts_apitoken t
    JOIN accounts_user u ON u.id = t.user_id
    JOIN accounts_team s ON s.id = t.team_id
    JOIN accounts_membership m ON m.user_id = t.user_id AND m.team_id = t.team_id
    WHERE t.token_hash = %s AND t.audience IN ('', %s) AND u.is_active
"""


def _moment(value: datetime | str | None) -> datetime | None:
    """A time out of raw SQL: Postgres gives it with its zone, SQLite without."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def actor_by_token(text: str, address: str, audience: str = INSTALLATION, path: str = "") -> Actor | None:
    """Who acts with the token of this text, its last use noted at most once a minute; None where there is none.

    `path` = the path asked, where it is one that tokens of OAuth are for; such a token opens no other.

    Raises Unauthenticated for one whose time is over or that was made for another `audience`, Forbidden for one that
    does not work from this address, or whose member lacks the second factor that the team demands.

    Every request of a program comes through here: one statement of raw SQL, a quarter of the ORM's time. Columns that
    are not read here are fetched when they are asked for.
    """
    now, database = timezone.now(), connections[DEFAULT_DB_ALIAS]
    adapt = database.ops.adapt_datetimefield_value
    with database.cursor() as cursor:
        at = adapt(now)
        cursor.execute(_FIND, [adapt(now - timedelta(minutes=1)), at, at, hashed(text), path])
        row = cursor.fetchone()
    if row is None:
        return None
    key, unnoted, over, name, scopes, approves, workflows, networks, collection, opens, *about = row
    role, demanding, managed, *rest = about
    if over:
        raise Unauthenticated(params={"reason": "token_expired"})
    require_audience(collection, audience)
    only_from = json.loads(networks)
    if only_from and not addresses.inside(address, only_from):
        raise Forbidden(params={"reason": "token_address", "address": address})
    user = User.from_db(database.alias, _USER, rest[: len(_USER)])
    team = Team.from_db(database.alias, _TEAM, rest[len(_USER) :])
    bounds = (name, json.loads(scopes), _moment(approves), json.loads(workflows), only_from, collection, opens)
    team.second_factor = bool(demanding)
    if missing(user, team, managed=bool(managed)):
        raise Forbidden(params={"reason": "second_factor"})
    token = ApiToken.from_db(database.alias, _TOKEN, (key, user.pk, team.pk, *bounds))
    if unnoted:
        with if_it_can_be_kept():
            ApiToken.objects.filter(pk=key).update(last_used_at=now)
    return Actor(user, team, role, token)
