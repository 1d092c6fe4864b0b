"""Shapes of a server's tools in the API: what is said of one, what was decided about it, pages of them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.tools.approvers import RULES


class RiskSerializer(serializers.Serializer[Any]):
    """How dangerous a call is, and why."""

    level = serializers.ChoiceField(["LOW", "MEDIUM", "HIGH"])
    reasons = serializers.ListField(child=serializers.CharField())


class DefinitionSerializer(serializers.Serializer[Any]):
    """What a server says about one of its tools."""

    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    input_schema = serializers.JSONField()
    output_schema = serializers.JSONField(allow_null=True)
    annotations = serializers.JSONField()


class ToolProblemSerializer(serializers.Serializer[Any]):
    """What is wrong, and what to do."""

    message = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)


class ToolSerializer(DefinitionSerializer):
    """A tool with what was decided about it. `overrides` holds what an admin set; empty = by the rules."""

    server = serializers.CharField(help_text="The server's slug.")
    effect = serializers.ChoiceField(["read", "idempotent", "write"])
    policy = serializers.ChoiceField(["auto", "allow", "ask", "deny"])
    approvers = serializers.ChoiceField(list(RULES), help_text="Who must agree where a call asks.")
    risk = RiskSerializer()
    overrides = serializers.DictField(child=serializers.CharField(allow_null=True))
    changed = serializers.BooleanField()
    gone = serializers.BooleanField(help_text="The server no longer lists it.")
    pinned = DefinitionSerializer(allow_null=True, help_text="The accepted definition, where it changed.")
    pinned_at = serializers.DateTimeField(allow_null=True)
    listed_at = serializers.DateTimeField(allow_null=True)
    problem = ToolProblemSerializer(allow_null=True, help_text="Why it cannot be called, where its schema is at fault.")


class ToolNameSerializer(serializers.Serializer[Any]):
    """What a list to choose from shows of a tool; the rest is read when it is opened."""

    name = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    description = serializers.CharField(allow_blank=True, help_text="Its first 200 characters.")
    parameters = serializers.IntegerField(help_text="How many arguments it takes.")
    policy = serializers.ChoiceField(["auto", "allow", "ask", "deny"])
    risk = RiskSerializer()
    changed = serializers.BooleanField()
    gone = serializers.BooleanField(help_text="The server no longer lists it.")


class ToolNameListSerializer(serializers.Serializer[Any]):
    """All tools of a server, to choose from."""

    results = ToolNameSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class LeftOutSerializer(ToolProblemSerializer):
    """What a server listed and nobody can call."""

    tool = serializers.CharField(help_text="Beginning of its name, or its place in the server's list.")


class ToolListSerializer(serializers.Serializer[Any]):
    """A server's tools as last listed."""

    results = ToolSerializer(many=True)
    next = serializers.CharField(allow_null=True)
    total = serializers.IntegerField(help_text="How many fit, on all pages.")
    changed = serializers.IntegerField(help_text="How many of the server's tools changed and wait to be accepted.")
    listed_at = serializers.DateTimeField(allow_null=True)
    left_out = LeftOutSerializer(many=True)


class ToolPatchSerializer(serializers.Serializer[Any]):
    """What an admin decides about a tool; null = by the rules."""

    policy = serializers.ChoiceField(["auto", "allow", "ask", "deny"], required=False, allow_null=True)
    risk = serializers.ChoiceField(["LOW", "MEDIUM", "HIGH"], required=False, allow_null=True)
    effect = serializers.ChoiceField(["read", "idempotent", "write"], required=False, allow_null=True)
    approvers = serializers.ChoiceField(
        list(RULES),
        required=False,
        allow_null=True,
        help_text="Who must agree where a call asks. 409 where the team has not so many people who may approve.",
    )
