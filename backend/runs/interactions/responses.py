"""What the API answers about questions to people, and about those of an outage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.accounts.models import User
from backend.json_types import JsonLike, JsonObject
from backend.registry.configuration.example_words import question_in_language
from backend.registry.models import Server
from backend.runs.graphs import node_titles
from backend.runs.interactions import approvals, wording
from backend.runs.interactions.sign_ins import needed_by
from backend.runs.log.encoding import decode, iso
from backend.runs.log.events import FrameJson
from backend.runs.log.rows import called_at, mismatch, risk_in_words
from backend.runs.models import Interaction, Run
from backend.runs.responses import moment, name_of
from backend.runs.serializers import AnswerSerializer
from backend.tools.approvers import RULES


class RiskTextJson(TypedDict):
    """How dangerous a call is, and why."""

    level: Literal["LOW", "MEDIUM", "HIGH"]
    reasons: list[str]


class RecordJson(TypedDict):
    """A call that a run's journal holds."""

    node: str
    path: Annotated[list[FrameJson], Help("Rounds around the node, outermost first.")]
    attempt: int
    key: Annotated[str, Help("Its name within the step.")]
    tool: Annotated[JsonLike | None, Help("`{server, name}` of a tool call.")]
    arguments: Annotated[JsonLike | None, Help("Of a tool call, where they are not large.")]
    at: Timestamp | None
    ended: Annotated[bool, Help("Whether its result was stored.")]
    error: Annotated[str | None, Help("Code of the error that it ended with.")]
    version: Annotated[str | None, Help("The version of Patchbay that wrote it; null: one that did not say.")]


class AskedJson(TypedDict):
    """What a step asked for that the journal does not hold."""

    key: Annotated[str, Help("Empty: the step was about to end.")]
    target: str


class MismatchJson(TypedDict):
    """What the journal holds, and what was asked for instead."""

    recorded: list[RecordJson]
    more: Annotated[int, Help("Records that are not shown.")]
    asked: Annotated[AskedJson | None, Help("Null: the same name was called otherwise.")]


class StartedJson(TypedDict):
    """Who started the outermost run, how and when."""

    by: str | None
    trigger: str
    at: Timestamp


class DefinitionChangeJson(TypedDict):
    """How a tool's definition differs from the accepted one: its risk by either, the lines that went (`-…`) and came
    (`+…`); `@` stands where lines are left out."""

    since: str
    before: Literal["LOW", "MEDIUM", "HIGH"]
    after: Literal["LOW", "MEDIUM", "HIGH"]
    lines: list[str]


class ReadJson(TypedDict):
    """A tool's result that the model had read before it chose the call."""

    server: str
    tool: str
    characters: int
    excerpt: str


class EvidenceJson(TypedDict):
    """What a person should know of a call besides its arguments."""

    definition: DefinitionChangeJson | None
    read: list[ReadJson]


class WantedSignInJson(TypedDict):
    """The sign-in at a server that a run waits for."""

    server: Annotated[str | None, Help("Its name in the registry now; null where it is gone.")]
    shared: Annotated[bool, Help("The team's; false where it is one member's own.")]
    person: Annotated[str | None, Help("Whose own it is, by e-mail; null where it is the team's, or they are gone.")]


class GivenApprovalJson(TypedDict):
    """A person's yes."""

    by: Annotated[str | None, Help("E-mail; null for a person who is gone.")]
    at: Timestamp
    changed: Annotated[bool, Help("Whether it is for other values than were proposed.")]
    values: Annotated[JsonLike | None, Help("Those values, where they were changed.")]
    remember: Literal["once", "run", "tool", "arguments"]


class AgreementJson(TypedDict):
    """Who must approve. A yes to other values than those of the yes before it begins anew."""

    rule: Annotated[Annotated[str, Choices(list(RULES))], Help("The stricter of tool, node and workflow.")]
    needed: Annotated[int, Help("How many people must say yes.")]
    given: list[GivenApprovalJson]
    able: Annotated[list[str], Help("While it is open and not anyone may: whose yes can still count, by e-mail.")]


class InteractionJson(TypedDict):
    """A question that a run asks a person."""

    id: str
    run: str
    root_run: str
    workflow: str
    workflow_name: str
    root_workflow_name: Annotated[str, Help("Of the outermost run, which people started.")]
    node: str | None
    node_title: Annotated[str | None, Help("What the node is called in the run's graph.")]
    step: str | None
    kind: Annotated[
        str,
        Choices(["approval", "params", "form", "elicitation", "recovery", "budget", "server", "mismatch", "client"]),
        Help("`client` = a tool of the client that started the run, which alone answers it."),
    ]
    title: str
    cause: Annotated[
        Annotated[str, Choices(["outcome", "failure"])] | None,
        Help(
            "Of a recovery: `outcome` = nobody knows how the call ended; `failure` = "
            "Patchbay itself failed at the step again and again."
        ),
    ]
    message: str
    tool: JsonLike | None
    risk: RiskTextJson | None
    schema: JsonLike | None
    proposal: JsonLike | None
    called_at: Annotated[
        Timestamp | None, Help("Of a recovery or mismatch: when the call began that nobody knows the outcome of.")
    ]
    mismatch: Annotated[MismatchJson | None, Help("Of a mismatch: its evidence.")]
    started: StartedJson
    evidence: EvidenceJson
    sign_in: Annotated[WantedSignInJson | None, Help("Of the kind server: what it waits for.")]
    approval: AgreementJson
    assignees: list[str]
    expires_at: Timestamp | None
    on_expire: Annotated[str, Choices(["decline", "fail"])] | None
    state: Annotated[str, Choices(Interaction.State.choices)]
    answer: Annotated[JsonObject, AnswerSerializer] | None
    answered_by: str | None
    answered_at: Timestamp | None
    created_at: Timestamp


class InteractionListJson(TypedDict):
    """One page of questions, newest first."""

    results: list[InteractionJson]
    next: str | None


class OutageQuestionJson(TypedDict):
    """One of the questions."""

    id: str
    run: str
    node: str | None
    node_title: Annotated[str, Help("What the node is called in the run's graph.")]
    arguments: Annotated[str, Help("What the call was given, in a line, cut short.")]
    created_at: Timestamp
    called_at: Annotated[Timestamp | None, Help("When the call began; null where the log does not hold it any more.")]


class OutagePartJson(TypedDict):
    """The questions about one thing: a workflow, and in it a tool of a server (null where it was no tool)."""

    workflow: str
    workflow_name: str
    server: str | None
    tool: str | None
    title: str
    message: str
    count: int
    questions: list[OutageQuestionJson]


class OutageJson(TypedDict):
    """Open questions of the kind recovery that came one soon after the other."""

    id: str
    count: int
    first_at: Timestamp
    last_at: Timestamp
    parts: list[OutagePartJson]


class OutageListJson(TypedDict):
    """All of them, the last one first."""

    results: list[OutageJson]


class AnsweredJson(TypedDict):
    """What became of one question."""

    id: str
    answered: bool
    error: Annotated[Any | None, Help("Why not, as errors of this API are.")]


class AnsweredListJson(TypedDict):
    """Of each, in the order of the ids."""

    results: list[AnsweredJson]


def started(run: Run) -> StartedJson:
    """Who started the outermost run, how and when: whoever is asked should know for whom they decide."""
    by = run.started_by.email if run.started_by else None
    return {"by": by, "trigger": run.trigger, "at": moment(run.queued_at)}


def evidence(value: dict[str, Any] | None) -> EvidenceJson:
    """`{definition, read}` of a question; empty where there is nothing to know."""
    return {"definition": (value or {}).get("definition"), "read": (value or {}).get("read") or []}


def interaction_shape(
    question: Interaction, language: str, known: dict[str, Mapping[str, str]] | None = None
) -> InteractionJson:
    """A question. `answer` is null while it is open. `known` = what `approvals.shape` keeps for a whole page."""
    risk, tool = decode(question.risk), decode(question.tool)
    server = str((tool or {}).get("server") or "")
    mends = question.cause == "outcome" or question.kind == "mismatch"
    called = called_at(question.run_id, question.id, question.kind) if mends else None
    differs = mismatch(question.run_id, question.id) if question.kind == "mismatch" else None
    return {
        "id": question.id,
        "run": question.run_id,
        "root_run": question.root_run_id,
        "workflow": question.run.workflow_id,
        "workflow_name": name_of(question.run.workflow, language),
        "root_workflow_name": name_of(question.root_run.workflow, language),
        "node": question.node or None,
        "node_title": node_titles(question.run.graph_id).get(question.node) or question.node or None,
        "step": question.step or None,
        "kind": question.kind,
        "title": question.title,
        "cause": question.cause or None,
        "message": question_in_language(
            server,
            wording.in_language(language, question.kind, question.cause, question.title, question.message, differs),
            language,
        ),
        "tool": tool,
        "risk": risk_in_words(risk, language) if risk else None,
        "schema": question_in_language(server, decode(question.schema), language),
        "proposal": decode(question.proposal),
        "called_at": iso(called) if called is not None else None,
        "mismatch": differs,
        "started": started(question.root_run),
        "evidence": evidence(decode(question.evidence)),
        "sign_in": _sign_in(question),
        "approval": approvals.shape(question, {} if known is None else known),
        "assignees": decode(question.assignees),
        "expires_at": iso(question.expires_at) if question.expires_at is not None else None,
        "on_expire": question.on_expire or None,
        "state": question.state,
        "answer": _answer(decode(question.answer)),
        "answered_by": question.answered_by.email if question.answered_by else None,
        "answered_at": moment(question.answered_at),
        "created_at": moment(question.created_at),
    }


def _sign_in(question: Interaction) -> WantedSignInJson | None:
    needed = needed_by(question)
    if needed is None:
        return None
    servers = Server.objects.filter(pk=needed["server"], team_id=question.team_id)
    people = User.objects.filter(pk=needed["user"] or "")
    return {
        "server": servers.values_list("slug", flat=True).first(),
        "shared": needed["user"] is None,
        "person": people.values_list("email", flat=True).first(),
    }


def _answer(answer: dict[str, Any] | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {name: answer[name] for name in ("action", "values", "reason", "remember")}
