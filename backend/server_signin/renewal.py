"""Tokens while they are used: renewed by one process at a time, read by all others, so none is renewed with twice.

A renewal is claimed by a statement that only one process can win (a lease on the row, longer than the request may
take): no transaction stands open and no row is locked while somebody else's server thinks. Who loses waits for the new
version of the row. Within a process all calls share one renewal, and none waits for another's call.

A process that ends in the middle leaves its claim behind. Whether the refresh token was used then, nobody knows, and it
is not used again: the sign-in is over, and says why.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.db.models import Q
from django.utils import timezone

from backend.accounts.teams.outbound import network_rules
from backend.database.ids import new_id
from backend.database.threads import in_thread
from backend.engine.execution import failpoints
from backend.errors import McpAuthFailed, McpUnreachable, NetworkBlocked, PatchbayError
from backend.net.urls import origin
from backend.server_signin import clients, sign_ins
from backend.server_signin.exchanges import Exchanges
from backend.server_signin.models import SignIn
from backend.server_signin.tokens import ClientHeld, Issued, TokenRefused, ask_for_tokens
from backend.tools.signing_in import MARK, NeededSignIn, needed_sign_in

EARLY_S = 30.0
"""So long before its end a token is renewed; of short ones a quarter of their life."""
LEASE_S = 40.0
"""Four times what a renewal may take; who waits for one that will not end waits longer."""
WAIT_S = 50.0
AGAIN_S = 0.1
AGAIN_AFTER_S = 60.0
"""A token that took the place of a refused one and is refused sooner is not renewed: the server will not have it."""
KEPT = 1000
MOST_MASKS = 20
OVER = frozenset({"invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope", "invalid_target"})
"""Refusals after which trying again with the same refresh token cannot help."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a process is to do about a token: use the `row`'s ("new"), renew it ("mine"), "wait", or it is "over"."""

    what: Literal["new", "mine", "wait", "over"]
    row: SignIn | None


def take_turn(key: str, stamp: str, version: int, me: str, *, machine: bool = False) -> Turn:
    """Claim the renewal of this version, where it is to be had. A `machine` has what it takes, from the first time."""
    row = SignIn.objects.filter(pk=key, stamp=stamp).first()
    if row is None or not (row.state == SignIn.State.GOOD or (machine and row.state == SignIn.State.NONE)):
        return Turn("over", row)
    if row.version != version:
        return Turn("new", row)
    if not machine and not row.held.get("refresh"):
        sign_ins.ended(key, version, {"reason": "sign_in_over"})
        return Turn("over", SignIn.objects.filter(pk=key).first())
    now = timezone.now()
    left_behind = row.renewing_by and row.renewing_by != me and row.renewing_until and row.renewing_until < now
    if left_behind and not machine:
        sign_ins.ended(key, version, {"reason": "sign_in_lost"})
        return Turn("over", SignIn.objects.filter(pk=key).first())
    free = Q(renewing_until__isnull=True) | Q(renewing_until__lt=now) | Q(renewing_by=me)
    claimed = SignIn.objects.filter(free, pk=key, stamp=stamp, version=version).update(
        renewing_by=me, renewing_until=now + timedelta(seconds=LEASE_S)
    )
    return Turn("mine" if claimed else "wait", row)


def keep(row: SignIn, me: str, issued: Issued) -> SignIn | None:
    """The new tokens take the place of the old ones; None where the sign-in is another by now."""
    held = {**row.held, "access": issued.access, "refresh": issued.refresh or row.held["refresh"]}
    SignIn.objects.filter(pk=row.pk, stamp=row.stamp, version=row.version, renewing_by=me).update(
        held=held,
        version=row.version + 1,
        scopes=row.scopes if issued.scopes is None else list(issued.scopes),
        expires_at=issued.expires_at,
        refreshed_at=timezone.now(),
        problem={},
        renewing_by="",
        renewing_until=None,
    )
    return SignIn.objects.filter(pk=row.pk, stamp=row.stamp).first()


def give_back(row: SignIn, me: str) -> None:
    """Let others try."""
    SignIn.objects.filter(pk=row.pk, renewing_by=me).update(renewing_by="", renewing_until=None)


class SignedIn:
    """The token of one sign-in in this process (`tools.servers.Bearer`). Use it on one event loop."""

    machine = False
    """Whether what takes a new token is Patchbay's own."""

    def __init__(self, row: SignIn, server: str, url: str, masks: tuple[str, ...] = ()) -> None:
        self._hidden = masks
        self._target, self._user = row.target, row.user_id
        self._key, self._stamp, self._server, self._url = row.pk, row.stamp, server, url
        self._access, self._version = "", 0
        self._ends: datetime | None = None
        self._begun = timezone.now()
        self._in_place, self._placed_at = 0, 0.0  # the version that took the place of a refused one, and when
        self._masks: OrderedDict[str, None] = OrderedDict()
        self._renewing: asyncio.Task[None] | None = None
        self.take(row)

    def take(self, row: SignIn) -> None:
        """Use what the row holds, where it is newer."""
        if row.stamp != self._stamp or row.version <= self._version or not row.held.get("access"):
            return
        self._access, self._version, self._ends = row.held["access"], row.version, row.expires_at
        self._begun = row.refreshed_at or row.signed_in_at or timezone.now()
        secrets = (row.held["access"], row.held.get("refresh", ""), row.held["client"].get("secret", ""))
        for secret in filter(None, secrets):
            self._masks[secret] = None
            self._masks.move_to_end(secret)
        while len(self._masks) > MOST_MASKS:
            self._masks.popitem(last=False)

    def masks(self) -> tuple[str, ...]:
        """The secrets to hide in what the server sends, those of before too."""
        return tuple(self._masks)

    async def token(self) -> str:
        """The token for a request, renewed where it ends. Raises McpAuthFailed, McpUnreachable, NetworkBlocked."""
        if self._is_due():
            try:
                await self._renew(self._version)
            except (McpUnreachable, McpAuthFailed) as error:
                if not self._lasts() or needed_sign_in(error) is not None:
                    raise  # else there is still time to try again
        return self._access

    def _is_due(self) -> bool:
        if self._ends is None:
            return False
        life = (self._ends - self._begun).total_seconds()
        return timezone.now() >= self._ends - timedelta(seconds=min(EARLY_S, max(0.0, life / 4)))

    async def renewed(self, refused: str) -> str | None:
        """Another token than the one that the server refused; None where there is none to be had by now."""
        if self._access == refused:
            if self._in_place == self._version and time.monotonic() - self._placed_at < AGAIN_AFTER_S:
                return None
            await self._renew(self._version)
            self._in_place, self._placed_at = self._version, time.monotonic()
        return self._access if self._access != refused else None

    def _lasts(self) -> bool:
        return self._ends is None or timezone.now() < self._ends

    async def stepped_up(self, refused: str, scopes: tuple[str, ...]) -> str | None:
        """None: a person grants them, at the next sign-in."""
        return None

    async def lacks(self, scopes: tuple[str, ...]) -> PatchbayError:
        """The error for a call that needs more scopes; what is needed is kept for the next sign-in."""
        await in_thread(sign_ins.needs, self._key, self._stamp, scopes)
        return McpAuthFailed(
            params={"reason": "sign_in_scopes", "server": self._server, "scopes": " ".join(scopes) or "-"}
        )

    def refused(self) -> PatchbayError:
        """The error for a token that is fresh and yet refused."""
        return McpAuthFailed(params={"reason": "sign_in_refused", "server": self._server})

    async def _renew(self, version: int) -> None:
        if self._version != version:
            return
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renewal(version))
        await asyncio.shield(self._renewing)

    async def _renewal(self, version: int) -> None:
        me = new_id("rnw")
        try:
            async with asyncio.timeout(WAIT_S):
                turn = await self._turn(version, me)
        except TimeoutError:
            raise McpUnreachable(params={"reason": "sign_in_server", "server": self._server, "sent": False}) from None
        if turn.row is None or turn.what == "over":
            raise self._over(turn.row)
        if turn.what == "new":
            self.take(turn.row)
            return
        await self._ask(turn.row, me)

    async def _turn(self, version: int, me: str) -> Turn:
        """What to do, once no other process is at it."""
        while True:
            turn = await in_thread(take_turn, self._key, self._stamp, version, me, machine=self.machine)
            if turn.what != "wait":
                return turn
            await asyncio.sleep(AGAIN_S)

    async def _ask(self, row: SignIn, me: str) -> None:
        held, client = row.held, row.held["client"]
        exchanges = Exchanges(network_rules(), self._url, (*self._hidden, held["access"], held["refresh"]))
        failure: PatchbayError | None = None
        try:
            issued = await _request_renewal(exchanges, row, client)
            failpoints.hit("renewal.answered")
        except TokenRefused as refused:
            reason = "sign_in_ended" if refused.error in OVER else "oauth_refused"
            params = {"error": refused.error, "why": refused.why or "-", "server": self._server}
            failure = exchanges.blame(McpAuthFailed(params={"reason": reason, "stage": "refresh", **params}))
            if refused.error in OVER:
                await in_thread(sign_ins.ended, row.pk, row.version, failure.params)
            if refused.error == "invalid_client":
                await in_thread(clients.forget_registered, row.target, client["id"])
            raise (self._wants(failure) if refused.error in OVER else failure) from refused
        except PatchbayError as error:
            failure = exchanges.blame(error)
            if isinstance(error, NetworkBlocked):
                raise
            raise McpUnreachable(
                params={"reason": "sign_in_server", "server": self._server, "sent": False}, detail=error.params
            ) from error
        finally:
            await in_thread(give_back, row, me) if failure is not None else None
            await in_thread(sign_ins.note_steps, row, exchanges.steps, failure)
        kept = await in_thread(keep, row, me, issued)
        failpoints.hit("renewal.stored")
        if kept is None or kept.state != SignIn.State.GOOD:
            raise self._over(kept)
        self.take(kept)

    def _over(self, row: SignIn | None) -> PatchbayError:
        return self._wants(over(row, self._server))

    def _wants(self, error: PatchbayError) -> PatchbayError:
        return wants(error, self._target, self._user, self._server, self._stamp)


async def _request_renewal(exchanges: Exchanges, row: SignIn, client: ClientHeld) -> Issued:
    fields = {"grant_type": "refresh_token", "refresh_token": row.held["refresh"], "resource": row.held["resource"]}
    issued = await ask_for_tokens(exchanges, "refresh", row.facts["token_endpoint"], client, fields)
    exchanges.hide(issued.access, issued.refresh)
    return issued


def wants(
    error: PatchbayError, target: str, user_id: str | None, server: str, stamp: str, *, machine: bool = False
) -> PatchbayError:
    """The same error, marked with the sign-in that is wanted."""
    needed: NeededSignIn = {"server": target, "slug": server, "user": user_id, "stamp": stamp}
    if machine:
        needed["machine"] = True
    return McpAuthFailed(params={**error.params, MARK: needed}, detail=error.detail)


def over(row: SignIn | None, server: str) -> McpAuthFailed:
    """Why there is no token: nobody is signed in, or not any more."""
    if row is None or row.state == SignIn.State.NONE:
        return McpAuthFailed(params={"reason": "signed_out", "server": server})
    reason = row.problem.get("reason") or "sign_in_over"
    params = {name: value for name, value in row.problem.items() if name != "code"}
    return McpAuthFailed(params={**params, "reason": reason, "server": server})


class SignedOut:
    """Stands for the token where nobody is signed in: every request says so."""

    def __init__(self, row: SignIn | None, server: str, needed: NeededSignIn | None = None) -> None:
        self._row, self._server, self._needed = row, server, needed

    def _over(self) -> PatchbayError:
        error, needed = over(self._row, self._server), self._needed
        if needed is None:
            return error
        server, user, machine = needed["server"], needed["user"], needed.get("machine", False)
        return wants(error, server, user, needed["slug"], needed["stamp"], machine=machine)

    def masks(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    async def token(self) -> str:
        """Raises McpAuthFailed."""
        raise self._over()

    async def renewed(self, refused: str) -> str | None:
        """None."""
        return None

    async def stepped_up(self, refused: str, scopes: tuple[str, ...]) -> str | None:
        """None."""
        return None

    async def lacks(self, scopes: tuple[str, ...]) -> PatchbayError:
        """The same as always."""
        return self._over()

    def refused(self) -> PatchbayError:
        """The same as always."""
        return self._over()


_live: OrderedDict[tuple[str, str], SignedIn] = OrderedDict()
"""By sign-in and stamp, so that all connections of this process know of a renewal."""


def bearer_of(
    target: str, user_id: str | None, server: str, url: str, masks: tuple[str, ...]
) -> tuple[SignedIn | SignedOut, str, str]:
    """(the token of a server for a person or the team, what its connections are told apart by, the account as far as
    it is known, which another sign-in may be of as well). Not on the loop.

    `masks` = what must not be seen of the address.
    """
    row = sign_ins.of(target, user_id)
    needed: NeededSignIn = {"server": target, "slug": server, "user": user_id, "stamp": row.stamp if row else ""}
    if row is None or row.state != SignIn.State.GOOD:
        return SignedOut(row, server, needed), "", account_of(row)
    if origin(row.held["resource"]) != origin(url):  # an address that is tried, not the one that was signed in at
        return SignedOut(None, server, needed), "", ""
    key = (row.pk, row.stamp)
    bearer = _live.get(key)
    if bearer is None:
        bearer = _live.setdefault(key, SignedIn(row, server, url, masks))
        while len(_live) > KEPT:
            _live.popitem(last=False)
    return bearer, row.stamp, account_of(row)


def account_of(row: SignIn | None) -> str:
    """Who is, or was, signed in: at which authorization server, and as whom by what it says."""
    return json.dumps([row.issuer, row.signed_in_as]) if row is not None and row.issuer else ""
