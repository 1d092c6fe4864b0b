"""Writes of workflows: permission, row, audit and announcement in one transaction each. Nothing here connects."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.erasing import erase
from backend.accounts.audit.trail import audit, changed
from backend.accounts.models import Team
from backend.accounts.teams.services import unique_slug
from backend.engine.document.problems import Problem
from backend.errors import Conflict, StaleDraft, TooLarge
from backend.notifications.clients import Hint, notify_clients, notify_team
from backend.registry.configuration.declarations import forget_workflow, record_declarations
from backend.workflows.documents import check_graph, graph_of, limit_bytes, same, size_of, text_of
from backend.workflows.models import DraftRevision, Version, Workflow
from backend.workflows.selectors import draft_revision_for, version_for, workflow_for
from backend.workflows.validation import problems_of, refuse_errors, uses_in

REVISIONS_KEPT = 50
"""Earlier drafts kept per workflow."""
SITTING = timedelta(minutes=10)
"""Saves of one person that are no further apart are one action in the audit trail; each is a revision all the same."""


_before_it_goes: list[Callable[[Workflow], object]] = []


def before_workflow_delete(clear: Callable[[Workflow], object]) -> None:
    """Call `clear(workflow)` inside the transaction that deletes a workflow, before its row goes."""
    _before_it_goes.append(clear)


_before_it_is_published: list[Callable[[Workflow, str, int | None], object]] = []


def before_workflow_publish(check: Callable[[Workflow, str, int | None], object]) -> None:
    """Call `check(workflow, text, version)` before a document is published of a workflow that demands its tests.

    `version` None = the text is the draft's. What it raises refuses the publishing. No transaction is open.
    """
    _before_it_is_published.append(check)


def empty_graph(language: str) -> dict[str, Any]:
    """The document of a new workflow."""
    return {"schema": 1, "language": language, "nodes": [], "edges": [], "annotations": []}


def checked_text(actor: Actor, graph: Any, field: str = "graph") -> str:
    """A document that somebody sent, as it is stored: whatever the door, a token needs "edit" to send one.

    Raises Forbidden, ValidationFailed, TooLarge.
    """
    actor.require_scope("edit")
    text = text_of(check_graph(graph, field))
    if len(text) > limit_bytes() and size_of(graph) > limit_bytes():
        raise TooLarge(params={"limit": f"{settings.PATCHBAY.max_graph_mb:g}"})
    return text


def _note(workflow: Workflow, graph: dict[str, Any], problems: list[Problem]) -> None:
    """What lists show of a draft."""
    nodes = graph.get("nodes")
    workflow.node_count = len(nodes) if isinstance(nodes, list) else 0
    workflow.problem_count = sum(problem.severity == "error" for problem in problems)
    names = {use.server for use in uses_in(graph)}
    workflow.servers = sorted(name for name in names if name.isprintable())[:200]


@transaction.atomic
def workflow_create(
    actor: Actor, name: str, description: str = "", graph: Any = None, example: str = "", slug_hint: str = ""
) -> tuple[Workflow, list[Problem]]:
    """A new workflow at draft revision 1, with its problems. Ids inside the graph are kept.

    `example` = the template that it is made from.
    """
    actor.require("editor")
    document = empty_graph("zh" if actor.user.language.startswith("zh") else "en") if graph is None else graph
    text = checked_text(actor, document)
    problems = problems_of(actor, document)
    Team.objects.select_for_update().get(pk=actor.team.id)  # one at a time, so that a free slug stays free
    taken = set(Workflow.objects.filter(team=actor.team).values_list("slug", flat=True))
    workflow = Workflow(
        team=actor.team,
        name=name,
        slug=unique_slug(slug_hint or name, taken.__contains__, "workflow"),
        description=description,
        example=example,
        draft=text,
        draft_by=actor.user,
        draft_at=timezone.now(),
        created_by=actor.user,
    )
    _note(workflow, document, problems)
    workflow.save()
    record_declarations(actor.team.id, workflow.id, document)
    audit(actor, "workflow.created", "workflow", workflow.id, **_facts(workflow))
    _announce(workflow, "created")
    return workflow, problems


@transaction.atomic
def workflow_update(actor: Actor, reference: str, changes: dict[str, Any]) -> Workflow:
    """Rename, describe, offer to other programs, demand its tests; null = nothing of it. The slug stays."""
    actor.require("editor")
    nothing: dict[str, Any] = {"description": ""}
    changes = {field: nothing.get(field, False) if value is None else value for field, value in changes.items()}
    workflow = workflow_for(actor, reference, lock=True)
    before = {field: getattr(workflow, field) for field in changes}
    for field, value in changes.items():
        setattr(workflow, field, value)
    workflow.save(update_fields=[*changes, "updated_at"])
    differences = changed(before, changes)
    audit(actor, "workflow.changed", "workflow", workflow.id, changes=differences, **_facts(workflow))
    _announce(workflow, "updated")
    return workflow


@transaction.atomic
def workflow_delete(actor: Actor, reference: str) -> None:
    """Delete a workflow with its drafts, versions, ended runs and all that goes with them.

    Raises Conflict while a run of it goes on.
    """
    actor.require("editor")
    workflow = workflow_for(actor, reference, lock=True)
    if workflow.runs.filter(state__in=["QUEUED", "RUNNING", "WAITING", "PAUSED"]).exists():
        raise Conflict(params={"reason": "runs_going", "workflow": workflow.slug})
    for clear in _before_it_goes:
        clear(workflow)
    erase("workflow", [workflow.pk])
    audit(actor, "workflow.deleted", "workflow", workflow.id, **_facts(workflow))
    _announce(workflow, "deleted")
    key = workflow.pk
    workflow.delete()
    drafts = Workflow.objects.filter(team=actor.team).values_list("draft", flat=True)
    versions = Version.objects.filter(workflow__team=actor.team).values_list("graph", flat=True)
    forget_workflow(actor.team.pk, key, (graph_of(text) for text in (*drafts, *versions)))


@transaction.atomic
def workflow_duplicate(actor: Actor, reference: str, name: str) -> Workflow:
    """A copy of the draft under a new name."""
    source = workflow_for(actor, reference)
    title = name or f"{source.name} (2)"
    duplicate, _ = workflow_create(actor, title[:200], source.description, graph_of(source.draft), source.example)
    return duplicate


@transaction.atomic
def draft_save(actor: Actor, reference: str, revision: int, graph: Any) -> tuple[Workflow, list[Problem]]:
    """Save a draft made on `revision`. Raises StaleDraft where somebody saved another in between."""
    actor.require("editor")
    text = checked_text(actor, graph)
    workflow = workflow_for(actor, reference, lock=True)
    if text == workflow.draft or (revision != workflow.revision and same(text, workflow.draft)):
        return workflow, problems_of(actor, graph)
    if revision != workflow.revision:
        raise _stale(workflow)
    problems = problems_of(actor, graph)
    if workflow.draft_by_id != actor.user.pk or timezone.now() - workflow.draft_at > SITTING:
        audit(actor, "workflow.edited", "workflow", workflow.id, from_revision=revision, **_facts(workflow))
    _replace_draft(actor, workflow, text, graph, problems)
    return workflow, problems


def _stale(workflow: Workflow) -> StaleDraft:
    """Somebody saved another draft in between."""
    by = workflow.draft_by.email if workflow.draft_by else None
    return StaleDraft(
        params={"by": by or "…"},
        detail={"revision": workflow.revision, "by": by, "at": workflow.draft_at.isoformat()},
    )


@transaction.atomic
def draft_restore(actor: Actor, reference: str, revision: int) -> tuple[Workflow, list[Problem]]:
    """Make an earlier draft the present one, as a new revision: nothing is lost by it."""
    actor.require("editor")
    workflow = workflow_for(actor, reference, lock=True)
    text = workflow.draft if revision == workflow.revision else draft_revision_for(workflow, revision).graph
    graph = graph_of(text)
    problems = problems_of(actor, graph)
    _replace_draft(actor, workflow, text, graph, problems)
    audit(actor, "workflow.restored", "workflow", workflow.id, revision=revision, **_facts(workflow))
    return workflow, problems


def _replace_draft(actor: Actor, workflow: Workflow, text: str, graph: dict[str, Any], problems: list[Problem]) -> None:
    """Keep the present draft among the earlier ones and put `text` in its place. The row is locked."""
    DraftRevision.objects.create(
        workflow=workflow,
        revision=workflow.revision,
        graph=workflow.draft,
        by=workflow.draft_by,
        at=workflow.draft_at,
    )
    workflow.draft_revisions.filter(revision__lte=workflow.revision - REVISIONS_KEPT).delete()
    workflow.revision += 1
    workflow.draft, workflow.draft_by, workflow.draft_at = text, actor.user, timezone.now()
    _note(workflow, graph, problems)
    workflow.save()
    record_declarations(actor.team.id, workflow.id, graph)
    hint: Hint = {"kind": "draft", "revision": workflow.revision, "by": actor.user.email}
    notify_clients(f"workflow:{workflow.id}", hint)
    _announce(workflow, "draft")


def workflow_publish(actor: Actor, reference: str, note: str = "", version: int | None = None) -> Version:
    """Make the draft the next version, or an earlier `version` the published one again.

    Raises GraphInvalid with its problems, NotFound, FailingTests where the workflow demands its saved tests, StaleDraft
    where the draft was saved while these were played.
    """
    actor.require("editor")
    workflow = workflow_for(actor, reference)
    tested = None
    if workflow.tests_required:
        tested = workflow.draft if version is None else version_for(workflow, version).graph
        refuse_errors(problems_of(actor, graph_of(tested)))
        for check in _before_it_is_published:
            check(workflow, tested, version)
    return _published(actor, reference, note, version, tested)


@transaction.atomic
def _published(actor: Actor, reference: str, note: str, number: int | None, tested: str | None) -> Version:
    workflow = workflow_for(actor, reference, lock=True)
    earlier = None if number is None else version_for(workflow, number)
    text = earlier.graph if earlier else workflow.draft
    refuse_errors(problems_of(actor, graph_of(text)))
    if workflow.tests_required and text != tested:
        raise _stale(workflow)
    version = earlier or _next_version(actor, workflow, note)
    if workflow.published_version == version.number:
        return version
    workflow.published_version = version.number
    workflow.save(update_fields=["published_version", "updated_at"])
    content = {"note": note} if note else None
    facts = {"version": version.number, "again": earlier is not None, **_facts(workflow)}
    audit(actor, "workflow.published", "workflow", workflow.id, content=content, **facts)
    _announce(workflow, "published")
    return version


def _next_version(actor: Actor, workflow: Workflow, note: str) -> Version:
    last = workflow.versions.order_by("-number").values_list("number", flat=True).first() or 0
    return Version.objects.create(
        workflow=workflow, number=last + 1, graph=workflow.draft, note=note, published_by=actor.user
    )


def workflow_exported(actor: Actor, workflow: Workflow, version: str, form: str) -> None:
    """Note that a document left as a file."""
    audit(actor, "workflow.exported", "workflow", workflow.id, version=version, format=form, **_facts(workflow))


def _facts(workflow: Workflow) -> dict[str, Any]:
    """What the audit trail calls a workflow."""
    return {"name": workflow.name, "slug": workflow.slug}


def _announce(workflow: Workflow, change: str) -> None:
    notify_team(workflow.team_id, "workflow", workflow.id, change)
