"""What the API answers about the questions of an outage."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from backend.accounts.described import Help, Timestamp


class OutageQuestionJson(TypedDict):
    """One of the questions."""

    id: str
    run: str
    node: str | None
    node_title: Annotated[str, Help("What the node is called in the run's graph.")]
    arguments: Annotated[str, Help("What the call was given, in a line, cut short.")]
    created_at: Timestamp
    called_at: Annotated[Timestamp | None, Help("When the call began; null where the log does not hold it any more.")]


class OutagePartJson(TypedDict):
    """The questions about one thing: a workflow, and in it a tool of a server (null where it was no tool)."""

    workflow: str
    workflow_name: str
    server: str | None
    tool: str | None
    title: str
    message: str
    count: int
    questions: list[OutageQuestionJson]


class OutageJson(TypedDict):
    """Open questions of the kind recovery that came one soon after the other."""

    id: str
    count: int
    first_at: Timestamp
    last_at: Timestamp
    parts: list[OutagePartJson]


class OutageListJson(TypedDict):
    """All of them, the last one first."""

    results: list[OutageJson]


class AnsweredJson(TypedDict):
    """What became of one question."""

    id: str
    answered: bool
    error: Annotated[Any | None, Help("Why not, as errors of this API are.")]


class AnsweredListJson(TypedDict):
    """Of each, in the order of the ids."""

    results: list[AnsweredJson]
