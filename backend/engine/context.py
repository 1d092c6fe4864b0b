"""What a node reaches the world through: effects, questions, timers, and values that must be the same on replay.

An effect is journaled under (path, node, attempt, key): its start with a fingerprint of what is called, its end with
the result. Found ended, it is not run again; found started only, it is run again where that does no harm, else a
person decides (`recovery`); found with another fingerprint, a person decides (`mismatch`). Keys are stable names.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import random
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal, TypeVar

from backend.engine.clean import clean, is_large
from backend.engine.frame import Scope
from backend.engine.ids import effect_id
from backend.engine.ports import JournalPoisoned, LeaseLost
from backend.engine.replay import Effect
from backend.engine.retry import may_have_happened
from backend.engine.step import Step
from backend.errors import InternalError, PatchbayError, ReplayMismatch, WorkerLost, error_for
from backend.tools.types import (
    Answer,
    CallContext,
    EffectHandle,
    EffectKind,
    JsonObject,
    JsonValue,
    Question,
    ToolSource,
)

if TYPE_CHECKING:
    from backend.engine.stage import Stage
    from backend.engine.walk import Walk

LOG = logging.getLogger(__name__)
T = TypeVar("T")

UNSAFE: tuple[EffectKind, ...] = ("write", "idempotent")
PROGRESS_EVERY_S = 0.25

Started = tuple[str, JsonObject] | None
Ended = Callable[[JsonValue], tuple[str, JsonObject]] | None


class NodeContext:
    """The world of one attempt of one step. `config` holds the node's values, frozen; nothing in it may be changed."""

    __slots__ = ("_segment", "_step", "config")

    def __init__(self, segment: Walk, step: Step, config: JsonObject) -> None:
        self._segment, self._step, self.config = segment, step, config

    # -- what is constant ---------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> JsonObject:
        """The run's inputs."""
        return self._segment.info.inputs

    @property
    def language(self) -> str:
        """The run's language: "en" or "zh"."""
        return self._segment.info.language

    @property
    def attempt(self) -> int:
        """Which try this is, from 1."""
        return self._step.attempt

    @property
    def variables(self) -> JsonObject:
        """The run's variables as this attempt first saw them."""
        value: JsonObject = self._value("variables", lambda: self._segment.variables)
        return value

    # -- values that a replay must see again --------------------------------------------------------------------------

    def now(self, key: str = "now") -> float:
        """Epoch seconds, the same for the same key on every replay."""
        value: float = self._value(key, self._segment.clock.now)
        return value

    def random(self, key: str = "random") -> float:
        """A number in [0, 1), the same for the same key on every replay."""
        value: float = self._value(key, random.random)
        return value

    def new_id(self, key: str = "id") -> str:
        """128 bits of chance as hex, the same for the same key on every replay."""
        value: str = self._value(key, lambda: secrets.token_hex(16))
        return value

    def _value(self, key: str, make: Callable[[], JsonValue]) -> JsonValue:
        values, at = self._step.records.values, (self._step.attempt, key)
        if at not in values:
            values[at] = make()
            self._segment.append(self._step, record="value", key=key, value={"value": values[at]})
        return values[at]

    # -- the log ------------------------------------------------------------------------------------------------------

    def emit(self, key: str, type: str, data: JsonObject) -> None:
        """Write an event of this step once; `key` makes it one on replays too."""
        emitted, at = self._step.records.emitted, (self._step.attempt, key)
        if at not in emitted:
            emitted.add(at)
            self._segment.append(self._step, type, clean(data), record="emit", key=key)

    def log(self, key: str, text: str, level: Literal["debug", "info", "warning", "error"] = "info") -> None:
        """Write a STEP_LOG line once."""
        self.emit(key, "STEP_LOG", {"level": level, "text": text})

    # -- tools --------------------------------------------------------------------------------------------------------

    async def tools(self, server: str | JsonObject) -> ToolSource:
        """The gated tools of a server. Raises McpError, ServerNotApproved, SecretMissing, NotFound."""
        with working(self._segment, self._step):
            return await self._segment.services.tools(server)

    def call(
        self,
        key: str,
        *,
        chosen_by: Literal["person", "model"] = "person",
        auto_execute: bool = False,
        timeout_s: float | None = None,
    ) -> CallContext:
        """What `ToolSource.call_tool` wants: this step's journal and the call's key."""
        return CallContext(self, key, chosen_by=chosen_by, auto_execute=auto_execute, timeout_s=timeout_s)

    async def thread(self, work: Callable[[], T]) -> T:
        """Run a pure function in a thread, for what takes longer than a few milliseconds."""
        with working(self._segment, self._step):
            return await asyncio.to_thread(work)

    # -- waiting ------------------------------------------------------------------------------------------------------

    async def sleep(self, seconds: float, key: str = "sleep") -> None:
        """Park for some seconds from the first time this was reached."""
        await self.sleep_until(self._segment.clock.now() + seconds, key)

    async def sleep_until(self, until: float, key: str = "sleep") -> None:
        """Park until epoch seconds; on a replay the time that was journaled first counts."""
        await self._segment.sleep(self._step, until, key)

    async def ask(self, key: str, question: Question) -> Answer:
        """Ask a person and park until the answer is there. An answer `cancel` ends the run."""
        return await self._segment.ask(self._step, key, question)

    # -- containers ---------------------------------------------------------------------------------------------------

    @property
    def children(self) -> list[str]:
        """The ids of the nodes inside this one, in document order."""
        plan = self._segment.compiled.plans.get(self._step.node.id)
        return list(plan.nodes) if plan else []

    async def frame(self, index: int, values: JsonObject) -> Scope:
        """Run the children once; `values` = what they may read as item, index, loop. Gives their scope at the end.

        Raises the error of the child that failed.
        """
        return await self._segment.frame(self._step, index, values)

    def inner(self, field: str, scope: Scope, key: str) -> JsonValue:
        """The value of an `inner` config field in a frame, the same for the same key on every replay."""
        return self._value(key, lambda: self._step.node.inner[field].render(scope))

    # -- effects ------------------------------------------------------------------------------------------------------

    async def effect(
        self,
        key: str,
        call: Callable[[EffectHandle], Awaitable[JsonValue]],
        kind: EffectKind,
        *,
        target: str,
        arguments: JsonValue = None,
        started: Started = None,
        ended: Ended = None,
    ) -> JsonValue:
        """Run `call` once and journal its JSON result under `key`, or give back what the journal holds.

        Raises what `call` raised (PatchbayError; anything else becomes INTERNAL), on a replay as well.
        """
        print_ = await self._fingerprint(kind, target, arguments)
        records = self._step.records
        generation = 1  # a person's "retry" opens the next one
        while True:
            at = (self._step.attempt, key if generation == 1 else f"{key}@{generation}")
            known = records.effects.get(at)
            if known is None:
                break
            if known.live:
                raise InternalError(detail=f"two effects share the key {key}")
            if known.fingerprint != print_:
                reason: Literal["mismatch", "recovery"] = "mismatch"
            elif known.ended:
                self._step.wrote = self._step.wrote or kind == "write"
                if known.error and known.error.get("unknown"):
                    self._step.unknown.append(at[1])
                return known.outcome()
            elif kind != "write":
                break
            else:
                reason = "recovery"
            answer = await self._decide(reason, at[1], target, arguments, started)
            if answer.action == "skip":
                return skipped_value(answer.values, started)
            if answer.action != "retry":
                raise _refused(reason, target)
            generation += 1
        return await self._run(at[1], call, kind, print_, known, started, ended)

    async def _run(
        self,
        key: str,
        call: Callable[[EffectHandle], Awaitable[JsonValue]],
        kind: EffectKind,
        print_: str,
        known: Effect | None,
        started: Started,
        ended: Ended,
    ) -> JsonValue:
        segment, step = self._segment, self._step
        await segment.gate(step)
        effect = known or Effect(print_)
        effect.live = True
        step.records.effects[(step.attempt, key)] = effect
        step.wrote = step.wrote or kind == "write"
        begun: float | None = None
        try:
            with working(segment, step, writes=kind in UNSAFE):
                if known is None:
                    type_, data = started or (None, {})
                    segment.append(step, type_, data, record="start", key=key, fingerprint=print_, effect_kind=kind)
                if kind in UNSAFE:
                    await segment.journal.barrier()
                begun = segment.clock.now()
                result = await call(self._handle(key, started, effect))
                result = await asyncio.to_thread(clean, result) if is_large(result) else clean(result)
                type_, data = ended(result) if ended else (None, {})
                self._end(key, kind, type_, data, {"result": result}, started)
                effect.ended, effect.result = True, result
                return result
        except (LeaseLost, JournalPoisoned):
            raise
        except asyncio.CancelledError:
            if begun is not None and not segment.dropping and not step.mute:
                cause = "NODE_TIMEOUT" if step.timed_out else "CANCELLED"
                self._failed(key, kind, effect, error_for(cause), begun, started)
            raise
        except PatchbayError as error:
            self._failed(key, kind, effect, error, begun, started)
            raise
        except Exception as error:
            LOG.exception("effect %s of %s failed", key, step.node.id)
            internal = InternalError()
            self._failed(key, kind, effect, internal, begun, started)
            raise internal from error
        finally:
            effect.live = False

    def _failed(
        self, key: str, kind: EffectKind, effect: Effect, error: PatchbayError, begun: float | None, started: Started
    ) -> None:
        stored: JsonObject = {"code": error.code, "params": clean(error.params), "detail": clean(error.detail)}
        if kind == "write" and begun is not None and may_have_happened(error):
            stored["unknown"] = True
            self._step.unknown.append(key)
        type_: str | None = None
        data: JsonObject = {}
        if started and started[0] == "TOOL_REQUEST":
            ms = 0.0 if begun is None else round((self._segment.clock.now() - begun) * 1000, 3)
            type_, data = (
                "TOOL_RESPONSE",
                {"call": started[1].get("call"), "content": [], "structured": None, "is_error": True, "ms": ms},
            )
            data["error"] = {k: v for k, v in stored.items() if k != "detail"}
        effect.ended, effect.error = True, stored
        self._end(key, kind, type_, data, {"error": stored}, started)

    def _end(
        self, key: str, kind: EffectKind, type_: str | None, data: JsonObject, value: JsonObject, started: Started
    ) -> None:
        self._segment.append(self._step, type_, data, record="end", key=key, effect_kind=kind, value=value)
        if kind in UNSAFE or (started and started[0] == "LLM_REQUEST"):
            self._segment.journal.hurry()

    def _handle(self, key: str, started: Started, effect: Effect) -> EffectHandle:
        segment, step = self._segment, self._step
        last = [-PROGRESS_EVERY_S]

        def progress(done: float, total: float | None, message: str) -> None:
            now = segment.clock.now()
            if (
                not effect.live
                or segment.dropping
                or (now - last[0] < PROGRESS_EVERY_S and (total is None or done < total))
            ):
                return
            last[0] = now
            call = started[1].get("call") if started else None
            segment.append(
                step, "STEP_PROGRESS", {"progress": done, "total": total, "message": clean(message), "call": call}
            )

        return EffectHandle(effect_id(segment.info.id, step.path, step.node.id, step.attempt, key), progress)

    async def _fingerprint(self, kind: str, target: str, arguments: JsonValue) -> str:
        def digest() -> str:
            text = json.dumps([kind, target, arguments], sort_keys=True, ensure_ascii=True, default=str)
            return hashlib.sha256(text.encode()).hexdigest()

        return await self.thread(digest) if is_large(arguments) else digest()

    async def _decide(
        self, reason: Literal["mismatch", "recovery"], key: str, target: str, arguments: JsonValue, started: Started
    ) -> Answer:
        refused = _refused(reason, target)
        message, hint = refused.text(self.language)
        tool: JsonObject | None = None
        if started and started[0] == "TOOL_REQUEST":
            tool = {"server": started[1].get("server"), "name": started[1].get("tool")}
        question = Question(reason, title=target, message=f"{message} {hint}", tool=tool, proposal=arguments)
        return await self._segment.ask(self._step, f"{reason}:{key}", question)


class working:
    """Marks a step as working for the time of a `with`."""

    __slots__ = ("segment", "step", "writes")

    def __init__(self, segment: Stage, step: Step, *, writes: bool = False) -> None:
        self.segment, self.step, self.writes = segment, step, writes

    def __enter__(self) -> None:
        self.step.busy += 1
        self.step.writing += self.writes
        self.segment.changed(self.step)

    def __exit__(self, *_: object) -> None:
        self.step.busy -= 1
        self.step.writing -= self.writes
        self.segment.changed(self.step)


def _refused(reason: str, target: str) -> PatchbayError:
    if reason == "mismatch":
        return ReplayMismatch(params={"target": target})
    return WorkerLost(params={"reason": "unknown_outcome", "target": target})


def skipped_value(values: JsonValue, started: Started) -> JsonValue:
    """A person's value in the place of an effect's result; for a tool call in the shape of a tool's result."""
    values = clean(values)
    if not (started and started[0] == "TOOL_REQUEST"):
        return values
    given = values if isinstance(values, dict) else {"result": "" if values is None else str(values)}
    structured = given.get("structured")
    text = given.get("result")
    if text is None:
        text = "" if structured is None else json.dumps(structured, ensure_ascii=False)
    content = given.get("content")
    if not isinstance(content, list):
        content = [{"type": "text", "text": str(text)}]
    return {"content": content, "structured": structured, "text": str(text), "is_error": False, "ms": 0.0}
