"""Shapes of programs and what operators say about them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.registry.models import ProgramApproval


class ApprovalSerializer(serializers.Serializer[Any]):
    """What an operator said about the program that a server starts, by the hash of its whole configuration."""

    state = serializers.ChoiceField(["free", "waiting", "approved", "rejected"], help_text="free = nobody is asked.")
    hash = serializers.CharField()
    basis = serializers.ChoiceField(
        ["operator", "earlier", "included"],
        allow_null=True,
        help_text="earlier = there before approvals were asked for; included = came along with Patchbay.",
    )
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)


class ProgramTeamSerializer(serializers.Serializer[Any]):
    """The team that asks."""

    id = serializers.CharField()
    name = serializers.CharField()


class ConcernSerializer(serializers.Serializer[Any]):
    """What an operator should look at."""

    kind = serializers.ChoiceField(
        ["arguments", "variable", "cwd"],
        help_text="arguments = they may run code that they carry; variable = not plainly the server's own; "
        "cwd = a folder outside the program's own home.",
    )
    name = serializers.CharField(allow_blank=True)


class ProgramSerializer(serializers.Serializer[Any]):
    """A program that a team wants started on this machine."""

    id = serializers.CharField()
    hash = serializers.CharField(help_text="Of the whole configuration; the decision is about exactly that.")
    name = serializers.CharField()
    team = ProgramTeamSerializer()
    command = serializers.CharField()
    args = serializers.ListField(child=serializers.CharField(), help_text="Secrets in them are hidden.")
    env = serializers.ListField(child=serializers.CharField(), help_text="Names of the variables that it sets.")
    cwd = serializers.CharField(allow_blank=True)
    box = serializers.JSONField(
        help_text="What was decided about its box: {box, folders, network}, as far as it differs from what all get."
    )
    package = serializers.CharField(
        allow_blank=True, help_text="Where a new version is asked about: the package and that version, else empty."
    )
    concerns = ConcernSerializer(many=True)
    asked_for = serializers.ChoiceField(ProgramApproval.Asked.choices)
    state = serializers.ChoiceField(ProgramApproval.State.choices)
    basis = serializers.ChoiceField(ProgramApproval.Basis.choices, allow_null=True)
    requested_by = serializers.CharField(allow_null=True)
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class ProgramListSerializer(serializers.Serializer[Any]):
    """A page of programs."""

    results = ProgramSerializer(many=True)
    next = serializers.CharField(allow_null=True)
