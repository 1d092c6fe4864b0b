"""The tool calls of one round: side by side where they only read, else in the model's order; nothing goes wrong aloud.

Whatever becomes of a call (a result, a tool's error, a refusal, arguments that are no JSON, a tool that does not exist)
is a message that the model reads. Only what ends the step passes through: cancel, a budget, a question that nobody
answered where that is to be a failure, an outcome that a person would not settle, a sign-in that a person would not
wait for.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypedDict

from backend.agents.attached import with_pictures
from backend.agents.model_errors import model_message
from backend.agents.prompting import prompt
from backend.agents.reading import NotJson, read_arguments
from backend.agents.shorten import image_parts, images_message, result_text, shortened
from backend.agents.tool_lists import MAX_DESCRIPTION
from backend.agents.tool_loading import SearchResult, hidden, search_tools
from backend.agents.tool_search import SEARCH_TOOLS
from backend.agents.tool_texts import ToolTexts
from backend.agents.toolset import Toolset
from backend.agents.watched import WatchedCall, repeat_question
from backend.engine.document.types import Text
from backend.engine.execution.context import AnyContext
from backend.engine.execution.events import StepLogData
from backend.errors import (
    BudgetExceeded,
    Cancelled,
    McpPolicyDenied,
    NodeTimeout,
    PatchbayError,
    ReplayMismatch,
    WorkerLost,
)
from backend.llm.types import ChatReply, Message, ToolCall
from backend.tools.calls.workflow_source import SERVER as WORKFLOW
from backend.tools.side_by_side import gather_or_cancel
from backend.tools.signing_in import is_let_fail
from backend.tools.types import EffectHandle, JsonObject, JsonValue, object_of

FATAL = (Cancelled, BudgetExceeded, NodeTimeout, WorkerLost, ReplayMismatch)
"""Errors that end the step."""
SAME_CALLS = 3
"""After so many calls that are equal and got equal results the model is told so."""

_NOT_CALLED = Text(
    "{tool} was not called: {message} The model was told.",
    "未调用 {tool}：{message} 模型已得知此事。",
)
_ODD = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call as it is made: `id` is unique in the round; `arguments` None where they cannot be read (`error`)."""

    id: str
    name: str
    written: str
    exposed: str | None
    arguments: JsonObject | None
    error: str = ""
    attached: JsonObject = field(default_factory=dict)
    loaded: bool = True  # whether the model had its definition when it wished this

    @property
    def looks(self) -> bool:
        """Whether it only brings the model a definition: it searches tools, or calls one that is not loaded."""
        return self.exposed is not None and (self.exposed == SEARCH_TOOLS or not self.loaded)


class Requested(TypedDict, total=False):
    """What the model wished, where a person changed it."""

    requested: JsonValue


class CallRecord(Requested):
    """A call as the node gives it out (contract "agent.tool_calls")."""

    iteration: int
    server: str
    tool: str
    arguments: JsonValue
    result: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class CallResult:
    """What became of a call: `text` as the model reads it; `arguments` = what it ran with, None where it was not made;
    `changed` = those of them that the model may know, where a person changed what it wished; `from_tool`: the
    text is the tool's, not ours; `loads` = tools whose definitions the model gets from now on."""

    text: str
    is_error: bool
    images: list[JsonObject] = field(default_factory=list)
    arguments: JsonObject | None = None
    changed: JsonObject | None = None
    from_tool: bool = False
    loads: list[str] = field(default_factory=list)


class Caller:
    """Makes the calls of an agent, round by round, and keeps the record of them (`log`, contract "agent.tool_calls",
    with the server beside the tool)."""

    def __init__(
        self,
        ctx: AnyContext,
        tools: Toolset,
        *,
        auto_execute: bool = False,
        parallel: bool = True,
        sees: bool = False,
        prompts: Mapping[str, object] | None = None,
        behaviour: int = 0,
    ) -> None:
        self._ctx, self._tools, self._behaviour = ctx, tools, behaviour
        self._auto, self._parallel, self._sees = auto_execute or ctx.auto_execute, parallel, sees
        self._prompts = prompts or {}
        self._same: Counter[tuple[str, str, str]] = Counter()
        self._unknown: list[tuple[str, JsonObject]] = []  # calls that failed and may have happened
        self._texts = ToolTexts()
        self.log: list[CallRecord] = []

    async def round(self, key: str, iteration: int, reply: ChatReply, allowed: int) -> list[Message]:
        """Make the first `allowed` calls of a reply. Gives the messages that follow: the reply, an answer to each of
        its calls, and the images among them. `iteration` counts from 0."""
        wishes = self._wishes(reply.tool_calls)
        results: list[CallResult] = []
        for group in await self._groups(key, wishes):
            results += await gather_or_cancel([self._one(f"{key}/call:{i + 1}", wishes[i], i < allowed) for i in group])
        messages = [_assistant(reply, wishes)]
        images: list[tuple[str, JsonObject]] = []
        for wish, item in zip(wishes, results, strict=True):
            answer = self._reply_text(wish, item)
            messages.append({"role": "tool", "tool_call_id": wish.id, "content": answer})
            images += [(wish.name, image) for image in item.images]
            self._record(iteration, wish, item)
            self._tools.load(item.loads)  # not before all are done: calls side by side see the same tools
        shown = images_message(images, self._ctx.language)
        return [*messages, shown] if shown else messages

    def _wishes(self, calls: list[ToolCall]) -> list[RequestedCall]:
        out: list[RequestedCall] = []
        taken: set[str] = set()
        for index, call in enumerate(calls):
            id_ = call.id if call.id and call.id not in taken else f"call_{index + 1}_{len(self.log)}"
            taken.add(id_)
            try:
                arguments, error = read_arguments(call.arguments), ""
            except NotJson as bad:
                arguments, error = None, str(bad)
            exposed = self._tools.find(call.name)
            loaded = exposed is None or self._tools.is_loaded(exposed)
            out.append(RequestedCall(id_, call.name, call.arguments, exposed, arguments, error, call.attached, loaded))
        return out

    def only_looks(self, reply: ChatReply) -> bool:
        """Whether a reply calls nothing but what brings it definitions of tools."""
        return bool(reply.tool_calls) and all(wish.looks for wish in self._wishes(reply.tool_calls))

    async def _groups(self, key: str, wishes: list[RequestedCall]) -> list[list[int]]:
        """Indexes of calls that are made side by side, in order."""
        groups: list[list[int]] = []
        open_ = False  # whether the last group takes more
        for index, beside in enumerate(await self._side_by_side(key, wishes)):
            if beside and open_:
                groups[-1].append(index)
            else:
                groups.append([index])
            open_ = beside
        return groups

    async def _side_by_side(self, key: str, wishes: list[RequestedCall]) -> list[bool]:
        """Which calls may run beside others; journaled, so that a replay asks no server for it."""
        if not self._parallel or len(wishes) == 1:
            return [False] * len(wishes)

        async def body(_: EffectHandle) -> list[bool]:
            return [await self._can_run_in_parallel(wish) for wish in wishes]

        names = [wish.name for wish in wishes]
        return await self._ctx.effect(f"{key}/order", body, "pure", target="order", arguments=names)

    async def _can_run_in_parallel(self, wish: RequestedCall) -> bool:
        if wish.exposed is None or wish.arguments is None or wish.looks:
            return True
        try:
            return await self._tools.parallel(wish.exposed)
        except PatchbayError:
            return False  # the call itself will say what is wrong

    async def _one(self, key: str, wish: RequestedCall, allowed: bool) -> CallResult:
        if not allowed:
            return self._refused("no_more_calls")
        if wish.exposed is None:
            return self._unknown_tool(wish.name)
        if wish.arguments is None:
            return self._refused("bad_arguments", error=wish.error, arguments=wish.written[:2000])
        if wish.looks:
            return await self._look(key, wish.exposed, wish.arguments)
        watched = WatchedCall(self._ctx)
        call = self._ctx.call(key, chosen_by="model", auto_execute=self._auto)
        arguments = wish.arguments
        try:
            arguments = await self._confirm_repeat(key, wish.exposed, wish.arguments)
            result = await self._tools.call(
                wish.exposed, arguments, replace(call, effects=watched, read=self._texts.newest())
            )
        except PatchbayError as error:
            fatal = isinstance(error, FATAL) or error.params.get("reason") == "expired" or is_let_fail(error)
            if fatal and self._tools.specs[wish.exposed].server != WORKFLOW:
                raise  # what ended a workflow that was called as a tool does not end its caller
            self._unknown += [(wish.exposed, wish.arguments)] if watched.unknown else []
            self._note(key, wish, error, watched)
            name = "call_unknown" if watched.unknown else "call_failed"
            failed = self._refused(name, code=error.code, message=error_text(error, self._ctx.language))
            return replace(failed, arguments=watched.arguments, changed=watched.changed(wish.arguments, arguments))
        result = await with_pictures(self._ctx, result)
        text = shortened(result_text(result, sees=self._sees), self._ctx.language, self._prompts)
        images = image_parts(result) if self._sees else []
        changed = watched.changed(wish.arguments, arguments)
        return CallResult(text, result.is_error, images, watched.arguments, changed, from_tool=True)

    async def _look(self, key: str, exposed: str, arguments: JsonObject) -> CallResult:
        """What a search gives, or a call of a tool that was not loaded."""
        if exposed == SEARCH_TOOLS:
            search: SearchResult = await search_tools(self._ctx, key, self._tools, arguments)
        else:
            search = hidden(self._ctx, key, exposed)
        return CallResult(search.text, search.failed, loads=search.tools)

    def _unknown_tool(self, name: str) -> CallResult:
        if self._tools.searched:
            names = ", ".join(tool.name for tool in self._tools.definitions)
            return self._refused("unknown_tool_search", tool=name[:200], tools=names)
        return self._refused("unknown_tool", tool=name[:200], tools=", ".join(self._tools.specs)[:4000])

    def _note(self, key: str, wish: RequestedCall, error: PatchbayError, watched: WatchedCall) -> None:
        """A line of the log on a call that never began: no request of it stands there to carry the error."""
        declined = error.params.get("reason") == "declined"
        if self._behaviour < 1 or watched.arguments is not None or declined:
            return
        text = _NOT_CALLED.in_(self._ctx.language).format(
            tool=wish.exposed or wish.name, message=error_text(error, self._ctx.language)
        )
        data: StepLogData = {"level": "warning", "text": text, "code": error.code}
        self._ctx.emit(f"{key}/not_called", "STEP_LOG", data)

    async def _confirm_repeat(self, key: str, exposed: str, arguments: JsonObject) -> JsonObject:
        """The arguments to call with: those given, but of a call that was made before and may have happened as a person
        says. Raises McpPolicyDenied where they decline."""
        if (exposed, arguments) not in self._unknown:
            return arguments
        server, name = self._tools.server_of(exposed)
        spec = self._tools.specs[exposed]
        about = spec.description[:MAX_DESCRIPTION]
        question = repeat_question(server, spec, arguments, about, self._texts.evidence())
        answer = await self._ctx.ask(f"{key}/repeat", question)
        if answer.action != "accept":
            raise McpPolicyDenied(params={"reason": "declined", "tool": name, "why": answer.reason or "-"})
        return arguments if answer.values is None else object_of(answer.values)

    def _refused(self, name: str, **values: str) -> CallResult:
        return CallResult(self._word(name, **values), True)

    def _reply_text(self, wish: RequestedCall, result: CallResult) -> str:
        """What the model reads of a call: what we have to say of it, then the result, marked as data."""
        text, noticed = f"Error: {result.text}" if result.is_error else result.text, self._noticed(wish, result)
        if self._behaviour < 1:
            return f"{text}\n\n{noticed}" if noticed else text
        parts = [] if result.changed is None else [self._word("call_changed", arguments=_written(result.changed))]
        parts += [noticed] if noticed else []
        parts += [self._word("tool_data", tool=wish.exposed or wish.name)] if result.from_tool else []
        return "\n\n".join([*parts, text])

    def _word(self, name: str, **values: str) -> str:
        return prompt(name, self._ctx.language, self._prompts, **values)

    def _noticed(self, wish: RequestedCall, result: CallResult) -> str:
        """A word on a call that was made before with the same result, or nothing."""
        arguments = wish.written if wish.arguments is None else json.dumps(wish.arguments, sort_keys=True)
        seen = (wish.exposed or wish.name, arguments, f"{result.is_error} {result.text}")
        self._same[seen] += 1
        if self._same[seen] < SAME_CALLS:
            return ""
        return self._word("same_call", times=str(self._same[seen]))

    def _record(self, iteration: int, wish: RequestedCall, result: CallResult) -> None:
        server, tool = self._tools.server_of(wish.exposed) if wish.exposed else ("", wish.name)
        wished: JsonValue = wish.written if wish.arguments is None else wish.arguments
        if result.from_tool:
            self._texts.add(server, tool, result.text)
        requested: Requested = {} if result.changed is None else {"requested": wished}
        self.log.append(
            {
                "iteration": iteration,
                "server": server,
                "tool": tool,
                "arguments": wished if result.arguments is None else result.arguments,
                **requested,
                "result": result.text,
                "is_error": result.is_error,
            }
        )


def _written(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def error_text(error: PatchbayError, language: str) -> str:
    """What went wrong, for a model: the sentence, and which fields do not fit."""
    message = model_message(error, language)
    fields = error.detail.get("fields") if isinstance(error.detail, dict) else None
    if not isinstance(fields, dict):
        return message
    places = "; ".join(f"{name}: {', '.join(map(str, texts))}" for name, texts in fields.items())
    return f"{message} {places}"[:4000]


def _assistant(reply: ChatReply, wishes: list[RequestedCall]) -> Message:
    """The reply as a message that endpoints take back: ids that differ, arguments that are JSON, plain names."""
    calls = [
        ToolCall(
            wish.id,
            _ODD.sub("_", wish.name)[:64] or "unknown",
            "{}" if wish.arguments is None else json.dumps(wish.arguments, ensure_ascii=False),
            wish.attached,
        ).as_json()
        for wish in wishes
    ]
    message: Message = {"role": "assistant", "content": reply.text, "tool_calls": calls}
    return {**message, "attached": reply.attached} if reply.attached else message
