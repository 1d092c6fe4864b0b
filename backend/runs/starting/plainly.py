"""The start of a run as it is meant, without any haste: the specification of `services.start_run`.

Every step is one statement of the ORM, nothing is kept from one start to the next, and the rows are what the models
say. Nobody starts runs by it: tests/properties/test_start.py holds that the fast path leaves the same rows, events,
hints and errors. Triggers are left out; what they add is written by their own function (`Cause.stored`) on both ways.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.engine.document.compile import compile_graph
from backend.engine.language.clean import clean
from backend.errors import Conflict, NotFound, NotPublished, ServerNotApproved, StaleDraft, ValidationFailed
from backend.errors.log_context import request_id, traceparent
from backend.files.models import Blob
from backend.files.services import blob_key
from backend.nodes import node_types
from backend.notifications.clients import notify_clients
from backend.notifications.workers import wake_any_worker
from backend.registry.configuration.declarations import unapproved_servers
from backend.runs.log.encoding import encode, iso
from backend.runs.models import LogLine, Run
from backend.runs.queue import concurrency, fairness
from backend.runs.starting import storage
from backend.runs.starting.callers import stored_caller
from backend.runs.starting.given_files import covers, with_files
from backend.runs.starting.services import check_start_rate, inputs_of, with_defaults
from backend.tools.approvers import ANYONE
from backend.tools.loop import LOOP
from backend.tools.schemas import errors_in, named
from backend.workflows.documents import graph_of
from backend.workflows.model_problems import missing_providers
from backend.workflows.models import Version, Workflow
from backend.workflows.validation import document_problems, empty_arguments, missing_servers, refuse_errors


@transaction.atomic
def start_plainly(
    actor: Actor,
    key: str,
    inputs: dict[str, Any],
    version: int | str | None,
    revision: int | None,
    idempotency_key: str | None,
) -> tuple[Run, bool]:
    """(run, whether it is new) of the workflow with this id, by a person or a token. Inputs that need no blob, and
    documents that name no server of the team's.

    Raises what `workflow_to_run` and `start_run` do.
    """
    workflow = Workflow.objects.filter(team=actor.team, pk=key).first()
    if workflow is None:
        raise NotFound
    actor.require_workflow(workflow.pk)
    actor.require("editor")
    given = clean(inputs)
    if idempotency_key and (run := _earlier(workflow, idempotency_key, given)) is not None:
        return run, False
    storage.require_room()
    text, number, draft = _document(actor, workflow, version)
    if revision is not None and draft is not None and revision != draft:
        by = workflow.draft_by.email if workflow.draft_by else None
        saved_at = iso(workflow.draft_at.timestamp())
        raise StaleDraft(detail={"revision": workflow.revision, "by": by, "at": saved_at})
    compiled = compile_graph(graph_of(text), node_types())
    filled = with_defaults(compiled.input_schema, given)
    errors = LOOP.run(errors_in({"type": "object", **compiled.input_schema}, filled))
    if errors:
        raise ValidationFailed(fields=named(errors, "inputs"))
    filled = with_files(compiled.input_schema, filled, actor.team.pk, "inputs")
    check_start_rate(actor)
    now, by = timezone.now(), "manual" if actor.token is None else "api"
    caller, caller_name = stored_caller(actor)
    run = Run(
        team=actor.team,
        workflow=workflow,
        version=number,
        draft_revision=draft,
        trigger=by,
        started_by=actor.user,
        request_id=request_id(),
        traceparent=traceparent(),
        caller=caller,
        caller_name=caller_name,
        idempotency_key=idempotency_key or None,
        approvers="" if compiled.approvers == ANYONE else compiled.approvers,
        queued_at=now,
        turn=fairness.turn_of(now, by, actor.token is not None),
        last_seq=1,
        graph=_blob(actor.team.pk, text.encode()),
        inputs=encode(filled),
    )
    if compiled.concurrency is not None:
        concurrency.give_key(run, compiled.concurrency, filled)
    run.save(force_insert=True)
    LogLine.objects.create(run=run, position=1, seq=1, ts=now.timestamp(), type="FLOW_QUEUED", fence=0)
    audit(actor, "run.started", "run", run.pk, name=workflow.name, workflow=workflow.pk, version=number)
    notify_clients(f"team:{actor.team.pk}", {"kind": "run", "id": run.pk, "state": str(run.state), "change": "created"})
    wake_any_worker(run.pk)
    return run, True


def _earlier(workflow: Workflow, key: str, given: dict[str, Any]) -> Run | None:
    """The run that was started with the key; Conflict where it was started for something else."""
    run = Run.objects.filter(workflow=workflow, idempotency_key=key).first()
    if run is not None:
        stored = inputs_of(run)
        if run.origin_run_id or any(not covers(stored.get(name), value) for name, value in given.items()):
            raise Conflict(params={"reason": "idempotency_key"}, detail={"run": run.pk})
    return run


def _document(actor: Actor, workflow: Workflow, version: int | str | None) -> tuple[str, int | None, int | None]:
    """(text, version, revision of the draft) of what runs, looked through from its first node to its last."""
    if version == "draft":
        text, number, revision = workflow.draft, None, workflow.revision
    else:
        number, revision = workflow.published_version if version is None else int(version), None
        if number is None:
            raise NotPublished(params={"workflow": workflow.slug})
        row = Version.objects.filter(workflow=workflow, number=number).first()
        if row is None:
            raise NotFound
        text = row.graph
    graph = graph_of(text)
    problems = document_problems(graph)
    refuse_errors([*problems, *missing_servers(actor, graph), *missing_providers(actor, graph)])
    if waiting := unapproved_servers(actor.team.pk, graph):
        raise ServerNotApproved(params={"server": waiting[0]}, detail={"servers": waiting})
    if version == "draft":
        refuse_errors(empty_arguments(actor, graph, problems))
    return text, number, revision


def _blob(team: str, data: bytes) -> Blob:
    """The snapshot of a graph, stored once for each team and content."""
    sha256 = hashlib.sha256(data).hexdigest()
    row, _ = Blob.objects.get_or_create(
        id=blob_key(team, sha256), defaults={"team_id": team, "sha256": sha256, "size": len(data), "data": data}
    )
    return row
