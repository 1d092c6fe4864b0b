"""Workflows, every saved draft revision, and published versions. Graphs are stored as the text that was sent."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id


def workflow_id() -> str:
    """Public id of a workflow."""
    return new_id("wf")


class Workflow(models.Model):
    """A named graph. The draft's text is here; older drafts are in `DraftRevision`, releases in `Version`.

    `node_count`, `problem_count` (errors) and `servers` (names of servers as the draft writes them) are noted when the
    draft is saved, so that lists need not read graphs.
    """

    id = models.CharField(primary_key=True, max_length=40, default=workflow_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="workflows")
    name = models.CharField(max_length=200)
    slug = models.CharField(max_length=63)
    description = models.TextField(blank=True)
    draft = models.TextField()  # JSON text of the graph
    revision = models.PositiveIntegerField(default=1)
    draft_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    draft_at = models.DateTimeField()
    node_count = models.PositiveIntegerField(default=0)
    problem_count = models.PositiveIntegerField(default=0)
    servers = models.JSONField(default=list)
    published_version = models.PositiveIntegerField(null=True)
    expose_as_tool = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "slug"], name="workflow_slug_once_per_team")]

    def __str__(self) -> str:
        return self.slug


class DraftRevision(models.Model):
    """One earlier save of a draft, kept for restoring."""

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="draft_revisions")
    revision = models.PositiveIntegerField()
    graph = models.TextField()
    by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["workflow", "revision"], name="draft_revision_once")]

    def __str__(self) -> str:
        return f"{self.workflow} revision {self.revision}"


class Version(models.Model):
    """A published graph; never changes."""

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    graph = models.TextField()
    note = models.TextField(blank=True)
    published_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["workflow", "number"], name="version_once")]

    def __str__(self) -> str:
        return f"{self.workflow} v{self.number}"
