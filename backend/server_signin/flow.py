"""The flow: a person is sent to the authorization server, and comes back with a code for which there are tokens.

Both halves are remote work (`web.remote_requests`). The state is bound to the browser's session and the person, and is
good once, for ten minutes. Whatever fails is kept with the requests that led there.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast
from urllib.parse import urlencode

from django.db import transaction
from django.utils import timezone

from backend.accounts.models import User
from backend.accounts.teams.outbound import network_rules
from backend.engine.execution import failpoints
from backend.errors import Conflict, Forbidden, PatchbayError
from backend.server_signin import clients, sign_ins
from backend.server_signin.clients import Chosen
from backend.server_signin.discovery import Authority, discover
from backend.server_signin.exchanges import Exchanges, query_of
from backend.server_signin.failures import failed
from backend.server_signin.models import Pending, SignIn
from backend.server_signin.tokens import ClientHeld, Issued, TokenRefused, ask_for_tokens, name_in
from backend.web.lookup import storable
from backend.web.remote_requests import RemoteWork

MINUTES = 10


@dataclass(frozen=True, slots=True)
class Target:
    """A server to sign in at. `user_id` None = for the team. `headers` = its own, secrets included; `client` = what a
    person entered as (id, secret), if anything; `masks` = what must not be seen of all that; `card` = where the card of
    an agent is."""

    team_id: str
    id: str
    user_id: str | None
    url: str
    headers: Mapping[str, str]
    client: tuple[str, str] | None = None
    masks: tuple[str, ...] = ()
    card: str = ""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who signs in: the person, the key of their browser's session, and the host by which it reaches us."""

    user: User
    session_key: str | None
    host: str

    @property
    def browser(self) -> str:
        """What a state is bound to."""
        return _hash(f"{self.user.pk} {self.session_key}")


@dataclass(frozen=True, slots=True)
class Returned:
    """What the authorization server sent a person back with."""

    state: str
    code: str = ""
    iss: str = ""
    error: str = ""
    error_description: str = ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def begin(target: Target, visitor: Visitor, more: tuple[str, ...] = ()) -> RemoteWork[str]:
    """Find out where to sign in, and give the address to send the person to. `more` = scopes beside the usual ones.

    Raises McpAuthFailed with stage and reason, NetworkBlocked.
    """
    row = sign_ins.open_for(target.team_id, target.id, target.user_id)
    hidden = (*target.masks, *target.headers.values(), target.client[1] if target.client else "")
    exchanges = Exchanges(network_rules(), target.url, hidden)
    headers = {name: value for name, value in target.headers.items() if name.lower() != "authorization"}
    added = tuple(dict.fromkeys([*row.scopes, *row.needs, *more])) if row.needs or more else ()
    callback = clients.callback_at(visitor.host)
    failure: PatchbayError | None = None
    try:
        authority: Authority = yield discover(exchanges, target.url, headers, added, card=target.card)
        chosen = yield from _client(exchanges, authority, target, callback)
    except PatchbayError as error:
        failure = error
        raise
    finally:
        sign_ins.note_steps(row, exchanges.steps, failure, anew=True)
    return _sent(row, visitor, authority, chosen, callback)


def _client(exchanges: Exchanges, authority: Authority, target: Target, callback: str) -> RemoteWork[Chosen]:
    """Who we are there."""
    if target.client:
        chosen = clients.entered(authority, *target.client)
        clients.bind(target.team_id, target.id, authority.issuer, chosen.held, callback)
        return chosen
    known = clients.documented(authority, callback) or clients.registered(target.id, authority.issuer, callback)
    if known is not None:
        return known
    new: Chosen = yield clients.register(exchanges, authority, callback)
    clients.keep_registered(target.team_id, target.id, authority.issuer, callback, new.held)
    return new


@transaction.atomic
def _sent(row: SignIn, visitor: Visitor, authority: Authority, chosen: Chosen, callback: str) -> str:
    """Note that the person is on the way; the address they go to."""
    Pending.objects.filter(expires_at__lt=timezone.now()).delete()
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    held: Any = {"verifier": verifier, "resource": authority.resource, "client": chosen.held}
    Pending.objects.create(
        state_hash=_hash(state),
        browser=visitor.browser,
        team_id=row.team_id,
        by=visitor.user,
        sign_in=row,
        held=held,
        facts={
            "issuer": authority.issuer,
            "token_endpoint": authority.token_endpoint,
            "revocation_endpoint": authority.revocation_endpoint,
            "userinfo_endpoint": authority.userinfo_endpoint,
            "promises_iss": authority.promises_iss,
            "scopes": list(authority.scopes),
            "callback": callback,
            "client_kind": chosen.kind,
        },
        expires_at=timezone.now() + timedelta(minutes=MINUTES),
    )
    digest = hashlib.sha256(verifier.encode()).digest()
    parameters = {
        "response_type": "code",
        "client_id": chosen.held["id"],
        "redirect_uri": callback,
        "state": state,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        "resource": authority.resource,
        **({"scope": " ".join(authority.scopes)} if authority.scopes else {}),
        **({"prompt": "consent"} if "offline_access" in authority.scopes else {}),
    }
    place, _, _ = authority.authorization_endpoint.partition("#")
    query = {name: value for name, value in query_of(place).items() if name not in parameters}
    return f"{place.partition('?')[0]}?{urlencode({**query, **parameters})}"


def pending_for(visitor: Visitor, state: str) -> Pending:
    """The flow that a person comes back from. Raises Conflict (unknown, used or too old), Forbidden (not begun in this
    browser by this person: it stays open for them)."""
    row = Pending.objects.filter(state_hash=_hash(state)).select_related("sign_in").first() if storable(state) else None
    if row is None or row.expires_at < timezone.now():
        raise Conflict(params={"reason": "server_sign_in_late"})
    if not secrets.compare_digest(row.browser, visitor.browser):
        raise Forbidden(params={"reason": "server_sign_in_browser"})
    return row


def finish(
    pending: Pending, back: Returned, server_url: str, masks: tuple[str, ...], done: Callable[[SignIn], None]
) -> RemoteWork[SignIn]:
    """Take the code for tokens and keep them; `done` in the same transaction. Raises McpAuthFailed, Conflict."""
    if not Pending.objects.filter(pk=pending.pk).delete()[0]:
        raise Conflict(params={"reason": "server_sign_in_late"})
    row, facts = pending.sign_in, pending.facts
    exchanges = Exchanges(network_rules(), server_url, (*masks, back.code, pending.held["verifier"]))
    client = cast(ClientHeld, pending.held["client"])
    failure: PatchbayError | None = None
    try:
        _check_return(facts, back)
        issued: Issued = yield _redeemed(exchanges, pending, back.code)
        failpoints.hit("sign_in.answered")
        name: str = yield _name(exchanges, facts, issued)
    except PatchbayError as error:
        failure = error
        if error.params.get("error") == "invalid_client":
            clients.forget_registered(row.target, client["id"])
        raise
    finally:
        sign_ins.note_steps(row, exchanges.steps, failure)
    with transaction.atomic():
        row = SignIn.objects.select_for_update().get(pk=row.pk)
        transaction.on_commit(lambda: failpoints.hit("sign_in.stored"))
        sign_ins.signed_in(row, pending, issued, name)
        done(row)
    row.refresh_from_db()
    return row


def _check_return(facts: Mapping[str, Any], back: Returned) -> None:
    """That it was the authorization server asked who sent the person back (RFC 9207), with a code."""
    if back.iss != facts["issuer"] and (back.iss or facts["promises_iss"]):
        raise failed("oauth_iss", "consent", named=back.iss[:300] or "-", asked=facts["issuer"][:300])
    if back.error:
        raise failed("oauth_denied", "consent", error=back.error[:100], why=back.error_description[:300] or "-")
    if not back.code:
        raise failed("oauth_shape", "consent", name="code")


async def _redeemed(exchanges: Exchanges, pending: Pending, code: str) -> Issued:
    facts, held = pending.facts, pending.held
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": facts["callback"],
        "code_verifier": held["verifier"],
        "resource": held["resource"],
    }
    try:
        issued = await ask_for_tokens(exchanges, "token", facts["token_endpoint"], held["client"], fields)
        exchanges.hide(issued.access, issued.refresh)
        return issued
    except TokenRefused as refused:
        error = failed("oauth_refused", "token", error=refused.error, why=refused.why or "-")
        raise exchanges.blame(error) from refused
    except PatchbayError as error:
        raise exchanges.blame(error) from error


async def _name(exchanges: Exchanges, facts: Mapping[str, Any], issued: Issued) -> str:
    """Whom one is signed in as; "" where nobody says so."""
    name = name_in(issued.claims)
    if name or not facts["userinfo_endpoint"] or "openid" not in (issued.scopes or facts["scopes"]):
        return name
    try:
        headers = {"Authorization": f"Bearer {issued.access}"}
        reply = await exchanges.get("identity", facts["userinfo_endpoint"], headers)
        return name_in(reply.json()) if reply.status < 400 else ""
    except PatchbayError:  # the sign-in holds without a name; the step says what went wrong
        return ""
