"""Servers as items that a team shares: what each member enters at one, and what that is entrusted to."""

from __future__ import annotations

from typing import Any

from backend.errors import ValidationFailed
from backend.registry.configuration.server_fields import target_of
from backend.registry.models import Server
from backend.secrets import user_credentials
from backend.secrets.shared_items import SharedItems
from backend.secrets.user_credentials import Slot, Values

_WITH_KEY = frozenset({Server.AuthType.API_KEY, Server.AuthType.BEARER, Server.AuthType.BASIC})


def required_slots(server: Server) -> list[Slot]:
    """What each member enters at a server."""
    return user_credentials.slots(server.secrets, key=server.auth_type in _WITH_KEY)


def credential_target(server: Server) -> tuple[Any, ...]:
    """What a member's values are entrusted to: the origin of a URL, or a program with all that decides what it does."""
    if server.transport != Server.Transport.STDIO:
        return target_of(server)
    hidden = sorted(server.secrets.get("args", {}).items())
    return ("stdio", server.command, tuple(server.args), tuple(hidden), server.cwd, tuple(sorted(server.env.items())))


SERVERS: SharedItems[Server] = SharedItems("server", Server, required_slots, credential_target)


def extract_user_values(server: Server) -> Values:
    """`SERVERS.extract`. Raises ValidationFailed where there is nothing that a member could enter."""
    taken = SERVERS.extract(server)
    signs_in = server.auth_type == Server.AuthType.OAUTH
    if SERVERS.is_per_user(server) and not signs_in and not required_slots(server):
        raise ValidationFailed(fields={"credentials": ["needs a key that each member enters"]})
    return taken
