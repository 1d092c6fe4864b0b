"""What runs wrote down: their one log, and the blobs that they refer to."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.files.models import Blob
from backend.runs.models.run import Run


class LogLine(models.Model):
    """One line of a run's log: an event (`seq` set), a journal record (`record` set), or both.

    `position` orders all lines of a run, `seq` numbers its events without gaps. `path` is JSON text
    `[["each", 12]]`; `data` is the event's JSON text, `value` the record's where it differs from `data`. `refs` names
    what stands in a blob, as JSON text: `["value", "data.output"]`; only there is a `{"$ref": id}` ours.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="log", db_index=False)
    position = models.PositiveBigIntegerField()
    seq = models.PositiveBigIntegerField(null=True)
    ts = models.FloatField()
    type = models.CharField(max_length=40, blank=True)
    node = models.CharField(max_length=63, blank=True)
    path = models.TextField(blank=True)
    step = models.CharField(max_length=40, blank=True)
    attempt = models.PositiveIntegerField(default=1)
    record = models.CharField(max_length=10, blank=True)
    key = models.CharField(max_length=200, blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    effect_kind = models.CharField(max_length=10, blank=True)
    interaction = models.CharField(max_length=40, blank=True)
    fence = models.PositiveIntegerField()
    refs = models.TextField(blank=True)
    data = models.TextField(blank=True)
    value = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "position"], name="log_position_once"),
            models.UniqueConstraint(fields=["run", "seq"], name="log_seq_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["run", "key", "position"], name="log_rounds", condition=models.Q(record="rounds"))
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.position} {self.type or self.record}"


class RunBlob(models.Model):
    """A blob that a run's log, inputs or outputs refer to; a blob that nothing refers to is deleted with its runs."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="blobs")
    blob = models.ForeignKey(Blob, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "blob"], name="run_blob_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.blob_id}"
