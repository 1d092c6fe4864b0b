"""In-memory twins for tests: a scripted source, effects that keep nothing, a policy table.

They object where the real ones would: a source refuses calls that did not come through the gate.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.errors import McpToolNotFound
from backend.tools.calls.following import followed_here
from backend.tools.calls.gate import ToolRules
from backend.tools.calls.journaling import journaled
from backend.tools.types import (
    Answer,
    CallContext,
    EffectHandle,
    EffectKind,
    Event,
    FollowedTask,
    JsonLike,
    JsonObject,
    JsonValue,
    Question,
    Remember,
    T,
    ToolResult,
    ToolResultJson,
    ToolSpec,
)

Reply = Any
"""What a scripted tool does: text, a JSON object, a ToolResult, an exception to raise, or an async function of the
arguments and the EffectHandle."""


def text_result(text: str, *, is_error: bool = False) -> ToolResult:
    """A result with one text block."""
    return ToolResult(content=[{"type": "text", "text": text}], text=text, is_error=is_error)


def json_result(value: JsonValue) -> ToolResult:
    """A result with structured content and its JSON as text, as SDK servers give it."""
    text = json.dumps(value, ensure_ascii=False)
    return ToolResult(content=[{"type": "text", "text": text}], structured=value, text=text)


class ScriptedToolSource:
    """A ToolSource that answers from a script: `ScriptedToolSource("mail", send=["sent", McpTimeout()])`.

    Each tool has a list of replies, used in order, the last one again and again. `calls` = [(tool, arguments)] that
    really happened (replays from a journal do not count). `specs` replaces the made-up tool descriptions.
    """

    def __init__(
        self, server: str = "scripted", *, specs: list[ToolSpec] | None = None, **replies: list[Reply]
    ) -> None:
        self.server = server
        self.specs = specs or [ToolSpec(server=server, name=name) for name in replies]
        self.replies = {name: list(script) for name, script in replies.items()}
        self.calls: list[tuple[str, JsonObject]] = []

    async def list_tools(self) -> list[ToolSpec]:
        """The scripted tools."""
        return list(self.specs)

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """The next scripted reply, journaled as a real source does. Raises what the script says."""

        async def invoke(handle: EffectHandle) -> ToolResult:
            self.calls.append((name, arguments))
            script = self.replies.get(name)
            if script is None:
                raise McpToolNotFound(params={"tool": name})
            return await self._answer(script.pop(0) if len(script) > 1 else script[0], arguments, handle)

        return await journaled(call, self.server, name, arguments, invoke)

    async def _answer(self, reply: Reply, arguments: JsonObject, handle: EffectHandle) -> ToolResult:
        await asyncio.sleep(0)
        if callable(reply) and not isinstance(reply, type):
            reply = await reply(arguments, handle)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, ToolResult):
            return reply
        return text_result(reply) if isinstance(reply, str) else json_result(reply)


@dataclass
class PlainEffects:
    """An EffectContext without a journal: effects run, questions get the prepared `answers` in order."""

    answers: list[Answer] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    effects: list[tuple[str, EffectKind]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    progress: list[tuple[float, float | None, str]] = field(default_factory=list)

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
        """Run it; the result must be JSON, as a journal would demand."""
        self.effects.append((key, kind))
        if started is not None:
            self.events.append(started)
        note = lambda done, total, message: self.progress.append((done, total, message))  # noqa: E731 - one expression, named
        value = await call(EffectHandle(idempotency_key=f"test:{key}", progress=note, ask=self.ask))
        json.dumps(value)
        if ended is not None:
            self.events.append(ended(value))
        return value

    async def follow(
        self,
        key: str,
        task: FollowedTask,
        kind: EffectKind,
        *,
        target: str,
        arguments: JsonLike,
        started: Event,
        ended: Callable[[ToolResultJson], Event],
    ) -> ToolResultJson:
        """Wait for it."""
        value = await followed_here(task)
        self.events.append(ended(value))
        return value

    async def ask(self, key: str, question: Question) -> Answer:
        """The next prepared answer; AssertionError when there is none."""
        self.questions.append(question)
        if not self.answers:
            raise AssertionError(f"nobody answers {key}: {question.title}")
        return self.answers.pop(0)

    def emit(self, key: str, type: str, data: Mapping[str, object]) -> None:
        """Keep the event."""
        self.events.append((type, data))


@dataclass
class PolicyTable:
    """A PolicySource from a dict: `PolicyTable({"send": ToolRules(policy="ask")})`; other tools are `auto`, trusted."""

    table: dict[str, ToolRules] = field(default_factory=dict)
    default: ToolRules = field(default_factory=lambda: ToolRules(trust_annotations=True))
    remembered: list[tuple[str, Remember, str]] = field(default_factory=list)

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """The entry of the tool."""
        return self.table.get(tool.name, self.default)

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """Keep what was to be remembered."""
        self.remembered.append((tool.name, how, by))
