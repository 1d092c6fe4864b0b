"""REST of keeping: a finished agent or planner step of a run becomes a workflow."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs import selectors
from backend.runs.rerun.save_as_workflow import keep_workflow
from backend.web.rest import ApiView, checked, language_of
from backend.workflows.documents import DocumentRenderer
from backend.workflows.responses import WorkflowJson, workflow_json


class KeepSerializer(serializers.Serializer[Any]):
    """Which step to keep."""

    node = serializers.CharField(max_length=63, help_text="Id of an llm, agent or planner node that has ended.")


class KeepView(ApiView):
    """What a model did in a run, as a workflow that needs none."""

    renderer_classes = (DocumentRenderer,)

    @extend_schema(operation_id="runs_keep", request=KeepSerializer, responses={201: WorkflowJson})
    def post(self, request: Request, key: str) -> Response:
        """Make a workflow of the tool calls of a finished step, values from earlier results as expressions.

        409 where the step has not ended or called no tool that a node can call.
        """
        run = selectors.run_for(self.actor, key)
        node = checked(KeepSerializer(data=request.data))["node"]
        return Response(workflow_json(keep_workflow(self.actor, run, node), language_of(request)), status=201)
