"""Finding a page by its link, and a run or a conversation by the key that the browser of who began it keeps."""

from __future__ import annotations

import hashlib
import re

from backend.accounts.actor import Actor
from backend.accounts.auth.tokens import hashed
from backend.errors import Conflict, NotFound, ValidationFailed
from backend.runs.log.encoding import decode
from backend.runs.models import Conversation, Run
from backend.triggers.kinds.page import by_link
from backend.triggers.models import Trigger
from backend.web.lookup import storable

_KEY = re.compile(r"[A-Za-z0-9_-]{43,64}", re.ASCII)
"""256 bits: who cannot know it does not come to what it stands for."""
_ROWS = Trigger.objects.select_related("workflow", "acts_as", "team").defer("workflow__draft")


def page_of_link(token: str) -> Trigger:
    """The page that is on at this secret link. Raises NotFound: one that is off is not told apart."""
    row = _of_token(token)
    if row is None or not row.enabled:
        raise NotFound
    return row


def _of_token(token: str) -> Trigger | None:
    return _ROWS.filter(token_hash=hashed(token), kind=Trigger.Kind.PAGE).first() if len(token) <= 100 else None


def page_shown_at(address: str) -> Trigger | None:
    """The page of a link, or of members by its id, whether it is on or not: who may show it in a frame."""
    row = _of_token(address)
    if row is not None or not storable(address):
        return row
    row = _ROWS.filter(pk=address, kind=Trigger.Kind.PAGE).first()
    return row if row is not None and not by_link(decode(row.config)) else None


def require_members_page(trigger: Trigger) -> None:
    """Raise Conflict where the trigger is no page for members, or off."""
    if trigger.kind != Trigger.Kind.PAGE or by_link(decode(trigger.config)):
        raise Conflict(params={"reason": "trigger_not_page"})
    if not trigger.enabled:
        raise Conflict(params={"reason": "trigger_off"})


def digest_of(key: object, field: str, member: Actor | None) -> str:
    """What is kept of a key that a browser made. Of members' pages it is the member's alone.

    Raises ValidationFailed (`field`).
    """
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ValidationFailed(fields={field: ["must be 43 to 64 random letters, digits, - and _"]})
    text = f"{member.user.pk}:{key}" if member is not None else key
    return hashlib.sha256(text.encode()).hexdigest()[:48]


def run_of(trigger: Trigger, digest: str) -> Run | None:
    """The run that was started with a key."""
    rows = Run.objects.filter(workflow=trigger.workflow_id, idempotency_key=f"{trigger.pk}:{digest}")
    return rows.filter(trigger_id=trigger.pk).select_related("graph").first()


def conversation_for(trigger: Trigger, key: object, member: Actor | None) -> Conversation:
    """The conversation that was begun with a key. Raises NotFound, ValidationFailed (`conversation`)."""
    digest = digest_of(key, "conversation", member)
    rows = Conversation.objects.filter(trigger_id=trigger.pk, visitor=digest, visitor__gt="")
    row = rows.select_related("workflow").defer("workflow__draft").first()
    if row is None:
        raise NotFound
    return row
