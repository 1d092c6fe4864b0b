"""Questions as they are put: what a person is asked after trouble of ours, and the event that shows a question."""

from __future__ import annotations

from collections.abc import Sequence

from backend.engine.execution.current import Death
from backend.engine.execution.events import AskedData, WaitingForInputData, WaitingForParamData, WaitingForStartData
from backend.engine.execution.step import Step
from backend.errors import InternalError, PatchbayError
from backend.tools.approvers import ANYONE
from backend.tools.types import Event, JsonLike, Question, ToolName


def after_failure(
    step: Step, error: PatchbayError, language: str, proposal: JsonLike, tool: ToolName | None = None
) -> Question:
    """What a person is asked where Patchbay itself failed again and again."""
    message = " ".join(error.text(language))
    return Question("recovery", step.node.id, message, tool=tool, proposal=proposal, cause="failure")


def died_here(deaths: Sequence[Death]) -> InternalError:
    """What a person is told of deaths at one place."""
    return InternalError(params={"reason": deaths[-1].kind, "times": len(deaths), "amount": deaths[-1].amount})


def asking(interaction: str, key: str, question: Question) -> Event:
    """The event that shows a question: (type, data). `key` tells which call of the step it is about."""
    data: AskedData = {"interaction": interaction, "key": key, "title": question.title, "message": question.message}
    if question.kind == "approval":
        start: WaitingForStartData = {
            "interaction": interaction,
            "key": key,
            "title": question.title,
            "message": question.message,
            "tool": question.tool,
            "arguments": question.proposal,
            "risk": question.risk.as_json() if question.risk else None,
        }
        if question.approvers != ANYONE:
            start["approvers"] = question.approvers
        return "STEP_WAITING_FOR_START", start
    if question.kind == "params":
        param: WaitingForParamData = {**data, "schema": question.schema, "params": question.proposal}
        return "STEP_WAITING_FOR_PARAM", param
    other: WaitingForInputData = {**data, "kind": question.kind}
    return "STEP_WAITING_FOR_INPUT", other
