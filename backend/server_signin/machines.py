"""Signing in as Patchbay itself: the grant `client_credentials`, with a secret or with signed assertions.

No person and no page is needed, so a token is fetched when the server is used and again whenever it ends, by one
process at a time as renewals are. Only credentials that the authorization server refuses end such a sign-in: the same
ones would be refused again, until an admin puts them right.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.utils import timezone

from backend.accounts.teams.outbound import network_rules
from backend.database.threads import in_thread
from backend.engine.execution import failpoints
from backend.errors import McpAuthFailed, McpUnreachable, NetworkBlocked, PatchbayError
from backend.server_signin import clients, sign_ins
from backend.server_signin.discovery import Authority, covers, discover, scopes_of
from backend.server_signin.exchanges import Exchanges
from backend.server_signin.failures import failed
from backend.server_signin.models import SignIn
from backend.server_signin.renewal import KEPT, SignedIn, SignedOut, wants
from backend.server_signin.tokens import PRIVATE_KEY, ClientHeld, Issued, TokenRefused, ask_for_tokens
from backend.tools.a2a.cards import same_origin
from backend.tools.signing_in import NeededSignIn

REFUSED = frozenset({"invalid_client", "unauthorized_client", "invalid_grant", "access_denied"})
"""Refusals of the credentials themselves."""
PASSING = frozenset({"oauth_timeout", "oauth_unreachable", "oauth_status"})
"""Failures that may be over by the next time."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What Patchbay signs in with at a server. `headers` = the server's own. `method` of the client may be empty: by
    what the authorization server takes. `card` = where the card of an agent is."""

    team_id: str
    client: ClientHeld
    headers: Mapping[str, str]
    card: str = ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be seen of it."""
        return tuple(filter(None, (self.client["secret"], self.client.get("key", ""), *self.headers.values())))


@dataclass(frozen=True, slots=True)
class Place:
    """Where tokens are had: what of it is kept, and which scopes are asked for."""

    issuer: str
    resource: str
    token_endpoint: str
    revocation_endpoint: str
    client: ClientHeld
    scopes: tuple[str, ...]


async def find_place(exchanges: Exchanges, url: str, machine: Machine, added: tuple[str, ...]) -> Place:
    """Find out where tokens for `url` are had. Raises McpAuthFailed, NetworkBlocked."""
    headers = {name: value for name, value in machine.headers.items() if name.lower() != "authorization"}
    authority = await discover(exchanges, url, headers, added, person=False, card=machine.card)
    return Place(
        issuer=authority.issuer,
        resource=authority.resource,
        token_endpoint=authority.token_endpoint,
        revocation_endpoint=authority.revocation_endpoint,
        client=_client_at(authority, machine.client),
        scopes=authority.scopes,
    )


def _client_at(authority: Authority, client: ClientHeld) -> ClientHeld:
    """The client, with how it proves itself there."""
    method = client["method"] or clients.entered(authority, client["id"], client["secret"]).held["method"]
    at: ClientHeld = {**client, "method": method}
    if method == PRIVATE_KEY:
        at["audience"] = authority.issuer
    return at


async def ask(exchanges: Exchanges, place: Place) -> Issued:
    """A token for our own credentials. Raises TokenRefused, McpAuthFailed, NetworkBlocked."""
    fields = {"grant_type": "client_credentials", "resource": place.resource}
    if place.scopes:
        fields["scope"] = " ".join(place.scopes)
    issued = await ask_for_tokens(exchanges, "token", place.token_endpoint, place.client, fields)
    exchanges.hide(issued.access)
    return issued


def refusal(refused: TokenRefused, server: str) -> McpAuthFailed:
    """What the authorization server said to our credentials, and what to do."""
    return failed("machine_refused", "token", error=refused.error, why=refused.why or "-", server=server)


def _kept_place(row: SignIn, url: str, machine: Machine) -> Place | None:
    """What was found out before; None where it is to be found out anew: after a failure, and for another address."""
    facts, held = row.facts, row.held
    if row.problem or not held.get("resource"):
        return None
    if not (same_origin(held["resource"], url) if machine.card else covers(held["resource"], url)):
        return None  # an agent is at the address that its card names, on the host that was entered
    client = cast(ClientHeld, {**machine.client, **{name: held["client"][name] for name in ("method", "audience")
                                                    if name in held["client"]}})  # fmt: skip
    return Place(
        issuer=row.issuer,
        resource=held["resource"],
        token_endpoint=facts["token_endpoint"],
        revocation_endpoint=facts["revocation_endpoint"],
        client=client,
        scopes=tuple(dict.fromkeys([*facts["asked"], *row.needs])),
    )


def keep(row: SignIn, me: str, place: Place, issued: Issued) -> SignIn | None:
    """The new token takes the place of the old one; None where the sign-in is another by now."""
    now = timezone.now()
    SignIn.objects.filter(pk=row.pk, stamp=row.stamp, version=row.version, renewing_by=me).update(
        state=SignIn.State.GOOD,
        issuer=place.issuer,
        facts={
            "token_endpoint": place.token_endpoint,
            "revocation_endpoint": place.revocation_endpoint,
            "client_kind": "entered",
            "client_id": place.client["id"],
            "asked": list(place.scopes),
        },
        held={"access": issued.access, "refresh": "", "resource": place.resource, "client": place.client},
        version=row.version + 1,
        scopes=list(place.scopes if issued.scopes is None else issued.scopes),
        needs=[],
        expires_at=issued.expires_at,
        signed_in_at=row.signed_in_at or now,
        refreshed_at=now,
        problem={},
        renewing_by="",
        renewing_until=None,
    )
    return SignIn.objects.filter(pk=row.pk, stamp=row.stamp).first()


def give_up(row: SignIn, me: str, *, narrower: bool) -> None:
    """Let others try. `narrower` = the scopes were too many: ask for the usual ones next time."""
    changes: dict[str, Any] = {"needs": [], "facts": {**row.facts, "asked": []}} if narrower else {}
    SignIn.objects.filter(pk=row.pk, renewing_by=me).update(renewing_by="", renewing_until=None, **changes)


class MachineToken(SignedIn):
    """The token of Patchbay itself at one server in this process: fetched when it is needed first."""

    machine = True

    def __init__(self, row: SignIn, server: str, url: str, own: Machine, masks: tuple[str, ...] = ()) -> None:
        self._own = own
        super().__init__(row, server, url, masks)
        self._version = row.version

    def use(self, own: Machine) -> None:
        """The same sign-in, with the headers that the server has by now."""
        self._own = own

    def _is_due(self) -> bool:
        return not self._access or super()._is_due()

    def _lasts(self) -> bool:
        return bool(self._access) and super()._lasts()

    async def fetch(self) -> None:
        """A new token, whether the old one holds or not. Raises McpAuthFailed, McpUnreachable, NetworkBlocked."""
        await self._renew(self._version)

    async def stepped_up(self, refused: str, scopes: tuple[str, ...]) -> str | None:
        """One with these scopes as well, asked for at once. Raises as `token`."""
        if self._access == refused:
            await in_thread(sign_ins.needs, self._key, self._stamp, scopes)
            await self._renew(self._version)
        return self._access if self._access != refused else None

    async def lacks(self, scopes: tuple[str, ...]) -> PatchbayError:
        """The error for a call that needs more scopes than the authorization server gives these credentials."""
        return _lacks(self._server, scopes)

    def refused(self) -> PatchbayError:
        """The error for a token that is fresh and yet refused."""
        return _unwanted(self._server)

    async def _ask(self, row: SignIn, me: str) -> None:
        secrets = (*self._hidden, *self._own.secrets, row.held.get("access", ""))
        exchanges = Exchanges(network_rules(), self._url, secrets)
        place = _kept_place(row, self._url, self._own)
        anew, failure, narrower, finished = place is None, None, False, False
        try:
            if place is None:
                place = await self._discover(exchanges, row)
            issued = await ask(exchanges, place)
            failpoints.hit("renewal.answered")
            finished = True
        except TokenRefused as refused:
            failure = exchanges.blame(refusal(refused, self._server))
            narrower = refused.error == "invalid_scope"
            if refused.error not in REFUSED:
                raise failure from refused
            await in_thread(sign_ins.ended, row.pk, row.version, failure.params)
            raise self._wants(failure) from refused
        except PatchbayError as error:
            failure = exchanges.blame(error)
            if isinstance(error, NetworkBlocked) or error.params.get("reason") not in PASSING:
                raise
            raise McpUnreachable(
                params={"reason": "machine_server", "server": self._server, "sent": False}, detail=error.params
            ) from error
        finally:
            await in_thread(give_up, row, me, narrower=narrower) if not finished else None
            await in_thread(sign_ins.note_steps, row, exchanges.steps, failure, anew=anew)
        kept = await in_thread(keep, row, me, place, issued)
        failpoints.hit("renewal.stored")
        if kept is None or kept.state == SignIn.State.ENDED:
            raise self._over(kept)
        if kept.state == SignIn.State.NONE:  # the answer took so long that another process asks by now
            raise McpUnreachable(params={"reason": "machine_server", "server": self._server, "sent": False})
        self.take(kept)

    async def _discover(self, exchanges: Exchanges, row: SignIn) -> Place:
        """Where tokens are had, once it is sure that the credentials belong there."""
        added = scopes_of([*row.facts.get("asked", ()), *row.needs])
        place = await find_place(exchanges, self._url, self._own, added)
        await in_thread(clients.bind, self._own.team_id, row.target, place.issuer, place.client, "")
        return place

    def _wants(self, error: PatchbayError) -> PatchbayError:
        return _marked(error, self._target, self._server, self._stamp)


class TrialToken:
    """The token of a configuration that is tested before it is kept: in memory alone, and of this test alone."""

    def __init__(self, target: str, server: str, url: str, own: Machine, masks: tuple[str, ...]) -> None:
        self._target, self._server, self._url, self._own, self._hidden = target, server, url, own, masks
        self._access, self._added = "", ()
        self._turn = asyncio.Lock()

    def masks(self) -> tuple[str, ...]:
        """The secrets to hide in what the server sends."""
        return tuple(filter(None, (self._access, self._own.client["secret"])))

    async def token(self) -> str:
        """The token. Raises McpAuthFailed, McpUnreachable, NetworkBlocked."""
        async with self._turn:
            if not self._access:
                self._access = await self._fetched(())
        return self._access

    async def renewed(self, refused: str) -> str | None:
        """None: it is as fresh as can be."""
        return None

    async def stepped_up(self, refused: str, scopes: tuple[str, ...]) -> str | None:
        """One with these scopes as well. Raises as `token`."""
        async with self._turn:
            if self._access == refused:
                self._access = await self._fetched(scopes)
        return self._access

    async def lacks(self, scopes: tuple[str, ...]) -> PatchbayError:
        """The error for a call that needs more scopes than there are to be had."""
        return _lacks(self._server, scopes)

    def refused(self) -> PatchbayError:
        """The error for a token that is fresh and yet refused."""
        return _unwanted(self._server)

    async def _fetched(self, added: tuple[str, ...]) -> str:
        exchanges = Exchanges(network_rules(), self._url, (*self._hidden, *self._own.secrets))
        try:
            place = await find_place(exchanges, self._url, self._own, added)
            await in_thread(clients.check_bound, self._target, place.issuer, place.client)
            return (await ask(exchanges, place)).access
        except TokenRefused as refused:
            raise exchanges.blame(refusal(refused, self._server)) from refused
        except PatchbayError as error:
            raise exchanges.blame(error) from error


def _lacks(server: str, scopes: tuple[str, ...]) -> McpAuthFailed:
    return McpAuthFailed(params={"reason": "machine_scopes", "server": server, "scopes": " ".join(scopes) or "-"})


def _unwanted(server: str) -> McpAuthFailed:
    return McpAuthFailed(params={"reason": "machine_unwanted", "server": server})


def _marked(error: PatchbayError, target: str, server: str, stamp: str) -> PatchbayError:
    """The same error, marked with the sign-in of Patchbay itself that is wanted."""
    return wants(error, target, None, server, stamp, machine=True)


_live: OrderedDict[tuple[str, str], MachineToken] = OrderedDict()
"""By sign-in and stamp, so that all connections of this process share a token."""


def machine_token(
    target: str, server: str, url: str, own: Machine, masks: tuple[str, ...]
) -> tuple[MachineToken | SignedOut, str, str]:
    """(the token of Patchbay itself at a server, what its connections are told apart by, the account). As `bearer_of`.

    Not on the loop.
    """
    row, account = sign_ins.ready(own.team_id, target), json.dumps(["machine", own.client["id"]])
    if row.state == SignIn.State.ENDED:
        needed: NeededSignIn = {"server": target, "slug": server, "user": None, "stamp": row.stamp, "machine": True}
        return SignedOut(row, server, needed), "", account
    return token_of(row, server, url, own, masks), row.stamp, account


def token_of(row: SignIn, server: str, url: str, own: Machine, masks: tuple[str, ...]) -> MachineToken:
    """This process's token of a sign-in."""
    key = (row.pk, row.stamp)
    token = _live.get(key)
    if token is None:
        token = _live.setdefault(key, MachineToken(row, server, url, own, masks))
        while len(_live) > KEPT:
            _live.popitem(last=False)
    token.use(own)
    return token
