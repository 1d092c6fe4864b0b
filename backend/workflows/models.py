"""Workflows, every saved draft revision, and published versions. Graphs are stored as the text that was sent."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.covering import CoveringTexts
from backend.database.ids import new_id
from backend.database.rows import QuickJSONField, QuickRow


def workflow_id() -> str:
    """Public id of a workflow."""
    return new_id("wf")


class Workflow(QuickRow):
    """A named graph. The draft's text is here; older drafts are in `DraftRevision`, releases in `Version`.

    `node_count`, `problem_count` (errors) and `servers` (names of servers as the draft writes them) are noted when the
    draft is saved, so that lists need not read graphs. `hidden` = of a collection, which runs it for its clients: in no
    list, and nobody edits it; its runs are a model's calls (`hidden`).
    """

    id = models.CharField(primary_key=True, max_length=40, default=workflow_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="workflows", db_index=False)
    name = models.CharField(max_length=200)
    slug = models.CharField(max_length=63)
    description = models.TextField(blank=True)
    draft = models.TextField()  # JSON text of the graph
    revision = models.PositiveIntegerField(default=1)
    draft_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    draft_at = models.DateTimeField()
    node_count = models.PositiveIntegerField(default=0)
    problem_count = models.PositiveIntegerField(default=0)
    servers = QuickJSONField(default=list)
    published_version = models.PositiveIntegerField(null=True)
    expose_as_tool = models.BooleanField(default=False)
    expose_as_agent = models.BooleanField(default=False, db_default=False)  # at /a2a
    agent_card_public = models.BooleanField(default=False, db_default=False)  # its card needs no sign-in
    expose_as_agui = models.BooleanField(default=False, db_default=False)  # at /agui
    example = models.CharField(max_length=63, blank=True, db_default="", default="")  # the template it was made from
    tests_required = models.BooleanField(
        db_default=False, default=False
    )  # publishing demands that the saved tests pass
    hidden = models.BooleanField(default=False, db_default=False)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "slug"], name="workflow_slug_once_per_team")]
        indexes: ClassVar = [
            models.Index(fields=["team", "-updated_at", "-id"], name="workflow_changed"),
            CoveringTexts(  # what the list searches, without the drafts beside it
                fields=["team", "-updated_at", "-id", "name", "slug", "description", "example", "hidden"],
                name="workflow_words",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, and keep the names of servers in rows too: by them the registry counts who uses a server."""
        super().save(*args, **kwargs)
        fields = kwargs.get("update_fields")
        if fields is None or "servers" in fields:
            self._keep_names()

    def _keep_names(self) -> None:
        slugs = {name for name in self.servers if len(name) <= LONGEST_SERVER}
        kept = set(self.server_names.values_list("name", flat=True))
        if gone := kept - slugs:
            self.server_names.filter(name__in=gone).delete()
        new = [ServerName(team_id=self.team_id, workflow=self, name=name) for name in sorted(slugs - kept)]
        if new:
            ServerName.objects.bulk_create(new)


LONGEST_SERVER = 63
"""No server has a longer slug or id; what is longer in a draft names none."""


class ServerName(models.Model):
    """A server as a workflow's draft names it, by slug or id: one row of `Workflow.servers`."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+", db_index=False)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="server_names", db_index=False)
    name = models.CharField(max_length=LONGEST_SERVER)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["workflow", "name"], name="server_name_once")]
        indexes: ClassVar = [models.Index(fields=["team", "name", "workflow"], name="server_name_used")]

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.name}"


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

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    graph = models.TextField()
    note = models.TextField(blank=True)
    published_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["workflow", "number"], name="version_once")]
        indexes: ClassVar = [models.Index(fields=["workflow", "-published_at", "-id"], name="version_newest")]

    def __str__(self) -> str:
        return f"{self.workflow} v{self.number}"
