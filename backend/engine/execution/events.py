"""What stands in the `data` of the events that steps write, by type. Types for readers and mypy; nothing is checked.

Those of tools (`ToolRequestData`, `ToolResponseData`) are in `tools/types.py`, those of models in `llm/types.py` and
`agents/rounds.py`, those of runs (FLOW_*) in `runs/log/events.py`, which also has the table of all. The lines of a step
inside a step (`ctx.sub`) carry `parent` besides: the public id of the step around it.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from backend.json_types import JsonLike, JsonObject, JsonValue
from backend.tools.approvers import Approvers
from backend.tools.types import Action, InteractionKind, RiskJson, ToolName


class PartOfStep(TypedDict):
    """What the lines of a step inside a step say besides."""

    parent: NotRequired[str]


class StepInitData(PartOfStep):
    """STEP_INIT; of a planner's step also what was planned."""

    attempt: int
    name: NotRequired[str]
    tool: NotRequired[str]
    server: NotRequired[str]
    description: NotRequired[str]


class StepInputData(PartOfStep):
    """STEP_INPUT: the node's config with its values, frozen."""

    input: JsonObject
    pinned: NotRequired[Literal[True]]


class StepOutputData(PartOfStep):
    """STEP_OUTPUT: `port` = by which it goes on, null where none; `vars` = the variables that it set. Of a planner's
    step the output alone."""

    output: JsonObject
    port: NotRequired[str | None]
    vars: NotRequired[JsonObject]


class StepErrorData(PartOfStep):
    """STEP_ERROR: `port` and `output` where the run goes on in spite of it, `stopping` where it failed because the run
    ends, `unknown` = keys of writes of unknown outcome. Of a planner's step `category`, and whether there was one."""

    code: str
    params: JsonObject
    detail: JsonValue
    unknown: NotRequired[list[str] | Literal[True]]
    port: NotRequired[str]
    output: NotRequired[JsonObject]
    stopping: NotRequired[Literal[True]]
    category: NotRequired[str]


class StepSkipData(PartOfStep):
    """STEP_SKIP: the node is disabled and goes on by `port`, or a person declined a planner's step."""

    disabled: NotRequired[Literal[True]]
    port: NotRequired[str]
    declined: NotRequired[Literal[True]]
    reason: NotRequired[str]


class StepCancelData(PartOfStep):
    """STEP_CANCEL: `unknown` = keys of writes of unknown outcome."""

    unknown: NotRequired[list[str]]


class StepRetryData(PartOfStep):
    """STEP_RETRY: try `attempt` follows. Of a round with a model `call`, and the `fallback` that is asked instead."""

    attempt: int
    delay_ms: int
    code: str
    call: NotRequired[str]
    fallback: NotRequired[ModelName]


class ModelName(TypedDict):
    """A model of a provider."""

    provider: str
    model: str


class StepLogData(PartOfStep):
    """STEP_LOG: a line for people. `workflow` and `run` = the child run that begins, `facts` = what a planner notes,
    `code` = why a call was not made."""

    level: Literal["debug", "info", "warning", "error"]
    text: str
    workflow: NotRequired[str]
    run: NotRequired[str]
    facts: NotRequired[list[str]]
    code: NotRequired[str]


class StepProgressData(PartOfStep):
    """STEP_PROGRESS of the call `call`."""

    progress: float
    total: float | None
    message: str
    call: str | None


class TextAddData(PartOfStep):
    """TEXT_ADD: streamed text of the call `call` from `offset` (code points) on."""

    call: str
    text: str
    offset: int
    channel: str


class AskedData(PartOfStep):
    """What every event that shows a question says."""

    interaction: str
    key: str
    title: str
    message: str


class WaitingForStartData(AskedData):
    """STEP_WAITING_FOR_START: a call waits for a yes."""

    tool: ToolName | None
    arguments: JsonLike
    risk: RiskJson | None
    approvers: NotRequired[Approvers]


class WaitingForParamData(AskedData):
    """STEP_WAITING_FOR_PARAM: a form of what is missing."""

    schema: JsonObject | None
    params: JsonLike


class WaitingForInputData(AskedData):
    """STEP_WAITING_FOR_INPUT: any other question."""

    kind: InteractionKind


class AnsweredData(PartOfStep):
    """STEP_ANSWERED: `by` = the person's public id, `client` = the program in which they answered, by its own word."""

    interaction: str
    action: Action
    by: str
    reason: NotRequired[str]
    client: NotRequired[str]


class PlanStartData(TypedDict):
    """FLOW_START of a planner's plan (with a node)."""

    name: str
    risk: Literal["LOW", "MEDIUM", "HIGH"]
    reason: str


class FailureData(TypedDict):
    """FLOW_FAILED, of a plan without `node`."""

    code: str
    params: JsonObject
    detail: JsonValue
    node: NotRequired[str | None]
