"""LLM node (L2): one round with a model. It may call tools once; what they answered stands in `tool_calls`."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from backend.agents.attached import attached
from backend.agents.behaviour import BEHAVIOUR
from backend.agents.budgets import Budgets
from backend.agents.calling import Caller, CallRecord
from backend.agents.endings import ending_of, say_ending
from backend.agents.given_window import GivenWindow, has_earlier
from backend.agents.memory import given_messages
from backend.agents.rounds import PromptChain, ask_model
from backend.agents.structured import fitted
from backend.agents.toolset import AgentTools, toolset, with_left_out
from backend.engine.document.types import Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.llm.types import ChatRequest, UsageJson
from backend.nodes.ai import (
    CALLS_SCHEMA,
    FINISH_SCHEMA,
    MODEL_SCHEMA,
    PLACES,
    STRUCTURED,
    USAGE_SCHEMA,
    MessagesValue,
    ModelConfig,
    ModelValues,
    OutputSchema,
    ToolsValue,
    chosen_model,
    output_schema_field,
    tools_field,
)
from backend.nodes.expiring import Expiring, ExpiringValues
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue

ROUND = "round:1"


class LlmValues(ExpiringValues, ModelValues):
    """Its values when it runs."""

    messages: JsonValue
    tools: AgentTools
    output_schema: JsonObject | None


class LlmOutputs(TypedDict):
    """What it gives."""

    text: str
    tool_calls: list[CallRecord]
    structured: JsonValue
    reasoning: str
    usage: UsageJson
    finish: str
    model: str


class LlmConfig(Expiring, ModelConfig):
    """Which model, and what is said to it."""

    messages: MessagesValue = Field(**words("Messages", "消息"))
    tools: ToolsValue = tools_field()
    output_schema: OutputSchema = output_schema_field()


@node_type(
    "llm",
    group="ai",
    title=Text("LLM", "大模型"),
    description=Text(
        "One round with a language model, which can call tools once.", "与大模型进行一轮对话，可调用一次工具。"
    ),
    config=LlmConfig,
    effect="read",
    raw=PLACES | {"output_schema"},
    secrets=PLACES,
    output_schema={
        "type": "object",
        "properties": {
            "text": {"type": "string", "title": "Text", "x-zh": {"title": "文本"}},
            "tool_calls": CALLS_SCHEMA,
            "structured": STRUCTURED,
            "reasoning": {"type": "string", "title": "Reasoning", "x-zh": {"title": "推理过程"}},
            "usage": USAGE_SCHEMA,
            "finish": FINISH_SCHEMA,
            "model": MODEL_SCHEMA,
        },
        "additionalProperties": False,
    },
)
async def llm(ctx: NodeContext[LlmValues]) -> LlmOutputs:
    """The model's answer, and what its tool calls gave."""
    config = ctx.config
    messages = given_messages("messages", config["messages"])
    params, schema = an_object("params", config["params"]), config["output_schema"]
    fits = has_earlier(messages) and ctx.behaviour(BEHAVIOUR) >= 3  # else there is nothing to shorten
    budgets, thread = Budgets(ctx), PromptChain()
    await budgets.refuse(ROUND)
    model = await chosen_model(ctx)
    messages = await attached(ctx, model, messages)
    tools = await toolset(ctx, config["tools"])
    messages = with_left_out(messages, tools, ctx.language)
    request = ChatRequest(messages, list(tools.definitions), params, output_schema=None if tools else schema)
    window = GivenWindow(ctx, model, messages) if fits else None
    if window is None:
        reply = await ask_model(ctx, ROUND, model, request, base=thread.follow(ROUND, request))
    else:
        _, request, reply = await window.ask(ROUND, request, thread)
    say_ending(ctx, ROUND, ending_of(reply, [tool.name for tool in tools.definitions]))
    usage = reply.usage
    structured: JsonValue = None
    caller = Caller(ctx, tools)
    if tools and reply.tool_calls:
        allowed = await budgets.calls_allowed(ROUND, len(reply.tool_calls))
        await caller.round(ROUND, 0, reply, allowed)
    elif schema is not None:
        structured, more = await fitted(
            ctx,
            "answer",
            model,
            request.messages,
            reply.text,
            schema,
            params=params,
            thread=thread,
            attached=reply.attached,
            window=window,
        )
        usage += more
    return {
        "text": reply.text,
        "tool_calls": caller.log,
        "structured": structured,
        "reasoning": reply.reasoning,
        "usage": usage.as_json(),
        "finish": reply.finish,
        "model": reply.model or model.model,
    }
