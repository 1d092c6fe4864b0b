"""Signing in to a server by OAuth: who may, for whom it counts, and what the page shows of it.

Where the team shares credentials an admin signs in for all of it; where each member has their own, each for themself.
Only a person in a browser can: the authorization server shows them its page. Where Patchbay has credentials of its own
nobody need sign in; an admin may have it fetch a token at once.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.auth import rate_limits
from backend.accounts.described import Help, Timestamp
from backend.accounts.teams.outbound import network_rules
from backend.errors import Conflict, text_for
from backend.notifications.clients import notify_shared
from backend.registry.configuration.oauth_client import card_of, client_of, machine_of, signs_in_itself
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.connecting.connections import config_of, drop_connections
from backend.registry.models import Server
from backend.registry.selectors import server_for
from backend.server_signin import sign_ins
from backend.server_signin.clients import callback_at
from backend.server_signin.exchanges import Exchanges
from backend.server_signin.flow import Returned, Target, Visitor, begin, finish
from backend.server_signin.machines import token_of
from backend.server_signin.models import Pending, SignIn
from backend.server_signin.revocation import Revocation, revocation_of, revoke
from backend.web.remote_requests import RemoteWork

State = Literal["none", "signed_in", "ended"]
_STATES: dict[str, State] = {"none": "none", "good": "signed_in", "ended": "ended"}


class FlowStepJson(TypedDict):
    """One request of a sign-in, masked."""

    stage: str
    method: str
    url: str
    sent: str
    status: Annotated[int, Help("0 = no answer.")]
    body: str
    ms: float
    at: str
    problem: Annotated[str, Help("Why the flow ended with it; empty where it went on.")]


class SignInProblemJson(TypedDict):
    """What went wrong last, and what to do."""

    code: str
    reason: str
    stage: str
    message: str
    hint: str


class SignInJson(TypedDict):
    """How the reader, or the whole team, is signed in at a server."""

    state: State
    shared: Annotated[bool, Help("One sign-in for the team; false where each member has their own.")]
    machine: Annotated[
        bool, Help("Patchbay signs in itself, with credentials that an admin entered; nobody else has to.")
    ]
    may_sign_in: bool
    signed_in_as: Annotated[str, Help("What the authorization server calls the account; empty where it does not say.")]
    signed_in_by: Annotated[str | None, Help("Address of the member who signed in.")]
    signed_in_at: Timestamp | None
    issuer: str
    scopes: list[str]
    needs: Annotated[list[str], Help("Scopes that the server asked for since.")]
    expires_at: Annotated[Timestamp | None, Help("Of the access token; null where it does not say.")]
    renews: Annotated[bool, Help("Whether it is renewed without a person.")]
    refreshed_at: Timestamp | None
    client_kind: Annotated[str, Help("entered, document, registered, or empty.")]
    client_id: str
    callback: Annotated[str, Help("The address to name where a client is registered by hand.")]
    problem: SignInProblemJson | None
    steps: list[FlowStepJson]


class SignInBegunJson(TypedDict):
    """Where to go."""

    url: Annotated[str, Help("The page of the authorization server.")]


class SignInDoneJson(TypedDict):
    """Where one signed in."""

    server: str
    slug: str


def _server(actor: Actor, reference: str) -> Server:
    """The server, which signs people in by OAuth. Raises NotFound, Conflict."""
    server = server_for(actor, reference)
    if server.auth_type != Server.AuthType.OAUTH:
        raise Conflict(params={"reason": "server_no_oauth", "server": server.slug})
    return server


def _role(server: Server) -> str:
    return "editor" if SERVERS.is_per_user(server) else "admin"


def _whose(actor: Actor, server: Server) -> str | None:
    """Whose sign-in counts: the actor's own, or (None) that of the team."""
    return str(actor.user.pk) if SERVERS.is_per_user(server) else None


def read(actor: Actor, reference: str, host: str, language: str) -> SignInJson:
    """How it stands. Raises NotFound, Conflict (the server signs nobody in)."""
    server = _server(actor, reference)
    row = sign_ins.of(server.id, _whose(actor, server))
    shown = row or SignIn()
    may = actor.may(_role(server))
    return {
        "state": _STATES[shown.state],
        "shared": not SERVERS.is_per_user(server),
        "machine": signs_in_itself(server),
        "may_sign_in": may,
        "signed_in_as": shown.signed_in_as,
        "signed_in_by": shown.signed_in_by.email if shown.signed_in_by else None,
        "signed_in_at": shown.signed_in_at,
        "issuer": shown.issuer,
        "scopes": shown.scopes,
        "needs": [scope for scope in shown.needs if scope not in shown.scopes],
        "expires_at": shown.expires_at,
        "renews": signs_in_itself(server) or bool(shown.held.get("refresh")),
        "refreshed_at": shown.refreshed_at,
        "client_kind": shown.facts.get("client_kind", ""),
        "client_id": shown.facts.get("client_id", ""),
        "callback": callback_at(host),
        "problem": _problem(shown.problem, language),
        "steps": shown.steps if may else [],
    }


def _problem(problem: dict[str, Any], language: str) -> SignInProblemJson | None:
    if not problem:
        return None
    code = str(problem.get("code") or "MCP_AUTH_FAILED")
    message, hint = text_for(code, problem, language)
    reason, stage = str(problem.get("reason") or ""), str(problem.get("stage") or "")
    return {"code": code, "reason": reason, "stage": stage, "message": message, "hint": hint}


def sign_in(actor: Actor, reference: str, visitor: Visitor) -> RemoteWork[SignInBegunJson]:
    """Find out where to sign in; the address for the browser. Raises McpAuthFailed with the stage, NetworkBlocked,
    Conflict (Patchbay signs in there itself)."""
    server = _server(actor, reference)
    actor.require(_role(server))
    if signs_in_itself(server):
        raise Conflict(params={"reason": "server_signs_in_itself", "server": server.slug})
    rate_limits.count_connection(actor)
    target = _target(actor, server)
    try:
        url: str = yield from begin(target, visitor)
    finally:
        notify_shared("server", server, "sign_in")
    return {"url": url}


def _target(actor: Actor, server: Server) -> Target:
    config = config_of(server, user_id=actor.user.id)
    whose = _whose(actor, server)
    card = card_of(server, config.url)
    return Target(server.team_id, server.id, whose, config.url, config.headers, client_of(server), config.masks, card)


def fetch(actor: Actor, reference: str, host: str, language: str) -> RemoteWork[SignInJson]:
    """Have Patchbay sign in itself, now and not only with the next call; runs that wait for it go on.

    Raises NotFound, Forbidden, Conflict (people sign in there), McpAuthFailed with the stage, McpUnreachable.
    """
    server = _server(actor, reference)
    actor.require("admin")
    config = config_of(server, user_id=actor.user.id)
    own = machine_of(server, config.headers, config.url)
    if own is None:
        raise Conflict(params={"reason": "server_people_sign_in", "server": server.slug})
    rate_limits.count_connection(actor)
    row = sign_ins.try_again(sign_ins.ready(server.team_id, server.id))
    token = token_of(row, server.slug, config.url, own, config.masks)
    try:
        yield token.fetch()
    finally:
        notify_shared("server", server, "sign_in")
    sign_ins.tell(server.team_id)
    audit(
        actor, "server.signed_in", "server", server.id, slug=server.slug, issuer=_issuer(row), shared=True, machine=True
    )
    notify_shared("server", server, "signed_in")
    return read(actor, reference, host, language)


def _issuer(row: SignIn) -> str:
    row.refresh_from_db()
    return row.issuer


def come_back(actor: Actor, pending: Pending, back: Returned) -> RemoteWork[SignInDoneJson]:
    """The person came back from the authorization server. Raises Conflict, McpAuthFailed with the stage."""
    server = _server(actor, pending.sign_in.target)
    actor.require(_role(server))
    config = config_of(server, user_id=actor.user.id)

    def done(row: SignIn) -> None:
        shared = row.user_id is None
        audit(actor, "server.signed_in", "server", server.id, slug=server.slug, issuer=row.issuer, shared=shared)
        notify_shared("server", server, "signed_in")

    try:
        yield from finish(pending, back, config.url, config.masks, done)
    except Exception:
        notify_shared("server", server, "sign_in")
        raise
    return {"server": server.id, "slug": server.slug}


def sign_out(actor: Actor, reference: str) -> RemoteWork[None]:
    """Forget the tokens and end the connections with them; then tell the authorization server, whatever it answers.

    Raises NotFound, Conflict, Forbidden.
    """
    server = _server(actor, reference)
    actor.require(_role(server))
    whose = _whose(actor, server)
    row = sign_ins.of(server.id, whose)
    revocation = None if row is None else _forgotten(actor, server, row)
    if signs_in_itself(server):
        sign_ins.ready(server.team_id, server.id)  # the next call fetches a token again
    drop_connections(server, deleted=True, user_id=whose)
    if row is None or revocation is None:
        return
    config = config_of(server, user_id=actor.user.id)
    exchanges = Exchanges(network_rules(), config.url, (*config.masks, *revocation.secrets))
    yield revoke(exchanges, revocation)
    sign_ins.note_steps(row, exchanges.steps, None)
    notify_shared("server", server, "sign_in")


@transaction.atomic
def _forgotten(actor: Actor, server: Server, row: SignIn) -> Revocation | None:
    """Forget the tokens; what the authorization server is to be told of them."""
    if row.state == SignIn.State.NONE:
        return None
    revocation = revocation_of(row)
    sign_ins.signed_out(row)
    audit(actor, "server.signed_out", "server", server.id, slug=server.slug, shared=row.user_id is None)
    notify_shared("server", server, "signed_out")
    return revocation
