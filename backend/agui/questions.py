"""Questions of runs as interrupts: which a client may answer, and what it is told of the rest.

Forms, missing parameters and what servers ask may be answered by the client, in the name of the member whose token it
is. Approvals, recoveries, budgets and sign-ins are for whoever is signed in: their interrupt is a link into the inbox,
and what a client says to them is dropped.
"""

from __future__ import annotations

from typing import Any

from ag_ui.core import Interrupt, ResumeEntry
from django.conf import settings
from django.db.models import Q

from backend.accounts.actor import Actor
from backend.agui.asking import Result
from backend.engine.language.clean import clean
from backend.errors import AlreadyAnswered, PatchbayError, ValidationFailed
from backend.json_types import JsonObject
from backend.runs.interactions import questions
from backend.runs.interactions.responses import interaction_shape
from backend.runs.log.encoding import decode
from backend.runs.models import Interaction, Run
from backend.web.lookup import storable

INSIDE = frozenset({"form", "params", "elicitation"})
"""Kinds of question that a client may answer."""
OF_CLIENT = "client"
"""The kind of a call of a tool that the client declared."""
ANSWERED, DECIDED = "input_required", "confirmation"
"""Reasons of interrupts: a client answers; a person decides in the inbox."""


def open_questions(run: Run) -> list[Interaction]:
    """What the run, or one below it, asks and nobody has answered."""
    rows = Interaction.objects.filter(Q(run=run) | Q(root_run=run), state=Interaction.State.OPEN)
    return list(
        rows.select_related("run__workflow", "root_run__workflow", "root_run__started_by").order_by("created_at", "pk")
    )


def interrupts(questions: list[Interaction], language: str) -> list[Interrupt]:
    """What a client is told of questions; calls of its own tools are none."""
    return [_interrupt(question, language) for question in questions if question.kind != OF_CLIENT]


def pending(questions: list[Interaction]) -> list[str]:
    """The calls of its own tools among the questions."""
    return [question.pk for question in questions if question.kind == OF_CLIENT]


def _interrupt(question: Interaction, language: str) -> Interrupt:
    shape = interaction_shape(question, language)
    inside = question.kind in INSIDE
    schema: Any = shape["schema"] if inside else None
    about = {
        "kind": question.kind,
        "title": shape["title"],
        "url": f"{settings.PUBLIC_URL}/inbox/{question.pk}",
        "answerable": inside,
    }
    return Interrupt(
        id=question.pk,
        reason=ANSWERED if inside else DECIDED,
        message="\n".join(text for text in (shape["title"], shape["message"]) if text),
        response_schema=schema if isinstance(schema, dict) else None,
        expires_at=shape["expires_at"],
        metadata={"patchbay": about},
    )


def questions_of(run: Run, entries: list[ResumeEntry]) -> list[Interaction]:
    """The questions that these entries answer, in their order. Raises ValidationFailed for one that this run, or one
    below it, never put."""
    mine = Interaction.objects.filter(Q(run=run) | Q(root_run=run), pk__in=[entry.interrupt_id for entry in entries])
    questions = {row.pk: row for row in mine}
    for number, entry in enumerate(entries):
        if entry.interrupt_id not in questions:
            raise ValidationFailed(fields={f"resume.{number}.interruptId": ["is no question of this thread"]})
    return [questions[entry.interrupt_id] for entry in entries]


def take(actor: Actor, interactions: list[Interaction], entries: list[ResumeEntry]) -> int:
    """Take the client's answers, in the caller's transaction; gives how many counted.

    What is over, or not for clients, is dropped. Raises Forbidden without the scope "answer", ValidationFailed
    (`resume.<n>.payload…`), AlreadyAnswered.
    """
    taken = 0
    for number, (question, entry) in enumerate(zip(interactions, entries, strict=True)):
        if question.kind not in INSIDE or question.state != Interaction.State.OPEN:
            continue
        actor.require_scope("answer")
        accepts = entry.status == "resolved"
        reply = {"action": "accept" if accepts else "decline", "values": entry.payload if accepts else None}
        try:
            questions.answer(actor, question, reply)
        except ValidationFailed as error:
            raise _of_entry(error, number) from error
        taken += 1
    return taken


def called_in(run: Run, results: list[Result]) -> list[Interaction]:
    """The calls that these results are of, in their order. Raises ValidationFailed for one that was never made."""
    calls = Interaction.objects.filter(run=run, kind=OF_CLIENT, pk__in=[result.call for result in results])
    questions = {row.pk: row for row in calls}
    for result in results:
        if result.call not in questions:
            raise ValidationFailed(fields={f"{result.place}.toolCallId": ["is no call of this thread"]})
        if not storable(result.text):
            raise ValidationFailed(fields={f"{result.place}.content": ["has characters that cannot be stored"]})
    return [questions[result.call] for result in results]


def give(actor: Actor, called: list[Interaction], results: list[Result]) -> int:
    """Give the run what the client's tools gave, in the caller's transaction; gives how many counted.

    A client tells again what it gave before, which counts once. Raises AlreadyAnswered for a call of which another
    client gave something else before: this one's page and the run would go on from different results.
    """
    applied = 0
    for question, result in zip(called, results, strict=True):
        values: JsonObject = {"content": result.text, "is_error": result.failed}
        if question.state == Interaction.State.OPEN:
            try:
                questions.answer(actor, question, {"action": "accept", "values": values}, of_client=True)
                applied += 1
                continue
            except AlreadyAnswered:  # by another client, at the same time
                question.refresh_from_db()
        if question.state == Interaction.State.ANSWERED and decode(question.answer).get("values") != clean(values):
            raise AlreadyAnswered
    return applied


def _of_entry(error: ValidationFailed, number: int) -> PatchbayError:
    """The refusal with the names that the client gave things."""
    place = f"resume.{number}.payload"
    fields = {name.replace("values", place, 1): texts for name, texts in error.fields.items()}
    return ValidationFailed(fields=fields)
