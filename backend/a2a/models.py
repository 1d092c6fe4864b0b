"""What is kept of a run that is a task: its context, and the messages that started it and went on with it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.workflows.models import Workflow


class Task(models.Model):
    """A run that a client started by a message. `run` = its id, which is the task's; it has no key, for runs go in bulk
    and tell before.

    It is the member's alone whose token started it. `context` = the id that groups tasks, the client's own or ours.
    """

    run = models.CharField(primary_key=True, max_length=40)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+", db_index=False)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="+", db_index=False)
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+", db_index=False)
    context = models.CharField(max_length=128)
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["workflow", "person", "context"], name="a2a_task_context"),
            models.Index(fields=["workflow", "-created_at"], name="a2a_task_newest"),
            models.Index(fields=["team"], name="a2a_task_team"),
            models.Index(fields=["person"], name="a2a_task_person"),
        ]

    def __str__(self) -> str:
        return self.run


class Message(models.Model):
    """What a client said in a task. The same `message_id` of the same member is the same message, however often sent.

    `body` = JSON text of the message as the task's history tells it: files by their addresses, long texts cut.
    `question` = the question that it answered, "" for the one that started the task.
    """

    id = models.BigAutoField(primary_key=True)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="messages")
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="+", db_index=False)
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    message_id = models.CharField(max_length=128)
    question = models.CharField(max_length=40, blank=True, default="")
    body = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workflow", "person", "message_id"], name="a2a_message_once")
        ]

    def __str__(self) -> str:
        return f"{self.task_id} {self.message_id}"
