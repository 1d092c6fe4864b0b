"""What requests about workflows may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


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


class WorkflowPatchSerializer(serializers.Serializer[Any]):
    """What may change besides the graph."""

    name = serializers.CharField(max_length=200, required=False)
    description = serializers.CharField(max_length=8192, required=False, allow_blank=True, allow_null=True)
    expose_as_tool = serializers.BooleanField(required=False, allow_null=True)
    expose_as_agent = serializers.BooleanField(required=False, allow_null=True)
    agent_card_public = serializers.BooleanField(required=False, allow_null=True)
    expose_as_agui = serializers.BooleanField(required=False, allow_null=True)
    tests_required = serializers.BooleanField(required=False, allow_null=True)


class DuplicateSerializer(serializers.Serializer[Any]):
    """The copy's name; absent = the original's with (2)."""

    name = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class DraftInputSerializer(serializers.Serializer[Any]):
    """A draft and the revision that it was made on."""

    revision = serializers.IntegerField(min_value=0)
    graph = serializers.JSONField()


class ValidateInputSerializer(serializers.Serializer[Any]):
    """The graph to check; absent = the draft."""

    graph = serializers.JSONField(required=False)


class PublishInputSerializer(serializers.Serializer[Any]):
    """What is new in the next version; or `version`, an earlier one to be published again as it stands."""

    note = serializers.CharField(max_length=8192, required=False, allow_blank=True, default="")
    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False, allow_null=True)

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        """A version keeps its own note."""
        if data.get("version") is not None and data["note"]:
            raise serializers.ValidationError({"note": ["cannot be given for an earlier version: it keeps its own"]})
        return data


class ToolChoiceSerializer(serializers.Serializer[Any]):
    """A tool of one of the team's servers."""

    server = serializers.CharField(max_length=300)
    tool = serializers.CharField(max_length=300)


class ModelChoiceSerializer(serializers.Serializer[Any]):
    """A model of one of the team's providers."""

    provider = serializers.CharField(max_length=300)
    model = serializers.CharField(max_length=300)


class ImportChoicesSerializer(serializers.Serializer[Any]):
    """Answers to what a report asks, by the keys and names in its `wants`.

    A tool under a node's id counts for that node before one under the key of all alike; null = leave a placeholder.
    """

    tools = serializers.DictField(child=ToolChoiceSerializer(allow_null=True), required=False)
    models = serializers.DictField(child=ModelChoiceSerializer(), required=False)
    servers = serializers.DictField(child=serializers.CharField(max_length=300), required=False)
    secrets = serializers.DictField(child=serializers.RegexField(r"^[a-z][a-z0-9_]{0,62}$"), required=False)


class ImportWorkflowSerializer(serializers.Serializer[Any]):
    """A file's text (JSON or YAML; found out where `format` is absent), or the parsed graph: ours or an app of Dify.

    `dry_run` makes nothing and answers the report alone.
    """

    name = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    text = serializers.CharField(required=False, trim_whitespace=False)
    graph = serializers.JSONField(required=False)
    format = serializers.ChoiceField(["json", "yaml"], required=False)
    dry_run = serializers.BooleanField(required=False, default=False)
    choices = ImportChoicesSerializer(required=False)
