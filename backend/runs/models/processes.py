"""What the processes of an installation say of themselves, and whose turn a maintenance job is."""

from __future__ import annotations

from django.db import models


class WorkerSeen(models.Model):
    """A worker of a scaled installation as it last said of itself. Times are epoch seconds of the database's clock."""

    owner = models.CharField(primary_key=True, max_length=80)
    running = models.PositiveIntegerField(default=0)
    capacity = models.PositiveIntegerField()
    started_at = models.FloatField()
    seen_at = models.FloatField()

    def __str__(self) -> str:
        return self.owner


class Chore(models.Model):
    """Work that one process of the installation does now and then. Times are epoch seconds of the database's clock."""

    name = models.CharField(primary_key=True, max_length=40)
    owner = models.CharField(max_length=80, blank=True)
    until = models.FloatField(default=0)  # whose turn it is, until then unless prolonged
    done_at = models.FloatField(default=0)

    def __str__(self) -> str:
        return self.name
