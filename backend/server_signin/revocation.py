"""Telling an authorization server that tokens are no longer wanted (RFC 7009).

They are forgotten here first: a person who signs out is signed out, whatever the other side answers. Its answers are
kept among the requests of the flow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from backend.errors import PatchbayError
from backend.server_signin.exchanges import Exchanges
from backend.server_signin.failures import failed
from backend.server_signin.models import SignIn
from backend.server_signin.tokens import ClientHeld, send_form


@dataclass(frozen=True, slots=True)
class Revocation:
    """What is to be told: where, as which client, and the tokens with what each is, the one that renews first."""

    endpoint: str
    client: ClientHeld
    tokens: tuple[tuple[str, str], ...]

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be seen of it."""
        return tuple(token for token, _ in self.tokens)


def revocation_of(row: SignIn) -> Revocation | None:
    """What to tell once this sign-in is forgotten; None = the authorization server takes no such requests."""
    endpoint = str(row.facts.get("revocation_endpoint") or "")
    kinds = (("refresh", "refresh_token"), ("access", "access_token"))
    tokens = tuple((str(row.held[name]), kind) for name, kind in kinds if row.held.get(name))
    if not endpoint or not tokens:
        return None
    return Revocation(endpoint, cast(ClientHeld, row.held["client"]), tokens)


async def revoke(exchanges: Exchanges, wanted: Revocation) -> None:
    """Tell it. What goes wrong stands in the steps and keeps from nothing."""
    try:
        exchanges.require_secure(wanted.endpoint, "revoke")
        for token, kind in wanted.tokens:
            fields = {"token": token, "token_type_hint": kind}
            reply = await send_form(exchanges, "revoke", wanted.endpoint, wanted.client, fields)
            if reply.status >= 400:
                where = wanted.endpoint.partition("?")[0][:300]
                exchanges.blame(failed("oauth_status", "revoke", where=where, status=reply.status))
    except PatchbayError:  # an address that is none, nobody there: the last step says so
        return
