"""What the API answers about workflows. Documents go out as the text that is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from backend.accounts.described import Help, Timestamp
from backend.engine.document.problems import Problem
from backend.json_types import JsonLike
from backend.workflows.documents import JsonText
from backend.workflows.example_words import workflow_text
from backend.workflows.models import DraftRevision, Version, Workflow

if TYPE_CHECKING:
    DocumentJson: TypeAlias = JsonLike | JsonText
else:  # what the API says of it is what it says of any JSON
    DocumentJson = Any


class ProblemJson(TypedDict):
    """Something in a document that keeps it from running, or may surprise."""

    code: str
    severity: Literal["error", "warning"]
    node: NotRequired[str]
    edge: NotRequired[str]
    path: Annotated[str, Help("JSON pointer into the document.")]
    message: str
    hint: str
    params: JsonLike


class DraftInfoJson(TypedDict):
    """Who saved the draft last."""

    revision: int
    by: str | None
    at: Timestamp


class DraftJson(DraftInfoJson):
    """The draft."""

    graph: DocumentJson


class _WorkflowJson(TypedDict):
    """What every answer says of a workflow."""

    id: str
    name: str
    slug: str
    description: str
    published_version: int | None
    expose_as_tool: bool
    expose_as_agent: bool
    agent_card_public: bool
    expose_as_agui: bool
    tests_required: Annotated[bool, Help("Publishing demands that the saved tests pass.")]
    node_count: int
    problem_count: Annotated[int, Help("Errors of the draft when it was saved.")]
    servers: list[str]
    created_by: str | None
    created_at: Timestamp
    updated_at: Timestamp


class WorkflowSummaryJson(_WorkflowJson):
    """A workflow as lists show it."""

    draft: DraftInfoJson


class WorkflowJson(_WorkflowJson):
    """A workflow with its draft."""

    draft: DraftJson


class LastRunJson(TypedDict):
    """The newest run of a workflow, as lists show it."""

    id: str
    state: Literal["QUEUED", "RUNNING", "WAITING", "PAUSED", "SUCCESS", "ERROR", "CANCELLED"]
    queued_at: Timestamp
    waits_for_person: bool
    waits_for_client: bool


class ListedWorkflowJson(WorkflowSummaryJson):
    """A workflow of a page, with its newest run; null where it never ran."""

    last_run: LastRunJson | None


class WorkflowListJson(TypedDict):
    """A page of workflows."""

    results: list[ListedWorkflowJson]
    next: str | None


class NeedJson(TypedDict):
    """A server or a model that a template works with; `preset` = how a missing server is added quickest."""

    name: str
    kind: Literal["server", "model"]
    preset: str


class PreviewNodeJson(TypedDict):
    """A node in the picture of a template."""

    id: str
    type: str
    server: str
    parent: str | None
    x: float
    y: float


class PreviewEdgeJson(TypedDict):
    """An edge in the picture of a template."""

    source: str
    target: str


class PreviewJson(TypedDict):
    """What the picture of a template shows."""

    nodes: list[PreviewNodeJson]
    edges: list[PreviewEdgeJson]


class TemplateJson(TypedDict):
    """A workflow to begin with."""

    id: str
    name: str
    description: str
    needs: list[NeedJson]
    preview: PreviewJson


class TemplateListJson(TypedDict):
    """All templates."""

    results: list[TemplateJson]
    next: str | None


class DraftSavedJson(TypedDict):
    """The new revision and what is wrong with the draft."""

    revision: int
    problems: list[ProblemJson]


class RevisionJson(DraftInfoJson):
    """One draft that is kept."""

    current: bool


class RevisionGraphJson(RevisionJson):
    """One draft that is kept, with its graph."""

    graph: DocumentJson


class RevisionListJson(TypedDict):
    """Drafts, newest first."""

    results: list[RevisionJson]
    next: str | None


class ValidationJson(TypedDict):
    """All problems of a graph; `ok` = none is an error."""

    ok: bool
    problems: list[ProblemJson]


class VersionJson(TypedDict):
    """A published version."""

    version: int
    note: str
    published_at: Timestamp
    published_by: str | None


class VersionGraphJson(VersionJson):
    """A published version with its graph."""

    graph: DocumentJson


class VersionListJson(TypedDict):
    """Versions, newest first."""

    results: list[VersionJson]
    next: str | None


class ItemChangeJson(TypedDict):
    """A node or edge that differs."""

    id: str
    fields: list[str]
    before: JsonLike
    after: JsonLike


class ItemChangesJson(TypedDict):
    """Nodes or edges that came, went and changed; `moved` = only their place."""

    added: list[JsonLike]
    removed: list[JsonLike]
    changed: list[ItemChangeJson]
    moved: NotRequired[list[str]]


_ComparisonJson = TypedDict("_ComparisonJson", {"from": str})


class DifferencesJson(TypedDict):
    """What differs between two documents."""

    nodes: ItemChangesJson
    edges: ItemChangesJson
    document: Annotated[list[str], Help("Other keys that differ.")]


class ComparisonJson(_ComparisonJson, DifferencesJson):
    """What changed between two versions or the draft."""

    to: str


class NewlyImportedJson(WorkflowJson):
    """The new workflow and what is wrong with its draft."""

    problems: list[ProblemJson]


_PortsJson = TypedDict("_PortsJson", {"in": list[str]})


class PortsJson(_PortsJson):
    """Names of the ports of a node type."""

    out: list[str]


class NodeTypeJson(TypedDict):
    """A type of node: its form, its outputs, its ports."""

    type: str
    v: int
    group: str
    title: str
    description: str
    config_schema: JsonLike
    output_schema: JsonLike
    ports: PortsJson
    dynamic_ports: bool
    effect: str


class NodeTypeListJson(TypedDict):
    """All node types, in the order of the palette."""

    results: list[NodeTypeJson]
    next: str | None


class UsingWorkflowJson(TypedDict):
    """A workflow that names a server."""

    id: str
    name: str
    slug: str
    published_version: int | None


class UsingWorkflowListJson(TypedDict):
    """The workflows that name a server."""

    results: list[UsingWorkflowJson]
    next: str | None


def _drafted_by(workflow: Workflow) -> str | None:
    """The address of who saved the draft: in a list it comes with the row itself."""
    if "drafted_by" in workflow.__dict__:
        email: str | None = workflow.__dict__["drafted_by"]
        return email
    return workflow.draft_by.email if workflow.draft_by else None


def workflow_summary(workflow: Workflow, language: str) -> WorkflowSummaryJson:
    """A workflow as lists show it: without its graph; an example's name and description in the reader's language."""
    return {
        "id": workflow.id,
        "name": workflow_text(workflow.name, workflow.example, language),
        "slug": workflow.slug,
        "description": workflow_text(workflow.description, workflow.example, language),
        "draft": {
            "revision": workflow.revision,
            "by": _drafted_by(workflow),
            "at": workflow.draft_at,
        },
        "published_version": workflow.published_version,
        "expose_as_tool": workflow.expose_as_tool,
        "expose_as_agent": workflow.expose_as_agent,
        "agent_card_public": workflow.agent_card_public,
        "expose_as_agui": workflow.expose_as_agui,
        "tests_required": workflow.tests_required,
        "node_count": workflow.node_count,
        "problem_count": workflow.problem_count,
        "servers": workflow.servers,
        "created_by": workflow.created_by_id,
        "created_at": workflow.created_at,
        "updated_at": workflow.updated_at,
    }


def workflow_json(workflow: Workflow, language: str) -> WorkflowJson:
    """A workflow with its draft."""
    shown = workflow_summary(workflow, language)
    return {**shown, "draft": {**shown["draft"], "graph": JsonText(workflow.draft)}}


def draft_json(workflow: Workflow, problems: list[Problem], language: str) -> DraftSavedJson:
    """The answer to a saved draft."""
    return {"revision": workflow.revision, "problems": problems_json(problems, language)}


def problems_json(problems: list[Problem], language: str) -> list[ProblemJson]:
    """Problems in the reader's language."""
    return [problem.as_json(language) for problem in problems]


def revision_json(row: DraftRevision | Workflow) -> RevisionJson:
    """One entry of the list of drafts."""
    current = isinstance(row, Workflow)
    by = row.draft_by if isinstance(row, Workflow) else row.by
    changed_at = row.draft_at if isinstance(row, Workflow) else row.at
    return {"revision": row.revision, "by": by.email if by else None, "at": changed_at, "current": current}


def version_json(version: Version, graph: bool = False) -> VersionJson | VersionGraphJson:
    """A published version, with its graph where asked for."""
    shown: VersionJson = {
        "version": version.number,
        "note": version.note,
        "published_at": version.published_at,
        "published_by": version.published_by.email if version.published_by else None,
    }
    return {**shown, "graph": JsonText(version.graph)} if graph else shown
