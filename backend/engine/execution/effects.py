"""Effects: calls into the world that are journaled; here what becomes of one that is found in the journal.

One that runs now is `effect_run.EffectRun`, which also says what the fence cannot hold back.

An effect is journaled under (path, node, attempt, key): its start with a fingerprint of what is called, its end with
the result. Found ended, it is not run again; found started only, it is run again where that does no harm, else a
person decides (`recovery`); found with another fingerprint, a person decides (`mismatch`), and so where the journal
holds effects that nobody asks for any more (`watch`). One that met a
sign-in which does not hold waits for the person, and is made then (`signing_in`). Keys are stable names.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from backend.engine.execution.child import STARTS, ChildEffect
from backend.engine.execution.effect_run import Call, EffectRun, Ended, Started, called_in
from backend.engine.execution.events import StepLogData
from backend.engine.execution.following import Following
from backend.engine.execution.records import ChildReport, StoredError
from backend.engine.execution.replay import stored_error
from backend.engine.execution.signing_in import sign_in_question
from backend.engine.execution.step import ROOT_SCOPE, Step, StepScope
from backend.engine.execution.watch import New
from backend.engine.execution.working import working
from backend.engine.language.clean import clean, is_large
from backend.errors import InternalError, McpAuthFailed, PatchbayError, ReplayMismatch, WorkerLost
from backend.tools.signing_in import let_fail, needed_in, needed_sign_in
from backend.tools.types import (
    Answer,
    Cause,
    EffectHandle,
    EffectKind,
    Event,
    FollowedTask,
    JsonLike,
    JsonObject,
    JsonValue,
    Question,
    T,
    ToolName,
    ToolRequestData,
    ToolResultJson,
)

if TYPE_CHECKING:
    from backend.engine.execution.segment_state import SegmentState

LOG = logging.getLogger(__name__)


class Effects:
    """The effects of one attempt of a step, or of a part of it."""

    __slots__ = ("_part", "_segment", "_step")

    def __init__(self, segment: SegmentState, step: Step, part: StepScope = ROOT_SCOPE) -> None:
        self._segment, self._step, self._part = segment, step, part

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
        """Run `call` once and journal its JSON result under `key`, or give back what the journal holds.

        A result that is read from the journal is taken for what `call` gives, and so is what a person gives in its
        place ("skip"), for a tool in the shape of a tool's result: who must be sure looks.
        Raises the PatchbayError that `call` raised, on a replay as well. Anything else that it raises is trouble of
        ours: it has no end, and the segment stops (`ports.SegmentFault`).
        """
        result: T = await self._effect(key, call, kind, target, arguments, started, ended)
        return result

    async def child(
        self,
        key: str,
        workflow: str,
        inputs: JsonObject,
        version: int | None = None,
        *,
        as_tool: bool = False,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> JsonObject:
        """Run a workflow as a run of its own and park until its end; gives its outputs.

        `as_tool` = shown as a call of the server "workflow"; `before` is awaited right before the start and may refuse.
        Raises the child's error, Cancelled, NotFound, NotPublished, ValidationFailed, GraphInvalid, ServerNotApproved.
        """
        child = ChildEffect(self._segment, self._step, workflow, inputs, version, before)
        target = f"workflow/{workflow}"
        text = STARTS.in_(self._segment.info.language).format(workflow=workflow)
        log: StepLogData = {"level": "info", "text": text, "workflow": workflow}
        started: Started = ("STEP_LOG", log)
        ended: Ended = None
        if as_tool:
            request: ToolRequestData = {"call": key, "server": "workflow", "tool": workflow, "arguments": inputs}
            started, ended = ("TOOL_REQUEST", request), lambda outputs: ("TOOL_RESPONSE", child.shown(key, outputs))
        arguments: JsonLike = inputs if version is None else [inputs, version]
        out: JsonObject = await self._effect(
            key, child.run, "idempotent", target, arguments, started, ended, child.report
        )
        return out

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
        """Park until a task at a server has ended or asks something (`following`).

        A write whose task is lost is a person's to decide: one that they call again comes back `lost`, as a read does.
        Raises what a look raises, WorkerLost (a person let it fail).
        """
        writes = kind == "write"
        following = Following(self._segment, self._step, self._part, key, task, called_in(started), writes=writes)
        seen: JsonLike = [arguments, task.task["id"]]
        value: ToolResultJson = await self._effect(
            key, following.run, "read", target, seen, started, ended, follows=following
        )
        if not (writes and value.get("lost")):
            return value
        proposed: Any = started[1].get("arguments")
        answer = await self._decide("recovery", self._part.prefix + key, target, proposed, started)
        if answer.action == "skip":
            return cast(ToolResultJson, skipped_value(answer.values, started))
        if answer.action != "retry":
            raise _refused("recovery", target)
        return value

    async def _effect(
        self,
        key: str,
        call: Call,
        kind: EffectKind,
        target: str,
        arguments: JsonLike,
        started: Started,
        ended: Ended,
        report: ChildReport | None = None,
        follows: Following | None = None,
    ) -> Any:
        """`report` = what a child run says of itself, which is stored with its end; `follows` = a task that is followed
        by this effect."""
        print_ = await self._fingerprint(kind, target, arguments)
        records = self._step.records
        name, key = key, self._part.prefix + key
        generation = 1  # a person's "retry" opens the next one, and so does a new sign-in
        while True:
            record_key = (self._step.attempt, key if generation == 1 else f"{key}@{generation}")
            known = records.effects.get(record_key)
            records.unasked.pop(record_key, None)
            if known is None:
                break
            if known.live:
                raise InternalError(detail=f"two effects share the key {key}")
            if known.fingerprint != print_:
                reason: Literal["mismatch", "recovery"] = "mismatch"
            elif known.error is not None and needed_in(known.error["code"], known.error["params"]) is not None:
                await self._signed_in(record_key[1], known.error, started)
                generation += 1
                continue
            elif known.ended:
                self._step.wrote = self._step.wrote or kind == "write"
                if known.error and known.error.get("unknown"):
                    self._step.unknown.append(record_key[1])
                return await self._segment.loaded(self._step, known.outcome())
            elif kind != "write":
                break
            else:
                reason = "recovery"
                self._segment.withdraw(self._step, f"{record_key[1]}/asked:", self._part)
            answer = await self._decide(reason, record_key[1], target, arguments, started)
            if answer.action == "skip":
                return skipped_value(answer.values, started)
            if answer.action != "retry":
                raise _refused(reason, target)
            generation += 1
        if known is None and (records.answers or self._segment.watch.doubts(self._step)):
            new = New(record_key[1], target, print_, arguments, _tool_of(started))
            instead = await self._segment.watch.allows(self._step, new, self._part)
            if instead is not None:
                return skipped_value(instead.values, started)
        decided = await self._segment.ask_after_faults(
            self._step, record_key[1], arguments, _tool_of(started), self._part
        )
        if decided is not None and decided.action == "skip":
            return skipped_value(decided.values, started)
        if decided is not None and decided.action != "retry":
            raise InternalError(params={"reason": "repeated", "times": records.faults[record_key]})
        run = EffectRun(
            self._segment, self._step, self._part, record_key[1], kind, print_, known, started, ended, report, follows
        )
        try:
            return await run.run(call)
        except McpAuthFailed as error:
            if needed_sign_in(error) is None:
                raise
        return await self._effect(name, call, kind, target, arguments, started, ended, report, follows)

    async def _signed_in(self, key: str, error: StoredError, started: Started) -> None:
        """Wait until somebody has signed in where this call could not. Raises the call's error where a person lets it
        fail."""
        failed = stored_error(error)
        needed = needed_sign_in(failed)
        assert needed is not None  # noqa: S101 - the caller looked
        question = sign_in_question(needed, _tool_of(started), self._segment.info.language)
        prefix = self._part.prefix
        question_key = f"{prefix}sign_in:{key.removeprefix(prefix)}"
        answer = await self._segment.ask(self._step, question_key, question, self._part)
        if answer.action != "accept":
            let_fail(failed)
            raise failed

    async def _fingerprint(self, kind: str, target: str, arguments: JsonLike) -> str:
        def digest() -> str:
            text = json.dumps([kind, target, arguments], sort_keys=True, ensure_ascii=True, default=str)
            return hashlib.sha256(text.encode()).hexdigest()

        if not is_large(arguments):
            return digest()
        with working(self._segment, self._step):
            return await asyncio.to_thread(digest)

    async def _decide(
        self, reason: Literal["mismatch", "recovery"], key: str, target: str, arguments: JsonLike, started: Started
    ) -> Answer:
        refused = _refused(reason, target)
        message, hint = refused.text(self._segment.info.language)
        tool = _tool_of(started)
        cause: Cause | None = "outcome" if reason == "recovery" else None
        message = f"{message} {hint}"
        question = Question(reason, title=target, message=message, tool=tool, proposal=arguments, cause=cause)
        prefix = self._part.prefix
        question_key = f"{prefix}{reason}:{key.removeprefix(prefix)}"
        return await self._segment.ask(self._step, question_key, question, self._part)


def _tool_of(started: Started) -> ToolName | None:
    """The tool of a call, for the question about it."""
    if started and started[0] == "TOOL_REQUEST":
        request: Mapping[str, Any] = started[1]
        return {"server": request.get("server"), "name": request.get("tool")}
    return None


def _refused(reason: str, target: str) -> PatchbayError:
    if reason == "mismatch":
        return ReplayMismatch(params={"target": target})
    return WorkerLost(params={"reason": "unknown_outcome", "target": target})


def skipped_value(values: JsonValue, started: Started) -> JsonValue | ToolResultJson:
    """A person's value in the place of an effect's result; for a tool call in the shape of a tool's result."""
    values = clean(values)
    if not (started and started[0] == "TOOL_REQUEST"):
        return values
    result = values if isinstance(values, dict) else {"result": "" if values is None else str(values)}
    structured = result.get("structured")
    text = result.get("result")
    if text is None:
        text = "" if structured is None else json.dumps(structured, ensure_ascii=False)
    blocks = result.get("content")
    content: list[Any] = blocks if isinstance(blocks, list) else [{"type": "text", "text": str(text)}]
    return {"content": content, "structured": structured, "text": str(text), "is_error": False, "ms": 0.0}
