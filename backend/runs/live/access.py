"""Who may watch what over the websocket, checked when a topic is asked for and again while it is watched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from backend.accounts.actor import Actor
from backend.accounts.auth.addresses import client_address
from backend.accounts.auth.factor_demands import open_teams
from backend.accounts.auth.tokens import actor_by_token
from backend.accounts.models import ApiToken, User
from backend.errors import Forbidden, Unauthenticated
from backend.runs.models import Conversation, Run
from backend.web.lookup import storable
from backend.workflows.models import Workflow


def origin_allowed(headers: dict[bytes, bytes]) -> bool:
    """Whether a handshake comes from a page of ours. Browsers name the origin; programs, which need not, are let in."""
    origin = headers.get(b"origin", b"").decode("latin-1")
    if not origin:
        return True
    parts = urlsplit(origin)
    host = headers.get(b"host", b"").decode("latin-1")
    return f"{parts.scheme}://{parts.netloc}" in settings.CSRF_TRUSTED_ORIGINS or (
        bool(parts.netloc) and parts.netloc == host and parts.hostname in settings.ALLOWED_HOSTS
    )


def program_of(headers: dict[bytes, bytes], peer: str) -> Actor | None:
    """Who acts with the valid API token of a handshake, if it brings one that may read and works from there."""
    scheme, _, text = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    address = client_address(peer, headers.get(b"x-forwarded-for", b"").decode("latin-1"))
    try:
        actor = actor_by_token(text.strip(), address) if scheme.lower() == "bearer" else None
    except (Unauthenticated, Forbidden):
        return None
    return actor if actor is not None and actor.in_scope("read") else None


def _team_of_run(key: str) -> str | None:
    return Run.objects.filter(pk=key).values_list("team_id", flat=True).first()


def _team_of_workflow(key: str) -> str | None:
    return Workflow.objects.filter(pk=key).values_list("team_id", flat=True).first()


def _team_of_conversation(key: str, user: User) -> str | None:
    return Conversation.objects.filter(pk=key, person=user).values_list("team_id", flat=True).first()


TOPICS: dict[str, Callable[[str, User], str | None]] = {
    "team": lambda key, _: key or None,
    "run": lambda key, _: _team_of_run(key),
    "workflow": lambda key, _: _team_of_workflow(key),
    "conversation": _team_of_conversation,
}
"""Kinds of topics, and how the team is found that one belongs to, for whoever asks."""


def in_bounds(topic: str, token: ApiToken | None) -> bool:
    """Whether a token bound to workflows may watch the topic: these, their runs, and nothing of the team's at large."""
    if token is None or not token.workflows:
        return True
    kind, _, key = topic.partition(":")
    if not storable(key):
        return False
    workflow = Run.objects.filter(pk=key).values_list("workflow_id", flat=True).first() if kind == "run" else key
    return kind in {"run", "workflow"} and workflow in token.workflows


def team_of(topic: str, user: User) -> str | None:
    """The team that a topic belongs to, None for a topic that does not exist, or is another person's alone."""
    kind, _, key = topic.partition(":")
    find = TOPICS.get(kind)
    return find(key, user) if find is not None and storable(key) else None


def teams_of(user: User, token: ApiToken | None = None) -> set[str]:
    """The teams whose topics a person (or a token of theirs) may watch; none for one who is switched off."""
    if not User.objects.filter(pk=user.pk, is_active=True).exists():
        return set()
    teams = open_teams(user)
    return teams & {token.team_id} if token is not None else teams


def still_signed_in(session_key: str | None, token: ApiToken | None, user: User) -> bool:
    """Whether the session or token that opened a socket is still valid; a session ends with the password it knew."""
    if token is not None:
        row = ApiToken.objects.filter(pk=token.pk).first()
        return row is not None and (row.expires_at is None or row.expires_at > timezone.now())
    session = Session.objects.filter(pk=session_key, expire_date__gt=timezone.now()).first() if session_key else None
    now = User.objects.filter(pk=user.pk).first()
    return session is not None and now is not None and knows(session, now)


def knows(session: Session, user: User) -> bool:
    """Whether the session is the user's, with the password as it is now."""
    kept = str(session.get_decoded().get(HASH_SESSION_KEY) or "")
    return constant_time_compare(kept, user.get_session_auth_hash())


def handshake(scope: dict[str, Any]) -> tuple[User, ApiToken | None] | None:
    """Who opens this socket, None for nobody. Touches the database."""
    program = program_of(dict(scope["headers"]), str((scope.get("client") or ("",))[0]))
    if program is not None:
        return program.user, program.token
    user = scope.get("user")
    return (user, None) if user is not None and user.is_authenticated else None
