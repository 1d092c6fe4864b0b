"""REST of running again: retry from the failed step, fork from any step, and what would run before it does."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.errors import ValidationFailed
from backend.json_types import JsonObject
from backend.runs import responses, selectors
from backend.runs.rerun import rerun
from backend.runs.rerun.responses import AgainJson
from backend.runs.responses import RunJson
from backend.web.rest import ApiView, checked, language_of
from backend.workflows.documents import StrictJsonParser

_ANY = serializers.JSONField
_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, description="The same key, the same run.")


class RetrySerializer(serializers.Serializer[Any]):
    """How to retry."""

    dry_run = serializers.BooleanField(default=False, help_text="Only say what would run again.")


class ForkSerializer(RetrySerializer):
    """From where, and with what."""

    step = serializers.CharField(
        max_length=80, help_text="A step's id or its node's; one inside another stands for the outermost."
    )
    inputs = serializers.DictField(required=False, allow_null=True, help_text="From the start only.")
    graph = serializers.DictField(
        required=False, allow_null=True, help_text="Another document; what it changes before the step runs anew too."
    )


class _AgainView(ApiView):
    bound = ("POST",)
    scopes = {"POST": "run"}

    def answer(self, request: Request, plan: rerun.Plan, inputs: JsonObject | None = None, *, dry: bool) -> Response:
        """200 with what would happen, or 201 with the new run."""
        if dry:
            return Response(plan.as_json())
        key = request.headers.get("Idempotency-Key", "")
        if len(key) > 200:
            raise ValidationFailed(fields={"Idempotency-Key": ["must have at most 200 characters"]})
        run, _ = rerun.start_again(self.actor, plan, inputs, key or None)
        return Response(responses.run_whole(run, language_of(request)), status=201)


class RetryView(_AgainView):
    """A failed or cancelled run once more."""

    @extend_schema(
        operation_id="runs_retry",
        request=RetrySerializer,
        responses={200: AgainJson, 201: RunJson},
        parameters=[_KEY],
    )
    def post(self, request: Request, key: str) -> Response:
        """Start a new run from the step that failed; steps that ended are taken over.

        409 where the run goes on or nothing failed.
        """
        plan = rerun.plan_retry(self.actor, selectors.run_for(self.actor, key))
        return self.answer(request, plan, dry=checked(RetrySerializer(data=request.data))["dry_run"])


class ForkView(_AgainView):
    """An ended run once more, from any of its steps."""

    parser_classes = (StrictJsonParser,)

    @extend_schema(
        operation_id="runs_fork",
        request=ForkSerializer,
        responses={200: AgainJson, 201: RunJson},
        parameters=[_KEY],
    )
    def post(self, request: Request, key: str) -> Response:
        """Start a new run from a step, with other inputs (from the start) or another document (a token needs "edit").

        409 where the run goes on.
        """
        run = selectors.run_for(self.actor, key)
        body = request.data if isinstance(request.data, dict) else {}
        data = checked(ForkSerializer(data=request.data))
        plan = rerun.plan_fork(self.actor, run, data["step"], body.get("graph"))
        return self.answer(request, plan, body.get("inputs"), dry=data["dry_run"])
