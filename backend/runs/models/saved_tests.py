"""Runs that were saved as tests of their workflow."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.runs.models.run import Run
from backend.workflows.models import Workflow


def test_id() -> str:
    """Public id of a saved test."""
    return new_id("test")


class WorkflowTest(models.Model):
    """A run saved as a test of its workflow: what it was given, what the world answered, what its nodes gave.

    `recorded` = the journal records that stand for the world, `expected` = the outcome of each node, both JSON text.
    A test outlives the run that it was made of.
    """

    id = models.CharField(primary_key=True, max_length=40, default=test_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+", db_index=False)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="tests", db_index=False)
    name = models.CharField(max_length=200)
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    inputs = models.TextField(default="{}")
    recorded = models.TextField(default="[]")
    expected = models.TextField(default="{}")
    result = models.TextField(default="null")  # of the last time it was run
    tried_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["workflow", "name"], name="workflow_test_name_once")]

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.name}"
