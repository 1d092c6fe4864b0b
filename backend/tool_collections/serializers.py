"""What requests about collections may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.accounts.api.serializers import NetworkField
from backend.tools.uris import MOST_URI

LONGEST_DESCRIPTION = 4096
NAME = r"^[A-Za-z0-9_-]{1,64}$"
"""A tool's name that all clients take."""
SLUG = r"^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$"
SCOPES = ("read", "run", "answer")


class CollectionNewSerializer(serializers.Serializer[Any]):
    """A new collection; its name suffices."""

    name = serializers.CharField(max_length=200)
    slug = serializers.RegexField(SLUG, required=False, help_text="The end of its address; made of the name if absent.")
    description = serializers.CharField(max_length=8192, required=False, allow_blank=True, default="")


class CollectionPatchSerializer(serializers.Serializer[Any]):
    """What may change; `description` null = none."""

    name = serializers.CharField(max_length=200, required=False)
    slug = serializers.RegexField(SLUG, required=False, help_text="With it the address changes, for all clients.")
    description = serializers.CharField(max_length=8192, required=False, allow_blank=True, allow_null=True)
    enabled = serializers.BooleanField(required=False)


class CollectionToolNewSerializer(serializers.Serializer[Any]):
    """What is to be in it: a tool of a server, or a published workflow."""

    server = serializers.CharField(max_length=63, required=False, help_text="Its slug or id.")
    tool = serializers.CharField(max_length=255, required=False)
    workflow = serializers.CharField(max_length=63, required=False, help_text="Its slug or id.")
    name = serializers.RegexField(NAME, required=False, help_text="As clients see it; the original's if absent.")
    description = serializers.CharField(
        max_length=LONGEST_DESCRIPTION,
        required=False,
        allow_blank=True,
        default="",
        help_text="Absent = the original's.",
    )

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        """Either a tool with its server or a workflow."""
        if "workflow" in data:
            if wrong := sorted({"server", "tool"} & data.keys()):
                raise serializers.ValidationError({wrong[0]: ["cannot stand beside a workflow"]})
        elif "server" not in data:
            raise serializers.ValidationError({"server": ["is required where there is no workflow"]})
        elif "tool" not in data:
            raise serializers.ValidationError({"tool": ["is required"]})
        return data


class CollectionToolPatchSerializer(serializers.Serializer[Any]):
    """What clients see; null = as the original has it."""

    name = serializers.RegexField(NAME, required=False)
    description = serializers.CharField(
        max_length=LONGEST_DESCRIPTION, required=False, allow_blank=True, allow_null=True
    )


_KINDS = ("resource", "template", "prompt")


class CollectionContentNewSerializer(serializers.Serializer[Any]):
    """What is to be in it: a resource, a template of resources, or a prompt that a server lists."""

    server = serializers.CharField(max_length=63, help_text="Its slug or id.")
    resource = serializers.CharField(max_length=MOST_URI, required=False, help_text="Its URI.")
    template = serializers.CharField(max_length=MOST_URI, required=False, help_text="The URI template.")
    prompt = serializers.CharField(max_length=1000, required=False, help_text="Its name at the server.")
    name = serializers.CharField(max_length=200, required=False, help_text="As clients see it.")
    description = serializers.CharField(
        max_length=LONGEST_DESCRIPTION,
        required=False,
        allow_blank=True,
        default="",
        help_text="Absent = the original's.",
    )

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        """One of the three."""
        kinds = [kind for kind in _KINDS if kind in data]
        if not kinds:
            raise serializers.ValidationError({"resource": ["is required where there is no template and no prompt"]})
        if len(kinds) > 1:
            raise serializers.ValidationError({kinds[1]: [f"cannot stand beside a {kinds[0]}"]})
        return data


class CollectionContentPatchSerializer(serializers.Serializer[Any]):
    """What clients see; `description` null = as the original has it."""

    name = serializers.CharField(max_length=200, required=False)
    description = serializers.CharField(
        max_length=LONGEST_DESCRIPTION, required=False, allow_blank=True, allow_null=True
    )


class CollectionTokenSerializer(serializers.Serializer[Any]):
    """A token of the collection, which opens nothing else."""

    name = serializers.CharField(max_length=200)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=SCOPES),
        required=False,
        default=lambda: ["read", "run"],
        min_length=1,
        max_length=len(SCOPES),
    )
    expires_in_days = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=3650)
    networks = serializers.ListField(
        child=NetworkField(max_length=64),
        required=False,
        default=list,
        max_length=50,
        help_text="IP addresses and networks (CIDR) that it works from.",
    )
