"""Approvals that take other people than whoever started the run, or two of them (`tools.approvers`).

The rule of a question is the stricter of its own (tool, node) and its run's (the workflow, and those above it). The yes
of a person is kept at the question, which stays open until there are enough; one no declines. What two people agree to
is the same: a yes to other values begins anew. Everything here is decided in the transaction that answers, with the
run's row locked, so of two answers at once the second sees the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.models import User
from backend.accounts.teams.deciding import deciders
from backend.engine.language.clean import clean
from backend.errors import ApprovalNeedsOthers, Forbidden
from backend.runs.log.encoding import decode, encode
from backend.runs.models import Interaction, Run
from backend.tools.approvers import ANYONE, Approvers, enough, needed, others_only, stricter
from backend.tools.types import Answer, JsonValue

if TYPE_CHECKING:
    from backend.runs.interactions.responses import AgreementJson


MOST_NAMED = 5
"""Of those who may approve, so many are named in a refusal."""


def rule(question: Interaction) -> Approvers:
    """Who must agree to this question; only approvals have more than "anyone"."""
    return stricter(question.approvers, question.run.approvers) if question.kind == "approval" else ANYONE


def starter(question: Interaction) -> str | None:
    """Whoever started the outermost run: a token's run is its person's. None = nobody who is still there."""
    return question.root_run.started_by_id


def check_may_approve(actor: Actor, question: Interaction) -> None:
    """Raise where this actor's yes cannot count, whatever the others said: Forbidden (a token: only people who are
    signed in count), ApprovalNeedsOthers (they started the run)."""
    approvers = rule(question)
    if approvers == ANYONE:
        return
    if actor.token is not None:
        raise Forbidden(params={"reason": "approval"})
    if others_only(approvers) and actor.user.id == starter(question):
        raise _refusal("starter", question, {actor.user.id})


def agreed(question: Interaction, reply: Answer) -> Answer | None:
    """Keep a yes; the answer for the run once there are enough of them, None while more are needed.

    In the transaction that answers, with the run's row locked, and `approvals` as it stands there. Raises
    ApprovalNeedsOthers for a second yes of the same person.
    """
    approvers = rule(question)
    if approvers == ANYONE:
        return reply
    decider_ids = deciders(question.team_id)
    values = _meant(question, reply.values)
    before = [item for item in decode(question.approvals) if item["by"] in decider_ids and item["values"] == values]
    if any(item["by"] == reply.by for item in before) and not enough(approvers, [reply.by], starter(question)):
        raise _refusal("already", question, {item["by"] for item in before})
    yes = {
        "by": reply.by,
        "at": timezone.now().isoformat(),
        "values": values,
        "changed": values != _meant(question, None),
        "remember": reply.remember,
    }
    approvals = [*before, yes]
    Interaction.objects.filter(pk=question.pk).update(approvals=encode(approvals))
    question.approvals = encode(approvals)
    people = tuple(item["by"] for item in approvals)
    if not enough(approvers, people, starter(question)):
        return None
    same = all(item["remember"] == reply.remember for item in approvals)
    several = people if len(people) > 1 else ()
    return Answer(reply.action, reply.values, reply.reason, reply.remember if same else "once", reply.by, several)


def shape(question: Interaction, known: dict[str, Mapping[str, str]]) -> AgreementJson:
    """What people see of it: `{rule, needed, given, able}`. `known` keeps who may decide, by team, for a whole page."""
    approvers = rule(question)
    approvals = [] if approvers == ANYONE else decode(question.approvals)
    able: list[str] = []
    names: Mapping[str, str] = {}
    if approvers != ANYONE:
        if question.team_id not in known:
            known[question.team_id] = deciders(question.team_id)
        names = known[question.team_id]
        if question.state == Interaction.State.OPEN:
            able = _able(question, names, {item["by"] for item in approvals})
    former = {item["by"] for item in approvals} - names.keys()
    away = dict(User.objects.filter(pk__in=former).values_list("pk", "email")) if former else {}
    return {
        "rule": approvers,
        "needed": needed(approvers),
        "given": [
            {
                "by": names.get(item["by"]) or away.get(item["by"]),
                "at": item["at"],
                "changed": item["changed"],
                "values": decode(item["values"]) if item["changed"] else None,
                "remember": item["remember"],
            }
            for item in approvals
        ],
        "able": able,
    }


def _meant(question: Interaction, values: JsonValue) -> str:
    """The values that a yes is for, as text to compare: as proposed where it names none."""
    return encode(_ordered(clean(decode(question.proposal) if values is None else values)))


def _ordered(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _able(question: Interaction, names: Mapping[str, str], without: set[str]) -> list[str]:
    """Who else may say yes, by e-mail."""
    barred = {*without, starter(question)} if others_only(rule(question)) else without
    return [email for key, email in names.items() if key not in barred]


def _refusal(reason: str, question: Interaction, without: set[str]) -> ApprovalNeedsOthers:
    able = _able(question, deciders(question.team_id), without)
    facts: dict[str, Any] = {"rule": rule(question), "able": able}
    if not able:
        return ApprovalNeedsOthers(params={"reason": f"{reason}_alone"}, detail=facts)
    who = ", ".join(able[:MOST_NAMED]) + (" …" if len(able) > MOST_NAMED else "")
    return ApprovalNeedsOthers(params={"reason": reason, "who": who}, detail=facts)


def lock(question: Interaction) -> str:
    """Lock the run's row and bring the question up to what stands there; gives the run's state."""
    state: str = Run.objects.select_for_update().values_list("state", flat=True).get(pk=question.run_id)
    if rule(question) != ANYONE:
        question.approvals = Interaction.objects.values_list("approvals", flat=True).get(pk=question.pk)
    return state
