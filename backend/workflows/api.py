"""REST of workflows and their documents: translates requests to services and selectors, and answers to shapes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from backend.errors import NotFound, ValidationFailed
from backend.nodes import node_types
from backend.registry.configuration.presets import filled_with
from backend.registry.models import Server
from backend.registry.selectors import server_for
from backend.web.rest import ApiView, checked, language_of, page, page_listed
from backend.workflows import serializers as shape
from backend.workflows import services
from backend.workflows.comparing import compare
from backend.workflows.documents import (
    DocumentRenderer,
    JsonText,
    PlainTextParser,
    StrictJsonParser,
    TextParser,
    check_graph,
    graph_of,
    readable_text,
)
from backend.workflows.example_words import workflow_text
from backend.workflows.importing import ImportSource, report_of, workflow_import
from backend.workflows.models import Workflow
from backend.workflows.newest import newest_runs
from backend.workflows.report_answers import ImportedWorkflowJson, ImportReportAnswerJson, report_json
from backend.workflows.responses import (
    ComparisonJson,
    DraftSavedJson,
    NodeTypeListJson,
    RevisionGraphJson,
    RevisionListJson,
    TemplateListJson,
    UsingWorkflowJson,
    UsingWorkflowListJson,
    ValidationJson,
    VersionGraphJson,
    VersionJson,
    VersionListJson,
    WorkflowJson,
    WorkflowListJson,
    draft_json,
    problems_json,
    revision_json,
    version_json,
    workflow_json,
    workflow_summary,
)
from backend.workflows.selectors import (
    LISTED,
    draft_revision_for,
    graph_text,
    matching_workflows,
    version_for,
    workflow_for,
    workflows_naming,
)
from backend.workflows.templates import TEMPLATES, Template, template_graph, template_named, template_preview
from backend.workflows.validation import has_errors, problems_of
from backend.workflows.yaml_text import to_yaml

MOST_NAMED = 200
"""Workflows that one request may ask for by their ids."""


class DocumentView(ApiView):
    """A view whose requests and answers hold documents."""

    parser_classes: Sequence[type[BaseParser]] = (StrictJsonParser,)
    renderer_classes = (DocumentRenderer,)


class Workflows(DocumentView):
    """All workflows of the team."""

    bound = ("GET",)

    @extend_schema(
        operation_id="workflows_list",
        responses=WorkflowListJson,
        parameters=[
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
            OpenApiParameter("q", str, description="Only workflows with this in their name, slug or description."),
            OpenApiParameter(
                "id", str, many=True, description="Only workflows of these ids or slugs, at most 200; no pages."
            ),
            OpenApiParameter("published", bool, description="Only those with a published version."),
        ],
    )
    def get(self, request: Request) -> Response:
        """List workflows, the last changed first, each with its newest run."""
        rows, following = self._page(request)
        newest = newest_runs([row.pk for row in rows])
        language = language_of(request)
        shown = [{**workflow_summary(row, language), "last_run": newest.get(row.pk)} for row in rows]
        return Response({"results": shown, "next": following})

    def _page(self, request: Request) -> tuple[list[Workflow], str | None]:
        """The rows of the page that a request asks for, and the next cursor. Those that are named come all at once."""
        query = request.query_params
        keys = query.getlist("id") or None
        if keys is not None and len(keys) > MOST_NAMED:
            raise ValidationFailed(fields={"id": [f"may be given {MOST_NAMED} times"]})
        search = query.get("q") or ""
        conditions = matching_workflows(self.actor, search, keys, query.get("published") == "true")
        if keys is not None:
            return sorted(LISTED.read(conditions), key=lambda row: (row.updated_at, row.pk), reverse=True), None
        # what is searched lies in an index, the rest is read of those that are shown
        return page_listed(request, LISTED, conditions, "updated_at", searched=bool(search))

    @extend_schema(
        operation_id="workflows_create",
        request=shape.NewWorkflowSerializer,
        responses={201: WorkflowJson},
    )
    def post(self, request: Request) -> Response:
        """Create a workflow at draft revision 1: empty, with a graph, or from a template."""
        data = checked(shape.NewWorkflowSerializer(data=request.data))
        name, description, graph = data.get("name", ""), data["description"], data.get("graph")
        example = data.get("template", "")
        language = language_of(request)
        if example:
            template = template_named(example)
            values = {need: filled_with(server) for need, server in self._servers(template, data.get("uses") or {})}
            graph = template_graph(template, language, data.get("uses"), values)
            name, description = name or template.name.in_(language), description or template.description.in_(language)
        workflow, _ = services.workflow_create(self.actor, name, description, graph, example)
        return Response(workflow_json(workflow, language), status=201)

    def _servers(self, template: Template, uses: dict[str, str]) -> Iterator[tuple[str, Server]]:
        """The team's servers that a template is to use, by the names that it gives them; unknown ones are left out."""
        for need in template.needs:
            if need.kind == "server":
                with suppress(NotFound):
                    yield need.name, server_for(self.actor, uses.get(need.name, need.name))


class Templates(ApiView):
    """Workflows to begin with."""

    bound = ("GET",)

    @extend_schema(operation_id="workflow_templates_list", responses=TemplateListJson)
    def get(self, request: Request) -> Response:
        """List the templates and what each needs."""
        language = language_of(request)
        results = [
            {
                "id": template.id,
                "name": template.name.in_(language),
                "description": template.description.in_(language),
                "needs": [{"name": need.name, "kind": need.kind, "preset": need.preset} for need in template.needs],
                "preview": template_preview(template),
            }
            for template in TEMPLATES
        ]
        return Response({"results": results, "next": None})


class WorkflowDetail(DocumentView):
    """One workflow."""

    bound = ("GET",)

    @extend_schema(operation_id="workflows_get", responses=WorkflowJson)
    def get(self, request: Request, workflow: str) -> Response:
        """Show a workflow with its draft."""
        return Response(workflow_json(workflow_for(self.actor, workflow), language_of(request)))

    @extend_schema(operation_id="workflows_update", request=shape.WorkflowPatchSerializer, responses=WorkflowJson)
    def patch(self, request: Request, workflow: str) -> Response:
        """Rename, describe, expose as a tool, demand that the saved tests pass before publishing."""
        changes = checked(shape.WorkflowPatchSerializer(data=request.data, partial=True))
        changed = services.workflow_update(self.actor, workflow, changes)
        return Response(workflow_json(changed, language_of(request)))

    @extend_schema(operation_id="workflows_delete", responses={204: None})
    def delete(self, request: Request, workflow: str) -> Response:
        """Delete a workflow with its versions and runs; 409 while a run goes on."""
        services.workflow_delete(self.actor, workflow)
        return Response(status=204)


class WorkflowDuplicate(DocumentView):
    """A copy."""

    @extend_schema(
        operation_id="workflows_duplicate",
        request=shape.DuplicateSerializer,
        responses={201: WorkflowJson},
    )
    def post(self, request: Request, workflow: str) -> Response:
        """Copy the draft into a new workflow."""
        data = checked(shape.DuplicateSerializer(data=request.data))
        copy = services.workflow_duplicate(self.actor, workflow, data["name"])
        return Response(workflow_json(copy, language_of(request)), status=201)


class Draft(DocumentView):
    """The draft."""

    @extend_schema(
        operation_id="workflows_save_draft",
        request=shape.DraftInputSerializer,
        responses=DraftSavedJson,
    )
    def put(self, request: Request, workflow: str) -> Response:
        """Save the draft made on `revision`; 409 STALE_DRAFT where somebody saved in between."""
        data = checked(shape.DraftInputSerializer(data=request.data))
        saved, problems = services.draft_save(self.actor, workflow, data["revision"], data["graph"])
        return Response(draft_json(saved, problems, language_of(request)))


class Drafts(DocumentView):
    """Drafts that are kept."""

    bound = ("GET",)

    @extend_schema(operation_id="workflows_drafts", responses=RevisionListJson)
    def get(self, request: Request, workflow: str) -> Response:
        """List drafts, the present one first."""
        row = workflow_for(self.actor, workflow)
        earlier = row.draft_revisions.select_related("by").defer("graph").order_by("-revision")
        shown = [revision_json(row), *(revision_json(item) for item in earlier)]
        return Response({"results": shown, "next": None})


class DraftDetail(DocumentView):
    """An earlier draft."""

    bound = ("GET",)

    @extend_schema(operation_id="workflows_draft", responses=RevisionGraphJson)
    def get(self, request: Request, workflow: str, revision: int) -> Response:
        """Show a draft that is kept."""
        row = workflow_for(self.actor, workflow)
        if revision == row.revision:
            return Response({**revision_json(row), "graph": JsonText(row.draft)})
        kept = draft_revision_for(row, revision)
        return Response({**revision_json(kept), "graph": JsonText(kept.graph)})


class DraftRestore(DocumentView):
    """Back to an earlier draft."""

    @extend_schema(operation_id="workflows_restore_draft", request=None, responses=DraftSavedJson)
    def post(self, request: Request, workflow: str, revision: int) -> Response:
        """Make an earlier draft the present one, as a new revision."""
        saved, problems = services.draft_restore(self.actor, workflow, revision)
        return Response(draft_json(saved, problems, language_of(request)))


class Validate(DocumentView):
    """Problems of a graph."""

    roles = {"POST": "viewer"}
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="workflows_validate",
        request=shape.ValidateInputSerializer,
        responses=ValidationJson,
    )
    def post(self, request: Request, workflow: str) -> Response:
        """Check the graph sent, else the draft. Saves and connects to nothing."""
        row = workflow_for(self.actor, workflow)
        data = checked(shape.ValidateInputSerializer(data=request.data))
        graph = check_graph(data["graph"]) if "graph" in data else graph_of(row.draft)
        problems = problems_of(self.actor, graph)
        shown = problems_json(problems, language_of(request))
        return Response({"ok": not has_errors(problems), "problems": shown})


class Publish(DocumentView):
    """Publishing."""

    @extend_schema(
        operation_id="workflows_publish",
        request=shape.PublishInputSerializer,
        responses={201: VersionJson},
    )
    def post(self, request: Request, workflow: str) -> Response:
        """Make the draft the next version, or publish an earlier one again.

        400 GRAPH_INVALID with its problems; 409 TESTS_FAILED where the workflow demands that its saved tests pass.
        """
        data = checked(shape.PublishInputSerializer(data=request.data))
        version = services.workflow_publish(self.actor, workflow, data["note"], data.get("version"))
        return Response(version_json(version), status=201)


class Versions(DocumentView):
    """Published versions."""

    bound = ("GET",)

    @extend_schema(
        operation_id="workflows_versions",
        responses=VersionListJson,
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
    )
    def get(self, request: Request, workflow: str) -> Response:
        """List versions, newest first."""
        rows = workflow_for(self.actor, workflow).versions.select_related("published_by").defer("graph")
        return page(request, rows, version_json, by="published_at")


class VersionDetail(DocumentView):
    """One version."""

    bound = ("GET",)

    @extend_schema(operation_id="workflows_version", responses=VersionGraphJson)
    def get(self, request: Request, workflow: str, number: int) -> Response:
        """Show a version with its graph."""
        return Response(version_json(version_for(workflow_for(self.actor, workflow), number), graph=True))


class Compare(DocumentView):
    """What changed."""

    bound = ("GET",)

    @extend_schema(
        operation_id="workflows_compare",
        responses=ComparisonJson,
        parameters=[
            OpenApiParameter("from", str, required=True, description='A version\'s number or "draft".'),
            OpenApiParameter("to", str, description='A version\'s number or "draft" (default).'),
        ],
    )
    def get(self, request: Request, workflow: str) -> Response:
        """Compare two versions, or one with the draft."""
        row = workflow_for(self.actor, workflow)
        first, second = request.query_params.get("from", ""), request.query_params.get("to") or "draft"
        if not first:
            raise ValidationFailed(fields={"from": ["is required"]})
        before, after = (graph_of(graph_text(self.actor, row, which)) for which in (first, second))
        return Response({"from": first, "to": second, **compare(before, after)})


class Export(DocumentView):
    """The document as a file. Here `?format=` names the file's format, not a renderer's."""

    bound = ("GET",)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[DocumentRenderer, str]:
        """Errors are JSON whatever the format."""
        return DocumentRenderer(), "application/json"

    @extend_schema(
        operation_id="workflows_export",
        responses={(200, "application/json"): OpenApiTypes.OBJECT, (200, "application/yaml"): OpenApiTypes.OBJECT},
        parameters=[
            OpenApiParameter("format", str, enum=["json", "yaml"]),
            OpenApiParameter("version", str, description='A version\'s number or "draft" (default).'),
        ],
    )
    def get(self, request: Request, workflow: str) -> HttpResponse:
        """Download the document: the same JSON value in both formats."""
        row = workflow_for(self.actor, workflow)
        form = request.query_params.get("format") or "json"
        if form not in {"json", "yaml"}:
            raise ValidationFailed(fields={"format": ["must be json or yaml"]})
        which = request.query_params.get("version") or "draft"
        graph = graph_of(graph_text(self.actor, row, which))
        services.workflow_exported(self.actor, row, which, form)
        text = to_yaml(graph) if form == "yaml" else readable_text(graph)
        response = HttpResponse(text.encode(), content_type=f"application/{form}; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{row.slug}.{form}"'
        return response


class Import(DocumentView):
    """A document from a file."""

    parser_classes = (StrictJsonParser, TextParser, PlainTextParser)

    @extend_schema(
        operation_id="workflows_import",
        request=shape.ImportWorkflowSerializer,
        responses={200: ImportReportAnswerJson, 201: ImportedWorkflowJson},
    )
    def post(self, request: Request) -> Response:
        """Create a workflow from JSON or YAML, of ours or of Dify, with a report line by line; connects to nothing.

        Also the document itself as the whole body. With `dry_run` nothing is made and the report is the answer.
        """
        body = request.data
        if isinstance(body, dict) and "nodes" in body and "schema" in body:
            body = {"graph": body}
        data = checked(shape.ImportWorkflowSerializer(data=body))
        language = language_of(request)
        source = ImportSource(
            text=data.get("text"),
            graph=data.get("graph"),
            format=data.get("format"),
            name=data["name"] or request.query_params.get("name", "")[:200],
            choices=data.get("choices"),
            language=language,
        )
        if data["dry_run"]:
            return Response({"report": report_json(*report_of(self.actor, source), language)})
        workflow, problems, report, team = workflow_import(self.actor, source)
        shown = {**workflow_json(workflow, language), "problems": problems_json(problems, language)}
        return Response({"workflow": shown, "report": report_json(report, team, language)}, status=201)


class NodeTypesView(ApiView):
    """What nodes there are."""

    bound = ("GET",)

    @extend_schema(operation_id="node_types", responses=NodeTypeListJson)
    def get(self, request: Request) -> Response:
        """List node types in the order of the palette, in the reader's language."""
        return Response({"results": _described(language_of(request)), "next": None})


@cache
def _described(language: str) -> list[dict[str, Any]]:
    return node_types().describe(language)


class GraphSchema(ApiView):
    """The JSON Schema of documents."""

    bound = ("GET",)

    @extend_schema(operation_id="graph_schema", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """The JSON Schema that documents follow."""
        return Response(_graph_schema())


@cache
def _graph_schema() -> Any:
    return json.loads(Path(__file__).with_name("graph.schema.json").read_text(encoding="utf-8"))


class ServerWorkflows(ApiView):
    """Who uses a server."""

    @extend_schema(operation_id="servers_workflows", responses=UsingWorkflowListJson)
    def get(self, request: Request, server: str) -> Response:
        """List the workflows whose drafts name the server."""
        named_server = server_for(self.actor, server)
        rows = workflows_naming(self.actor, {named_server.slug, named_server.id})
        language = language_of(request)
        shown: list[UsingWorkflowJson] = [
            {
                "id": row.id,
                "name": workflow_text(row.name, row.example, language),
                "slug": row.slug,
                "published_version": row.published_version,
            }
            for row in rows
        ]
        return Response({"results": shown, "next": None})
