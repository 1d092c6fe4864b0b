"""Runs that wait for a sign-in go on by themselves once somebody has signed in.

Their questions name the sign-in that did not hold, so any other that is good answers them: right after it is on disk,
and, where a process died in between or the call failed just as somebody signed in, at the reaper's next look.
"""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from backend.notifications.clients import notify_team
from backend.runs.log.encoding import decode, encode
from backend.runs.models import Interaction
from backend.runs.queue import inbox
from backend.server_signin.models import SignIn
from backend.tools.signing_in import NeededSignIn
from backend.tools.types import Answer

AT_ONCE = 200
"""So many runs go on by one look; the others by the next."""


def needed_by(question: Interaction) -> NeededSignIn | None:
    """The sign-in that a question waits for; None where it is about something else."""
    return _needed(question.evidence) if question.kind == "server" else None


def go_on(team_id: str | None = None) -> int:
    """Answer the questions (of one team) whose sign-in is there by now; gives their number. Called by every reaper."""
    waiting = Interaction.objects.filter(state=Interaction.State.OPEN, kind="server")
    if team_id is not None:
        waiting = waiting.filter(team_id=team_id)
    count = 0
    for team, evidence in waiting.order_by().values_list("team_id", "evidence").distinct():
        needed = _needed(evidence)
        row = None if needed is None else _good(team, needed)
        if row is None:
            continue
        same = waiting.filter(team_id=team, evidence=evidence).order_by("created_at", "pk")
        for question in same[: AT_ONCE - count]:
            count += _answered(question, row)
        if count >= AT_ONCE:
            break
    return count


def _needed(evidence: str) -> NeededSignIn | None:
    known = decode(evidence)
    needed: NeededSignIn | None = known.get("sign_in") if isinstance(known, dict) else None
    return needed


def _good(team_id: str, needed: NeededSignIn) -> SignIn | None:
    """The sign-in that took the place of the one that did not hold."""
    rows = SignIn.objects.filter(team_id=team_id, target=needed["server"], user_id=needed["user"])
    good = Q(state=SignIn.State.GOOD)
    if needed["user"] is None:  # one of Patchbay itself needs no token yet
        good |= Q(state=SignIn.State.NONE) & ~Q(stamp="")
    return rows.filter(good).exclude(stamp=needed["stamp"]).first()


def _answered(question: Interaction, row: SignIn) -> bool:
    """Whether it was still open."""
    reply = Answer("accept", by=row.signed_in_by_id or "")
    with inbox.durable_transaction():
        taken = Interaction.objects.filter(pk=question.pk, state=Interaction.State.OPEN).update(
            state=Interaction.State.ANSWERED,
            answer=encode(reply.as_json()),
            answered_by_id=row.signed_in_by_id,
            answered_at=timezone.now(),
        )
        if taken:
            inbox.enqueue_message(question.run_id, "answer", reply.as_json(), interaction=question.pk)
            notify_team(question.team_id, "interaction", question.pk, "answered")
    return bool(taken)
