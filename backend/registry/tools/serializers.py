"""What requests about a server's tools may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.tools.approvers import RULES

WHICH = ("read", "write", "high_risk")
"""Kinds of tools whose policies are set at once; one that is of high risk also reads or writes."""


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


class PoliciesSerializer(serializers.Serializer[Any]):
    """A policy for all of a server's tools of one kind."""

    which = serializers.ChoiceField(
        list(WHICH),
        help_text="read: those that only read; write: all others; high_risk: of high risk, as destructive ones are.",
    )
    policy = serializers.ChoiceField(["auto", "allow", "ask", "deny"], help_text="auto = by the rules.")
