"""LLM node (L2): one round with a model. It may call tools once; what they answered stands in `tool_calls`.

Where there are many tools, rounds in which the model only searches them go before that one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NotRequired, TypedDict

from pydantic import Field

from backend.agents.attached import attached
from backend.agents.behaviour import BEHAVIOUR
from backend.agents.budgets import Budgets
from backend.agents.calling import Caller, CallRecord
from backend.agents.endings import ending_of, say_ending
from backend.agents.input_window import GivenWindow, has_earlier
from backend.agents.memory import checked_messages
from backend.agents.rounds import PromptChain, ask_model
from backend.agents.structured import fitted
from backend.agents.tool_search import ToolSearch
from backend.agents.toolset import AgentTools, Toolset, toolset, with_left_out
from backend.engine.document.types import Text, node_type, words
from backend.engine.execution.context import AnyContext, NodeContext
from backend.llm.types import ChatModel, ChatReply, ChatRequest, Message, Usage, UsageJson
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
    offer,
    output_schema_field,
    tool_search_field,
    tools_field,
)
from backend.nodes.expiring import Expiring, ExpiringValues
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue

ROUND = "round:1"
SEARCHES = 5
"""Rounds in which the model may only search tools."""


class LlmValues(ExpiringValues, ModelValues):
    """Its values when it runs."""

    messages: JsonValue
    tools: AgentTools
    tool_search: NotRequired[ToolSearch]  # not there in what runs of before have frozen
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
    tool_search: ToolSearch = tool_search_field()
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
    messages = checked_messages("messages", config["messages"])
    params, schema = an_object("params", config["params"]), config["output_schema"]
    earlier = has_earlier(messages)  # else there is nothing to shorten
    behaviour = ctx.behaviour(BEHAVIOUR) if earlier or config["tools"] else BEHAVIOUR
    budgets = Budgets(ctx)
    await budgets.refuse(ROUND)
    model = await chosen_model(ctx)
    messages = await attached(ctx, model, messages)
    tools = await toolset(ctx, config["tools"], offer(config, behaviour))
    messages = with_left_out(messages, tools, ctx.language)
    request = ChatRequest(messages, params=params, output_schema=None if tools else schema)
    window = GivenWindow(ctx, model, messages) if earlier and behaviour >= 3 else None
    asking = _Asking(ctx, model, tools, budgets, window)
    key, request, reply = await asking.rounds(request)
    say_ending(ctx, key, ending_of(reply, [tool.name for tool in tools.definitions]))
    usage, structured = asking.usage, None
    if tools and reply.tool_calls:
        await asking.call(key, reply)
    elif schema is not None:
        structured, more = await fitted(
            ctx,
            "answer",
            model,
            request.messages,
            reply.text,
            schema,
            params=params,
            thread=asking.thread,
            attached=reply.attached,
            window=window,
        )
        usage += more
    return {
        "text": reply.text,
        "tool_calls": asking.caller.log,
        "structured": structured,
        "reasoning": reply.reasoning,
        "usage": usage.as_json(),
        "finish": reply.finish,
        "model": reply.model or model.model,
    }


class _Asking:
    """The node's rounds: the one that counts, and those before it in which the model searches tools."""

    def __init__(
        self, ctx: AnyContext, model: ChatModel, tools: Toolset, budgets: Budgets, window: GivenWindow | None
    ) -> None:
        self.usage, self.caller, self.thread = Usage(), Caller(ctx, tools), PromptChain()
        self._ctx, self._model, self._tools, self._budgets, self._window = ctx, model, tools, budgets, window
        self._number = 1

    async def rounds(self, request: ChatRequest) -> tuple[str, ChatRequest, ChatReply]:
        """(key of the round that counts, its request, the reply); its calls are not made yet."""
        while True:
            key = f"round:{self._number}"
            searches = self._tools.searched and self._number <= SEARCHES
            offered = self._tools.definitions if searches or not self._tools.searched else self._tools.definitions[1:]
            request, reply = await self._ask(key, replace(request, tools=list(offered)))
            if not searches or not self.caller.only_looks(reply) or await self._budgets.used_up(f"{key}/more"):
                return key, request, reply
            messages = [*request.messages, *await self.call(key, reply)]
            request, self._number = replace(request, messages=messages), self._number + 1

    async def call(self, key: str, reply: ChatReply) -> list[Message]:
        """Make the calls of a round; gives the messages that follow."""
        allowed = await self._budgets.calls_allowed(key, len(reply.tool_calls))
        return await self.caller.round(key, self._number - 1, reply, allowed)

    async def _ask(self, key: str, request: ChatRequest) -> tuple[ChatRequest, ChatReply]:
        if self._window is None:
            reply = await ask_model(self._ctx, key, self._model, request, base=self.thread.follow(key, request))
        else:
            _, request, reply = await self._window.ask(key, request, self.thread)
        self.usage += reply.usage
        return request, reply
