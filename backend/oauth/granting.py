"""From a member's consent to tokens: a code, which gives an access and a refresh token, which gives the next ones.

An access token is a row of the API tokens with an audience: it stands in the same list, ends the same ways, and is
counted and audited like them. Renewing changes the row's text; the row ends when the member said it should.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.core import signing
from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor, actor_for
from backend.accounts.audit.trail import audit
from backend.accounts.auth.factor_demands import missing
from backend.accounts.auth.tokens import access_text, hashed
from backend.accounts.models import ApiToken, Membership
from backend.errors import ValidationFailed
from backend.notifications.clients import notify_team
from backend.oauth.asking import Ask
from backend.oauth.models import Code, Grant, Registration
from backend.oauth.places import place_for
from backend.oauth.refusals import Refused, invalid_grant
from backend.workflows.models import Workflow

CODE_S = 120
ACCESS_S = 3600
KEPT_FOR = timedelta(days=1)
"""How long a used code is remembered, so that its second use is noticed."""
DAYS = (1, 30, 90)
"""How long a member can allow a client."""
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_REFRESH = signing.Signer(salt="oauth.refresh")


@dataclass(frozen=True, slots=True)
class Issued:
    """What a client gets."""

    access: str
    refresh: str
    scopes: Sequence[str]
    seconds: int


def allow(actor: Actor, ask: Ask, scopes: Sequence[str], days: int) -> str:
    """A code for what the member allowed: some of what was asked for, always with "read". Raises ValidationFailed."""
    if place_for(actor.user, ask.audience, actor.team.pk) is None:
        raise ValidationFailed(fields={"team": ["has nothing at the address that the client asked for"]})
    if not set(scopes) <= set(ask.scopes):
        raise ValidationFailed(fields={"scopes": ["must be some of those that the client asked for"]})
    text, now = secrets.token_urlsafe(32), timezone.now()
    Code.objects.filter(expires_at__lt=now - KEPT_FOR).delete()
    Registration.objects.filter(pk=ask.client, used_at=None).update(used_at=now)
    Code.objects.create(
        code_hash=hashed(text),
        client=ask.client,
        name=ask.name,
        redirect_uri=ask.redirect_uri,
        challenge=ask.challenge,
        audience=ask.audience,
        scopes=[scope for scope in ask.scopes if scope == "read" or scope in scopes],
        days=days,
        user=actor.user,
        team=actor.team,
        expires_at=now + timedelta(seconds=CODE_S),
    )
    return text


def redeem(code: str, client: str, redirect_uri: str, verifier: str, audience: str | None) -> Issued:
    """Tokens for a code. Raises Refused; a code that comes a second time also ends what it gave the first time."""
    with transaction.atomic():
        row = Code.objects.select_for_update(of=("self",)).select_related("user", "team", "token")
        entry = row.filter(code_hash=hashed(code)).first()
        if entry is None or entry.client != client:
            raise invalid_grant("The code is not known.")
        again = entry.used_at is not None
        if again and entry.token is not None:
            _end(entry.token, "code_used_twice")
        if not again:
            _check(entry, redirect_uri, verifier, audience)
            return _first_tokens(entry)
    raise invalid_grant("The code was used before.")


def _check(code: Code, redirect_uri: str, verifier: str, audience: str | None) -> None:
    if code.expires_at <= timezone.now():
        raise invalid_grant("The code's time is over.")
    if redirect_uri != code.redirect_uri:
        raise invalid_grant("redirect_uri is not the one that the code was sent to.")
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    if not _VERIFIER.fullmatch(verifier) or not hmac.compare_digest(digest, code.challenge):
        raise invalid_grant("code_verifier does not fit the challenge.")
    if audience is not None and audience != code.audience:
        raise Refused("invalid_target", "resource is not the address that the member allowed.")


def _first_tokens(code: Code) -> Issued:
    membership = Membership.objects.filter(user=code.user, team=code.team).first()
    actor = actor_for(code.user, code.team_id) if code.user.is_active else None
    if membership is None or actor is None or missing(code.user, code.team, managed=membership.managed):
        raise invalid_grant("The member who allowed it may not any more.")
    place = place_for(code.user, code.audience, code.team_id)
    if place is None:
        raise invalid_grant("What the member allowed is not there any more.")
    now, text = timezone.now(), access_text()
    token = ApiToken.objects.create(
        user=code.user,
        team=code.team,
        name=code.name,
        prefix="",
        token_hash=hashed(text),
        scopes=code.scopes,
        audience=code.audience,
        collection=place.collection,
        workflows=[place.workflow] if place.workflow else [],
        expires_at=now + timedelta(days=code.days),
        text_until=now + timedelta(seconds=ACCESS_S),
    )
    code.used_at, code.token = now, token
    code.save(update_fields=["used_at", "token"])
    refresh = _refresh_text(token)
    Grant.objects.create(token=token, client=code.client, refresh_hash=hashed(refresh))
    facts = {"scopes": code.scopes, "days": code.days, "client": code.client, "audience": code.audience}
    audit(actor, "token.created", "token", token.pk, name=token.name, **facts)
    notify_team(code.team_id, "token", token.pk, "created")
    return Issued(text, refresh, code.scopes, ACCESS_S)


def renew(refresh: str, client: str, audience: str | None, scope: str) -> Issued:
    """The next tokens. Raises Refused; a refresh token that was used before ends the whole grant, for two hold it."""
    with transaction.atomic():
        grant = _grant_of(refresh)
        if grant is None or grant.client != client:
            raise invalid_grant("The refresh token is not known.")
        token, now = grant.token, timezone.now()
        reused = not hmac.compare_digest(grant.refresh_hash, hashed(refresh))
        over = token.expires_at is not None and token.expires_at <= now
        if reused:
            _end(token, "refresh_used_twice")
        elif not over:
            return _next_tokens(grant, audience, scope)
    raise invalid_grant("The refresh token was used before." if reused else "The member's consent is over.")


def _next_tokens(grant: Grant, audience: str | None, scope: str) -> Issued:
    token, now = grant.token, timezone.now()
    if audience is not None and audience != token.audience:
        raise Refused("invalid_target", "resource is not the address that the member allowed.")
    if not set(scope.split()) <= set(token.scopes):
        raise Refused("invalid_scope", "The member did not allow so much.")
    text, refresh = access_text(), _refresh_text(token)
    until = min(now + timedelta(seconds=ACCESS_S), token.expires_at or now + timedelta(seconds=ACCESS_S))
    token.token_hash, token.text_until = hashed(text), until
    token.save(update_fields=["token_hash", "text_until"])
    grant.refresh_hash = hashed(refresh)
    grant.save(update_fields=["refresh_hash"])
    return Issued(text, refresh, token.scopes, int((until - now).total_seconds()))


def revoke(text: str, client: str) -> None:
    """A client gives its token back (RFC 7009), by either text. What is not known is no error."""
    with transaction.atomic():
        rows = Grant.objects.select_related("token__user", "token__team").filter(client=client)
        grant = rows.filter(token__token_hash=hashed(text)).first() or _grant_of(text)
        if grant is not None and grant.client == client:
            _end(grant.token, "given_back")


def workflow_goes(workflow: Workflow) -> None:
    """End the tokens for the agent that a workflow was, whose row goes in the caller's transaction.

    One that is only not offered any more is as a collection that is switched off: its tokens open nothing, and are good
    again once it is offered again.
    """
    tokens = ApiToken.objects.filter(team=workflow.team_id, audience__startswith="/a2a/", workflows=[workflow.pk])
    for token in tokens.select_related("user", "team"):
        _end(token, "agent_deleted")


def _grant_of(refresh: str) -> Grant | None:
    """The grant that a refresh token of ours is, or once was, of. Its row is locked."""
    try:
        key = _REFRESH.unsign(refresh).partition(".")[0]
    except signing.BadSignature:
        return None
    rows = Grant.objects.select_for_update(of=("self",)).select_related("token__user", "token__team")
    return rows.filter(pk=key).first()


def _refresh_text(token: ApiToken) -> str:
    return _REFRESH.sign(f"{token.pk}.{secrets.token_urlsafe(32)}")


def _end(token: ApiToken, reason: str) -> None:
    """End a token not by a member's own hand; the trail says why."""
    actor = actor_for(token.user, token.team_id)
    if actor is not None:
        audit(actor, "token.deleted", "token", token.pk, name=token.name, of=token.user.email, reason=reason)
    key, team = token.pk, token.team_id
    token.delete()
    notify_team(team, "token", key, "deleted")
