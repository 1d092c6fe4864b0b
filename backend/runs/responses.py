"""What the API answers about runs, events and questions, texts in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict, overload

from django.conf import settings

from backend.accounts.described import Choices, Help, Timestamp
from backend.accounts.models import User
from backend.json_types import JsonLike, JsonObject
from backend.net.traces import trace_id
from backend.registry.configuration.example_words import asked_in_language
from backend.registry.models import Server
from backend.runs import selectors
from backend.runs.graphs import node_titles
from backend.runs.interactions import approvals, wording
from backend.runs.interactions.sign_ins import wanted_by
from backend.runs.log.encoding import decode, iso
from backend.runs.log.events import EventJson, FrameJson, WaitingJson
from backend.runs.log.journal import NO_USAGE, RunUsage
from backend.runs.log.rows import called_at, mismatch, read_blobs, risk_in_words, worded
from backend.runs.models import Interaction, Run, RunState
from backend.runs.rounds import Round
from backend.runs.serializers import AnswerSerializer
from backend.runs.starting.callers import caller_in
from backend.tools.approvers import RULES
from backend.web.rest import cursor_after
from backend.workflows.example_words import workflow_text
from backend.workflows.models import Workflow


class UsageJson(RunUsage):
    """What a run used, its child runs that ended included. `seconds` = time in which it was being worked on."""


class RunErrorJson(TypedDict):
    """Why a run failed."""

    code: str
    message: str
    hint: str
    node: str | None
    detail: JsonLike | None


class CallerJson(TypedDict):
    """The program that started a run, by the names that it had then."""

    kind: Annotated[Literal["token", "oauth", "trigger"], Help("A token of the API, a client of OAuth, or a trigger.")]
    name: Annotated[str, Help("The token's, the client's or the trigger's name, also when that is gone.")]
    program: Annotated[str | None, Help("What the MCP client calls itself (`clientInfo`); nobody checked it.")]


class RunJson(TypedDict):
    """One execution of a workflow. `outputs` is {} before the end."""

    id: str
    workflow: str
    workflow_name: str
    version: Annotated[int | None, Help("null = a draft")]
    draft_revision: int | None
    state: Annotated[str, Choices(RunState.choices)]
    inputs: JsonObject
    outputs: JsonObject
    error: RunErrorJson | None
    usage: UsageJson
    waiting: list[WaitingJson]
    trigger: Annotated[
        str,
        Help("manual, api, mcp, a2a, agui, webhook, schedule, event, chat, workflow, retry or fork: what started it."),
    ]
    trigger_id: Annotated[str | None, Help("The trigger that started it or the run above it, or the collection.")]
    conversation: Annotated[str | None, Help("The conversation of which it is a turn.")]
    started_by: Annotated[str | None, Help("E-mail.")]
    caller: Annotated[CallerJson | None, Help("The program that started it; null = a person in the browser, or a run.")]
    parent_run: Annotated[str | None, Help("The run whose step started this one.")]
    root_run: Annotated[str | None, Help("The outermost run above this one.")]
    origin_run: Annotated[str | None, Help("The run that this one is a retry or fork of.")]
    origin_step: Annotated[str | None, Help("The step of it from which this one runs anew.")]
    origin_node: Annotated[str | None, Help("That step's node.")]
    copied_seq: Annotated[int, Help("Events 2 to this one were taken over from it; 0 = none.")]
    queued_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None
    last_seq: int
    trace: Annotated[
        str | None, Help("Id of the trace that it is part of (W3C); null = its caller named none, and none are kept.")
    ]


class ChildRunJson(TypedDict):
    """A run that a step of another run started; `STEP_LOG` and `TOOL_REQUEST` of that step name it as `data.run`."""

    id: str
    workflow: str
    workflow_name: str
    version: int | None
    state: Annotated[str, Choices(RunState.choices)]
    error: RunErrorJson | None
    usage: UsageJson
    waiting: list[WaitingJson]
    queued_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None


class RunDetailJson(RunJson):
    """A run as opened, with the snapshot of the graph that it executes and the runs that it started."""

    graph: JsonObject
    children: Annotated[list[ChildRunJson], Help("The latest 50 of the runs that it started, oldest first.")]
    children_count: Annotated[int, Help("How many runs it started.")]
    trace_url: Annotated[str | None, Help("Where the trace is shown, as the operator set it (PATCHBAY_TRACE_URL).")]
    children_next: Annotated[
        str | None,
        Help(
            "`cursor` of `GET /api/runs?parent={id}`, which goes on with the earlier ones, newest first; "
            "null = `children` are all."
        ),
    ]


class RunListJson(TypedDict):
    """One page of runs, newest first."""

    results: list[RunJson]
    next: str | None


class CallerNameJson(TypedDict):
    """A program that started runs, or several of one name."""

    name: Annotated[str, Help("As `caller` of `GET /api/runs` takes it.")]


class CallerListJson(TypedDict):
    """A page of names, in order."""

    results: list[CallerNameJson]
    next: str | None


class EventListJson(TypedDict):
    """Events after `after`; `next` is the `after` of the following page, null at the end of what there is."""

    results: list[EventJson]
    next: int | None


class RoundJson(TypedDict):
    """One round of an iteration or loop."""

    index: int
    state: Literal["RUNNING", "SUCCESS", "ERROR", "CANCELLED"]
    steps: Annotated[int, Help("Steps that began in it, without those of frames inside.")]
    failed: int
    started_at: Timestamp
    ended_at: Timestamp | None
    first_seq: Annotated[int, Help("Its first event; those of rounds that run at once lie between.")]
    last_seq: int


class RoundListJson(TypedDict):
    """One page of rounds in order; `next` is the `after` of the following page. `states` counts all rounds."""

    results: list[RoundJson]
    next: int | None
    total: int
    states: dict[str, int]


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


CHILDREN = 50
"""Runs that a run started and that its own answer holds."""


@overload
def moment(value: datetime) -> str: ...
@overload
def moment(value: datetime | None) -> str | None: ...
def moment(value: datetime | None) -> str | None:
    """A time as the API writes it."""
    return iso(value.timestamp()) if value is not None else None


def _name_of(workflow: Workflow, language: str) -> str:
    return workflow_text(workflow.name, workflow.example, language)


def beside(run: Run) -> tuple[str, str, str | None]:
    """(its workflow's name and example, the address of who started it): of a list they come with the row itself."""
    if "starter" in (row := run.__dict__):
        return row["in_workflow"], row["of_example"], row["starter"]
    return run.workflow.name, run.workflow.example, run.started_by.email if run.started_by else None


def run_shape(run: Run, language: str) -> RunJson:
    """A run as listed; inputs and outputs above 16 KB as `{"$ref": id, size, preview}`."""
    error = decode(run.error)
    name, example, starter = beside(run)
    return {
        "id": run.id,
        "workflow": run.workflow_id,
        "workflow_name": workflow_text(name, example, language),
        "version": run.version,
        "draft_revision": run.draft_revision,
        "state": run.state,
        "inputs": decode(run.inputs),
        "outputs": decode(run.outputs),
        "error": _error(error, language) if error else None,
        "usage": _usage(run),
        "waiting": decode(run.waiting),
        "trigger": run.trigger,
        "trigger_id": run.trigger_id or None,
        "conversation": run.conversation or None,
        "started_by": starter,
        "caller": caller_of(run),
        "parent_run": run.parent_run_id,
        "root_run": run.root_run_id,
        "origin_run": run.origin_run_id,
        "origin_step": run.origin_step or None,
        "origin_node": run.origin_node or None,
        "copied_seq": run.copied_seq,
        "queued_at": moment(run.queued_at),
        "started_at": moment(run.started_at),
        "finished_at": moment(run.finished_at),
        "last_seq": run.last_seq,
        "trace": _trace(run),
    }


def caller_of(run: Run) -> CallerJson | None:
    """The program that started it."""
    caller = caller_in(run.caller)
    return {"kind": caller["kind"], "name": caller["name"], "program": caller["program"]} if caller else None


def _trace(run: Run) -> str | None:
    if not (run.traceparent or settings.PATCHBAY.otel.endpoint("traces")):
        return None
    return trace_id(run.pk, run.root_run_id or "", run.traceparent)


def _trace_url(trace: str | None) -> str | None:
    template = settings.PATCHBAY.trace_url
    return template.replace("{trace_id}", trace) if trace and template else None


def _usage(run: Run) -> UsageJson:
    used: UsageJson = decode(run.usage)
    return {**NO_USAGE, **used}


def _error(error: dict[str, Any], language: str) -> RunErrorJson:
    full = worded(error, language)
    return {
        "code": full.get("code", "INTERNAL"),
        "message": full["message"],
        "hint": full["hint"],
        "node": full.get("node"),
        "detail": full.get("detail"),
    }


def round_shape(item: Round) -> RoundJson:
    """A round of a frame."""
    return {
        "index": item.index,
        "state": item.state,
        "steps": item.steps,
        "failed": item.failed,
        "started_at": iso(item.started),
        "ended_at": None if item.ended is None else iso(item.ended),
        "first_seq": item.first_seq,
        "last_seq": item.last_seq,
    }


def run_whole(run: Run, language: str) -> RunJson:
    """A run as opened: inputs and outputs in full."""
    shape = run_shape(run, language)
    cut: list[Literal["inputs", "outputs"]] = decode(run.refs) or []
    keys = {name: str(shape[name]["$ref"]) for name in cut}
    blobs = read_blobs(sorted(set(keys.values()))) if cut else {}
    for name, key in keys.items():
        shape[name] = blobs[key]
    return shape


def run_detail(run: Run, language: str) -> RunDetailJson:
    """A run as opened, with the snapshot of its graph and the last of the runs it started.

    `children` = the latest CHILDREN of them in their order; `children_next` = the cursor at which `GET /api/runs` with
    this run as `parent` goes on with the earlier ones, None where there are none.
    """
    children = list(selectors.runs_below(run)[: CHILDREN + 1])
    more = len(children) > CHILDREN
    children = children[:CHILDREN]
    return {
        **run_whole(run, language),
        "graph": read_blobs([run.graph_id])[run.graph_id],
        "children": [child_shape(child, language) for child in reversed(children)],
        "children_count": run.children.count() if more else len(children),
        "children_next": cursor_after(children[-1], by="queued_at") if more else None,
        "trace_url": _trace_url(_trace(run)),
    }


def child_shape(run: Run, language: str) -> ChildRunJson:
    """A run as its parent shows it."""
    error = decode(run.error)
    return {
        "id": run.id,
        "workflow": run.workflow_id,
        "workflow_name": _name_of(run.workflow, language),
        "version": run.version,
        "state": run.state,
        "error": _error(error, language) if error else None,
        "usage": _usage(run),
        "waiting": decode(run.waiting),
        "queued_at": moment(run.queued_at),
        "started_at": moment(run.started_at),
        "finished_at": moment(run.finished_at),
    }


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
        "workflow_name": _name_of(question.run.workflow, language),
        "root_workflow_name": _name_of(question.root_run.workflow, language),
        "node": question.node or None,
        "node_title": node_titles(question.run.graph_id).get(question.node) or question.node or None,
        "step": question.step or None,
        "kind": question.kind,
        "title": question.title,
        "cause": question.cause or None,
        "message": asked_in_language(
            server,
            wording.in_language(language, question.kind, question.cause, question.title, question.message, differs),
            language,
        ),
        "tool": tool,
        "risk": risk_in_words(risk, language) if risk else None,
        "schema": asked_in_language(server, decode(question.schema), language),
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
    wanted = wanted_by(question)
    if wanted is None:
        return None
    servers = Server.objects.filter(pk=wanted["server"], team_id=question.team_id)
    people = User.objects.filter(pk=wanted["user"] or "")
    return {
        "server": servers.values_list("slug", flat=True).first(),
        "shared": wanted["user"] is None,
        "person": people.values_list("email", flat=True).first(),
    }


def _answer(answer: dict[str, Any] | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {name: answer[name] for name in ("action", "values", "reason", "remember")}
