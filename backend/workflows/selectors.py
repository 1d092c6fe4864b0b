"""Reads of workflows, always for somebody: what is not the actor's team's does not exist."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet

from backend.accounts.actor import Actor
from backend.accounts.models import Team
from backend.database.listing import Conditions, ListedRows, marks
from backend.database.words import words_in
from backend.engine.document.problems import Problem
from backend.engine.document.upstream_slice import alone_part, upstream_part
from backend.errors import Conflict, NotFound, NotPublished, ServerNotApproved, ValidationFailed
from backend.registry.configuration.declarations import declared_in, unapproved_servers
from backend.web.lookup import by_reference, storable
from backend.workflows.documents import graph_of
from backend.workflows.example_words import meaning
from backend.workflows.model_problems import missing_providers, model_uses
from backend.workflows.models import DraftRevision, ServerName, Version, Workflow
from backend.workflows.sized_cache import SizedCache
from backend.workflows.validation import (
    document_problems,
    empty_arguments,
    missing_servers,
    refuse_errors,
    uses_in,
)

_FOR_RUNS = ("id", "team_id", "name", "slug", "draft", "revision", "draft_by_id", "published_version", "example")
_BY_REFERENCE = "SELECT {} FROM workflows_workflow WHERE team_id = %s AND (id = %s OR slug = %s) ORDER BY id LIMIT 1"
_GRAPH = "SELECT graph FROM workflows_version WHERE workflow_id = %s AND number = %s"
"""Both as raw SQL, for putting them together costs the ORM more than the database's work."""
_versions: SizedCache[tuple[str, int], str] = SizedCache(8_000_000, len)
"""The texts of published versions that were run lately, by workflow and number."""
_graphs: SizedCache[str, tuple[Any, int]] = SizedCache(1_000_000, lambda known: known[1])
"""Documents that name something registered, which is looked for anew at each start; read, some ten times their text."""
_OF_SLUG = re.compile("[a-z0-9_-]*", re.IGNORECASE)
_LISTED = [field.attname for field in Workflow._meta.concrete_fields if field.name != "draft"]


def workflows_of(actor: Actor) -> QuerySet[Workflow]:
    """The team's workflows; of a token bound to some, those. Hidden ones are in no list."""
    rows = Workflow.objects.filter(team=actor.team, hidden=False).select_related("draft_by")
    return rows if actor.workflows is None else rows.filter(pk__in=actor.workflows)


LISTED = ListedRows(
    Workflow,
    _LISTED,
    beside={"drafted_by": "drafter.email"},
    joins="LEFT JOIN accounts_user drafter ON drafter.id = workflows_workflow.draft_by_id",
)
"""What lists show of each: no draft, and of who saved it the address alone (`drafted_by`)."""


def matching_workflows(
    actor: Actor, search: str, keys: Sequence[str] | None = None, published: bool = False
) -> Conditions:
    """Those of `workflows_of` with these words in the name, the description or the slug; "" = all. To be `LISTED`.

    `keys` = only those of these ids or slugs; `published` = only those with a published version.
    """
    conditions = Conditions().add("NOT workflows_workflow.hidden").add("workflows_workflow.team_id = %s", actor.team.pk)
    if actor.workflows is not None:
        conditions.among("workflows_workflow.id", actor.workflows)
    if keys is not None and (named := [key for key in keys if storable(key)]):
        places = marks(named)
        conditions.add(f"(workflows_workflow.id IN ({places}) OR slug IN ({places}))", *named, *named)
    elif keys is not None:
        conditions.add("1 = 0")
    if published:
        conditions.add("published_version IS NOT NULL")
    if not (search := search.strip()):
        return conditions
    if not storable(search):
        return conditions.add("1 = 0")
    in_slug = ["slug"] if _OF_SLUG.fullmatch(search) else []  # no other words stand in one
    written, values = words_in(["workflows_workflow.name", "description", *in_slug], search)
    meant, texts = meaning(search)
    return conditions.add(f"({written} OR {meant})" if meant else written, *values, *texts)


def known(team: Team, keys: list[str]) -> set[str]:
    """Those of the ids that are workflows of the team."""
    return set(Workflow.objects.filter(team=team, pk__in=filter(storable, keys)).values_list("pk", flat=True))


def workflow_for(actor: Actor, reference: str, lock: bool = False) -> Workflow:
    """The workflow of this id or slug; with `lock` to change it.

    Raises NotFound, Forbidden (for a token bound to others), Conflict (a hidden one is changed through what it is of).
    """
    if lock or not storable(reference):
        workflow = by_reference(Workflow.objects.filter(team=actor.team), reference, lock)
        if lock and workflow.hidden:
            raise Conflict(params={"reason": "of_collection"})
    else:
        rows = Workflow.objects.raw(_BY_REFERENCE.format("*"), [actor.team.pk, reference, reference])
        first = next(iter(rows), None)
        if first is None:
            raise NotFound
        workflow = first
    actor.require_workflow(workflow.pk)
    return workflow


def workflow_to_run(actor: Actor, reference: str) -> Workflow:
    """`workflow_for` with what a start of a run needs; other columns are fetched when they are asked for."""
    if not storable(reference):
        raise NotFound
    with connection.cursor() as cursor:
        cursor.execute(_BY_REFERENCE.format(", ".join(_FOR_RUNS)), [actor.team.pk, reference, reference])
        values = cursor.fetchone()
    if values is None:
        raise NotFound
    actor.require_workflow(values[0])
    return Workflow.from_db(connection.alias, _FOR_RUNS, values)


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


class RunnableGraph(NamedTuple):
    """What a run takes: the text of a graph, and which version or which revision of the draft it is."""

    text: str
    version: int | None
    revision: int | None


def runnable_graph(
    actor: Actor,
    workflow: Workflow | str,
    version: int | str | None,
    until: str | None = None,
    outputs: dict[str, Any] | None = None,
) -> RunnableGraph:
    """What a run takes.

    `version` None = the published one, a number, or "draft" (editors). `until` = of a draft only this node and what is
    upstream of it; with `outputs`, what other nodes gave, `until` alone (`alone_part`). Raises NotFound, Forbidden,
    NotPublished, ValidationFailed (`version`, `until`, `outputs`), GraphInvalid with `detail["problems"]`,
    ServerNotApproved.
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
        text = _published_text(row.pk, number)
    refuse_unrunnable(actor, text)
    if version == "draft" and _names_others(text):  # a version was looked at when it was published
        refuse_errors(empty_arguments(actor, graph_of(text), _static_problems(text)))
    return RunnableGraph(text, number, revision)


def _published_text(workflow: str, number: int) -> str:
    """The document of a version, the same object each time it is asked for soon: what is kept of documents by their
    text (checks, compiled graphs, schemas) is then found without comparing texts. Raises NotFound.

    A version never changes and its workflow's id is never used again; who asks has read the workflow's row just now,
    so nothing is found that was deleted.
    """
    if (text := _versions.get((workflow, number))) is not None:
        return text
    with connection.cursor() as cursor:
        cursor.execute(_GRAPH, [workflow, number])
        stored = cursor.fetchone()
    if stored is None:
        raise NotFound
    _versions.put((workflow, number), stored[0])
    return str(stored[0])


def refuse_unrunnable(actor: Actor, text: str) -> None:
    """Raise GraphInvalid with `detail["problems"]` or ServerNotApproved where a document cannot be run as it is."""
    if not _names_others(text):
        refuse_errors(list(_static_problems(text)))
        return
    graph = _read_graph(text)
    problems = [*_static_problems(text), *missing_servers(actor, graph), *missing_providers(actor, graph)]
    refuse_errors(problems)
    waiting = unapproved_servers(actor.team.id, graph)
    if waiting:
        raise ServerNotApproved(params={"server": waiting[0]}, detail={"servers": waiting})


def _read_graph(text: str) -> Any:
    """The document of a text, to be looked at and never changed."""
    known = _graphs.get(text)
    if known is None:
        known = (graph_of(text), len(text))
        _graphs.put(text, known)
    return known[0]


@lru_cache(maxsize=64)
def _names_others(text: str) -> bool:
    """Whether a document names or declares a server, or names a model's provider: else nothing that is registered
    keeps it from running, and a start need not look through it again."""
    graph = graph_of(text)
    return bool(declared_in(graph)) or any(True for _ in uses_in(graph)) or any(True for _ in model_uses(graph))


def _part(text: str, until: str, outputs: dict[str, Any] | None) -> str:
    graph = graph_of(text)
    part = upstream_part(graph, until)
    if part is not None and outputs is not None:
        wrong = [name for name, value in outputs.items() if not isinstance(value, dict)]
        if wrong:
            raise ValidationFailed(fields={f"outputs.{name}": ["must be an object"] for name in wrong})
        part = alone_part(graph, until, outputs)
        if part is None:
            raise ValidationFailed(fields={"until": ["cannot run alone: it is the start"]})
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


_USING = "SELECT name, COUNT(*) FROM workflows_servername WHERE team_id = %s AND name IN ({}) GROUP BY name"


def workflows_by_server(team_id: str, names: Iterable[str]) -> dict[str, int]:
    """How many workflows' drafts name each of these servers."""
    slugs = list(names)
    if not slugs:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_USING.format(", ".join(["%s"] * len(slugs))), [team_id, *slugs])
        return dict(cursor.fetchall())


def workflows_naming(actor: Actor, names: set[str]) -> list[Workflow]:
    """The team's workflows whose drafts name a server by one of `names`."""
    using = ServerName.objects.filter(team=actor.team, name__in=names).values("workflow")
    return sorted(workflows_of(actor).defer("draft").filter(pk__in=using), key=lambda row: (row.name, row.pk))
