"""Conversations of a chat and their turns, each of which is a run."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.workflows.models import Workflow


def conversation_id() -> str:
    """Public id of a conversation."""
    return new_id("conv")


def turn_id() -> str:
    """Public id of a turn of a conversation."""
    return new_id("turn")


class Conversation(models.Model):
    """What one person and a workflow say to each other through a chat (`trigger_id`), each turn a run of its own.

    It is the person's alone; of somebody without an account nobody's. `visitor` = digest of the key that leads to
    one on a page. `head` = the last of the turns that are shown. `draft` = its runs take the draft. `updated_at` = when
    something was written last.
    """

    id = models.CharField(primary_key=True, max_length=40, default=conversation_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="+")
    trigger_id = models.CharField(max_length=40)
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    visitor = models.CharField(max_length=64, blank=True, default="", db_default="")
    title = models.CharField(max_length=200, blank=True)
    draft = models.BooleanField(default=False)
    head = models.CharField(max_length=40, blank=True, default="")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["person", "team", "-updated_at", "-id"], name="conversation_newest"),
            models.Index(
                fields=["trigger_id", "person", "draft", "-updated_at", "-id"], name="conversation_of_trigger"
            ),
            models.Index(fields=["trigger_id", "-updated_at", "-id"], name="conversation_on_page"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["trigger_id", "visitor"], name="conversation_of_visitor", condition=models.Q(visitor__gt="")
            ),
        ]

    def __str__(self) -> str:
        return self.id


class Turn(models.Model):
    """What a person said, and what the run that it started answered.

    It goes on from `parent`; those of one parent are versions of the same message. `answer`, `calls` (what tools were
    called) and `variables` (those that last, as they were then) are JSON texts, written in the commit that ends the
    run; "" before, and where nobody knows. `refs` = JSON list of those that stand in a blob of the run. A turn whose
    run was deleted says nothing any more, and has no `run`.
    """

    id = models.CharField(primary_key=True, max_length=40, default=turn_id, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns", db_index=False)
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="after")
    run = models.CharField(max_length=40, blank=True)
    text = models.TextField(blank=True)
    files = models.TextField(default="[]")
    answer = models.TextField(blank=True, default="")
    calls = models.TextField(blank=True, default="")
    variables = models.TextField(blank=True, default="")
    refs = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["conversation", "created_at", "id"], name="turn_in_order"),
            models.Index(fields=["run"], name="turn_of_run", condition=models.Q(run__gt="")),
        ]

    def __str__(self) -> str:
        return f"{self.conversation_id} {self.id}"
