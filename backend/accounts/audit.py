"""The audit trail: one row per deed that changes something, written in the deed's own transaction."""

from __future__ import annotations

from typing import Any

from backend.accounts.actor import Actor
from backend.accounts.inserting import insert
from backend.accounts.models import AuditEntry


def audit(actor: Actor, action: str, target_kind: str = "", target_id: str = "", **data: Any) -> None:
    """Note that `actor` did `action` ("server.created"). `data` must hold no secret."""
    insert(
        AuditEntry(
            team_id=actor.team.pk,
            actor_id=actor.user.pk,
            token_id=actor.token.pk if actor.token else None,
            action=action,
            target_kind=target_kind,
            target_id=target_id,
            data=data,
        )
    )
