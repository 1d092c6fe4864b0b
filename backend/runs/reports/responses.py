"""What the API answers about usage, spending and the queue."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from backend.accounts.described import Choices, Day, Help, Timestamp

BY = ("day", "workflow", "member", "model", "server")
"""By what usage is summed."""
SPANS = ("day", "month")
"""For how long calls of a server are shown: 24 hours, 30 days."""
STATES = ["ok", "near", "reached"]
"""Of a budget."""


class PlaceJson(TypedDict):
    """Where a run of the team stands in the queue."""

    run: str
    position: Annotated[int | None, Help("1 = next; null for one that waits for another run of its workflow.")]
    server: Annotated[
        str | None, Help("The server at which it waits for a place; empty where that is private to somebody else.")
    ]
    busy: Annotated[str | None, Help("The run that has the place of the workflow's concurrency key that it waits for.")]


class WorkerJson(TypedDict):
    """A process that runs take place in."""

    name: Annotated[str, Help("Machine and process number.")]
    running: int
    capacity: int
    age_s: Annotated[float, Help("Seconds since its start.")]
    seen_s: Annotated[float, Help("Seconds since it last said that it is there.")]


class QueueJson(TypedDict):
    """The installation's queue. `runs` names the team's own, the next first."""

    limit: Annotated[int, Help("Runs that may go on at the same time.")]
    running: int
    queued: int
    oldest_s: Annotated[float | None, Help("How long the next one has waited, seconds.")]
    runs: list[PlaceJson]
    workers: list[WorkerJson]


class AmountsJson(TypedDict):
    """What was used. `runs` = those that people or triggers started, counted on the day they ended."""

    runs: int
    failed: int
    cancelled: int
    rounds: Annotated[int, Help("Answers of models.")]
    input_tokens: int
    output_tokens: int
    cost: float
    tool_calls: int


class UsageRowJson(AmountsJson):
    """One day, workflow, member, model or server."""

    key: Annotated[str, Help("Day, id, `provider/model` or slug.")]
    name: Annotated[str | None, Help("null = it is gone")]


_UsageReportJson = TypedDict("_UsageReportJson", {"from": Day})


class UsageReportJson(_UsageReportJson):
    """What a team used in a span of days, in sums by one of its sides."""

    to: Day
    by: Annotated[str, Choices(BY)]
    total: AmountsJson
    results: list[UsageRowJson]


class CallsJson(TypedDict):
    """How calls of a server ended. Latencies are those of answers, to within a tenth."""

    calls: Annotated[int, Help("That ended; those that a person cancelled or that were not allowed do not count.")]
    errors: Annotated[int, Help("Answered, with an error that the tool reported.")]
    failed: Annotated[int, Help("Not answered: unreachable, too late, refused, or against the protocol.")]
    p50_ms: Annotated[float | None, Help("Half of the answers came within this time; null = no answers.")]
    p95_ms: Annotated[float | None, Help("So did 95 % of them.")]


class CallsAtJson(CallsJson):
    """The same of an hour or a day."""

    at: Annotated[Timestamp, Help("When it begins.")]


class ServerCallsJson(TypedDict):
    """How a server answered the team's runs over time."""

    span: Annotated[str, Choices(SPANS)]
    since: Annotated[Timestamp | None, Help("From when on calls are counted; null = none was counted yet.")]
    total: CallsJson
    results: Annotated[list[CallsAtJson], Help("By the hour or by the day (UTC), from `since` until now.")]


class StoredJson(TypedDict):
    """How many, and how large together."""

    count: int
    bytes: int


class StorageJson(TypedDict):
    """How much is stored: of the installation the database, of the team the rest."""

    database_bytes: int
    runs: int
    events: int
    oldest_run: Timestamp | None
    blobs: StoredJson
    files: StoredJson
    retention_days: Annotated[int, Help("Ended runs go after so many days; 0 = never.")]


class BudgetUseJson(TypedDict):
    """One budget of the team: what is used of it today."""

    name: Literal["tokens", "cost"]
    used: float
    limit: Annotated[float | None, Help("null = no limit")]
    share: Annotated[float | None, Help("1 = all of it")]
    state: Annotated[
        Annotated[str, Choices(STATES)], Help("near = from 80 %; reached = models are asked no more today")
    ]


class UnpricedJson(TypedDict):
    """A model without a price: what it uses counts as 0 cost."""

    provider: str
    model: str
    tokens: Annotated[int, Help("Used today.")]


class SpendingJson(TypedDict):
    """What the team's models used today (UTC)."""

    day: Day
    until: Annotated[Timestamp, Help("When the next day begins.")]
    state: Annotated[Annotated[str, Choices(STATES)], Help("The worst of both budgets.")]
    budgets: list[BudgetUseJson]
    unpriced: list[UnpricedJson]
