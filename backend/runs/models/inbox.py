"""What reaches a run from outside its owner: messages, and the questions that people answer."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.runs.models.run import Run


class InboxMessage(models.Model):
    """Something for a run from outside its owner: answer, cancel, pause, resume, a child's end. `value` is JSON text.

    A child's end is told by its id (`interaction`) alone: the child's row says the rest, and never changes again.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="inbox")
    kind = models.CharField(max_length=10)
    interaction = models.CharField(max_length=40, blank=True)
    value = models.TextField(default="{}")
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.run_id} {self.kind}"


class Interaction(models.Model):
    """A question a run asks a person. Written with the run's `ask` record, answered once by anyone who may.

    `cause` = why a `recovery` is asked (`tools.types.Cause`). `approvers` = who must agree by the tool or node
    (`tools.approvers`), beside the run's own; `approvals` = JSON of the yes that were given,
    `[{by, at, values, changed, remember}]`: while it is open they are not enough.
    """

    class State(models.TextChoices):
        """What became of the question."""

        OPEN = "open"
        ANSWERED = "answered"
        EXPIRED = "expired"
        CANCELLED = "cancelled"

    id = models.CharField(primary_key=True, max_length=40, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="interactions", db_index=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="interactions", db_index=False)
    root_run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    node = models.CharField(max_length=63, blank=True)
    step = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=12)
    title = models.TextField()
    message = models.TextField(blank=True)
    tool = models.TextField(default="null")
    risk = models.TextField(default="null")
    schema = models.TextField(default="null")
    proposal = models.TextField(default="null")
    assignees = models.TextField(default="[]")
    evidence = models.TextField(default="null", db_default="null")
    cause = models.CharField(max_length=7, blank=True, default="", db_default="")
    approvers = models.CharField(max_length=11, blank=True, default="", db_default="")
    approvals = models.TextField(default="[]", db_default="[]")
    expires_at = models.FloatField(null=True)
    on_expire = models.CharField(max_length=8, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    answer = models.TextField(default="null")
    answered_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["team", "-created_at", "-id"], name="interaction_newest"),
            models.Index(fields=["team", "state", "-created_at", "-id"]),
            models.Index(fields=["state", "expires_at"]),
            models.Index(fields=["run", "state"], name="interaction_of_run"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} {self.state}"
