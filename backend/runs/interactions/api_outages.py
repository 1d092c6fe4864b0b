"""REST of the questions of one outage: shown as one, answered together."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs.interactions import outages
from backend.web.rest import ApiView, checked, language_of


class OutageQuestionSerializer(serializers.Serializer[Any]):
    """One of the questions."""

    id = serializers.CharField()
    run = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    node_title = serializers.CharField(allow_blank=True, help_text="What the node is called in the run's graph.")
    arguments = serializers.CharField(allow_blank=True, help_text="What the call was given, in a line, cut short.")
    created_at = serializers.DateTimeField()
    called_at = serializers.DateTimeField(
        allow_null=True, help_text="When the call began; null where the log does not hold it any more."
    )


class OutagePartSerializer(serializers.Serializer[Any]):
    """The questions about one thing: a workflow, and in it a tool of a server (null where it was no tool)."""

    workflow = serializers.CharField()
    workflow_name = serializers.CharField()
    server = serializers.CharField(allow_null=True)
    tool = serializers.CharField(allow_null=True)
    title = serializers.CharField()
    message = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField()
    questions = OutageQuestionSerializer(many=True)


class OutageSerializer(serializers.Serializer[Any]):
    """Open questions of the kind recovery that came one soon after the other."""

    id = serializers.CharField()
    count = serializers.IntegerField()
    first_at = serializers.DateTimeField()
    last_at = serializers.DateTimeField()
    parts = OutagePartSerializer(many=True)


class OutageListSerializer(serializers.Serializer[Any]):
    """All of them, the last one first."""

    results = OutageSerializer(many=True)


class AnswersSerializer(serializers.Serializer[Any]):
    """One answer for several questions, each named."""

    ids = serializers.ListField(child=serializers.CharField(max_length=60), min_length=1, max_length=500)
    action = serializers.ChoiceField(choices=["retry", "skip", "fail"])
    values = serializers.JSONField(
        required=False, allow_null=True, help_text='With skip, of a tool: `{"result": "..."}`, for each of them.'
    )
    reason = serializers.CharField(required=False, allow_blank=True, max_length=10_000)


class AnsweredSerializer(serializers.Serializer[Any]):
    """What became of one question."""

    id = serializers.CharField()
    answered = serializers.BooleanField()
    error = serializers.JSONField(allow_null=True, help_text="Why not, as errors of this API are.")


class AnsweredListSerializer(serializers.Serializer[Any]):
    """Of each, in the order of the ids."""

    results = AnsweredSerializer(many=True)


class OutagesView(ApiView):
    """The questions of outages, grouped."""

    @extend_schema(operation_id="interactions_groups", responses=OutageListSerializer)
    def get(self, request: Request) -> Response:
        """Open questions of the kind recovery that belong together, by what was called; at most 2,000 questions."""
        return Response({"results": outages.groups(self.actor, language_of(request))})


class AnswersView(ApiView):
    """Answering many questions at once."""

    bound = ("POST",)
    scopes = {"POST": "answer"}

    @extend_schema(operation_id="interactions_answers", request=AnswersSerializer, responses=AnsweredListSerializer)
    def post(self, request: Request) -> Response:
        """Answer each of the questions, or say why not; one that cannot be answered holds up no other."""
        given = checked(AnswersSerializer(data=request.data))
        found = outages.answer_many(self.actor, given.pop("ids"), given, language_of(request))
        return Response({"results": found})
