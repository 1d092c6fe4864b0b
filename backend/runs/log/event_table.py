"""Which TypedDict says what stands in the `data` of an event, by type, and in the value of a record, by kind.

For the description of the API, and for tests.

Nothing that runs imports this. With several, each is of another writer: a planner's plan and the run both write FLOW_*.
"""

from __future__ import annotations

from typing import Any

from backend.agents.budgets import BudgetExceededData
from backend.agents.rounds import LlmFailureData, LlmRequestData, LlmResponseData
from backend.engine.execution.child import ChildResponseData
from backend.engine.execution.events import (
    AnsweredData,
    FailureData,
    PlanStartData,
    StepCancelData,
    StepErrorData,
    StepInitData,
    StepInputData,
    StepLogData,
    StepOutputData,
    StepProgressData,
    StepRetryData,
    StepSkipData,
    TextAddData,
    WaitingForInputData,
    WaitingForParamData,
    WaitingForStartData,
)
from backend.engine.execution.records import (
    AskValue,
    DrawnValue,
    EndValue,
    FaultValue,
    FollowValue,
    ItemsValue,
    OutcomeValue,
    RoundsValue,
    SleepValue,
)
from backend.runs.log.events import (
    FlowCancelData,
    FlowQueuedData,
    FlowResumeData,
    FlowStartData,
    FlowStopData,
    FlowSuccessData,
)
from backend.tools.types import AnswerJson, ToolRequestData

EVENT_DATA: dict[str, tuple[Any, ...]] = {
    "FLOW_QUEUED": (FlowQueuedData,),
    "FLOW_START": (FlowStartData, PlanStartData),
    "FLOW_RESUME": (FlowResumeData,),
    "FLOW_STOP": (FlowStopData,),
    "FLOW_SUCCESS": (FlowSuccessData,),
    "FLOW_FAILED": (FailureData,),
    "FLOW_CANCEL": (FlowCancelData,),
    "STEP_INIT": (StepInitData,),
    "STEP_INPUT": (StepInputData,),
    "STEP_OUTPUT": (StepOutputData,),
    "STEP_ERROR": (StepErrorData,),
    "STEP_SKIP": (StepSkipData,),
    "STEP_CANCEL": (StepCancelData,),
    "STEP_RETRY": (StepRetryData,),
    "STEP_LOG": (StepLogData,),
    "STEP_PROGRESS": (StepProgressData,),
    "STEP_WAITING_FOR_START": (WaitingForStartData,),
    "STEP_WAITING_FOR_PARAM": (WaitingForParamData,),
    "STEP_WAITING_FOR_INPUT": (WaitingForInputData,),
    "STEP_ANSWERED": (AnsweredData,),
    "TOOL_REQUEST": (ToolRequestData,),
    "TOOL_RESPONSE": (ChildResponseData,),
    "LLM_REQUEST": (LlmRequestData,),
    "LLM_RESPONSE": (LlmResponseData, LlmFailureData),
    "TEXT_ADD": (TextAddData,),
    "BUDGET_EXCEEDED": (BudgetExceededData,),
}

RECORD_VALUES: dict[str, tuple[Any, ...]] = {
    "start": (FollowValue,),
    "end": (EndValue,),
    "ask": (AskValue,),
    "answer": (AnswerJson,),
    "sleep": (SleepValue,),
    "value": (DrawnValue,),
    "fault": (FaultValue,),
    "rounds": (RoundsValue, ItemsValue),
    "outcome": (OutcomeValue,),
}
"""Where a record has a value of its own."""
