"""REST of saved tests: a run becomes a test of its workflow, which is played offline whenever somebody asks."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs.log.encoding import decode
from backend.runs.models import WorkflowTest
from backend.runs.rerun import workflow_tests
from backend.runs.rerun.responses import TestResultJson, WorkflowTestJson, WorkflowTestListJson
from backend.runs.responses import moment
from backend.web.rest import ApiView, checked, page
from backend.workflows.selectors import graph_text, workflow_for

_ANY = serializers.JSONField


class SaveTestSerializer(serializers.Serializer[Any]):
    """Which run to save, and how the test is called."""

    run = serializers.CharField(max_length=40)
    name = serializers.CharField(max_length=workflow_tests.NAME)


class RunTestSerializer(serializers.Serializer[Any]):
    """With which document."""

    version = _ANY(required=False, allow_null=True, help_text='A version\'s number, or "draft" (the default).')


def shape(test: WorkflowTest) -> WorkflowTestJson:
    """A test as the API shows it."""
    return {
        "id": test.pk,
        "name": test.name,
        "run": test.run_id,
        "inputs": decode(test.inputs),
        "created_by": test.created_by.email if test.created_by else None,
        "created_at": moment(test.created_at),
        "result": decode(test.result),
    }


class TestsView(ApiView):
    """The tests of a workflow."""

    bound = ("GET",)

    @extend_schema(
        operation_id="workflow_tests_list",
        responses=WorkflowTestListJson,
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
    )
    def get(self, request: Request, workflow: str) -> Response:
        """The tests, newest first, each with its last result."""
        workflow_row = workflow_for(self.actor, workflow)
        return page(request, workflow_tests.tests_of(self.actor, workflow_row), shape)

    @extend_schema(operation_id="workflow_tests_create", request=SaveTestSerializer, responses={201: WorkflowTestJson})
    def post(self, request: Request, workflow: str) -> Response:
        """Save a run as a test: what tools, models and people answered, and what each node gave.

        409 where the run goes on or was cancelled.
        """
        workflow_row = workflow_for(self.actor, workflow)
        data = checked(SaveTestSerializer(data=request.data))
        test = workflow_tests.workflow_test_save(self.actor, workflow_row, data["run"], data["name"])
        return Response(shape(test), status=201)


class TestView(ApiView):
    """One test."""

    @extend_schema(operation_id="workflow_tests_delete", responses={204: None})
    def delete(self, request: Request, workflow: str, test: str) -> Response:
        """Delete the test."""
        workflow_row = workflow_for(self.actor, workflow)
        workflow_tests.workflow_test_delete(
            self.actor, workflow_tests.workflow_test_for(self.actor, workflow_row, test)
        )
        return Response(status=204)


class TestRunView(ApiView):
    """Playing a test."""

    bound = ("POST",)
    scopes = {"POST": "run"}

    @extend_schema(operation_id="workflow_tests_run", request=RunTestSerializer, responses=TestResultJson)
    def post(self, request: Request, workflow: str, test: str) -> Response:
        """Play the test offline with the draft or a version; per node whether it gives the same."""
        self.actor.require("editor")
        workflow_row = workflow_for(self.actor, workflow)
        row = workflow_tests.workflow_test_for(self.actor, workflow_row, test)
        version = checked(RunTestSerializer(data=request.data)).get("version")
        label = "draft" if version is None else str(version)
        text = graph_text(self.actor, workflow_row, label)
        result = workflow_tests.workflow_test_run(row, text, None if label in ("", "draft") else int(label))
        return Response(result)
