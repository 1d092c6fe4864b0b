"""Triggers of workflows, and what came of each time one was called, due or met."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.files.models import Blob
from backend.workflows.models import Workflow


def trigger_id() -> str:
    """Public id of a trigger."""
    return new_id("trg")


def delivery_id() -> str:
    """Public id of a delivery."""
    return new_id("dlv")


class Trigger(models.Model):
    """What starts a workflow's published version. Times that are compared are epoch seconds of the database's clock.

    `config` = JSON text of what its kind takes (`kinds`). `acts_as` = the member who switched it on, in whose name its
    runs go; of a chat, and of a page for members, nobody, for each run goes in the name of whoever wrote. `off_reason`
    = why it is off where no person switched it off. A webhook, and a page by a secret link, have the hash of their
    address's token and its last characters; a schedule the next slot (`next_at`) and the moment that intervals count
    from (`since`); an event the moment up to which it has seen what happened (`since`) and what it knows (`seen`,
    JSON).
    """

    class Kind(models.TextChoices):
        """What it waits for."""

        WEBHOOK = "webhook"
        SCHEDULE = "schedule"
        EVENT = "event"
        CHAT = "chat"
        PAGE = "page"

    class Off(models.TextChoices):
        """Why it is off though nobody switched it off."""

        LEFT = "left"
        ROLE = "role"
        FAILURES = "failures"
        RESTORED = "restored"

    id = models.CharField(primary_key=True, max_length=40, default=trigger_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="triggers", db_index=False)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="triggers", db_index=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=200)
    enabled = models.BooleanField(default=False)
    config = models.TextField(default="{}")
    acts_as = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    off_reason = models.CharField(max_length=10, choices=Off.choices, blank=True, default="")
    off_at = models.DateTimeField(null=True)
    enabled_at = models.DateTimeField(null=True)
    token_hash = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - NULLs do not collide
    token_end = models.CharField(max_length=8, blank=True, default="")
    next_at = models.FloatField(null=True)
    since = models.FloatField(default=0)
    seen = models.TextField(default="{}")
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["team", "-created_at", "-id"], name="trigger_newest"),
            models.Index(fields=["workflow", "-created_at", "-id"], name="trigger_of_workflow"),
            models.Index(fields=["next_at"], name="trigger_due", condition=models.Q(enabled=True)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Delivery(models.Model):
    """One time that a trigger was called, due or met: what came, what was answered, which run it is.

    `slot` = the moment or the thing that it is about, once per trigger: whoever is killed, one slot starts one run.
    `request` = JSON text of what came (of a large one it stands in `blob`), without credentials. `error` = JSON of why
    there is no run.
    """

    class Outcome(models.TextChoices):
        """What became of it."""

        STARTED = "started"
        SAME = "same"
        SKIPPED = "skipped"
        MISSED = "missed"
        REFUSED = "refused"
        FAILED = "failed"

    id = models.CharField(primary_key=True, max_length=40, default=delivery_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+", db_index=False)
    trigger = models.ForeignKey(Trigger, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    slot = models.CharField(max_length=120, null=True)  # noqa: DJ001 - NULLs do not collide in the constraint
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    status = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(default="null")
    run = models.CharField(max_length=40, blank=True, default="")
    replay_of = models.CharField(max_length=40, blank=True, default="")
    request = models.TextField(blank=True, default="")
    blob = models.ForeignKey(Blob, on_delete=models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["trigger", "slot"], name="trigger_slot_once")]
        indexes: ClassVar = [
            models.Index(fields=["trigger", "-created_at", "-id"], name="delivery_newest"),
            models.Index(fields=["created_at"], name="delivery_age"),
            models.Index(fields=["run"], name="delivery_run", condition=models.Q(run__gt="")),
        ]

    def __str__(self) -> str:
        return f"{self.trigger_id} {self.outcome} {self.id}"
