"""Reads of workflows, always for somebody: what is not the actor's team's does not exist."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Count, Q, QuerySet

from backend.accounts.actor import Actor
from backend.accounts.models import Team
from backend.engine.document.problems import Problem
from backend.engine.document.upstream_slice import alone_part, upstream_part
from backend.errors import NotFound, NotPublished, ServerNotApproved, ValidationFailed
from backend.registry.declarations import unapproved_servers
from backend.web.lookup import by_reference, storable
from backend.workflows.documents import graph_of
from backend.workflows.model_problems import missing_providers
from backend.workflows.models import DraftRevision, ServerName, Version, Workflow
from backend.workflows.validation import document_problems, empty_arguments, missing_servers, refuse_errors

_FOR_RUNS = ("id", "team_id", "name", "slug", "draft", "revision", "draft_by_id", "published_version")
_BY_REFERENCE = "SELECT {} FROM workflows_workflow WHERE team_id = %s AND (id = %s OR slug = %s) ORDER BY id LIMIT 1"
"""As raw SQL, for putting it together costs the ORM more than the database's work."""


def workflows_of(actor: Actor) -> QuerySet[Workflow]:
    """The team's workflows; of a token bound to some, those."""
    rows = Workflow.objects.filter(team=actor.team).select_related("draft_by")
    return rows if actor.workflows is None else rows.filter(pk__in=actor.workflows)


def workflows_found(actor: Actor, wanted: str) -> QuerySet[Workflow]:
    """Those of them with these words in the name, the description or the slug, without drafts; "" = all."""
    rows, wanted = workflows_of(actor).defer("draft"), wanted.strip()
    if not wanted:
        return rows
    if not storable(wanted):
        return rows.none()
    return rows.filter(Q(name__icontains=wanted) | Q(slug__icontains=wanted) | Q(description__icontains=wanted))


def known(team: Team, keys: list[str]) -> set[str]:
    """Those of the ids that are workflows of the team."""
    return set(Workflow.objects.filter(team=team, pk__in=filter(storable, keys)).values_list("pk", flat=True))


def workflow_for(actor: Actor, reference: str, lock: bool = False) -> Workflow:
    """The workflow of this id or slug. Raises NotFound, Forbidden (for a token bound to others)."""
    if lock or not storable(reference):
        found = by_reference(Workflow.objects.filter(team=actor.team), reference, lock)
    else:
        rows = Workflow.objects.raw(_BY_REFERENCE.format("*"), [actor.team.pk, reference, reference])
        first = next(iter(rows), None)
        if first is None:
            raise NotFound
        found = first
    actor.require_workflow(found.pk)
    return found


def workflow_to_run(actor: Actor, reference: str) -> Workflow:
    """`workflow_for` with what a start of a run needs; other columns are fetched when they are asked for."""
    if not storable(reference):
        raise NotFound
    with connection.cursor() as cursor:
        cursor.execute(_BY_REFERENCE.format(", ".join(_FOR_RUNS)), [actor.team.pk, reference, reference])
        found = cursor.fetchone()
    if found is None:
        raise NotFound
    actor.require_workflow(found[0])
    return Workflow.from_db(connection.alias, _FOR_RUNS, found)


def version_for(workflow: Workflow, number: int) -> Version:
    """A published version. Raises NotFound."""
    row = workflow.versions.select_related("published_by").filter(number=number).first()
    if row is None:
        raise NotFound
    return row


def draft_revision_for(workflow: Workflow, revision: int) -> DraftRevision:
    """An earlier draft. Raises NotFound (also for those that are no longer kept)."""
    row = workflow.draft_revisions.select_related("by").filter(revision=revision).first()
    if row is None:
        raise NotFound
    return row


def graph_text(actor: Actor, workflow: Workflow, which: str) -> str:
    """The document "draft" or of a version's number. Raises NotFound, ValidationFailed."""
    if which in {"", "draft"}:
        return workflow.draft
    if not which.isascii() or not which.isdigit() or len(which) > 9:
        raise ValidationFailed(fields={"version": ['must be a number or "draft"']})
    return version_for(workflow, int(which)).graph


def runnable_graph(
    actor: Actor,
    workflow: Workflow | str,
    version: int | str | None,
    until: str | None = None,
    outputs: dict[str, Any] | None = None,
) -> tuple[str, int | None, int | None]:
    """What a run takes: (text of the graph, version or None, draft revision or None).

    `version` None = the published one, a number, or "draft" (editors). `until` = of a draft only this node and what is
    upstream of it; with `outputs`, what other nodes gave, `until` alone. Raises NotFound, Forbidden, NotPublished,
    ValidationFailed (`version`, `until`, `outputs`), GraphInvalid with `detail["problems"]`, ServerNotApproved.
    """
    row = workflow_for(actor, workflow) if isinstance(workflow, str) else workflow
    revision = None
    if until is not None and version != "draft":
        raise ValidationFailed(fields={"until": ['needs version "draft"']})
    if outputs is not None and until is None:
        raise ValidationFailed(fields={"outputs": ["needs the node that runs alone as until"]})
    if version == "draft":
        actor.require("editor")
        text, number, revision = row.draft, None, row.revision
        text = text if until is None else _part(text, until, outputs)
    else:
        number = row.published_version if version is None else _number(version)
        if number is None:
            raise NotPublished(params={"workflow": row.slug})
        found = row.versions.filter(number=number).values_list("graph", flat=True).first()
        if found is None:
            raise NotFound
        text = found
    refuse_unrunnable(actor, text)
    if version == "draft":  # a version was looked at when it was published
        refuse_errors(empty_arguments(actor, graph_of(text), _static_problems(text)))
    return text, number, revision


def refuse_unrunnable(actor: Actor, text: str) -> None:
    """Raise GraphInvalid with `detail["problems"]` or ServerNotApproved where a document cannot be run as it is."""
    graph = graph_of(text)
    problems = [*_static_problems(text), *missing_servers(actor, graph), *missing_providers(actor, graph)]
    refuse_errors(problems)
    waiting = unapproved_servers(actor.team.id, graph)
    if waiting:
        raise ServerNotApproved(params={"server": waiting[0]}, detail={"servers": waiting})


def _part(text: str, until: str, outputs: dict[str, Any] | None) -> str:
    graph = graph_of(text)
    part = upstream_part(graph, until)
    if part is not None and outputs is not None:
        wrong = [name for name, value in outputs.items() if not isinstance(value, dict)]
        if wrong:
            raise ValidationFailed(fields={f"outputs.{name}": ["must be an object"] for name in wrong})
        part = alone_part(graph, until, outputs)
        if part is None:
            raise ValidationFailed(fields={"until": ["cannot run alone: it is the start or inside a container"]})
    if part is None:
        raise ValidationFailed(fields={"until": ["is not a node of the draft"]})
    return json.dumps(part, ensure_ascii=False, separators=(",", ":"))


def _number(version: int | str) -> int:
    text = str(version)
    if isinstance(version, bool) or not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ValidationFailed(fields={"version": ['must be a number or "draft"']})
    return int(text)


@lru_cache(maxsize=64)
def _static_problems(text: str) -> tuple[Problem, ...]:
    """Problems that depend on nothing but the text (and the node types of this process)."""
    return tuple(document_problems(graph_of(text)))


def workflows_by_server(team_id: str, names: Iterable[str]) -> dict[str, int]:
    """How many workflows' drafts name each of these servers."""
    rows = ServerName.objects.filter(team_id=team_id, name__in=list(names)).order_by()
    return dict(rows.values_list("name").annotate(workflows=Count("pk")))


def workflows_naming(actor: Actor, names: set[str]) -> list[Workflow]:
    """The team's workflows whose drafts name a server by one of `names`."""
    using = ServerName.objects.filter(team=actor.team, name__in=names).values("workflow")
    return sorted(workflows_of(actor).defer("draft").filter(pk__in=using), key=lambda row: (row.name, row.pk))
