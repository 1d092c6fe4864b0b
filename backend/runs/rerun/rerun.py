"""Retry from the failed step, and fork from any step: a new run that takes over what an ended run has behind it.

The ended run stays as it is. `Plan` says what the new run takes over, what it runs and which writes will happen again;
it is what people see before they say yes, and what the action then does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import IntegrityError, connection
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.engine.document.ids import Path
from backend.engine.document.shape import GraphJson
from backend.engine.execution.ports import Child, Entry
from backend.engine.language.clean import clean
from backend.engine.rerun.rerun import RerunPlan, ended_steps, rerun_plan, top_of
from backend.errors import Conflict, NotFound, ValidationFailed
from backend.errors.log_context import request_id, traceparent
from backend.files.models import Blob
from backend.notifications.clients import Hint, notify_clients
from backend.notifications.workers import wake_any_worker
from backend.runs.graphs import input_schema
from backend.runs.log.encoding import decode, encode
from backend.runs.log.events import FlowQueuedData
from backend.runs.models import TERMINAL, LogLine, Run, RunState
from backend.runs.queue import fairness, inbox
from backend.runs.rerun import earlier, rounds
from backend.runs.rerun.copying import copy_log
from backend.runs.rerun.responses import AgainJson, AgainStepJson
from backend.runs.rerun.rounds import Taken
from backend.runs.rerun.writes import Writes, writes_of
from backend.runs.starting.callers import stored_caller
from backend.runs.starting.given_files import covers
from backend.runs.starting.services import check_start_rate, checked_inputs, inputs_of
from backend.runs.starting.storing import store
from backend.tools.types import JsonObject
from backend.workflows.documents import graph_of, same
from backend.workflows.selectors import refuse_unrunnable, version_for
from backend.workflows.services import checked_text

RETRY, FORK = "retry", "fork"
BELOW = "workflow"
"""The trigger of a run that another one started."""
LONGEST_CHAIN = 25
"""Retries of retries among which a run below is looked for."""
MOST_BELOW = 50
"""Runs below of which is said beforehand what is taken over."""
_GO_ON = {RETRY: ("point", "unfinished"), FORK: ("unfinished",)}
"""Which steps go on where they stood: whoever forks from a step wants that one from its beginning."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A new run of `origin` before it exists. `node`, `step` = the chosen step ("" where no step failed)."""

    origin: Run
    kind: str
    node: str
    step: str
    text: str
    graph: GraphJson
    own_graph: bool  # another document than the origin's
    again: RerunPlan
    partly: Taken  # of iterations and loops that go on

    def writes(self) -> Writes:
        """What happened in the origin and will or may happen again: in the steps that are not taken over."""
        kept = frozenset(self.again.kept)
        known: GraphJson = decode(_graph_text(self.origin)) if self.own_graph else self.graph
        return writes_of(
            self.origin.pk, frozenset(str(node.get("id")) for node in known.get("nodes") or []) - kept, self.partly
        )

    def as_json(self) -> AgainJson:
        """As the API shows it."""
        about = {str(node.get("id")): node for node in self.graph.get("nodes") or []}
        below = runs_below(self)
        writes = self.writes()

        def shown(node: str) -> AgainStepJson:
            return {"node": node, "title": str(about[node].get("title") or ""), "type": str(about[node].get("type"))}

        return {
            "origin_run": self.origin.pk,
            "origin_step": self.step or None,
            "origin_node": self.node or None,
            "kept": [shown(node) for node in self.again.kept],
            "runs": [
                {**shown(node), "why": why, "rounds_kept": len(self.partly.rounds.get(((), node), ()))}
                for node, why in self.again.runs.items()
            ],
            "inside": [
                {
                    **shown(node),
                    "path": [{"node": around, "index": index} for around, index in path],
                    "rounds_kept": rounds,
                }
                for (path, node), rounds in self.partly.inside()
            ],
            "below": [
                {
                    **shown(item.node),
                    "path": [{"node": around, "index": index} for around, index in item.path],
                    "run": item.plan.origin.pk,
                    "workflow": item.plan.origin.workflow.name,
                    "steps_kept": len(item.plan.again.kept),
                    "rounds_kept": sum(len(some) for some in item.plan.partly.rounds.values()),
                }
                for item in below
            ],
            "writes": writes.listed,
            "writes_total": writes.total,
        }


def plan_retry(actor: Actor, origin: Run) -> Plan:
    """From the step that failed, which runs from its beginning (an iteration or a loop, also one inside another, from
    its first round that is not finished); of a cancelled run from where it stood.

    Raises Forbidden, Conflict (it goes on, or did not fail).
    """
    actor.require("editor")
    if origin.state not in (RunState.ERROR, RunState.CANCELLED):
        raise Conflict(params={"reason": "nothing_failed" if origin.state in TERMINAL else "run_goes_on"})
    node = str((decode(origin.error) or {}).get("node") or "")
    text = _graph_text(origin)
    return _plan(origin, RETRY, node, text, own_graph=False)


def plan_fork(actor: Actor, origin: Run, step: str, graph: JsonObject | None) -> Plan:
    """From a step (its id, or its node's), perhaps by another document.

    A step inside another stands for the outermost one. A change of the document before the step moves the point back.
    Raises Forbidden, Conflict (it goes on), ValidationFailed (`step`, `graph`), GraphInvalid, ServerNotApproved,
    TooLarge.
    """
    actor.require("editor")
    if origin.state not in TERMINAL:
        raise Conflict(params={"reason": "run_goes_on"})
    node = _node_of(origin, step)
    own = _graph_text(origin)
    text = own if graph is None else checked_text(actor, graph)
    other = not same(text, own)
    if other:
        refuse_unrunnable(actor, text)
    return _plan(origin, FORK, node, text if other else own, own_graph=other)


def plan_below(above: Run, child: Child, workflow: str, text: str, inputs: JsonObject) -> Plan | None:
    """What the run that a step of a retried or forked run starts takes over: of the run that the same step had started
    last, where that has ended and was given the same inputs. None where there is nothing to take over.

    `workflow`, `text` = what it is to run, which may be another graph than then: as in a fork, what changed runs anew.
    """

    def fits(run: Run) -> bool:
        before = inputs_of(run)
        return before.keys() == inputs.keys() and _same_inputs(before, inputs)

    origin = _below_before(above, child, workflow, fits) if child.place is not None else None
    if origin is None or origin.state not in TERMINAL or not fits(origin):
        return None
    plan = _of_below(origin, text)
    return plan if plan.again.kept or plan.partly.rounds else None


def _of_below(origin: Run, text: str) -> Plan:
    own = _graph_text(origin)
    other = not same(text, own)
    node = "" if other else str((decode(origin.error) or {}).get("node") or "")
    return _plan(origin, RETRY, node, text if other else own, own_graph=other)


def _below_before(above: Run, child: Child, workflow: str, fits: Callable[[Run], bool]) -> Run | None:
    """The run that the step had started before, in the runs of which this one is a retry or a fork."""
    path, node = child.place or ((), "")
    first = above
    for _ in range(LONGEST_CHAIN):
        origin = above.origin_run if above.trigger in (RETRY, FORK, BELOW) else None
        if origin is None or (above.trigger == FORK and not _goes_on_in_fork(above, origin, top_of(path, node))):
            return None
        if child.called is None:
            run = earlier.one_of_step(origin, path, node)
            if run is not None:
                return run
        elif some := earlier.called_by_step(origin, path, node):
            return earlier.next_called(first, child, workflow, some, fits)
        above = origin
    return None


@dataclass(frozen=True, slots=True)
class Below:
    """A run that a step of a retried one had started, and what its next one takes over if it is given the same."""

    path: Path
    node: str
    plan: Plan


def runs_below(plan: Plan) -> list[Below]:
    """The runs that the steps of a plan that go on had started, at most `MOST_BELOW`, in the order of their start.

    Those that cannot be started any more, or of which nothing is taken over, are left out.
    """
    result: list[Below] = []
    goes_on = {node for node, why in plan.again.runs.items() if why in _GO_ON[plan.kind]}
    for path, node, run in earlier.started_by(plan.origin, goes_on, plan.partly.whole):
        text = _text_now(run, plan.graph, node)
        below = _of_below(run, text) if text is not None else None
        if below is not None and (below.again.kept or below.partly.rounds):
            result.append(Below(path, node, below))
        if len(result) == MOST_BELOW:
            break
    return result


def _text_now(run: Run, graph: GraphJson, node: str) -> str | None:
    """The graph that a step's next run is to run; None where there is none."""
    config = next((item.get("config") or {} for item in graph.get("nodes") or [] if item.get("id") == node), {})
    version = config.get("version")
    number = version if isinstance(version, int) and version else run.workflow.published_version
    if number is None:
        return None
    if number == run.version:
        return _graph_text(run)
    try:
        return version_for(run.workflow, int(number)).graph
    except NotFound:
        return None


def _goes_on_in_fork(fork: Run, origin: Run, node: str) -> bool:
    """Whether a step of a fork is one that had not ended: the chosen one, and what follows it, begin anew."""
    now, then = graph_of(_graph_text(fork)), graph_of(_graph_text(origin))
    again = rerun_plan(then, now, ended_nodes(origin.pk), [fork.origin_node] if fork.origin_node else [])
    return again.runs.get(node) == "unfinished"


def _plan(origin: Run, kind: str, node: str, text: str, *, own_graph: bool) -> Plan:
    graph: GraphJson = graph_of(text)
    before = graph_of(_graph_text(origin)) if own_graph else graph
    again = rerun_plan(before, graph, ended_nodes(origin.pk), [node] if node else [])
    going_on = [run for run, why in again.runs.items() if why in _GO_ON[kind]]
    partly = rounds.finished(origin.pk, graph, going_on)
    return Plan(origin, kind, node, _step_of(origin.pk, node), text, graph, own_graph, again, partly)


def _inputs(actor: Actor, plan: Plan, entered: JsonObject | None) -> JsonObject:
    """The inputs of the new run: others only where its start runs anew. Raises ValidationFailed (`inputs`)."""
    inputs = inputs_of(plan.origin)
    start = next((str(node["id"]) for node in plan.graph.get("nodes") or [] if node.get("type") == "start"), "")
    if start in plan.again.runs:
        return checked_inputs(input_schema(plan.text), inputs if entered is None else clean(entered), actor.team.id)
    if entered is not None and not _same_inputs(inputs, clean(entered)):
        raise ValidationFailed(fields={"inputs": ["can only be changed in a fork from the start"]})
    return inputs


def _same_inputs(stored: JsonObject, entered: JsonObject) -> bool:
    return all(covers(stored.get(name), value) for name, value in entered.items())


def _graph_text(run: Run) -> str:
    return bytes(Blob.objects.values_list("data", flat=True).get(pk=run.graph_id)).decode()


def ended_nodes(run: str) -> dict[str, str | None]:
    """The nodes of a run that ended in a way it went on from, each with the port it went on by."""
    return ended_steps(_outcomes(run))


def _outcomes(run: str) -> list[Entry]:
    rows = LogLine.objects.filter(run_id=run, record="outcome", path="").order_by("position")
    return [
        Entry(node=node, type=type_, data=decode(data) or {}, record="outcome")
        for node, type_, data in rows.values_list("node", "type", "data")
    ]


def _node_of(run: Run, step: str) -> str:
    """The node of the whole run that a step id or a node's id stands for. Raises ValidationFailed."""
    nodes = {str(node.get("id")): node for node in graph_of(_graph_text(run)).get("nodes") or []}
    node = step
    if node not in nodes:
        row = LogLine.objects.filter(run_id=run.pk, step=step).exclude(node="").values_list("node").first()
        if row is None:
            raise ValidationFailed(fields={"step": ["is not a step of this run"]})
        node = row[0]
    while (parent := nodes[node].get("parent")) in nodes:
        node = parent
    return node


def _step_of(run: str, node: str) -> str:
    """The id of a node's step in a run, "" where it did not begin."""
    lines = LogLine.objects.filter(run_id=run, node=node, path="", type="STEP_INIT", key="init")
    return lines.values_list("step", flat=True).first() or "" if node else ""


def start_again(
    actor: Actor, plan: Plan, entered: JsonObject | None = None, key: str | None = None
) -> tuple[Run, bool]:
    """(run, whether it is new). `entered` = other inputs; the same Idempotency-Key `key` gives the same run.

    Raises ValidationFailed (`inputs`), RateLimited, Conflict (the key was used for something else).
    """
    inputs = _inputs(actor, plan, entered)
    if key and (before := _earlier(plan, inputs, key)) is not None:
        return before, False
    origin = plan.origin
    workflow = origin.workflow
    revision = origin.draft_revision
    if plan.own_graph:
        revision = workflow.revision if same(plan.text, workflow.draft) else None
    now = timezone.now()
    run = Run(
        team=actor.team,
        workflow=workflow,
        version=None if plan.own_graph else origin.version,
        draft_revision=revision,
        trigger=plan.kind,
        started_by=actor.user,
        request_id=request_id(),
        traceparent=traceparent(),
        **stored_caller(actor)._asdict(),
        idempotency_key=key or None,
        origin_run=origin,
        origin_step=plan.step,
        origin_node=plan.node,
        journal_format=origin.journal_format,
        queued_at=now,
        turn=fairness.turn_of(now, plan.kind, actor.token is not None),
        last_seq=1,
    )
    try:
        with inbox.durable_transaction():
            check_start_rate(actor)
            store(run, plan.text, inputs)
            take_over(run, plan)
            audit(
                actor,
                f"run.{plan.kind}",
                "run",
                run.id,
                name=workflow.name,
                workflow=workflow.pk,
                origin=origin.pk,
                node=plan.node,
            )
            hint: Hint = {"kind": "run", "id": run.id, "state": run.state, "change": "created"}
            notify_clients(f"team:{run.team_id}", hint)
            wake_any_worker(run.id)
    except IntegrityError:
        if key and (before := _earlier(plan, inputs, key)) is not None:
            return before, False
        raise
    return run, True


def below(run: Run, plan: Plan) -> Run:
    """The run, not yet stored, as the one that goes on where the plan's ended."""
    run.origin_run, run.origin_step, run.origin_node = plan.origin, plan.step, plan.node
    run.journal_format = plan.origin.journal_format
    return run


def take_over(run: Run, plan: Plan) -> None:
    """Copy what is kept behind the first line of the new log, and say there up to where it is not its own."""
    last = copy_log(plan.origin.pk, run.pk, frozenset(plan.again.kept), 1, 1, plan.partly)
    run.last_seq, run.copied_seq = last, last if last > 1 else 0
    run.save(update_fields=["last_seq", "copied_seq"])
    data: FlowQueuedData = {
        "origin_run": plan.origin.pk,
        "origin_step": plan.step or None,
        "origin_node": plan.node or None,
        "copied_seq": run.copied_seq,
    }
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runs_logline SET data = %s WHERE run_id = %s AND seq = 1", [encode(data), run.pk])


def _earlier(plan: Plan, inputs: JsonObject, key: str) -> Run | None:
    run = Run.objects.filter(workflow=plan.origin.workflow, idempotency_key=key).first()
    if run is None:
        return None
    same_deed = (run.origin_run_id, run.trigger, run.origin_node) == (plan.origin.pk, plan.kind, plan.node)
    if not same_deed or not same(_graph_text(run), plan.text) or not _same_inputs(inputs_of(run), inputs):
        raise Conflict(params={"reason": "idempotency_key"}, detail={"run": run.pk})
    return run
