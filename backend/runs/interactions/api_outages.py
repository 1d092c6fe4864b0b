"""REST of the questions of one outage: shown as one, answered together."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.described import Help, Timestamp
from backend.runs.interactions import outages
from backend.web.rest import ApiView, checked, language_of


class OutageQuestionJson(TypedDict):
    """One of the questions."""

    id: str
    run: str
    node: str | None
    node_title: Annotated[str, Help("What the node is called in the run's graph.")]
    arguments: Annotated[str, Help("What the call was given, in a line, cut short.")]
    created_at: Timestamp
    called_at: Annotated[Timestamp | None, Help("When the call began; null where the log does not hold it any more.")]


class OutagePartJson(TypedDict):
    """The questions about one thing: a workflow, and in it a tool of a server (null where it was no tool)."""

    workflow: str
    workflow_name: str
    server: str | None
    tool: str | None
    title: str
    message: str
    count: int
    questions: list[OutageQuestionJson]


class OutageJson(TypedDict):
    """Open questions of the kind recovery that came one soon after the other."""

    id: str
    count: int
    first_at: Timestamp
    last_at: Timestamp
    parts: list[OutagePartJson]


class OutageListJson(TypedDict):
    """All of them, the last one first."""

    results: list[OutageJson]


class AnswersSerializer(serializers.Serializer[Any]):
    """One answer for several questions, each named."""

    ids = serializers.ListField(child=serializers.CharField(max_length=60), min_length=1, max_length=500)
    action = serializers.ChoiceField(choices=["retry", "skip", "fail"])
    values = serializers.JSONField(
        required=False, allow_null=True, help_text='With skip, of a tool: `{"result": "..."}`, for each of them.'
    )
    reason = serializers.CharField(required=False, allow_blank=True, max_length=10_000)


class AnsweredJson(TypedDict):
    """What became of one question."""

    id: str
    answered: bool
    error: Annotated[Any | None, Help("Why not, as errors of this API are.")]


class AnsweredListJson(TypedDict):
    """Of each, in the order of the ids."""

    results: list[AnsweredJson]


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
        given = checked(AnswersSerializer(data=request.data))
        results = outages.answer_many(self.actor, given.pop("ids"), given, language_of(request))
        return Response({"results": results})
