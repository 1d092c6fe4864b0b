"""Questions that runs ask people: answered once by anyone who may, or expired by the reaper."""

from __future__ import annotations

from typing import Any, cast

from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.database.clock import CLOCK
from backend.engine.execution import failpoints
from backend.engine.language.clean import clean
from backend.errors import AlreadyAnswered, Conflict, Forbidden, ValidationFailed
from backend.notifications.clients import notify_team
from backend.runs.interactions import approvals
from backend.runs.interactions.sign_ins import needed_by
from backend.runs.log.encoding import decode, encode
from backend.runs.models import TERMINAL, Interaction
from backend.runs.queue import inbox
from backend.runs.starting import input_schemas
from backend.runs.starting.given_files import with_files
from backend.tools.approvers import ANYONE
from backend.tools.types import Action, Answer, Remember

MOST_AUDITED = 16_384
"""Characters of an answer that the audit trail keeps; the run's log has all."""
_ASKING: tuple[str, ...] = ("accept", "decline", "cancel")
_MENDING: tuple[str, ...] = ("retry", "skip", "fail")
ACTIONS: dict[str, tuple[str, ...]] = {
    "approval": _ASKING,
    "params": _ASKING,
    "form": _ASKING,
    "elicitation": _ASKING,
    "server": _ASKING,
    "budget": _ASKING,
    "recovery": _MENDING,
    "mismatch": _MENDING,
    "client": _ASKING,
}
"""What may be answered to each kind of question."""
_BY_PROGRAMS = frozenset({"form", "params", "elicitation", "client"})
"""What only asks for facts. Everything else lets something happen, so a person who is signed in decides it."""


def answer(
    actor: Actor, question: Interaction, given: dict[str, Any], *, of_client: bool = False, client: str = ""
) -> Interaction:
    """Answer an open question. `given` = `{action, values?, reason?, remember?}`. A yes that more people must give is
    kept, and the question stays open. `of_client` = by the client that started the run: what is asked of it (the kind
    "client") nobody else answers. `client` = the program in which the person was asked, by its own word.

    Raises ApprovalNeedsOthers (this person's yes cannot count, or did already), ValidationFailed (it stays open),
    AlreadyAnswered, Conflict (the run has ended), Forbidden (not among the assignees; remembering for more than this
    run needs an admin).
    """
    actor.require("editor")
    given = clean(given)
    action, remember = given["action"], given.get("remember") or "once"
    if question.kind == "client" and not of_client:
        raise Forbidden(params={"reason": "client_tool"})
    _may_answer(actor, question)
    if action == "accept":
        approvals.check_may_approve(actor, question)
    if remember in {"tool", "arguments"}:
        actor.require("admin")
    if action not in ACTIONS[question.kind]:
        raise ValidationFailed(fields={"action": [f"must be one of {', '.join(ACTIONS[question.kind])}"]})
    values = _checked_values(question, action, given.get("values"))
    reply = Answer(
        cast(Action, action),
        values,
        given.get("reason") or "",
        cast(Remember, remember),
        actor.user.id,
        client=client,
    )
    with inbox.durable_transaction():
        taken = _take(question, reply, actor)
        if taken is None:
            _note_approval(actor, question, reply)
            return question
        reply = taken
        inbox.enqueue_message(question.run_id, "answer", reply.as_json(), interaction=question.id)
        answered_by: dict[str, Any] = {"approved_by": list(reply.people)} if reply.people else {}
        if client:
            answered_by["client"] = client
        facts = {
            **answered_by,
            "answer": action,
            "question": question.kind,
            "run": question.run_id,
            "node": question.node,
        }
        content = _written(question, reply)
        audit(
            actor, "interaction.answered", "interaction", question.id, content=content, remember=reply.remember, **facts
        )
        notify_team(question.team_id, "interaction", question.id, "answered")
    question.refresh_from_db()
    return question


def _note_approval(actor: Actor, question: Interaction, reply: Answer) -> None:
    """Tell the audit trail and whoever looks on of a yes that is not enough alone."""
    facts: dict[str, Any] = {"question": question.kind, "run": question.run_id, "node": question.node}
    content = _written(question, reply)
    audit(actor, "interaction.approved", "interaction", question.id, content=content, remember=reply.remember, **facts)
    notify_team(question.team_id, "interaction", question.id, "approved")


def _written(question: Interaction, reply: Answer) -> dict[str, Any]:
    """For the audit trail: which tool with which arguments, the values given, the reason. It goes with the run."""
    tool = decode(question.tool)
    values = reply.values if reply.values is not None else decode(question.proposal)
    name = "arguments" if tool is not None else "values"
    content = {"tool": tool, "title": question.title, name: values, "reason": reply.reason}
    kept = {key: value for key, value in content.items() if value not in (None, "")}
    if len(encode(kept)) > MOST_AUDITED:
        kept[name] = f"{encode(values)[:MOST_AUDITED]}…"
    return kept


def _may_answer(actor: Actor, question: Interaction) -> None:
    if question.kind not in _BY_PROGRAMS:
        actor.require_person()
    needed = needed_by(question)
    if needed is not None and needed["user"] is None:  # the team's credentials
        actor.require("admin")
    assignees = decode(question.assignees) or []
    if assignees and not {actor.user.id, actor.user.email} & set(assignees) and not actor.may("admin"):
        raise Forbidden(params={"reason": "assignee"})


def _checked_values(question: Interaction, action: str, values: Any) -> Any:
    """The values as the run gets them. Raises ValidationFailed."""
    if action == "skip":
        tool = decode(question.tool)
        if tool is not None and not (isinstance(values, dict) and isinstance(values.get("result"), str)):
            raise ValidationFailed(fields={"values.result": ["must be a text"]})
        return values
    if action != "accept" or (values is None and question.kind in {"approval", "budget", "server"}):
        return values
    schema = decode(question.schema)
    if question.kind == "approval" and decode(question.tool) is not None and not isinstance(values, dict):
        raise ValidationFailed(fields={"values": ["must be an object"]})
    if not isinstance(schema, dict):
        return values
    errors = input_schemas.errors_of(schema, values, "values")
    if errors:
        raise ValidationFailed(fields=errors)
    # What a tool or its server calls a file is theirs; a form of the workflow means ours.
    return with_files(schema, values, question.team_id, "values") if question.kind == "form" else values


def _take(question: Interaction, reply: Answer, actor: Actor) -> Answer | None:
    """Close the question if it is still open, in one statement: of two people one gets AlreadyAnswered.

    Gives the answer for the run; None where it is a yes that takes more people, and the question stays open.
    """
    state = approvals.lock(question)
    taken = 0
    if state not in TERMINAL:
        if reply.action == "accept" and _is_open(question):
            enough = approvals.agreed(question, reply)
            if enough is None:
                return None
            reply = enough
        taken = Interaction.objects.filter(pk=question.pk, state=Interaction.State.OPEN).update(
            state=Interaction.State.ANSWERED,
            answer=encode(reply.as_json()),
            answered_by=actor.user,
            answered_at=timezone.now(),
        )
    if taken:
        return reply
    now = Interaction.objects.values_list("state", flat=True).get(pk=question.pk)
    if now == Interaction.State.ANSWERED:
        raise AlreadyAnswered
    raise Conflict(params={"reason": "run_ended" if state in TERMINAL else "question_closed", "state": state})


def _is_open(question: Interaction) -> bool:
    """Whether the question is open now. Where nobody else must agree, the statement that closes it looks."""
    if approvals.rule(question) == ANYONE:
        return True
    return Interaction.objects.filter(pk=question.pk, state=Interaction.State.OPEN).exists()


def expire() -> int:
    """Close questions past their time with what they say happens then; gives their number. Called by every reaper."""
    due = Interaction.objects.filter(state=Interaction.State.OPEN, expires_at__lte=CLOCK.now())
    count = 0
    for question in due[:100]:
        reply = Answer(cast(Action, question.on_expire or "decline"), reason="expired")
        with transaction.atomic():
            taken = Interaction.objects.filter(pk=question.pk, state=Interaction.State.OPEN).update(
                state=Interaction.State.EXPIRED, answer=encode(reply.as_json()), answered_at=timezone.now()
            )
            if taken:
                inbox.enqueue_message(question.run_id, "answer", reply.as_json(), interaction=question.id)
                notify_team(question.team_id, "interaction", question.id, "expired")
                count += 1
            failpoints.hit("expired.uncommitted")
    return count
