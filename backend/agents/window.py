"""Keeps a conversation within its model's context: old tool results are shortened, then earlier rounds summarised.

Looked at before each round: the tokens of the request are estimated, by what the last round really used where its
endpoint said so. What is left out stands whole in the log. A summary is a round of its own, in the log and in the cost.
An endpoint that says that a request is too long teaches the limit. Everything follows from the journal (limits that
were first seen, replies, errors), so a replay shortens at the same places and gets the same summary.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, NotRequired, Protocol, TypedDict

from backend.agents.fallback import fell_back
from backend.agents.prompting import prompt
from backend.agents.rounds import PromptChain, RoundContext, ask_model, is_overflow
from backend.engine.document.types import Text
from backend.engine.execution.events import StepRetryData
from backend.errors import LlmBadResponse, LlmError
from backend.llm.types import ChatModel, ChatReply, ChatRequest, Message, Usage, context_of
from backend.llm.usage import tokens_in, tokens_of, tokens_of_messages
from backend.tools.types import JsonValue

FULL, ROOMY = 0.9, 0.6
"""Shares of the room for a request: from the first on something is shortened, down to the second."""
ANSWER = 4096
"""Tokens that are kept free for an answer, where the parameters say nothing; a quarter of the context at most."""
KEPT_CHARACTERS = 600
"""What stays of an old tool result: two thirds of it from its beginning."""
KEPT_ROUNDS = 2
"""Last rounds that are not summarised."""
OVERFLOWS = 3
"""How often a round is asked again in fewer words after its endpoint found it too long."""
_LIMITS = ("max_tokens", "max_completion_tokens")
_TOKENS = re.compile(r"(?:maximum|max|limit|at most|n_ctx|context (?:length|window|size))\D{0,40}?([\d,]{4,12})", re.I)

_SHORTENED = Text(
    "The conversation is close to the model's context length ({limit} tokens): {count} older tool results were "
    "shortened for the model. This log has them in full.",
    "对话接近模型的上下文长度（{limit} Token）：已为模型缩短 {count} 个较早的工具结果，完整内容见本日志。",
)
_SUMMARISED = Text(
    "The conversation is close to the model's context length ({limit} tokens): {count} earlier messages were "
    "summarised by the model.",
    "对话接近模型的上下文长度（{limit} Token）：较早的 {count} 条消息已由模型总结。",
)


class WindowContext(RoundContext, Protocol):
    """What is needed of a step."""

    def log(self, key: str, text: str, level: Literal["debug", "info", "warning", "error"] = "info") -> None:
        """Write a line once."""
        ...


@dataclass(slots=True)
class Window:
    """The window of one agent. `head` = how many of its messages are the task as it was given; they are never left out
    but for what was said before the last of them. `usage` = what its summaries used since it was last taken."""

    shortened_text: ClassVar[Text] = _SHORTENED

    ctx: WindowContext
    model: ChatModel
    head: int
    own: Mapping[str, object] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    limit: int | None = None  # learned from an endpoint's refusal
    factor: float = 1.0  # real tokens for one that was estimated
    overflows: int = 0
    _last: tuple[ChatRequest, int] | None = None
    _task: Message | None = None  # the last message of the task, before any summary was added to it

    def taken(self) -> Usage:
        """What summaries used since this was last asked."""
        used, self.usage = self.usage, Usage()
        return used

    async def ask(
        self, key: str, request: ChatRequest, thread: PromptChain, *, aloud: bool = True
    ) -> tuple[str, ChatRequest, ChatReply]:
        """(key under which the round was answered, the request as it was shortened, the reply).

        Where nothing can be shortened any more the model's fallback is asked, whose context may be longer; without one
        the endpoint's refusal is raised. Raises what `ask_model` raises.
        """
        request, call = await self.fitted(key, request), key
        while True:
            base = thread.follow(call, request)
            try:
                reply = await ask_model(self.ctx, call, self.model, request, base=base, aloud=aloud, shortens=True)
                break
            except LlmBadResponse as error:
                if not is_overflow(error):
                    raise
                shorter = request
                if self.overflowed(request, error):
                    call = f"{key}/fit:{self.overflows}"
                    shorter = await self.fitted(call, request)
                if shorter.messages == request.messages:
                    key = call = await self._fell_back(key, error)
                request = shorter
        self.measured(request, reply)
        return call, request, reply

    async def _fell_back(self, key: str, error: LlmError) -> str:
        """The key under which the fallback is asked. Raises `error` where there is none."""
        other = await fell_back(self.model)
        if other is None:
            raise error
        self.limit, self.overflows = None, 0
        data: StepRetryData = {"attempt": 2, "delay_ms": 0, "code": error.code, "call": key, "fallback": other}
        self.ctx.emit(f"{key}/fallback", "STEP_RETRY", data)
        return f"{key}/fallback"

    def measured(self, request: ChatRequest, reply: ChatReply) -> None:
        """Learn what a round really used, for the next estimate."""
        self.overflows = 0
        if reply.usage.input_tokens and not reply.usage.estimated:
            self._last = (request, reply.usage.input_tokens)

    def overflowed(self, request: ChatRequest, error: LlmError) -> bool:
        """Learn from a refusal; whether it is worth to ask again in fewer words."""
        self.overflows += 1
        known = re.search(_TOKENS, str(error.params.get("why") or ""))
        stated = int(known[1].replace(",", "")) if known else 0
        sent = self._tokens(request)
        if stated and sent <= stated * FULL:  # the estimate was too low: what was sent was more than that
            self.factor *= stated / max(1, sent)
            sent = stated
        limit = stated or int(sent * FULL)
        self.limit = min(limit, int(sent * FULL) if self.overflows > 1 else limit, self.limit or limit)
        return self.overflows <= OVERFLOWS

    async def fitted(self, key: str, request: ChatRequest) -> ChatRequest:
        """The request of the round `key`, with fewer words where it would not fit."""
        room = self._room(request)
        if room is None or self._tokens(request) <= room * FULL:
            return request
        request = self._shortened(key, request, room, spared=self._last_round(request.messages))
        if self._tokens(request) > room * FULL:
            request = await self._summarised(key, request, room)
        if self._tokens(request) > room * FULL:
            request = self._shortened(f"{key}/last", request, room, spared=len(request.messages))
        return request

    def _tokens(self, request: ChatRequest) -> int:
        if self._last is not None:  # looked at where it is needed, so that a model of unknown context costs nothing
            (before, really), self._last = self._last, None
            self.factor = min(3.0, max(0.5, really / max(1, tokens_of(before))))
        return int(tokens_of(request) * self.factor)

    def _room(self, request: ChatRequest) -> int | None:
        """Tokens that a request may have; None where nobody knows."""
        limits = [limit for limit in (context_of(self.model), self.limit) if limit]
        if not limits:
            return None
        values = (request.params.get(name) for name in _LIMITS)
        answer_tokens = next((value for value in values if isinstance(value, int)), ANSWER)
        return min(limits) - min(max(answer_tokens, 0), min(limits) // 4)

    # -- tool results --------------------------------------------------------------------------------------------------

    @staticmethod
    def _last_round(messages: list[Message]) -> int:
        """Where the last round begins: its results are not read yet."""
        rounds = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
        return rounds[-1] if rounds else len(messages)

    def _shortened(self, key: str, request: ChatRequest, room: int, *, spared: int) -> ChatRequest:
        """The oldest results first, as far as it takes; those from the message `spared` on stay."""
        messages, count = list(request.messages), 0
        over = self._tokens(request) - room * ROOMY
        for index in range(self.head, min(spared, len(messages))):
            if over <= 0:
                break
            shorter = self._shorter(messages[index])
            if shorter is not messages[index]:
                saved = tokens_of_messages([messages[index]]) - tokens_of_messages([shorter])
                messages[index], count, over = shorter, count + 1, over - saved * self.factor
        if count:
            self._say(f"window/{key}/shortened", self.shortened_text, count)
        return replace(request, messages=messages)

    def _shorter(self, message: Message) -> Message:
        content = message.get("content")
        if message["role"] == "tool" and isinstance(content, str) and len(content) > KEPT_CHARACTERS * 2:
            return {**message, "content": self._cut(content, KEPT_CHARACTERS)}
        if message["role"] == "user" and isinstance(content, list) and any(_is_image(part) for part in content):
            return {**message, "content": [{"type": "text", "text": "[image]"} if _is_image(p) else p for p in content]}
        return message

    def _cut(self, text: str, most: int) -> str:
        if len(text) <= most:
            return text
        values = {"left_out": str(len(text) - most), "total": str(len(text))}
        notice = prompt("shortened", self.ctx.language, self.own, **values)
        head = most * 2 // 3
        return f"{text[:head]}\n\n{notice}\n\n{text[len(text) - (most - head) :]}"

    # -- earlier rounds ------------------------------------------------------------------------------------------------

    async def _summarised(self, key: str, request: ChatRequest, room: int) -> ChatRequest:
        """The request with all but the task and its last rounds in the model's own summary; as it was where there is
        nothing to summarise."""
        messages = request.messages
        rounds = [n for n in range(self.head, len(messages)) if messages[n]["role"] == "assistant"]
        until = rounds[-min(KEPT_ROUNDS, max(1, len(rounds) - 1))] if rounds else self.head
        old = messages[self.head : until]
        system = [message for message in messages[: self.head] if message["role"] == "system"]
        task = messages[self.head - 1]
        self._task = self._task or task
        before = [message for message in messages[: self.head - 1] if message["role"] != "system"]
        if not old and not before:
            return request
        summary = await self._summary(f"{key}/summary", [*before, task, *old], request, room)
        if not summary:
            return request
        text = prompt("summary", self.ctx.language, None, summary=summary)
        kept = [*system, _with_text(self._task, text), *messages[until:]]
        self._say(f"window/{key}/summarised", _SUMMARISED, len(before) + len(old))
        self.head = len(system) + 1
        return replace(request, messages=kept)

    async def _summary(self, call: str, old: list[Message], request: ChatRequest, room: int) -> str:
        text = self._cut(json.dumps([_plain(message) for message in old], ensure_ascii=False, indent=0), room * 2)
        while int(tokens_in(text) * self.factor) > room * FULL and len(text) > KEPT_CHARACTERS:
            text = self._cut(text, len(text) // 2)
        instruction = prompt("summarise", self.ctx.language, None, conversation=text)
        asking = ChatRequest([{"role": "user", "content": instruction}], params=request.params)
        try:
            reply = await ask_model(self.ctx, call, self.model, asking, aloud=False, shortens=True)
        except LlmBadResponse as error:
            if is_overflow(error):
                return ""  # what is left is shortened without
            raise
        self.usage += reply.usage
        return reply.text.strip()

    def _say(self, key: str, text: Text, count: int) -> None:
        limits = [limit for limit in (context_of(self.model), self.limit) if limit]
        self.ctx.log(key, text.in_(self.ctx.language).format(limit=min(limits), count=count))


def _is_image(part: JsonValue) -> bool:
    return isinstance(part, dict) and part.get("type") == "image"


class _SummaryRecord(TypedDict):
    role: str
    content: str
    calls: NotRequired[list[str]]


def _plain(message: Message) -> _SummaryRecord:
    """A message as it is told in a summary: without pictures and what is attached."""
    content = message.get("content")
    if isinstance(content, list):
        content = " ".join("[image]" if _is_image(part) else str(part.get("text") or "") for part in content)
    calls = [f"{call['name']} {call['arguments']}" for call in message.get("tool_calls") or []]
    plain: _SummaryRecord = {"role": message["role"], "content": content}
    return {**plain, "calls": calls} if calls else plain


def _with_text(message: Message, text: str) -> Message:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": text}]}
    return {**message, "content": f"{content}\n\n{text}"}
