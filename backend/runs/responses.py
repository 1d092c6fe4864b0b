"""What the API answers about runs and their events, texts in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypedDict, overload

from django.conf import settings

from backend.accounts.described import Choices, Help, Timestamp
from backend.json_types import JsonLike, JsonObject
from backend.net.traces import trace_id
from backend.runs import selectors
from backend.runs.log.encoding import decode, iso
from backend.runs.log.events import EventJson, WaitingJson
from backend.runs.log.journal import NO_USAGE, RunUsage
from backend.runs.log.rows import read_blobs, worded
from backend.runs.models import Run, RunState
from backend.runs.rounds import Round
from backend.runs.starting.callers import caller_in
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


CHILDREN = 50
"""Runs that a run started and that its own answer holds."""


@overload
def moment(value: datetime) -> str: ...
@overload
def moment(value: datetime | None) -> str | None: ...
def moment(value: datetime | None) -> str | None:
    """A time as the API writes it."""
    if value is None:
        return None
    at = value if value.tzinfo is UTC else value.astimezone(UTC)
    return at.isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


def name_of(workflow: Workflow, language: str) -> str:
    """A workflow's name, of an example in the reader's language."""
    return workflow_text(workflow.name, workflow.example, language)


def beside(run: Run) -> tuple[str, str, str | None]:
    """(its workflow's name and example, the address of who started it): of a list they come with the row itself."""
    if "starter" in (row := run.__dict__):
        return row["in_workflow"], row["of_example"], row["starter"]
    return run.workflow.name, run.workflow.example, run.started_by.email if run.started_by else None


def run_shapes(runs: Iterable[Run], language: str) -> list[RunJson]:
    """Runs as `run_shape` says them; what is the same for all of them is asked once."""
    sent = _traces_are_sent()
    return [run_shape(run, language, sent) for run in runs]


def run_shape(run: Run, language: str, traces_are_sent: bool | None = None) -> RunJson:
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
        "trace": _trace(run, _traces_are_sent() if traces_are_sent is None else traces_are_sent),
    }


def caller_of(run: Run) -> CallerJson | None:
    """The program that started it."""
    caller = caller_in(run.caller)
    return {"kind": caller["kind"], "name": caller["name"], "program": caller["program"]} if caller else None


def _traces_are_sent() -> bool:
    return bool(settings.PATCHBAY.otel.endpoint("traces"))


def _trace(run: Run, sent: bool) -> str | None:
    if not (run.traceparent or sent):
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
    whole = run_whole(run, language)
    return {
        **whole,
        "graph": read_blobs([run.graph_id])[run.graph_id],
        "children": [child_shape(child, language) for child in reversed(children)],
        "children_count": run.children.count() if more else len(children),
        "children_next": cursor_after(children[-1], by="queued_at") if more else None,
        "trace_url": _trace_url(whole["trace"]),
    }


def child_shape(run: Run, language: str) -> ChildRunJson:
    """A run as its parent shows it."""
    error = decode(run.error)
    return {
        "id": run.id,
        "workflow": run.workflow_id,
        "workflow_name": name_of(run.workflow, language),
        "version": run.version,
        "state": run.state,
        "error": _error(error, language) if error else None,
        "usage": _usage(run),
        "waiting": decode(run.waiting),
        "queued_at": moment(run.queued_at),
        "started_at": moment(run.started_at),
        "finished_at": moment(run.finished_at),
    }
