"""Runs saved as tests of their workflow: what the world answered then is answered again, offline.

A test holds its inputs, the journal records that stand for tools, models, people and time, and what each node gave.
Secrets are in none of it: values are masked before they reach a journal.
"""

from __future__ import annotations

import asyncio
import time
from typing import Literal, cast

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.engine.document.shape import GraphJson, NodeJson
from backend.engine.execution.ports import RunInfo
from backend.engine.rerun.dry_replay import (
    DryReplay,
    OutcomeJson,
    diff_outcomes,
    dry_replay,
    outcomes_of,
    records_of,
)
from backend.errors import Conflict, NotFound, TooLarge, ValidationFailed
from backend.runs.graphs import compiled_graph, run_language, stored_graph
from backend.runs.log.encoding import decode, encode, iso
from backend.runs.log.rows import read_history
from backend.runs.models import Run, RunState, WorkflowTest
from backend.runs.rerun.responses import TestedNodeJson, TestResultJson, TestState
from backend.runs.selectors import run_for
from backend.runs.starting.services import inputs_of, with_defaults
from backend.tools.types import JsonObject
from backend.web.lookup import storable
from backend.workflows.documents import graph_of
from backend.workflows.models import Workflow
from backend.workflows.validation import document_problems, refuse_errors

FORMAT = 1
NAME = 200
LONGEST_S = 120.0
RIGHT = frozenset({"same", "new"})
"""What may be said of a node in a test that passes."""


def tests_of(actor: Actor, workflow: Workflow) -> QuerySet[WorkflowTest]:
    """The tests of a workflow, without what they recorded."""
    rows = WorkflowTest.objects.filter(team=actor.team, workflow=workflow).select_related("created_by")
    return rows.defer("recorded", "expected")


def workflow_test_for(actor: Actor, workflow: Workflow, key: str) -> WorkflowTest:
    """One test of a workflow of the actor's team. Raises NotFound."""
    rows = WorkflowTest.objects.filter(team=actor.team, workflow=workflow, pk=key).select_related("created_by")
    test = rows.first() if storable(key) else None
    if test is None:
        raise NotFound
    return test


def workflow_test_save(actor: Actor, workflow: Workflow, run: str, name: str) -> WorkflowTest:
    """Save an ended run as a test.

    Raises Forbidden, NotFound, ValidationFailed (`run` of another workflow, `name` taken), Conflict (it goes on, or was
    cancelled), TooLarge.
    """
    actor.require("editor")
    source = run_for(actor, run)
    if source.workflow_id != workflow.pk:
        raise ValidationFailed(fields={"run": ["is a run of another workflow"]})
    if source.state not in (RunState.SUCCESS, RunState.ERROR):
        reason = "cancelled_test" if source.state == RunState.CANCELLED else "run_goes_on"
        raise Conflict(params={"reason": reason})
    _, compiled, problem = stored_graph(source.graph_id)
    if compiled is None:
        raise problem or Conflict(params={"reason": "run_state", "state": source.state})
    history = read_history(source.pk)
    recorded = encode({"format": FORMAT, "about": _about(source), "records": records_of(history, compiled)})
    limit = settings.PATCHBAY.max_blob_mb
    if len(recorded) > limit * 1024 * 1024:
        raise TooLarge(params={"limit": f"{limit:g}"})
    test = WorkflowTest(
        team=actor.team,
        workflow=workflow,
        name=name,
        run=source,
        created_by=actor.user,
        inputs=encode(inputs_of(source)),
        recorded=recorded,
        expected=encode(outcomes_of(history)),
    )
    try:
        with transaction.atomic():
            test.save(force_insert=True)
            audit(actor, "workflow_test.created", "workflow_test", test.pk, name=name, workflow=workflow.pk, run=run)
    except IntegrityError:
        raise ValidationFailed(fields={"name": ["is the name of another test"]}) from None
    return test


def workflow_test_delete(actor: Actor, test: WorkflowTest) -> None:
    """Delete a test. Raises Forbidden."""
    actor.require("editor")
    with transaction.atomic():
        audit(actor, "workflow_test.deleted", "workflow_test", test.pk, name=test.name, workflow=test.workflow_id)
        test.delete()


def _about(run: Run) -> JsonObject:
    """What a run knows of itself, and its nodes may say."""
    return {
        "run_id": run.pk,
        "workflow": run.workflow.slug,
        "user": run.started_by.email if run.started_by else None,
        "time": iso(run.queued_at.timestamp()),
        "conversation_id": None,
        "language": run.started_by.language if run.started_by else None,
    }


def workflow_test_run(test: WorkflowTest, text: str, version: int | None) -> TestResultJson:
    """Play a test with this document (the draft where `version` is None), offline; the result is kept with it.

    Raises GraphInvalid.
    """
    graph: GraphJson = graph_of(text)
    refuse_errors(document_problems(graph))
    began = time.perf_counter()
    replayed = _played(test, text, graph, draft=version is None)
    nodes = _nodes(graph, decode(test.expected), replayed)
    result: TestResultJson = {
        "ok": all(node["status"] in RIGHT for node in nodes),
        "state": cast(TestState, replayed.state),
        "version": version,
        "at": iso(time.time()),
        "ms": round((time.perf_counter() - began) * 1000),
        "nodes": nodes,
    }
    test.result, test.tried_at = encode(result), timezone.now()
    WorkflowTest.objects.filter(pk=test.pk).update(result=test.result, tried_at=test.tried_at)
    return result


def _played(test: WorkflowTest, text: str, graph: GraphJson, *, draft: bool) -> DryReplay:
    kept = decode(test.recorded)
    about = dict(kept["about"])
    language = run_language(graph, about.pop("language"))
    compiled = compiled_graph(text)
    inputs = with_defaults(compiled.input_schema, decode(test.inputs))
    info = RunInfo(about["run_id"], inputs, about, language=language, draft=draft)
    from backend.runs.rerun.replay_test import (  # takes the MCP library along, which a start does without
        Offline,
        agents_of,
        slugs_of,
    )

    world = Offline(test.team_id, slugs_of(test.team_id), agents_of(test.team_id))

    async def play() -> DryReplay:
        async with asyncio.timeout(LONGEST_S):
            return await dry_replay(compiled, info, kept["records"], world)

    return asyncio.run(play())


def _nodes(graph: GraphJson, expected: dict[str, OutcomeJson], replayed: DryReplay) -> list[TestedNodeJson]:
    about: dict[str, NodeJson] = {str(node.get("id")): node for node in graph.get("nodes") or []}
    got: dict[str, OutcomeJson] = decode(encode(replayed.outcomes))
    statuses = diff_outcomes(expected, DryReplay(replayed.state, got, replayed.missing))
    order = {node: place for place, node in enumerate(about)}
    return [
        {
            "node": node,
            "title": _text(about.get(node), "title"),
            "type": _text(about.get(node), "type"),
            "status": status,
            "expected": expected.get(node),
            "got": got.get(node),
            "missing": [
                {"target": item.target, "arguments": item.arguments, "recorded": item.recorded}
                for item in replayed.missing
                if item.node == node
            ],
        }
        for node, status in sorted(statuses.items(), key=lambda item: order.get(item[0], len(order)))
    ]


def _text(node: NodeJson | None, name: Literal["title", "type"]) -> str:
    return str(node.get(name) or "") if node else ""
