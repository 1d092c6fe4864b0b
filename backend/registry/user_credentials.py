"""Servers whose credentials are "user": which secrets each member enters, and when what was entered is forgotten.

What a member entered goes only to the address or program that it was entered for, so a change of either forgets it.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.errors import Conflict, ValidationFailed
from backend.notifications.clients import notify_shared
from backend.registry.configuration import target_of
from backend.registry.models import Server
from backend.registry.selectors import server_for
from backend.secrets import user_credentials
from backend.secrets.models import Credential
from backend.secrets.user_credentials import Slot, Values

_WITH_KEY = frozenset({Server.AuthType.API_KEY, Server.AuthType.BEARER})


def required_slots(server: Server) -> list[Slot]:
    """What each member enters at a server."""
    return user_credentials.slots(server.secrets, key=server.auth_type in _WITH_KEY)


def is_per_user(server: Server) -> bool:
    """Whether each member uses their own credentials."""
    return server.credentials == Server.Credentials.USER


def extract_user_values(server: Server) -> Values:
    """Take the values out of a server whose credentials are "user": they belong to the person who wrote them.

    Raises ValidationFailed where there is nothing that a member could enter.
    """
    if not is_per_user(server):
        return {}
    server.secrets, taken = user_credentials.extract(server.secrets)
    if not required_slots(server):
        raise ValidationFailed(fields={"credentials": ["needs a key that each member enters"]})
    return taken


def credential_target(server: Server) -> tuple[Any, ...]:
    """What a member's values are entrusted to: the origin of a URL, or a program with all that decides what it does."""
    if server.transport != Server.Transport.STDIO:
        return target_of(server)
    hidden = sorted(server.secrets.get("args", {}).items())
    return ("stdio", server.command, tuple(server.args), tuple(hidden), server.cwd, tuple(sorted(server.env.items())))


def forget_outdated(server: Server, before: tuple[Any, ...], was_per_user: bool) -> int:
    """Delete what members entered and may not be used any more; how many members it was."""
    if was_per_user and (not is_per_user(server) or before != credential_target(server)):
        return user_credentials.forget(server.id)
    if server.visibility == Server.Visibility.PRIVATE:
        return user_credentials.forget(server.id, but=server.created_by_id or "")
    return 0


def values_for(server: Server, user_id: str, entered: bool, taken: Values) -> Values:
    """What an unsaved server is tested with: what the person `entered` before, and what stands in the request."""
    row = user_credentials.credential_of(user_id, server.id) if entered else None
    return user_credentials.merged_with(row.values if row else {}, taken)


def _per_user(actor: Actor, reference: str) -> Server:
    server = server_for(actor, reference)
    if not is_per_user(server):
        raise Conflict(params={"reason": "shared_credentials"})
    return server


def read_user_credentials(actor: Actor, reference: str) -> tuple[Server, Credential | None]:
    """The server and what the actor entered there. Raises NotFound, Conflict (credentials are shared)."""
    server = _per_user(actor, reference)
    return server, user_credentials.credential_of(actor.user.id, server.id)


@transaction.atomic
def save_user_credentials(actor: Actor, reference: str, data: dict[str, Any]) -> tuple[Server, Credential]:
    """Enter one's own credentials. Raises NotFound, Conflict (credentials are shared), ValidationFailed."""
    actor.require("editor")
    server = _per_user(actor, reference)
    row = user_credentials.enter_from(actor, server.id, data, required_slots(server))
    audit(actor, "credentials.entered", "server", server.id, slug=server.slug, fields=sorted(data))
    notify_shared("server", server, "credentials")
    return server, row


@transaction.atomic
def delete_user_credentials(actor: Actor, reference: str) -> Server:
    """Delete one's own credentials. Raises NotFound, Conflict (credentials are shared)."""
    actor.require("editor")
    server = _per_user(actor, reference)
    if user_credentials.forget(server.id, user_id=actor.user.id):
        audit(actor, "credentials.deleted", "server", server.id, slug=server.slug)
        notify_shared("server", server, "credentials")
    return server
