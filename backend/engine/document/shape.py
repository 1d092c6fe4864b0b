"""What a graph document is made of. Types for readers and mypy; `graph.read_graph` reads and `validate` checks.

A draft may hold anything, so code that reads drafts looks at what it takes. What a run was started with was checked
before: its snapshot is a `GraphJson`. Keys that are not listed are kept as they are.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from backend.json_types import JsonObject, JsonValue
from backend.tools.approvers import Approvers

OnError = Literal["fail", "continue", "port"]
Budget = Literal["tokens", "cost", "seconds", "tool_calls"]


class Point(TypedDict):
    """A place on the canvas."""

    x: float
    y: float


class Extent(TypedDict):
    """Width and height on the canvas."""

    width: float
    height: float


class RetryJson(TypedDict, total=False):
    """How often and how soon a failed step is repeated (`types.Retry`)."""

    max: int
    delay_s: float
    factor: float
    max_delay_s: float


class NodeJson(TypedDict):
    """A node. `parent` = the frame around it, `pinned` = outputs that a draft run uses instead of running it.

    `round` = of a container, what a draft run gives to one round inside, in place of what its config says.
    """

    id: str
    type: str
    v: NotRequired[int]
    title: NotRequired[str]
    parent: NotRequired[str | None]
    position: NotRequired[Point]
    size: NotRequired[Extent]
    config: NotRequired[JsonObject]
    on_error: NotRequired[OnError]
    retry: NotRequired[RetryJson | None]
    timeout_s: NotRequired[float | None]
    disabled: NotRequired[bool]
    pinned: NotRequired[JsonObject | None]
    round: NotRequired[JsonObject | None]


class EdgeJson(TypedDict):
    """An edge between the ports of two nodes."""

    id: str
    source: str
    source_port: NotRequired[str]
    target: str
    target_port: NotRequired[str]


class AnnotationJson(TypedDict):
    """A note, or a group around nodes."""

    id: str
    kind: Literal["note", "group"]
    text: str
    position: Point
    size: Extent
    color: NotRequired[str]


class VariableJson(TypedDict, total=False):
    """A variable: its first value, and whether it lasts for a conversation."""

    default: JsonValue
    scope: Literal["run", "conversation"]


class BudgetsJson(TypedDict, total=False):
    """What one run may use."""

    tokens: float
    cost: float
    seconds: float
    tool_calls: float
    on_limit: Literal["stop", "ask"]


class ConcurrencyJson(TypedDict, total=False):
    """How many runs of the workflow go on at once (`concurrency.Concurrency`)."""

    key: str
    limit: int
    when_busy: Literal["queue", "refuse"]


class GraphSettings(TypedDict, total=False):
    """What the runs of a document share."""

    language: str
    variables: dict[str, VariableJson]
    env: JsonObject
    mcp_servers: dict[str, JsonObject]
    budgets: BudgetsJson
    concurrency: ConcurrencyJson
    approvers: Approvers


class GraphJson(GraphSettings):
    """A document: the graph of a workflow, and what its runs share."""

    schema: Literal[1]
    nodes: list[NodeJson]
    edges: list[EdgeJson]
    annotations: NotRequired[list[AnnotationJson]]
