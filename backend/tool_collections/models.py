"""Collections and what is in them. Their tokens are API tokens that name the collection (`accounts.auth.audiences`)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.registry.models import Server
from backend.workflows.models import Workflow


def collection_id() -> str:
    """Public id of a collection."""
    return new_id("col")


def entry_id() -> str:
    """Public id of what is in a collection."""
    return new_id("ent")


def content_id() -> str:
    """Public id of a resource, template or prompt in a collection."""
    return new_id("cnt")


class Collection(models.Model):
    """A set of tools and workflows at `/mcp/{team}/{slug}`; while it is not `enabled` its tokens open nothing."""

    id = models.CharField(primary_key=True, max_length=40, default=collection_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="collections", db_index=False)
    name = models.CharField(max_length=200)
    slug = models.CharField(max_length=63)
    description = models.TextField(blank=True)
    enabled = models.BooleanField(default=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "slug"], name="collection_slug_once_per_team")]
        indexes: ClassVar = [models.Index(fields=["team", "-created_at", "-id"], name="collection_newest")]

    def __str__(self) -> str:
        return self.slug


class Entry(models.Model):
    """A tool of a server, or a workflow, as clients of a collection see it.

    `workflow` = what a call runs: the workflow itself, or the hidden one of a tool (`server` and `tool` set). `name` is
    the tool's for clients; `description` "" = that of the original. The original is pinned in the registry.
    """

    id = models.CharField(primary_key=True, max_length=40, default=entry_id, editable=False)
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="entries", db_index=False)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="collection_entries")
    server = models.ForeignKey(Server, on_delete=models.CASCADE, null=True, related_name="collection_entries")
    tool = models.CharField(max_length=255, blank=True)
    name = models.CharField(max_length=64)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["collection", "name"], name="entry_name_once")]

    def __str__(self) -> str:
        return self.name


class Content(models.Model):
    """A resource, a template of resources or a prompt of a server, as clients of a collection see it.

    `reference` = the URI, the template or the prompt's name, by which the server is asked. Clients ask for resources by
    the same URI, and for prompts by `name`. `description` "" = that of `original`, which is JSON of what the server
    listed when it was put in. `workflow` = what a reading runs, which is hidden.
    """

    class Kind(models.TextChoices):
        """What it is."""

        RESOURCE = "resource"
        TEMPLATE = "template"
        PROMPT = "prompt"

    id = models.CharField(primary_key=True, max_length=40, default=content_id, editable=False)
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="contents", db_index=False)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="collection_contents")
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="collection_contents")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    reference = models.TextField()
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    original = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["collection", "kind", "name"], name="content_name_once")
        ]

    def __str__(self) -> str:
        return self.name
