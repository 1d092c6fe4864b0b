"""The shapes of the workflows' API: what requests may hold, and how answers are described to OpenAPI."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class ProblemSerializer(serializers.Serializer[Any]):
    """Something in a document that keeps it from running, or may surprise."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(["error", "warning"])
    node = serializers.CharField(required=False)
    edge = serializers.CharField(required=False)
    path = serializers.CharField(help_text="JSON pointer into the document.")
    message = serializers.CharField()
    hint = serializers.CharField()
    params = serializers.JSONField()


class DraftInfoSerializer(serializers.Serializer[Any]):
    """Who saved the draft last."""

    revision = serializers.IntegerField()
    by = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()


class DraftSerializer(DraftInfoSerializer):
    """The draft."""

    graph = serializers.JSONField()


class WorkflowSummarySerializer(serializers.Serializer[Any]):
    """A workflow as lists show it."""

    id = serializers.CharField()
    name = serializers.CharField()
    slug = serializers.CharField()
    description = serializers.CharField()
    draft = DraftInfoSerializer()
    published_version = serializers.IntegerField(allow_null=True)
    expose_as_tool = serializers.BooleanField()
    node_count = serializers.IntegerField()
    problem_count = serializers.IntegerField(help_text="Errors of the draft when it was saved.")
    servers = serializers.ListField(child=serializers.CharField())
    created_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class WorkflowSerializer(WorkflowSummarySerializer):
    """A workflow with its draft."""

    draft = DraftSerializer()


class WorkflowListSerializer(serializers.Serializer[Any]):
    """A page of workflows."""

    results = WorkflowSummarySerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewWorkflowSerializer(serializers.Serializer[Any]):
    """A new workflow; its name suffices, and with a template not even that.

    `uses` fits the template to the team: `{name of a needed server: slug, "provider": slug, "model": id}`.
    What such a server was set up with by its preset, such as its folder, is proposed in the run form.
    """

    name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    description = serializers.CharField(max_length=8192, required=False, allow_blank=True, default="")
    graph = serializers.JSONField(required=False)
    template = serializers.CharField(max_length=100, required=False)
    uses = serializers.DictField(child=serializers.CharField(max_length=300), required=False)

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        """A graph or a template; a name where there is no template to give one."""
        if "graph" in data and "template" in data:
            raise serializers.ValidationError({"template": ["cannot stand beside a graph"]})
        if "uses" in data and "template" not in data:
            raise serializers.ValidationError({"uses": ["needs a template"]})
        if not data.get("name") and "template" not in data:
            raise serializers.ValidationError({"name": ["is required"]})
        return data


class NeedSerializer(serializers.Serializer[Any]):
    """A server or a model that a template works with; `preset` = how a missing server is added quickest."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=["server", "model"])
    preset = serializers.CharField(allow_blank=True)


class TemplateSerializer(serializers.Serializer[Any]):
    """A workflow to begin with."""

    id = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    needs = NeedSerializer(many=True)


class TemplateListSerializer(serializers.Serializer[Any]):
    """All templates."""

    results = TemplateSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class WorkflowPatchSerializer(serializers.Serializer[Any]):
    """What may change besides the graph."""

    name = serializers.CharField(max_length=200, required=False)
    description = serializers.CharField(max_length=8192, required=False, allow_blank=True, allow_null=True)
    expose_as_tool = serializers.BooleanField(required=False, allow_null=True)


class DuplicateSerializer(serializers.Serializer[Any]):
    """The copy's name; absent = the original's with (2)."""

    name = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class DraftInputSerializer(serializers.Serializer[Any]):
    """A draft and the revision that it was made on."""

    revision = serializers.IntegerField(min_value=0)
    graph = serializers.JSONField()


class DraftSavedSerializer(serializers.Serializer[Any]):
    """The new revision and what is wrong with the draft."""

    revision = serializers.IntegerField()
    problems = ProblemSerializer(many=True)


class RevisionSerializer(DraftInfoSerializer):
    """One draft that is kept."""

    current = serializers.BooleanField()


class RevisionGraphSerializer(RevisionSerializer):
    """One draft that is kept, with its graph."""

    graph = serializers.JSONField()


class RevisionListSerializer(serializers.Serializer[Any]):
    """Drafts, newest first."""

    results = RevisionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ValidateInputSerializer(serializers.Serializer[Any]):
    """The graph to check; absent = the draft."""

    graph = serializers.JSONField(required=False)


class ValidationSerializer(serializers.Serializer[Any]):
    """All problems of a graph; `ok` = none is an error."""

    ok = serializers.BooleanField()
    problems = ProblemSerializer(many=True)


class PublishInputSerializer(serializers.Serializer[Any]):
    """What is new in this version."""

    note = serializers.CharField(max_length=8192, required=False, allow_blank=True, default="")


class VersionSerializer(serializers.Serializer[Any]):
    """A published version."""

    version = serializers.IntegerField()
    note = serializers.CharField()
    published_at = serializers.DateTimeField()
    published_by = serializers.CharField(allow_null=True)


class VersionGraphSerializer(VersionSerializer):
    """A published version with its graph."""

    graph = serializers.JSONField()


class VersionListSerializer(serializers.Serializer[Any]):
    """Versions, newest first."""

    results = VersionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ItemChangeSerializer(serializers.Serializer[Any]):
    """A node or edge that differs."""

    id = serializers.CharField()
    fields = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]
    before = serializers.JSONField()
    after = serializers.JSONField()


class ItemChangesSerializer(serializers.Serializer[Any]):
    """Nodes or edges that came, went and changed; `moved` = only their place."""

    added = serializers.ListField(child=serializers.JSONField())
    removed = serializers.ListField(child=serializers.JSONField())
    changed = ItemChangeSerializer(many=True)
    moved = serializers.ListField(child=serializers.CharField(), required=False)


class ComparisonSerializer(serializers.Serializer[Any]):
    """What changed between two versions or the draft."""

    nodes = ItemChangesSerializer()
    edges = ItemChangesSerializer()
    document = serializers.ListField(child=serializers.CharField(), help_text="Other keys that differ.")

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of Python, so both ends are added by name."""
        ends = {"from": serializers.CharField(), "to": serializers.CharField()}
        return {**ends, **super().get_fields()}


class ImportWorkflowSerializer(serializers.Serializer[Any]):
    """A file's text (JSON or YAML; found out where `format` is absent), or the parsed graph."""

    name = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    text = serializers.CharField(required=False, trim_whitespace=False)
    graph = serializers.JSONField(required=False)
    format = serializers.ChoiceField(["json", "yaml"], required=False)


class ImportedWorkflowSerializer(WorkflowSerializer):
    """The new workflow and what is wrong with its draft."""

    problems = ProblemSerializer(many=True)


class PortsSerializer(serializers.Serializer[Any]):
    """Names of the ports of a node type."""

    out = serializers.ListField(child=serializers.CharField())

    def get_fields(self) -> dict[str, Any]:
        """`in` is a word of Python, so it is added by name."""
        return {"in": serializers.ListField(child=serializers.CharField()), **super().get_fields()}


class NodeTypeSerializer(serializers.Serializer[Any]):
    """A type of node: its form, its outputs, its ports."""

    type = serializers.CharField()
    v = serializers.IntegerField()
    group = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    config_schema = serializers.JSONField()
    output_schema = serializers.JSONField()
    ports = PortsSerializer()
    dynamic_ports = serializers.BooleanField()
    effect = serializers.CharField()


class NodeTypeListSerializer(serializers.Serializer[Any]):
    """All node types, in the order of the palette."""

    results = NodeTypeSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class UsingWorkflowSerializer(serializers.Serializer[Any]):
    """A workflow that names a server."""

    id = serializers.CharField()
    name = serializers.CharField()
    slug = serializers.CharField()
    published_version = serializers.IntegerField(allow_null=True)


class UsingWorkflowListSerializer(serializers.Serializer[Any]):
    """The workflows that name a server."""

    results = UsingWorkflowSerializer(many=True)
    next = serializers.CharField(allow_null=True)
