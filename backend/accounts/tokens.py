"""API tokens: `pb_…`, shown once, kept as SHA-256."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.utils import timezone

from backend.accounts.models import ApiToken, Team, User


def hashed(token: str) -> str:
    """The form in which a token is stored and looked up."""
    return hashlib.sha256(token.encode()).hexdigest()


def issue_token(user: User, team: Team, name: str, expires_in: timedelta | None = None) -> tuple[ApiToken, str]:
    """A new token's row and its text, which is never shown again."""
    text = f"pb_{secrets.token_urlsafe(32)}"
    row = ApiToken.objects.create(
        user=user,
        team=team,
        name=name,
        prefix=text[:8],
        token_hash=hashed(text),
        expires_at=timezone.now() + expires_in if expires_in else None,
    )
    return row, text


def find_token(text: str) -> ApiToken | None:
    """The valid token of this text, its last use noted at most once a minute."""
    now = timezone.now()
    row = ApiToken.objects.select_related("user", "team").filter(token_hash=hashed(text)).first()
    if row is None or not row.user.is_active or (row.expires_at and row.expires_at <= now):
        return None
    if row.last_used_at is None or now - row.last_used_at > timedelta(minutes=1):
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=now)
    return row
