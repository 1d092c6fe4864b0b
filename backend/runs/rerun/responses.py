"""What the API answers about running again, and about saved tests."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypedDict

from backend.accounts.described import Help, Timestamp
from backend.json_types import JsonLike, JsonObject
from backend.runs.log.events import FrameJson

TestState: TypeAlias = Literal["SUCCESS", "ERROR", "CANCELLED", "WAITING"]
"""How a test ended; it is never paused."""


class AgainStepJson(TypedDict):
    """A step that is taken over."""

    node: str
    title: str
    type: str


class RunsAgainJson(AgainStepJson):
    """A step that runs, and why: it is the chosen one, it comes after one that runs, it did not end or failed, the
    document says something else of it, or knows it only now."""

    why: Literal["point", "after", "unfinished", "changed", "new"]
    rounds_kept: Annotated[int, Help("Finished rounds of an iteration or a loop that are taken over.")]


class GoesOnJson(AgainStepJson):
    """An iteration or a loop in a round of another that goes on: where, and how many of its rounds are taken over."""

    path: list[FrameJson]
    rounds_kept: int


class BelowJson(GoesOnJson):
    """A run that a step had started: how many of its steps and rounds are taken over where the step starts one again
    with the same inputs."""

    run: str
    workflow: Annotated[str, Help("Its name.")]
    steps_kept: int


class WriteJson(TypedDict):
    """A call that changed the world and will or may be made again. `run` and `step` = where it was made."""

    node: str
    run: str
    step: str
    server: str | None
    tool: str | None
    arguments: JsonLike | None
    at: Timestamp
    effect: Literal["write", "idempotent"]
    outcome: Annotated[Literal["done", "failed", "unknown"], Help("unknown = it may have happened.")]


class AgainJson(TypedDict):
    """What a retry or fork takes over, what it runs, and which writes will or may happen again (at most 200)."""

    origin_run: str
    origin_step: str | None
    origin_node: str | None
    kept: list[AgainStepJson]
    runs: list[RunsAgainJson]
    inside: list[GoesOnJson]
    below: list[BelowJson]
    writes: list[WriteJson]
    writes_total: int


class MissingAnswerJson(TypedDict):
    """What a step asked for and nobody recorded."""

    target: str
    arguments: JsonLike | None
    recorded: Annotated[JsonLike | None, Help("The arguments for which the same call was answered then.")]


class TestedNodeJson(TypedDict):
    """One node of a test's run. `expected` and `got` = `{output}`, `{error: code}`, `{skipped}` or null."""

    node: str
    title: str
    type: str
    status: Annotated[
        Literal["same", "differs", "missing", "unreached", "new"],
        Help("missing = it asked for what was not recorded; unreached = it ran then and not now."),
    ]
    expected: JsonLike | None
    got: JsonLike | None
    missing: list[MissingAnswerJson]


class TestResultJson(TypedDict):
    """How a test went: `ok` = every node gave the same, or is new."""

    ok: bool
    state: TestState
    version: Annotated[int | None, Help("null = the draft")]
    at: Timestamp
    ms: int
    nodes: list[TestedNodeJson]


class WorkflowTestJson(TypedDict):
    """A run saved as a test."""

    id: str
    name: str
    run: Annotated[str | None, Help("The run that it was made of; null once that is deleted.")]
    inputs: JsonObject
    created_by: Annotated[str | None, Help("E-mail.")]
    created_at: Timestamp
    result: Annotated[TestResultJson | None, Help("Of the last time it was run.")]


class WorkflowTestListJson(TypedDict):
    """One page of tests, newest first."""

    results: list[WorkflowTestJson]
    next: str | None
