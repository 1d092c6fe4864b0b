"""Writes of the accounts room: the first owner, sign-in links, tokens, preferences. Others: `teams`, `members`,
`invitations`, `person`, `two_factor`."""

from __future__ import annotations

import secrets as random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.auth.addresses import within
from backend.accounts.auth.tokens import hashed, issue_token
from backend.accounts.models import ApiToken, Membership, Role, SignInLink, Team, User
from backend.accounts.teams.members import lock
from backend.errors import Conflict, Forbidden, NotFound, ValidationFailed

LINK_MINUTES = 15
BOUND_SCOPES = frozenset({"read", "run", "answer"})
"""What a token bound to workflows may be for: who writes a document reaches whatever the document names."""
_workflows_known: list[Callable[[Team, list[str]], set[str]]] = []
_on_new_team: list[Callable[[Team, User], None]] = []


def on_new_team(install: Callable[[Team, User], None]) -> None:
    """Call `install(team, owner)` inside the transaction that makes a team (examples come from rooms above)."""
    _on_new_team.append(install)


def know_workflows(known: Callable[[Team, list[str]], set[str]]) -> None:
    """`known(team, ids)` = those that are workflows of the team; they are kept in a room above."""
    _workflows_known[:] = [known]


def unique_slug(name: str, taken: Callable[[str], bool], fallback: str) -> str:
    """A slug for `name` that is not taken: letters, digits and dashes, at most 60 characters."""
    base = slugify(name)[:56] or fallback
    slug, number = base, 1
    while taken(slug):
        number += 1
        slug = f"{base}-{number}"
    return slug


@transaction.atomic
def team_create(owner: User, name: str) -> Team:
    """A new team with its owner and what a new team starts with."""
    slug = unique_slug(name, lambda text: Team.objects.filter(slug=text).exists(), "team")
    team = Team.objects.create(name=name, slug=slug)
    Membership.objects.create(team=team, user=owner, role=Role.OWNER)
    for install in _on_new_team:
        install(team, owner)
    audit(Actor(owner, team, Role.OWNER), "team.created", "team", team.id, name=name)
    return team


@transaction.atomic
def first_owner(email: str, name: str = "", password: str | None = None, team: str = "") -> User:
    """The first person of the installation, with a team. Raises Conflict when there are people already."""
    if User.objects.exists():
        raise Conflict(params={"reason": "has_owner"})
    user = User.objects.create_user(email, password, name=name, is_operator=True)
    team_create(user, team or "My team")
    return user


def _first_owner() -> User | None:
    """The owner who has been there longest."""
    oldest = Membership.objects.select_related("user").filter(role=Role.OWNER).order_by("created_at").first()
    return oldest.user if oldest else None


def link_create(user: User | None = None) -> tuple[SignInLink, str]:
    """A one-time link's row and token: for `user`, else for the first owner or the owner who is there longest."""
    token = random.token_urlsafe(24)
    SignInLink.objects.filter(expires_at__lt=timezone.now()).delete()
    row = SignInLink.objects.create(
        token_hash=hashed(token),
        user=user or _first_owner(),
        expires_at=timezone.now() + timedelta(minutes=LINK_MINUTES),
    )
    return row, token


def link_find(token: str) -> SignInLink:
    """The unused, unexpired link of this token. Raises NotFound.

    A link that was printed before there was anybody signs in the owner whom `issue_token` has made meanwhile: both
    belong to the person at the terminal.
    """
    row = (
        SignInLink.objects.select_related("user")
        .filter(token_hash=hashed(token), used_at=None, expires_at__gt=timezone.now())
        .first()
    )
    if row is None:
        raise NotFound(params={"reason": "link"})
    row.user = row.user or _first_owner()
    return row


def _check_owner(data: dict[str, Any]) -> None:
    fields: dict[str, list[str]] = {}
    try:
        validate_email(data.get("email") or "")
    except ValidationError as error:
        fields["email"] = list(error.messages)
    try:
        validate_password(data.get("password") or "")
    except ValidationError as error:
        fields["password"] = list(error.messages)
    if not (data.get("team") or "").strip():
        fields["team"] = ["This field may not be blank."]
    if fields:
        raise ValidationFailed(fields=fields)


@transaction.atomic
def link_use(token: str, data: dict[str, Any]) -> User:
    """Consume a link; gives the person to sign in.

    For the first owner `data` = {email, name, password, team, language}. Raises NotFound, ValidationFailed.
    """
    row = link_find(token)
    if row.user is None:
        _check_owner(data)
    taken = SignInLink.objects.filter(pk=row.pk, used_at=None).update(used_at=timezone.now())
    if not taken:
        raise NotFound(params={"reason": "link"})
    if row.user is not None:
        return row.user
    user = first_owner(data["email"], (data.get("name") or "").strip(), data["password"], data["team"].strip())
    if data.get("language") in {"en", "zh"}:
        user.language = data["language"]
        user.save(update_fields=["language"])
    return user


@transaction.atomic
def me_update(actor: Actor, changes: dict[str, Any]) -> User:
    """Change one's own name, language, theme or auto_execute."""
    for name, value in changes.items():
        setattr(actor.user, name, value)
    actor.user.save(update_fields=list(changes))
    return actor.user


@transaction.atomic
def token_create(actor: Actor, data: dict[str, Any]) -> tuple[ApiToken, str]:
    """A new token of the actor for the actor's team; the text is shown once.

    `data` = {name, scopes, expires_in_days, workflows, networks, collection?}; without scopes it may all. `collection`
    = the id of one of the team's, which it opens and nothing else. Raises ValidationFailed, and Forbidden when a token
    asks for one that may more, lives longer, or works from elsewhere, than itself.
    """
    lock(actor)
    days, scopes, workflows, networks = (data[key] for key in ("expires_in_days", "scopes", "workflows", "networks"))
    life = timedelta(days=days) if days else None
    workflows = _bound_to(actor, workflows, scopes)
    maker = actor.token
    if maker is not None:
        wider = maker.scopes and not (scopes and set(scopes) <= set(maker.scopes))
        longer = maker.expires_at and (life is None or timezone.now() + life > maker.expires_at)
        if wider or longer or not within(networks, maker.networks):
            raise Forbidden(params={"reason": "token_scope"})
    collection = data.get("collection", "")
    row, text = issue_token(actor.user, actor.team, data["name"], life, scopes, workflows, networks, collection)
    bounds: dict[str, Any] = {"workflows": workflows} if workflows else {}
    bounds |= {"networks": networks} if networks else {}
    bounds |= {"collection": collection} if collection else {}
    audit(actor, "token.created", "token", row.id, name=row.name, scopes=scopes, days=days, **bounds)
    return row, text


def _bound_to(actor: Actor, workflows: list[str], scopes: list[str]) -> list[str]:
    """The ids of the workflows. Raises ValidationFailed for one that is not there, and where the token would edit."""
    if not workflows:
        return []
    if not scopes or not set(scopes) <= BOUND_SCOPES:
        allowed = ", ".join(sorted(BOUND_SCOPES))
        raise ValidationFailed(fields={"scopes": [f"must be of {allowed} for a token bound to workflows"]})
    keys = list(dict.fromkeys(workflows))
    if missing := set(keys) - _workflows_known[0](actor.team, keys):
        raise ValidationFailed(fields={"workflows": [f"there is no workflow {key}" for key in sorted(missing)]})
    return keys


def tokens(actor: Actor, of_team: bool) -> QuerySet[ApiToken]:
    """One's own tokens in the team, or all of the team's. Raises Forbidden where an editor asks for these."""
    if not of_team:
        return ApiToken.objects.select_related("user").filter(user=actor.user, team=actor.team)
    actor.require("admin")
    return ApiToken.objects.select_related("user").filter(team=actor.team)


@transaction.atomic
def token_delete(actor: Actor, key: str) -> None:
    """End one of the actor's tokens; an admin may end any of the team's. Raises NotFound."""
    rows = ApiToken.objects.filter(team=actor.team, pk=key)
    if not actor.may("admin"):
        rows = rows.filter(user=actor.user)
    row = rows.select_related("user").first()
    if row is None:
        raise NotFound
    audit(actor, "token.deleted", "token", row.id, name=row.name, of=row.user.email)
    row.delete()
