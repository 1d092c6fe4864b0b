"""REST of the questions of one outage: shown as one, answered together."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs.interactions import outages
from backend.runs.interactions.responses import AnsweredListJson, OutageListJson
from backend.web.rest import ApiView, checked, language_of


class AnswersSerializer(serializers.Serializer[Any]):
    """One answer for several questions, each named."""

    ids = serializers.ListField(child=serializers.CharField(max_length=60), min_length=1, max_length=500)
    action = serializers.ChoiceField(choices=["retry", "skip", "fail"])
    values = serializers.JSONField(
        required=False, allow_null=True, help_text='With skip, of a tool: `{"result": "..."}`, for each of them.'
    )
    reason = serializers.CharField(required=False, allow_blank=True, max_length=10_000)


class OutagesView(ApiView):
    """The questions of outages, grouped."""

    @extend_schema(operation_id="interactions_groups", responses=OutageListJson)
    def get(self, request: Request) -> Response:
        """Open questions of the kind recovery that belong together, by what was called; at most 2,000 questions."""
        return Response({"results": outages.groups(self.actor, language_of(request))})


class AnswersView(ApiView):
    """Answering many questions at once."""

    bound = ("POST",)
    scopes = {"POST": "answer"}

    @extend_schema(operation_id="interactions_answers", request=AnswersSerializer, responses=AnsweredListJson)
    def post(self, request: Request) -> Response:
        """Answer each of the questions, or say why not; one that cannot be answered holds up no other."""
        data = checked(AnswersSerializer(data=request.data))
        results = outages.answer_many(self.actor, data.pop("ids"), data, language_of(request))
        return Response({"results": results})
