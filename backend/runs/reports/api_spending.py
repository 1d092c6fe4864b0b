"""REST of what the team's models used today of its budget."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs.reports.spending import spending
from backend.web.rest import ApiView

STATES = ["ok", "near", "reached"]


class BudgetUseSerializer(serializers.Serializer[Any]):
    """One budget of the team: what is used of it today."""

    name = serializers.ChoiceField(["tokens", "cost"])
    used = serializers.FloatField()
    limit = serializers.FloatField(allow_null=True, help_text="null = no limit")
    share = serializers.FloatField(allow_null=True, help_text="1 = all of it")
    state = serializers.ChoiceField(STATES, help_text="near = from 80 %; reached = models are asked no more today")


class UnpricedSerializer(serializers.Serializer[Any]):
    """A model without a price: what it uses counts as 0 cost."""

    provider = serializers.CharField()
    model = serializers.CharField()
    tokens = serializers.IntegerField(help_text="Used today.")


class SpendingSerializer(serializers.Serializer[Any]):
    """What the team's models used today (UTC)."""

    day = serializers.DateField()
    until = serializers.DateTimeField(help_text="When the next day begins.")
    state = serializers.ChoiceField(STATES, help_text="The worst of both budgets.")
    budgets = BudgetUseSerializer(many=True)
    unpriced = UnpricedSerializer(many=True)


class SpendingView(ApiView):
    """Today's use of the team's budget."""

    @extend_schema(operation_id="spending", responses=SpendingSerializer)
    def get(self, request: Request) -> Response:
        """What is used of the team's budget today, and which models a cost budget cannot see."""
        return Response(spending(self.actor))
