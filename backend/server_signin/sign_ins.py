"""The rows of sign-ins: whose counts at a server, what the page shows of one, and how one ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from backend.database.ids import new_id
from backend.errors import PatchbayError
from backend.server_signin.exchanges import StepJson
from backend.server_signin.models import KnownClient, Pending, SignIn
from backend.server_signin.revocation import tell_of_forgotten
from backend.server_signin.tokens import Issued

MOST_STEPS = 40
"""Requests that are kept of one sign-in, the last ones."""

_hears: list[Callable[[str], object]] = []


def when_signed_in(hears: Callable[[str], object]) -> None:
    """Call `hears(team)` once a new sign-in is on disk. Rooms above register at start; what fails is logged."""
    _hears.append(hears)


def of(target: str, user_id: str | None) -> SignIn | None:
    """The sign-in at a server: of one member, or (None) of the team."""
    return SignIn.objects.filter(target=target, user_id=user_id).first()


def open_for(team_id: str, target: str, user_id: str | None) -> SignIn:
    """The same; an empty one where nobody tried yet."""
    row, _ = SignIn.objects.get_or_create(target=target, user_id=user_id, defaults={"team_id": team_id})
    return row


def ready(team_id: str, target: str) -> SignIn:
    """The sign-in of Patchbay itself at a server; where there is none it becomes one that a token can be had for.

    Runs that wait for it go on with it.
    """
    row = open_for(team_id, target, None)
    if row.state == SignIn.State.NONE and not row.stamp:
        if SignIn.objects.filter(pk=row.pk, state=SignIn.State.NONE, stamp="").update(stamp=new_id("sgn")):
            tell(team_id)
        row.refresh_from_db()
    return row


def try_again(row: SignIn) -> SignIn:
    """One of Patchbay itself that was refused may be asked for anew."""
    SignIn.objects.filter(pk=row.pk, version=row.version, state=SignIn.State.ENDED).update(
        state=SignIn.State.NONE, stamp=new_id("sgn"), held={}
    )
    row.refresh_from_db()
    return row


def tell(team_id: str) -> None:
    """Let those know who wait for a sign-in of this team, after the commit."""
    for hears in _hears:
        transaction.on_commit(partial(hears, team_id), robust=True)


def note_steps(row: SignIn, steps: list[StepJson], error: PatchbayError | None, *, anew: bool = False) -> None:
    """Keep the requests of a flow and what it failed with; `anew` = it begins with them. A sign-in that holds goes on
    holding."""
    known = [] if anew else SignIn.objects.filter(pk=row.pk).values_list("steps", flat=True).first() or []
    problem: dict[str, Any] = {}
    if error is not None:
        problem = {"code": error.code, **error.params}
    SignIn.objects.filter(pk=row.pk).update(steps=[*known, *steps][-MOST_STEPS:], problem=problem)


def signed_in(row: SignIn, pending: Pending, issued: Issued, name: str) -> None:
    """Keep the tokens of a new sign-in, in the caller's transaction."""
    facts, client = pending.facts, pending.held["client"]
    now = timezone.now()
    scopes = facts["scopes"] if issued.scopes is None else list(issued.scopes)
    SignIn.objects.filter(pk=row.pk).update(
        state=SignIn.State.GOOD,
        issuer=facts["issuer"],
        facts={
            "token_endpoint": facts["token_endpoint"],
            "revocation_endpoint": facts["revocation_endpoint"],
            "client_kind": facts["client_kind"],
            "client_id": client["id"],
        },
        held={**_kept(pending), "access": issued.access, "refresh": issued.refresh},
        version=row.version + 1,
        stamp=new_id("sgn"),
        scopes=scopes,
        needs=[],
        expires_at=issued.expires_at,
        refreshed_at=None,
        signed_in_at=now,
        signed_in_as=name,
        signed_in_by_id=pending.by_id,
        problem={},
        renewing_by="",
        renewing_until=None,
    )
    tell(row.team_id)


def _kept(pending: Pending) -> dict[str, Any]:
    """What is needed of a flow as long as its sign-in lasts."""
    return {name: pending.held[name] for name in ("client", "resource")}


def needs(row_id: str, stamp: str, scopes: Iterable[str]) -> None:
    """The server wants more scopes than this sign-in has."""
    row = SignIn.objects.filter(pk=row_id, stamp=stamp).first()
    if row is not None:
        needed = list(dict.fromkeys([*row.needs, *scopes]))[:100]
        SignIn.objects.filter(pk=row.pk, stamp=stamp).update(needs=needed)


def ended(row_id: str, version: int, problem: dict[str, Any]) -> None:
    """The sign-in is over: the authorization server ended it, or it ran out and cannot be renewed."""
    row = SignIn.objects.filter(pk=row_id, version=version).first()
    if row is not None:
        SignIn.objects.filter(pk=row_id, version=version).update(
            state=SignIn.State.ENDED,
            held={"client": row.held.get("client")},
            problem={"code": "MCP_AUTH_FAILED", **problem},
            renewing_by="",
            renewing_until=None,
        )


def signed_out(row: SignIn) -> None:
    """Forget the tokens; the requests of the flow stay, for who asks why."""
    Pending.objects.filter(sign_in=row).delete()
    SignIn.objects.filter(pk=row.pk).update(
        state=SignIn.State.NONE,
        held={},
        version=row.version + 1,
        stamp="",
        scopes=[],
        needs=[],
        expires_at=None,
        refreshed_at=None,
        signed_in_at=None,
        signed_in_as="",
        signed_in_by=None,
        problem={},
        renewing_by="",
        renewing_until=None,
    )


def forget(target: str, *, but: str | None = None) -> int:
    """Delete every sign-in at a server, with the clients we are there; `but` that of one member. How many.

    Their authorization servers are told after the commit.
    """
    rows: QuerySet[SignIn] = SignIn.objects.filter(target=target)
    if but is not None:
        rows = rows.exclude(user_id=but)
    else:
        KnownClient.objects.filter(target=target).delete()
    number = rows.exclude(state=SignIn.State.NONE).count()
    tell_of_forgotten(rows)
    rows.delete()
    return number


def released(team_id: str, user_id: str) -> None:
    """Delete the sign-ins of a person who leaves a team. Their authorization servers are told after the commit."""
    rows = SignIn.objects.filter(team_id=team_id, user_id=user_id)
    tell_of_forgotten(rows)
    rows.delete()
