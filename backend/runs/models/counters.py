"""What is counted in the commits that write the log: usage, spending, calls of servers, stored runs."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team


class StoredChange(models.Model):
    """By how much a change of a run changed what its team has stored; the database writes it (`log/stored_runs`)."""

    team_id = models.CharField(max_length=40)  # no key to the team: rows are written while all of it is deleted
    runs = models.BigIntegerField()
    events = models.BigIntegerField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["team_id", "runs", "events"], name="stored_change")]

    def __str__(self) -> str:
        return f"{self.team_id} {self.runs:+} {self.events:+}"


class Spending(models.Model):
    """What a team's models used on a day (UTC): counted with the line that says so, so each round counts once.

    `tokens` = in and out. Deleting runs gives nothing back.
    """

    id = models.BigAutoField(primary_key=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="spending", db_index=False)
    day = models.DateField()
    tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "day"], name="spending_once_a_day")]

    def __str__(self) -> str:
        return f"{self.team_id} {self.day}"


class Usage(models.Model):
    """What was used on a day (UTC), counted with the lines that say so: one row per combination of who and what.

    Ended runs have a workflow and a member, rounds with models a model (`provider/model`) too, tool calls a server.
    `runs` = those that people or triggers started. Several processes count in rows of their own (`part`), so that
    none waits for another. Names are looked up when read; deleting runs takes nothing away.
    """

    id = models.BigAutoField(primary_key=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="usage", db_index=False)
    day = models.DateField()
    workflow = models.CharField(max_length=40)
    member = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=200, blank=True)
    server = models.CharField(max_length=100, blank=True)
    part = models.PositiveSmallIntegerField(default=0)
    runs = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    cancelled = models.PositiveIntegerField(default=0)
    rounds = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0)
    tool_calls = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["team", "day", "workflow", "member", "model", "server", "part"], name="usage_once_a_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.team_id} {self.day} {self.workflow}"


class ServerCalls(models.Model):
    """How calls of a server's tools ended in an hour, counted with the lines that say so: a histogram of latencies.

    `server` = the slug under which it was called, `hour` = hours since 1970 (UTC), `bucket` = of the latency
    (`log.usage.bucket_of`). Kept for `log.usage.CALLS_KEPT_DAYS`. `part` as in `Usage`.
    """

    class Outcome(models.TextChoices):
        """How a call ended; "error" = it was answered, with an error that the tool reported."""

        ANSWERED = "answered"
        ERROR = "error"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="server_calls", db_index=False)
    server = models.CharField(max_length=100)
    hour = models.PositiveIntegerField()
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    bucket = models.PositiveSmallIntegerField()
    part = models.PositiveSmallIntegerField(default=0)
    calls = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["team", "server", "hour", "outcome", "bucket", "part"], name="server_calls_once_an_hour"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["hour", "team"], name="server_calls_old")]

    def __str__(self) -> str:
        return f"{self.team_id} {self.server} {self.hour}"
