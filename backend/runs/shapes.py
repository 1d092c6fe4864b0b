"""Runs and questions as the API shows them (contract, "Shapes"), texts in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from backend.runs import selectors
from backend.runs.graphs import node_titles
from backend.runs.interactions import approvals, wording
from backend.runs.log.encoding import decode, iso
from backend.runs.log.journal import NO_USAGE
from backend.runs.log.rows import called_at, mismatch, read_blobs, risk_in_words, worded
from backend.runs.models import Interaction, Run
from backend.web.rest import cursor_after

CHILDREN = 50
"""Runs that a run started and that its own answer holds."""


def moment(value: datetime | None) -> str | None:
    """A time as the API writes it."""
    return iso(value.timestamp()) if value is not None else None


def run_shape(run: Run, language: str) -> dict[str, Any]:
    """A run as listed; inputs and outputs above 16 KB as `{"$ref": id, size, preview}`."""
    error = decode(run.error)
    return {
        "id": run.id,
        "workflow": run.workflow_id,
        "workflow_name": run.workflow.name,
        "version": run.version,
        "draft_revision": run.draft_revision,
        "state": run.state,
        "inputs": decode(run.inputs),
        "outputs": decode(run.outputs),
        "error": _error(error, language) if error else None,
        "usage": {**NO_USAGE, **decode(run.usage)},
        "waiting": decode(run.waiting),
        "trigger": run.trigger,
        "started_by": run.started_by.email if run.started_by else None,
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
    }


def _error(error: dict[str, Any], language: str) -> dict[str, Any]:
    full = worded(error, language)
    return {
        "code": full.get("code", "INTERNAL"),
        "message": full["message"],
        "hint": full["hint"],
        "node": full.get("node"),
        "detail": full.get("detail"),
    }


def run_whole(run: Run, language: str) -> dict[str, Any]:
    """A run as opened: inputs and outputs in full."""
    shape = run_shape(run, language)
    wanted = {name: shape[name]["$ref"] for name in decode(run.refs) or []}
    blobs = read_blobs(sorted(set(wanted.values()))) if wanted else {}
    return {**shape, **{name: blobs[key] for name, key in wanted.items()}}


def run_detail(run: Run, language: str) -> dict[str, Any]:
    """A run as opened, with the snapshot of its graph and the last of the runs it started.

    `children` = the latest CHILDREN of them in their order; `children_next` = the cursor at which `GET /api/runs` with
    this run as `parent` goes on with the earlier ones, None where there are none.
    """
    found = list(selectors.runs_below(run)[: CHILDREN + 1])
    more = len(found) > CHILDREN
    found = found[:CHILDREN]
    return {
        **run_whole(run, language),
        "graph": read_blobs([run.graph_id])[run.graph_id],
        "children": [child_shape(child, language) for child in reversed(found)],
        "children_count": run.children.count() if more else len(found),
        "children_next": cursor_after(found[-1], by="queued_at") if more else None,
    }


def child_shape(run: Run, language: str) -> dict[str, Any]:
    """A run as its parent shows it."""
    error = decode(run.error)
    return {
        "id": run.id,
        "workflow": run.workflow_id,
        "workflow_name": run.workflow.name,
        "version": run.version,
        "state": run.state,
        "error": _error(error, language) if error else None,
        "usage": {**NO_USAGE, **decode(run.usage)},
        "waiting": decode(run.waiting),
        "queued_at": moment(run.queued_at),
        "started_at": moment(run.started_at),
        "finished_at": moment(run.finished_at),
    }


def started(run: Run) -> dict[str, Any]:
    """Who started the outermost run, how and when: whoever is asked should know for whom they decide."""
    by = run.started_by.email if run.started_by else None
    return {"by": by, "trigger": run.trigger, "at": moment(run.queued_at)}


def evidence(found: dict[str, Any] | None) -> dict[str, Any]:
    """`{definition, read}` of a question; empty where there is nothing to know."""
    return {"definition": (found or {}).get("definition"), "read": (found or {}).get("read") or []}


def interaction_shape(
    question: Interaction, language: str, known: dict[str, Mapping[str, str]] | None = None
) -> dict[str, Any]:
    """A question. `answer` is null while it is open. `known` = what `approvals.shape` keeps for a whole page."""
    risk = decode(question.risk)
    mends = question.cause == "outcome" or question.kind == "mismatch"
    called = called_at(question.run_id, question.id, question.kind) if mends else None
    differs = mismatch(question.run_id, question.id) if question.kind == "mismatch" else None
    return {
        "id": question.id,
        "run": question.run_id,
        "root_run": question.root_run_id,
        "workflow": question.run.workflow_id,
        "workflow_name": question.run.workflow.name,
        "root_workflow_name": question.root_run.workflow.name,
        "node": question.node or None,
        "node_title": node_titles(question.run.graph_id).get(question.node) or question.node or None,
        "step": question.step or None,
        "kind": question.kind,
        "title": question.title,
        "cause": question.cause or None,
        "message": wording.in_language(
            language, question.kind, question.cause, question.title, question.message, differs
        ),
        "tool": decode(question.tool),
        "risk": risk_in_words(risk, language) if risk else None,
        "schema": decode(question.schema),
        "proposal": decode(question.proposal),
        "called_at": iso(called) if called is not None else None,
        "mismatch": differs,
        "started": started(question.root_run),
        "evidence": evidence(decode(question.evidence)),
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


def _answer(answer: dict[str, Any] | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {name: answer[name] for name in ("action", "values", "reason", "remember")}
