"""Telling an authorization server that tokens are no longer wanted (RFC 7009).

They are forgotten here first: a person who signs out is signed out, whatever the other side answers. Its answers are
kept among the requests of the flow. Of sign-ins that go with their server or their member nothing is kept; there the
audit trail says how it went.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import cast

from django.db import transaction
from django.db.models import QuerySet

from backend.accounts.audit.trail import audit_in_team
from backend.accounts.models import Team
from backend.accounts.teams.outbound import network_rules
from backend.database.threads import in_thread
from backend.errors import PatchbayError
from backend.server_signin.exchanges import Exchanges
from backend.server_signin.failures import failed
from backend.server_signin.models import SignIn
from backend.server_signin.tokens import ClientHeld, send_form
from backend.tools.loop import LOOP

MOST = 100
"""Sign-ins that are told of at once; tokens of more run out by themselves."""
AT_ONCE = 4
LONGEST_S = 60.0


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


async def revoke(exchanges: Exchanges, revocation: Revocation) -> None:
    """Tell it. What goes wrong stands in the steps and keeps from nothing."""
    try:
        exchanges.require_secure(revocation.endpoint, "revoke")
        for token, kind in revocation.tokens:
            fields = {"token": token, "token_type_hint": kind}
            reply = await send_form(exchanges, "revoke", revocation.endpoint, revocation.client, fields)
            if reply.status >= 400:
                where = revocation.endpoint.partition("?")[0][:300]
                exchanges.blame(failed("oauth_status", "revoke", where=where, status=reply.status))
    except PatchbayError:  # an address that is none, nobody there: the last step says so
        return


@dataclass(slots=True)
class _Gone:
    """A sign-in that is forgotten, what is to be told of it, and how that went."""

    team_id: str
    target: str
    shared: bool
    issuer: str
    resource: str
    revocation: Revocation
    revoked: int = 0
    problem: str = "unfinished"


def tell_of_forgotten(rows: QuerySet[SignIn]) -> None:
    """Once the transaction that forgets these sign-ins is on disk, tell their authorization servers: in the
    background, as far as that gets within a minute. Call it before the rows go."""
    gone = [
        _Gone(row.team_id, row.target, row.user_id is None, row.issuer, row.held["resource"], revocation)
        for row in rows.filter(state=SignIn.State.GOOD)[:MOST]
        if (revocation := revocation_of(row)) is not None
    ]
    if gone:
        transaction.on_commit(partial(_begin, gone), robust=True)


def _begin(gone: list[_Gone]) -> None:
    LOOP.submit(_revoke_all(gone))


async def _revoke_all(gone: list[_Gone]) -> None:
    turn = asyncio.Semaphore(AT_ONCE)

    async def tell(item: _Gone) -> None:
        async with turn:
            exchanges = Exchanges(network_rules(), item.resource, item.revocation.secrets)
            await revoke(exchanges, item.revocation)
        problems = [step["problem"] for step in exchanges.steps]
        item.revoked, item.problem = problems.count(""), next(filter(None, problems), "")

    try:
        async with asyncio.timeout(LONGEST_S):
            await asyncio.gather(*(tell(item) for item in gone))
    except TimeoutError:  # what is left says that it is unfinished
        pass
    await in_thread(_note, gone)


def _note(gone: list[_Gone]) -> None:
    """Say in the audit trail how it went; a team that is gone by now has none."""
    there = set(Team.objects.filter(pk__in={item.team_id for item in gone}).values_list("pk", flat=True))
    for item in gone:
        if item.team_id in there:
            audit_in_team(
                item.team_id,
                None,
                "server.tokens_revoked",
                "server",
                item.target,
                issuer=item.issuer,
                shared=item.shared,
                given=len(item.revocation.tokens),
                revoked=item.revoked,
                problem=item.problem,
            )
