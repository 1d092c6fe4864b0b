"""Sign-ins of one person: begin one, see where one is signed in, end others. Last use is noted once a minute each."""

from __future__ import annotations

import time
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib.auth import login, update_session_auth_hash
from django.http import HttpRequest
from django.utils import timezone

from backend.accounts.models import User
from backend.database.storage_errors import if_it_can_be_kept
from backend.errors import NotFound

NOTE_EVERY_S = 60.0
LINK_PROVES_S = 15 * 60
_MOST_NOTED = 10_000
_LINK = "signed_in_by_link"
_noted: dict[str, float] = {}


def sign_in(request: HttpRequest, user: User, by_link: bool = False) -> None:
    """Begin a session of `user`, known to the list of sessions. A link from the terminal stands for a password."""
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    if by_link:
        request.session[_LINK] = time.time()
    request.session.save()
    UserSession.objects.create_from_request(request)


def proved_by_link(request: HttpRequest) -> bool:
    """Whether this session began a short while ago with a link that only who runs the installation can print."""
    return time.time() - float(request.session.get(_LINK) or 0) < LINK_PROVES_S


def note_use(request: HttpRequest) -> None:
    """Note that the session of this request was used, at most once a minute."""
    key, now = request.session.session_key, time.monotonic()
    if key is None or now - _noted.get(key, -NOTE_EVERY_S) < NOTE_EVERY_S:
        return
    if len(_noted) >= _MOST_NOTED:
        _noted.clear()
    _noted[key] = now
    address = get_adapter().get_client_ip(request)
    with if_it_can_be_kept():
        if not UserSession.objects.filter(session_key=key).update(last_seen_at=timezone.now(), ip=address):
            UserSession.objects.create_from_request(request)


def sessions(user: User, current: str | None) -> list[dict[str, Any]]:
    """Where `user` is signed in, last used first; `current` is the key of the session that asks."""
    rows: list[UserSession] = UserSession.objects.purge_and_list(user)
    shapes = [
        {
            "id": f"ses_{row.pk}",
            "user_agent": row.user_agent,
            "ip": row.ip,
            "created_at": row.created_at,
            "last_seen_at": row.last_seen_at,
            "current": row.session_key == current,
        }
        for row in rows
    ]
    return sorted(shapes, key=lambda shape: (shape["current"], shape["last_seen_at"]), reverse=True)


def session_end(user: User, key: str) -> None:
    """End one of the user's sessions. Raises NotFound."""
    number = key.removeprefix("ses_")
    row = UserSession.objects.filter(user=user, pk=number).first() if number.isascii() and number.isdigit() else None
    if row is None:
        raise NotFound
    row.end()


def sessions_end(user: User, but: str | None = None) -> int:
    """End all sessions of `user` except the one with the key `but`; gives how many."""
    rows = [row for row in UserSession.objects.filter(user=user) if row.session_key != but]
    for row in rows:
        row.end()
    return len(rows)


def keep_session(request: HttpRequest, user: User) -> None:
    """After a new password: this session goes on under a new key, all others end."""
    before = request.session.session_key
    update_session_auth_hash(request, user)
    request.session.save()
    UserSession.objects.filter(session_key=before).update(session_key=request.session.session_key)
    sessions_end(user, but=request.session.session_key)
