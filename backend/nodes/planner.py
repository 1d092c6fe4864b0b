"""Planner node: works out the steps to a goal by itself and carries them out with tools, people in the loop.

Config and outputs: contract.md. The executor is `agents/planner/planner.py`; how its own risk and `auto_execute` go
together stands there.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from pydantic import Field

from backend.agents.budgets import AgentBudgets
from backend.agents.endings import ENDINGS
from backend.agents.memory import remembered
from backend.agents.planner.planner import Job, Limits, Planner, PlannerOutputs
from backend.agents.tool_search import ToolSearch
from backend.agents.toolset import AgentTools
from backend.engine.document.types import AnyValue, LongText, NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.nodes.ai import (
    FINISH_SCHEMA,
    MODEL_SCHEMA,
    PLACES,
    USAGE_SCHEMA,
    BudgetsValue,
    ModelConfig,
    ModelValues,
    ToolsValue,
    budgets_field,
    chosen_model,
    own_words,
    tool_search_field,
    tools_field,
)
from backend.nodes.expiring import Expiring, ExpiringValues
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue

ADVANCED: JsonObject = {"x-advanced": True}
Count = Annotated[int, Field(ge=1)]

_QUESTIONS = {
    "system": Text("Role and tools", "模型的角色与工具"),
    "flow_name": Text("Name of the task", "任务名称"),
    "flow_risk": Text("Risk of the task", "任务风险"),
    "next_step": Text("Next step", "下一步"),
    "parameters": Text("Arguments of a step", "步骤参数"),
    "tool_risk": Text("Risk of a call", "调用风险"),
    "param_error": Text("Whether the arguments caused the failure", "是否参数错误"),
    "error_message": Text("Failure in plain language", "用通俗的话说明失败"),
    "missing_parameters": Text("Missing arguments", "缺少的参数"),
    "mend_parameters": Text("Corrected arguments", "更正参数"),
    "summary": Text("Summary", "总结"),
    "facts": Text("Facts to note", "记录事实"),
    "known_facts": Text("Facts noted so far", "已记录的事实"),
    "same_step": Text("After repeating the same step", "重复相同步骤后"),
    "step_changed": Text("After a person changed a step", "有人修改步骤之后"),
}


def _own(name: str) -> Any:
    """A field for the node's own words; the form shows the ones it replaces."""
    label = _QUESTIONS[name]
    return Field(default="", **own_words(f"planner_{name}", label.en, label.zh))


class PlannerPrompts(NodeConfig):
    """The words said to the model; an empty one means those of the workflow's language."""

    system: LongText = _own("system")
    flow_name: LongText = _own("flow_name")
    flow_risk: LongText = _own("flow_risk")
    next_step: LongText = _own("next_step")
    parameters: LongText = _own("parameters")
    tool_risk: LongText = _own("tool_risk")
    param_error: LongText = _own("param_error")
    error_message: LongText = _own("error_message")
    missing_parameters: LongText = _own("missing_parameters")
    mend_parameters: LongText = _own("mend_parameters")
    summary: LongText = _own("summary")
    facts: LongText = _own("facts")
    known_facts: LongText = _own("known_facts")
    same_step: LongText = _own("same_step")
    step_changed: LongText = _own("step_changed")


class PlannerLimits(NodeConfig):
    """How far it goes."""

    max_steps: Count = Field(default=25, le=200, **words("Max steps", "最多步骤数"))
    max_errors: Count = Field(default=3, le=100, **words("Max failed steps", "最多失败步骤数"))
    max_attempts: Count = Field(default=5, le=20, **words("Max attempts per step", "每步最多尝试次数"))
    json_tries: Count = Field(default=3, le=10, **words("Max tries per structured answer", "结构化回答的最多尝试次数"))
    history_rounds: int = Field(default=3, ge=0, le=50, **words("History rounds", "历史轮数"))


class LimitValues(TypedDict):
    """How far it goes."""

    max_steps: int
    max_errors: int
    max_attempts: int
    json_tries: int
    history_rounds: int


class PlannerValues(ExpiringValues, ModelValues):
    """Its values when it runs."""

    goal: JsonValue
    tools: AgentTools
    tool_search: NotRequired[ToolSearch]  # not there in what runs of before have frozen
    auto_execute: bool
    history: JsonValue
    facts: NotRequired[JsonValue]  # not there in what runs of before have frozen
    budgets: AgentBudgets | None
    limits: LimitValues
    prompts: dict[str, JsonValue]  # by the names of `PlannerPrompts`


class PlannerConfig(Expiring, ModelConfig):
    """What is to be reached, with which model and tools."""

    goal: LongText = Field(**words("Goal", "目标"))
    tools: ToolsValue = tools_field()
    tool_search: ToolSearch = tool_search_field()
    auto_execute: bool = Field(
        default=False,
        **words(
            "Auto-approve",
            "自动执行",
            help=Text(
                "Calls ask a person only at high risk, and the model corrects arguments itself. A plan of medium or "
                "high risk still needs one approval.",
                "单次调用仅在高风险时询问，参数由模型自行更正。中、高风险的计划仍需确认一次。",
            ),
        ),
    )
    history: AnyValue = Field(
        default=None,
        **words(
            "Earlier messages",
            "先前的消息",
            help=Text(
                "Messages of the conversation so far. The limits set how many rounds are read.",
                "此前对话的消息；读取的轮数由限制决定。",
            ),
            extra=ADVANCED,
        ),
    )
    facts: AnyValue = Field(
        default=None,
        **words(
            "Known facts",
            "已知事实",
            help=Text(
                "A text or a list of texts with what is already known, such as the facts of another planner.",
                "一段文本或文本列表：已经知道的内容，例如另一个规划器的 facts。",
            ),
            extra=ADVANCED,
        ),
    )
    budgets: BudgetsValue = budgets_field()
    limits: PlannerLimits = Field(default_factory=PlannerLimits, **words("Limits", "限制", extra=ADVANCED))
    prompts: PlannerPrompts = Field(
        default_factory=PlannerPrompts, **words("Prompts", "提示词", extra={"x-widget": "prompts", **ADVANCED})
    )


@node_type(
    "planner",
    group="ai",
    title=Text("Planner", "规划器"),
    description=Text(
        "Plans the steps to a goal and carries them out with tools; asks a person where it matters.",
        "为目标规划步骤并使用工具逐步执行，在关键处征求人的意见。",
    ),
    config=PlannerConfig,
    effect="tool",
    raw=PLACES,
    secrets=PLACES,
    output_schema={
        "type": "object",
        "properties": {
            "text": {"type": "string", "title": "Summary", "x-zh": {"title": "总结"}},
            "name": {"type": "string", "title": "Name", "x-zh": {"title": "名称"}},
            "risk": {"enum": ["LOW", "MEDIUM", "HIGH"], "title": "Risk", "x-zh": {"title": "风险"}},
            "steps": {
                "type": "array",
                "title": "Steps",
                "x-zh": {"title": "步骤"},
                "items": {
                    "type": "object",
                    "properties": {
                        "tool": {"type": "string"},
                        "description": {"type": "string"},
                        "arguments": {"type": "object"},
                        "requested": {"type": "object"},
                        "result": {"type": "string"},
                        "state": {"enum": ["SUCCESS", "ERROR", "SKIPPED"]},
                    },
                },
            },
            "facts": {
                "type": "array",
                "title": "Facts",
                "x-zh": {"title": "事实"},
                "items": {"type": "string"},
            },
            "usage": USAGE_SCHEMA,
            "stopped": {
                "enum": ["done", "max_steps", "budget", "repeated", *ENDINGS],
                "title": "Stopped by",
                "x-zh": {"title": "结束原因"},
            },
            "finish": FINISH_SCHEMA,
            "model": MODEL_SCHEMA,
        },
        "additionalProperties": False,
    },
)
async def planner(ctx: NodeContext[PlannerValues]) -> PlannerOutputs:
    """The planner's outputs."""
    return await Planner(ctx, job_of(ctx.config, ctx.earlier_messages), lambda: chosen_model(ctx)).run()


def known_facts(value: JsonValue) -> list[str]:
    """Facts that a config gives: a text, a list, or nothing."""
    if value is None or value == "":
        return []
    return [to_text(item) for item in value] if isinstance(value, list) else [to_text(value)]


def job_of(config: PlannerValues, earlier: list[JsonValue]) -> Job:
    """What a config asks for; `earlier` = before in the conversation, where the config names no messages of its own.

    Raises ValidationFailed.
    """
    history = config["history"]
    limits = Limits(**config["limits"])
    return Job(
        goal=to_text(config["goal"]),
        tools=config["tools"],
        tool_search=config.get("tool_search", "automatic"),
        params=an_object("params", config["params"]),
        auto_execute=config["auto_execute"],
        budgets=config["budgets"],
        prompts=config["prompts"],
        facts=known_facts(config.get("facts")),
        history=remembered(earlier if history is None else history, limits.history_rounds),
        limits=limits,
    )
