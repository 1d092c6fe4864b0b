"""The words that providers, agents and nodes share: messages, requests, replies, deltas, usage. All plain JSON.

A message is `{role, content, tool_calls?, tool_call_id?}`. `role` = system, user, assistant or tool. `content` = a
text, or a list of parts `{type: "text", text}` and `{type: "image", mime, data (base64)}` or `{type: "image", url}`.
`tool_calls` = `[{id, name, arguments}]` with `arguments` as the text that the model wrote, valid JSON or not.

A message of the assistant, and each of its calls, may carry `attached`: what the model added to it (`{model, fields}`
at the message, the bare fields at a call). It is opaque and goes back with the message to the same model only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NotRequired, Protocol, TypeAlias, TypedDict

from backend.json_types import JsonLike as JsonLike
from backend.json_types import JsonObject as JsonObject
from backend.json_types import JsonValue as JsonValue

Channel = Literal["text", "reasoning"]
OnDelta = Callable[[Channel, str], None]
"""Told each piece of text as it arrives; cheap, never blocks."""


class Attached(TypedDict):
    """What a model added to its message: the model that it goes back to (`slug/id`), the fields as they came."""

    model: str
    fields: JsonObject


class ToolCallJson(TypedDict):
    """A call in a message of the assistant."""

    id: str
    name: str
    arguments: str
    attached: NotRequired[JsonObject]


Content: TypeAlias = str | list[JsonObject]
"""What a message says: a text, or parts."""


class Message(TypedDict):
    """One message of a conversation (see above)."""

    role: str
    content: Content
    name: NotRequired[str]
    tool_calls: NotRequired[list[ToolCallJson]]
    tool_call_id: NotRequired[str]
    attached: NotRequired[Attached]


class ToolDefinitionJson(TypedDict):
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: JsonObject


class UsageJson(TypedDict):
    """What a round used; journals of before may lack any of it."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost: float
    estimated: NotRequired[Literal[True]]


class ReplyJson(TypedDict):
    """A reply as journaled."""

    text: str
    reasoning: str
    tool_calls: list[ToolCallJson]
    usage: UsageJson
    finish: str
    ms: float
    attached: NotRequired[Attached]
    model: NotRequired[str]


class RequestJson(TypedDict):
    """A request as its fingerprint sees it."""

    messages: list[Message]
    tools: list[ToolDefinitionJson]
    params: JsonObject
    output_schema: JsonObject | None
    parallel_tool_calls: bool


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model sees it; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: JsonObject

    def as_json(self) -> ToolDefinitionJson:
        """`{name, description, parameters}`."""
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool. `arguments` is the text it wrote; `attached` goes back with the call."""

    id: str
    name: str
    arguments: str
    attached: JsonObject = field(default_factory=dict)

    def as_json(self) -> ToolCallJson:
        """`{id, name, arguments, attached?}`."""
        call: ToolCallJson = {"id": self.id, "name": self.name, "arguments": self.arguments}
        return {**call, "attached": self.attached} if self.attached else call

    @classmethod
    def from_json(cls, value: ToolCallJson) -> ToolCall:
        """Inverse of `as_json`."""
        return cls(value["id"], value["name"], value["arguments"], value.get("attached") or {})


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one round; `cost` in the currency of the model's prices, 0 where none are known. `estimated`: the
    endpoint said nothing, so the numbers are ours."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float = 0.0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cost + other.cost,
            self.estimated or other.estimated,
        )

    def as_json(self) -> UsageJson:
        """`{input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost, estimated?}`."""
        used: UsageJson = {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cost": self.cost,
        }
        return {**used, "estimated": True} if self.estimated else used

    @classmethod
    def from_json(cls, value: UsageJson | None) -> Usage:
        """Inverse of `as_json`; absent numbers are 0."""
        if not value:
            return cls()
        return cls(
            int(value.get("input_tokens") or 0),
            int(value.get("output_tokens") or 0),
            int(value.get("cached_tokens") or 0),
            int(value.get("reasoning_tokens") or 0),
            float(value.get("cost") or 0.0),
            bool(value.get("estimated")),
        )


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One round. `params` = temperature, top_p, max_tokens, … passed on as they are. `output_schema` asks for JSON that
    fits it: by the endpoint's own means where the model has them, else by words in the prompt."""

    messages: list[Message]
    tools: list[ToolDefinition] = field(default_factory=list)
    params: JsonObject = field(default_factory=dict)
    output_schema: JsonObject | None = None
    parallel_tool_calls: bool = True

    def as_json(self) -> RequestJson:
        """For fingerprints."""
        return {
            "messages": self.messages,
            "tools": [tool.as_json() for tool in self.tools],
            "params": self.params,
            "output_schema": self.output_schema,
            "parallel_tool_calls": self.parallel_tool_calls,
        }


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model said. `finish` = stop, length, content_filter, tool_calls, refusal, or as the endpoint has it.

    `attached` = `{model, fields}`: what goes back with the message. `model` = the name of the model that answered.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    usage: Usage = Usage()
    finish: str = "stop"
    ms: float = 0.0
    attached: Attached | None = None
    model: str = ""

    def as_json(self) -> ReplyJson:
        """As journaled, and the data of LLM_RESPONSE besides `call`."""
        reply: ReplyJson = {
            "text": self.text,
            "reasoning": self.reasoning,
            "tool_calls": [call.as_json() for call in self.tool_calls],
            "usage": self.usage.as_json(),
            "finish": self.finish,
            "ms": round(self.ms, 3),
        }
        if self.attached:
            reply["attached"] = self.attached
        if self.model:
            reply["model"] = self.model
        return reply

    @classmethod
    def from_json(cls, value: ReplyJson) -> ChatReply:
        """Inverse of `as_json`."""
        return cls(
            text=str(value.get("text") or ""),
            reasoning=str(value.get("reasoning") or ""),
            tool_calls=[ToolCall.from_json(call) for call in value.get("tool_calls") or []],
            usage=Usage.from_json(value.get("usage")),
            finish=str(value.get("finish") or "stop"),
            ms=float(value.get("ms") or 0.0),
            attached=value.get("attached") or None,
            model=str(value.get("model") or ""),
        )

    def message(self) -> Message:
        """The reply as the assistant's message of the next round."""
        message: Message = {"role": "assistant", "content": self.text}
        if self.tool_calls:
            message["tool_calls"] = [call.as_json() for call in self.tool_calls]
        return {**message, "attached": self.attached} if self.attached else message


class ChatModel(Protocol):
    """One model of one provider. `features` = what it can do (tools, vision, json_schema, reasoning), None = unknown.

    Not journaled: rounds go through `ctx.effect` (`backend.agents.rounds`).
    """

    @property
    def provider(self) -> str:
        """Slug of the provider."""
        ...

    @property
    def model(self) -> str:
        """Id of the model as the endpoint knows it."""
        ...

    @property
    def features(self) -> frozenset[str] | None:
        """What the model can do, None where nobody said."""
        ...

    async def chat(self, request: ChatRequest, on_delta: OnDelta) -> ChatReply:
        """Ask once, streaming. `usage.cost` is filled from the model's prices.

        Raises LlmError (LlmRateLimited with `params.retry_after` seconds where the endpoint said), NetworkBlocked.
        """
        ...


def context_of(model: ChatModel) -> int | None:
    """How many tokens fit into one conversation with a model; None where nobody said."""
    context = getattr(model, "context", None)
    return context if isinstance(context, int) and context > 0 else None


@dataclass(frozen=True, slots=True)
class Featured:
    """A ChatModel of which something else is said (what it can do, its context): as it was when a run first saw it."""

    inner: ChatModel
    features: frozenset[str] | None
    context: int | None = None

    @property
    def provider(self) -> str:
        """Slug of the provider."""
        return self.inner.provider

    @property
    def model(self) -> str:
        """Id of the model as the endpoint knows it."""
        return self.inner.model

    async def chat(self, request: ChatRequest, on_delta: OnDelta) -> ChatReply:
        """As the inner one."""
        return await self.inner.chat(request, on_delta)
