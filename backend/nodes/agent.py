"""Agent node (L3): a model works on a task with tools, round by round, until it answers. The loop is `agents.loop`."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field

from backend.agents.attached import attached
from backend.agents.behaviour import BEHAVIOUR
from backend.agents.budgets import AgentBudgets, Budgets
from backend.agents.endings import ENDINGS
from backend.agents.loop import AgentOutputs, Task, run_agent
from backend.agents.memory import content_of, remembered
from backend.agents.tool_search import ToolSearch
from backend.agents.toolset import AgentTools, toolset
from backend.engine.document.types import LongText, NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.llm.types import Message
from backend.nodes.ai import (
    CALLS_SCHEMA,
    FINISH_SCHEMA,
    MODEL_SCHEMA,
    PLACES,
    STRUCTURED,
    USAGE_SCHEMA,
    BudgetsValue,
    MemoryGiven,
    MemoryValue,
    ModelConfig,
    ModelValues,
    OutputSchema,
    ToolsValue,
    budgets_field,
    chosen_model,
    memory_field,
    offer,
    output_schema_field,
    own_words,
    tool_search_field,
    tools_field,
)
from backend.nodes.expiring import Expiring, ExpiringValues
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue

ADVANCED: JsonObject = {"x-advanced": True}


class AgentPrompts(NodeConfig):
    """The words said to the model; an empty one means those of the workflow's language."""

    last_answer: LongText = Field(default="", **own_words("last_answer", "When it must answer", "必须作答时"))
    no_more_calls: LongText = Field(
        default="", **own_words("no_more_calls", "When calls are used up", "工具调用次数用尽时")
    )
    call_failed: LongText = Field(default="", **own_words("call_failed", "After a failed call", "调用失败后"))
    call_unknown: LongText = Field(
        default="", **own_words("call_unknown", "After a call that may have happened", "调用可能已生效时")
    )
    bad_arguments: LongText = Field(
        default="", **own_words("bad_arguments", "After arguments that are not JSON", "参数不是 JSON 时")
    )
    unknown_tool: LongText = Field(
        default="", **own_words("unknown_tool", "After a tool that does not exist", "调用不存在的工具后")
    )
    final_json: LongText = Field(default="", **own_words("final_json", "Request for JSON", "要求输出 JSON"))
    as_json: LongText = Field(
        default="", **own_words("as_json", "After an answer that does not match", "回答不符合 Schema 后")
    )
    same_call: LongText = Field(default="", **own_words("same_call", "After repeating the same call", "重复相同调用后"))
    tool_data: LongText = Field(default="", **own_words("tool_data", "Before a tool's result", "工具结果之前"))
    call_changed: LongText = Field(
        default="", **own_words("call_changed", "After a person changed a call", "有人修改调用之后")
    )
    shortened: LongText = Field(default="", **own_words("shortened", "In place of omitted content", "省略内容处"))


class AgentValues(ExpiringValues, ModelValues):
    """Its values when it runs."""

    system_prompt: JsonValue
    query: JsonValue
    tools: AgentTools
    tool_search: NotRequired[ToolSearch]  # not there in what runs of before have frozen
    max_iterations: int
    auto_execute: bool
    output_schema: JsonObject | None
    memory: MemoryGiven | None
    budgets: AgentBudgets | None
    parallel_tool_calls: bool
    prompts: dict[str, JsonValue]  # by the names of `AgentPrompts`


class AgentConfig(Expiring, ModelConfig):
    """Which model, what it is to do, and with what."""

    system_prompt: LongText = Field(default="", **words("System prompt", "系统提示词"))
    query: LongText = Field(**words("Task", "任务"))
    tools: ToolsValue = tools_field()
    tool_search: ToolSearch = tool_search_field()
    max_iterations: Annotated[int, Field(ge=1, le=200)] = Field(
        default=10,
        **words(
            "Max rounds",
            "最多轮数",
            help=Text("After that, it must answer without tools.", "之后必须不使用工具直接作答。"),
        ),
    )
    auto_execute: bool = Field(
        default=False,
        **words(
            "Auto-approve",
            "自动执行",
            help=Text("Asks a person only at high risk.", "仅在高风险时询问。"),
        ),
    )
    output_schema: OutputSchema = output_schema_field()
    memory: MemoryValue = memory_field()
    budgets: BudgetsValue = budgets_field()
    parallel_tool_calls: bool = Field(default=True, **words("Parallel tool calls", "并行调用工具", extra=ADVANCED))
    prompts: AgentPrompts = Field(
        default_factory=AgentPrompts, **words("Prompts", "提示词", extra={"x-widget": "prompts", **ADVANCED})
    )


@node_type(
    "agent",
    group="ai",
    title=Text("Agent", "智能体"),
    description=Text(
        "A model works on a task with tools until it has the answer.", "大模型使用工具完成任务，直到得出回答。"
    ),
    config=AgentConfig,
    effect="tool",
    raw=PLACES | {"output_schema"},
    secrets=PLACES,
    output_schema={
        "type": "object",
        "properties": {
            "text": {"type": "string", "title": "Text", "x-zh": {"title": "文本"}},
            "tool_calls": CALLS_SCHEMA,
            "iterations": {"type": "integer", "title": "Rounds", "x-zh": {"title": "轮数"}},
            "structured": STRUCTURED,
            "usage": USAGE_SCHEMA,
            "stopped": {
                "enum": ["done", "max_iterations", "budget", *ENDINGS],
                "title": "Stopped by",
                "x-zh": {"title": "结束原因"},
            },
            "finish": FINISH_SCHEMA,
            "model": MODEL_SCHEMA,
        },
        "additionalProperties": False,
    },
)
async def agent(ctx: NodeContext[AgentValues]) -> AgentOutputs:
    """The answer and how it came about."""
    config, behaviour = ctx.config, ctx.behaviour(BEHAVIOUR)
    memory = config["memory"]
    system = to_text(config["system_prompt"]).strip()
    messages: list[Message] = [{"role": "system", "content": system}] if system else []
    if memory:
        configured = memory.get("messages")
        messages += remembered(ctx.earlier_messages if configured is None else configured, memory.get("window", 0))
    messages.append({"role": "user", "content": content_of(config["query"])})
    model = await chosen_model(ctx)
    task = Task(
        messages=await attached(ctx, model, messages),
        params=an_object("params", config["params"]),
        max_iterations=config["max_iterations"],
        parallel_tool_calls=config["parallel_tool_calls"],
        auto_execute=config["auto_execute"],
        output_schema=config["output_schema"],
        prompts=config["prompts"],
        behaviour=behaviour,
    )
    tools = await toolset(ctx, config["tools"], offer(config, behaviour), client=True)
    outcome = await run_agent(ctx, model, tools, task, Budgets(ctx, config["budgets"]))
    return outcome.as_json()
