"""One round with a model as a journaled effect, repeated where that may help; and answers that must be JSON.

A round that ended is never asked again: a replay gets the reply that the journal holds. A round that fails because
the endpoint is busy, slow or away is repeated, each repeat announced by STEP_RETRY; the `openai` client repeats nothing
by itself. The log of a conversation grows with what was said: LLM_REQUEST names the request it goes on from (`base`)
and holds only the messages that are new.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NotRequired, Protocol, TypedDict

from backend.agents.attached import without_bytes, without_files
from backend.agents.fallback import fell_back
from backend.agents.prompting import prompt
from backend.agents.reading import NotJson, read_json
from backend.engine.execution.events import StepRetryData
from backend.errors import LlmBadResponse, LlmError
from backend.llm.faults import RAW_LIMIT
from backend.llm.types import (
    Channel,
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    ReplyJson,
    ToolCallJson,
    ToolDefinitionJson,
    Usage,
)
from backend.tools.schemas import errors_in
from backend.tools.types import CallError, EffectHandle, EffectKind, Event, JsonLike, JsonObject, JsonValue, T

REPEATS = 3
"""How often a failed round is asked again."""
FIRST_DELAY_S, FACTOR, MAX_DELAY_S = 1.0, 2.0, 10.0
MAX_RETRY_AFTER_S = 60.0
"""Longest wait that an endpoint may order."""


class BaseJson(TypedDict):
    """The request that another goes on from."""

    call: str
    messages: int
    tools: bool


class LlmRequestData(TypedDict):
    """LLM_REQUEST: what is not in the request it goes on from."""

    call: str
    provider: str
    model: str
    messages: list[Message]
    tools: list[ToolDefinitionJson] | None
    params: JsonObject
    base: BaseJson | None
    parent: NotRequired[str]


class LlmResponseData(ReplyJson):
    """LLM_RESPONSE."""

    call: str
    parent: NotRequired[str]


class LlmFailureData(TypedDict):
    """LLM_RESPONSE of a round that failed: nothing was said, nothing is known to be used."""

    call: str
    text: str
    reasoning: str
    tool_calls: list[ToolCallJson]
    usage: JsonObject
    finish: Literal["error"]
    ms: float
    error: CallError
    detail: NotRequired[JsonValue]
    parent: NotRequired[str]


class RoundContext(Protocol):
    """What a round needs of its step; a node's context and a step inside one both have it."""

    @property
    def language(self) -> str:
        """The run's language: "en" or "zh"."""
        ...

    async def effect(
        self,
        key: str,
        call: Callable[[EffectHandle], Awaitable[T]],
        kind: EffectKind,
        *,
        target: str,
        arguments: JsonLike = None,
        started: Event | None = None,
        ended: Callable[[T], Event] | None = None,
    ) -> T:
        """Run `call` once and journal its JSON result under `key`, or give back what the journal holds."""
        ...

    def emit(self, key: str, type: str, data: Mapping[str, object]) -> None:
        """Write an event of this step once; `key` makes it one on replays too."""
        ...

    async def sleep(self, seconds: float, key: str = "sleep") -> None:
        """Park for some seconds from the first time this was reached."""
        ...


@dataclass(frozen=True, slots=True)
class Base:
    """The earlier request of this step that a request goes on from: its first `messages` are those of request `call`,
    and where `tools` is set its tools are too."""

    call: str
    messages: int
    tools: bool

    @classmethod
    def of(cls, call: str, before: ChatRequest, now: ChatRequest) -> Base:
        """What `now` shares with the request `before`, which was made under the key `call`."""
        same = 0
        for old, new in zip(before.messages, now.messages, strict=False):
            if old is not new and old != new:
                break
            same += 1
        return cls(call, same, before.tools == now.tools)


class PromptChain:
    """Requests of one step that share their beginnings: each goes on from the one before it, so the log holds only
    what is new."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[str, ChatRequest] | None = None

    def follow(self, call: str, request: ChatRequest) -> Base | None:
        """What `request`, made under the key `call`, goes on from; the next one goes on from it."""
        base = Base.of(*self._last, request) if self._last else None
        self._last = (call, request)
        return base


class Fitting(Protocol):
    """What keeps a conversation within its model's context (`window.Window`)."""

    async def ask(
        self, key: str, request: ChatRequest, thread: PromptChain, *, aloud: bool = True
    ) -> tuple[str, ChatRequest, ChatReply]:
        """(key under which the round was answered, the request as it was shortened, the reply)."""
        ...

    def taken(self) -> Usage:
        """What summaries used since this was last asked."""
        ...


async def ask_model(
    ctx: RoundContext,
    key: str,
    model: ChatModel,
    request: ChatRequest,
    *,
    base: Base | None = None,
    aloud: bool = True,
    shortens: bool = False,
) -> ChatReply:
    """Ask the model once, as the round `key` (the `call` of its events), with up to three repeats; where they do not
    help and it has a fallback, that one in the same way.

    `aloud`: its text is streamed to who watches (its reasoning always is). `shortens`: the caller asks again in fewer
    words where the conversation is too long for the model, so no fallback is asked then. Raises LlmError of the last
    try, NetworkBlocked.
    """
    number, before = 1, 0  # `before`: tries of the model that was given up
    while True:
        try:
            return await _try(ctx, key, number, model, request, base, aloud)
        except LlmError as error:
            delay = _repeat_after(error, number - before)
            if shortens and is_overflow(error):
                raise
            if delay is None:
                other = await fell_back(model)
                if other is None:
                    raise
                before, number = number, number + 1
                data: StepRetryData = {
                    "attempt": number,
                    "delay_ms": 0,
                    "code": error.code,
                    "call": key,
                    "fallback": other,
                }
                ctx.emit(f"{key}/retry:{number}", "STEP_RETRY", data)
                continue
            number += 1
            data = {"attempt": number, "delay_ms": round(delay * 1000), "code": error.code, "call": key}
            ctx.emit(f"{key}/retry:{number}", "STEP_RETRY", data)
            await ctx.sleep(delay, key=f"{key}/retry:{number}")


async def _try(
    ctx: RoundContext,
    key: str,
    number: int,
    model: ChatModel,
    request: ChatRequest,
    base: Base | None,
    aloud: bool,
) -> ChatReply:
    without = replace(request, messages=without_files(request.messages))

    async def body(handle: EffectHandle) -> ReplyJson:
        def on_piece(channel: Channel, delta: str) -> None:
            if aloud or channel == "reasoning":
                handle.text(channel, delta)

        reply = await model.chat(without, on_piece)
        return replace(reply, model=reply.model or model.model).as_json()

    def ended(value: ReplyJson) -> Event:
        return "LLM_RESPONSE", {"call": key, **value}

    value = await ctx.effect(
        f"{key}/try:{number}",
        body,
        "read",
        target=f"llm/{model.provider}/{model.model}",
        arguments=without.as_json(),
        started=("LLM_REQUEST", _shown(key, model, request, base)),
        ended=ended,
    )
    return ChatReply.from_json(value)


def _shown(key: str, model: ChatModel, request: ChatRequest, base: Base | None) -> LlmRequestData:
    """The data of LLM_REQUEST: what is not in the request it goes on from."""
    tools = [tool.as_json() for tool in request.tools] or None
    return {
        "call": key,
        "provider": model.provider,
        "model": model.model,
        "messages": without_bytes(request.messages[base.messages if base else 0 :]),
        "tools": None if base and base.tools else tools,
        "params": request.params,
        "base": {"call": base.call, "messages": base.messages, "tools": base.tools} if base else None,
    }


def is_overflow(error: LlmError) -> bool:
    """Whether an endpoint said that the conversation does not fit the model's context."""
    return error.params.get("reason") == "context"


def _repeat_after(error: LlmError, number: int) -> float | None:
    """Seconds until the next try after try `number` (from 1) failed so; None where there is none."""
    if number > REPEATS or not _may_pass(error):
        return None
    delay = min(FIRST_DELAY_S * FACTOR ** (number - 1), MAX_DELAY_S)
    ordered = error.params.get("retry_after")
    if isinstance(ordered, int | float) and not isinstance(ordered, bool) and ordered > 0:
        return min(max(delay, float(ordered)), MAX_RETRY_AFTER_S)
    return delay


def _may_pass(error: LlmError) -> bool:
    """Whether asking again may help: it was busy, slow or away, answered 5xx, or hung up in mid-answer."""
    reason, status = error.params.get("reason"), error.params.get("status")
    if error.retryable:
        return reason != "quota"
    return reason == "cut" or (isinstance(status, int) and 500 <= status < 600)


async def ask_json(
    ctx: RoundContext,
    key: str,
    model: ChatModel,
    messages: list[Message],
    schema: JsonObject,
    *,
    params: JsonObject,
    tries: int = 3,
    language: str,
    thread: PromptChain | None = None,
    aloud: bool = True,
    window: Fitting | None = None,
) -> tuple[JsonValue, Usage]:
    """A JSON value that fits `schema`, and what it cost. An answer that cannot be used goes back with the error.

    With a `thread` the request goes on from the one before it in the log, and what is said of the schema stands at the
    end, so that the beginnings stay the same. `aloud` as for `ask_model`; a `window` shortens what does not fit. Rounds
    are `<key>/json:1` and on. Raises LlmBadResponse (reason "json") after `tries`, and what a round raises.
    """
    by_endpoint = model.features is None or "json_schema" in model.features
    conversation = list(messages)
    if model.features is None or not by_endpoint:
        conversation = with_instructions(conversation, schema, language, at_end=thread is not None)
    usage = Usage()
    thread = thread or PromptChain()
    why, reply = "", ChatReply()
    for number in range(1, tries + 1):
        call = f"{key}/json:{number}"
        request = ChatRequest(list(conversation), params=params, output_schema=schema if by_endpoint else None)
        if window is None:
            reply = await ask_model(ctx, call, model, request, base=thread.follow(call, request), aloud=aloud)
        else:
            _, request, reply = await window.ask(call, request, thread, aloud=aloud)
            conversation, usage = list(request.messages), usage + window.taken()
        usage += reply.usage
        try:
            value = read_json(reply.text)
            why = await misfits(schema, value)
        except NotJson as error:
            why = str(error)
        if not why:
            return value, usage
        again = prompt("json_again", language, error=why)
        conversation += [replace(reply, tool_calls=[]).message(), {"role": "user", "content": again}]
    # what was paid for nothing counts too: whoever goes on without the answer reads it there
    detail = {"usage": usage.as_json(), "raw": reply.text[:RAW_LIMIT]}
    raise LlmBadResponse(params={"reason": "json", "why": why, "tries": tries}, detail=detail)


def with_instructions(
    messages: list[Message], schema: JsonObject, language: str, *, at_end: bool = False
) -> list[Message]:
    """The messages with the wish for JSON of this schema at the end of the system message, or of the last one."""
    text = prompt("json", language, schema=json.dumps(schema, ensure_ascii=False))
    last = messages[-1] if messages else None
    if at_end and last is not None and last["role"] == "user" and isinstance(last["content"], str):
        return [*messages[:-1], {**last, "content": f"{last['content']}\n\n{text}".strip()}]
    first = messages[0] if messages else None
    if first is not None and first["role"] == "system" and isinstance(first["content"], str):
        return [{**first, "content": f"{first['content']}\n\n{text}".strip()}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


async def misfits(schema: JsonObject, value: JsonValue) -> str:
    """Why `value` does not fit `schema`, in one line; empty where it does. Raises McpProtocolError (bad schema)."""
    errors = await errors_in(schema, value)
    lines = [
        f"{place.replace('arguments', 'the value', 1)}: {text}" for place, texts in errors.items() for text in texts
    ]
    return "; ".join(lines)[:1000]
