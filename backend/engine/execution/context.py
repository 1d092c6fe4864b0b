"""What a node reaches the world through: effects, questions, timers, and values that must be the same on replay."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypedDict, TypeVar

from backend.engine.document.ids import derived_id, part_id
from backend.engine.execution.effects import Effects
from backend.engine.execution.events import StepLogData
from backend.engine.execution.frame import Scope
from backend.engine.execution.items import NOTHING, Items
from backend.engine.execution.ports import Limit
from backend.engine.execution.records import DrawnValue
from backend.engine.execution.step import ROOT_SCOPE, Step, StepScope
from backend.engine.execution.working import working
from backend.engine.language.budget import Meter, Slow
from backend.engine.language.clean import clean
from backend.engine.language.filters import json_type
from backend.engine.language.later import Later, with_values_now
from backend.errors import ResultTooLarge, ValidationFailed
from backend.llm.types import ChatModel, Featured, context_of
from backend.tools.http.terms import RequestTerms
from backend.tools.types import (
    Answer,
    CallContext,
    JsonObject,
    JsonValue,
    Question,
    T,
    ToolResult,
    ToolSource,
    ToolSpec,
)

if TYPE_CHECKING:
    from backend.engine.execution.segment_state import SegmentState
    from backend.engine.execution.step_runner import StepRunner

Values = TypeVar("Values", bound=Mapping[str, object], covariant=True)


class Abilities(TypedDict):
    """What a model could do when the run first saw it."""

    features: list[str] | None
    context: int | None


class NodeContext(Effects, Generic[Values]):
    """The world of one attempt of one step. `config` holds the node's values, frozen; nothing in it may be changed.

    What stands in it says the TypedDict of the node type (`NodeContext[ToolValues]`); to mypy and readers, for what
    was journaled is not checked again.
    """

    __slots__ = ("_runner", "config")

    def __init__(
        self, segment: SegmentState, step: Step, config: Values, runner: StepRunner, part: StepScope = ROOT_SCOPE
    ) -> None:
        super().__init__(segment, step, part)
        self._runner = runner
        self.config = config

    # -- what is constant ---------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> JsonObject:
        """The run's inputs."""
        return self._segment.info.inputs

    @property
    def language(self) -> str:
        """The run's language, "en" or "zh", as it stood when this was first read: where the document names none it is
        that of whoever started it, who may change it while the run waits."""
        return self._value("language", lambda: self._segment.info.language, part=ROOT_SCOPE)

    @property
    def auto_execute(self) -> bool:
        """Whether whoever started the run wants to be asked at HIGH risk only, as it stood when this was first read."""
        return self._value("auto_execute", lambda: self._segment.info.auto_execute, part=ROOT_SCOPE)

    @property
    def servers_off(self) -> frozenset[str]:
        """Servers, by the names that documents use, that whoever started the run switched off for models."""
        return self._segment.info.servers_off

    @property
    def client_tools(self) -> tuple[ToolSpec, ...]:
        """Tools that the client which started the run declared, and answers calls of."""
        return self._segment.info.client_tools

    @property
    def as_written(self) -> JsonObject:
        """Fields of the config as the document writes them, expressions and names of secrets and all: those that the
        node type names (`NodeType.written`)."""
        return self._step.node.as_written

    def behaviour(self, current: int) -> int:
        """The version of what its node does that this attempt keeps to: `current`, as it stood when the attempt began.

        0 for an attempt whose journal began before there were versions; ask before the first effect. What is said to a
        model and what people are asked are parts of a journal's fingerprints and keys: who changes them raises the
        version and lets attempts of an older one do as they did.
        """
        records, attempt = self._step.records, self._step.attempt
        begun = any(effect == attempt for effect, _ in (*records.effects, *records.asked))
        return self._value("behaviour", lambda: 0 if begun else current, part=ROOT_SCOPE)

    @property
    def earlier_messages(self) -> list[JsonValue]:
        """What was said before in the conversation of which the run is a turn: `{role, content}`; nothing elsewhere."""
        return list(self._segment.info.earlier_messages)

    @property
    def step_id(self) -> str:
        """The public id of this step (of a `sub` its own)."""
        return self._part.id or self._step.id

    @property
    def attempt(self) -> int:
        """Which try this is, from 1."""
        return self._step.attempt

    @property
    def variables(self) -> JsonObject:
        """The run's variables as this attempt first saw them."""
        return self._value("variables", lambda: self._segment.variables, part=ROOT_SCOPE)

    # -- values that a replay must see again --------------------------------------------------------------------------

    def now(self, key: str = "now") -> float:
        """Epoch seconds, the same for the same key on every replay."""
        return self._value(key, self._segment.clock.now)

    def random(self, key: str = "random") -> float:
        """A number in [0, 1), the same for the same key on every replay."""
        return self._value(key, random.random)

    def new_id(self, key: str = "id") -> str:
        """128 bits of chance as hex, the same for the same key on every replay."""
        return self._value(key, lambda: secrets.token_hex(16))

    def worked(self, key: str = "worked") -> float:
        """Seconds this attempt has worked so far, not parked; the same for the same key on every replay."""
        return self._value(key, lambda: self._step.worked(self._segment.clock.now()), worked=True)

    def _value(self, key: str, make: Callable[[], T], *, part: StepScope | None = None, worked: bool = False) -> T:
        key = (self._part if part is None else part).prefix + key
        values, record_key = self._step.records.values, (self._step.attempt, key)
        if record_key not in values:
            values[record_key] = fresh = make()
            drawn: DrawnValue = {"value": fresh}
            if worked and isinstance(fresh, int | float):
                drawn["ran"] = fresh
            self._segment.append(self._step, record="value", key=key, value=drawn)
        stored: T | Later = values[record_key]
        if not isinstance(stored, Later):
            return stored
        read: T = stored.read_now()
        return read

    # -- the log ------------------------------------------------------------------------------------------------------

    def emit(self, key: str, type: str, data: Mapping[str, object]) -> None:
        """Write an event of this step once; `key` makes it one on replays too."""
        key = self._part.prefix + key
        emitted, record_key = self._step.records.emitted, (self._step.attempt, key)
        if record_key not in emitted:
            emitted.add(record_key)
            self._segment.append(self._step, type, clean(data), record="emit", key=key, part=self._part)

    def log(self, key: str, text: str, level: Literal["debug", "info", "warning", "error"] = "info") -> None:
        """Write a STEP_LOG line once."""
        data: StepLogData = {"level": level, "text": text}
        self.emit(key, "STEP_LOG", data)

    # -- tools --------------------------------------------------------------------------------------------------------

    async def tools(self, server: str | JsonObject) -> ToolSource:
        """The gated tools of a server. Raises McpError, ServerNotApproved, SecretMissing, NotFound."""
        with working(self._segment, self._step):
            return await self._segment.services.tools(server)

    async def many_tools(self, servers: Sequence[str | JsonObject]) -> Sequence[ToolSource]:
        """As `tools` of each, in order. Raises what the first that fails raises."""
        with working(self._segment, self._step):
            return await self._segment.services.many_tools(servers)

    async def workflows(self, names: list[str]) -> ToolSource:
        """These workflows as tools, each call a run of its own. Raises NotFound, NotPublished."""
        with working(self._segment, self._step):
            return await self._segment.services.workflows(names)

    async def request(self, key: str, method: str, arguments: JsonObject, terms: RequestTerms) -> ToolResult:
        """Send an HTTP request as the call `key`, as `tools.http.source` says; a failed answer has `is_error`.

        Raises ValidationFailed, SecretMissing, NetworkBlocked, HttpUnreachable, HttpTimeout, ResultTooLarge,
        McpPolicyDenied (a person declined).
        """
        with working(self._segment, self._step):
            source = await self._segment.services.requests(terms)
        return await source.call_tool(method, arguments, self.call(key))

    async def chat(self, provider: str, model: str) -> ChatModel:
        """A model of a provider. Its rounds are effects; what it can do is journaled, since requests depend on it.

        Raises NotFound, ValidationFailed.
        """
        with working(self._segment, self._step):
            chat_model = await self._segment.services.chat(provider, model)
        features = None if chat_model.features is None else sorted(chat_model.features)
        now: Abilities = {"features": features, "context": context_of(chat_model)}
        key = derived_id("features", provider, model)  # names may be long
        first: Abilities | list[str] | None = self._value(key, lambda: now, part=ROOT_SCOPE)
        if first == now:
            return chat_model
        # runs of before journaled the list alone; their conversations were never shortened, so nor are they now
        seen: Abilities = first if isinstance(first, dict) else {"features": first, "context": None}
        return Featured(chat_model, None if seen["features"] is None else frozenset(seen["features"]), seen["context"])

    async def file(self, key: str) -> tuple[bytes, str, str]:
        """(bytes, mime, name) of a file of the run's team. Raises NotFound."""
        with working(self._segment, self._step):
            return await self._segment.services.file(key)

    async def limits(self) -> list[Limit]:
        """The budgets of the run and its team with what is used by now. Not journaled: ask inside an effect."""
        with working(self._segment, self._step):
            return await self._segment.services.limits()

    def call(
        self,
        key: str,
        *,
        chosen_by: Literal["person", "model"] | None = None,
        auto_execute: bool = False,
        timeout_s: float | None = None,
    ) -> CallContext:
        """What `ToolSource.call_tool` wants: this step's journal and the call's key.

        Where a caller does not say who chose the call, it was the document's author, or the model the run is for.
        """
        chooser = chosen_by or ("model" if self._segment.info.calls_for_model else "person")
        written = "" if chooser == "model" else self._step.node.written
        return CallContext(
            self, key, chosen_by=chooser, auto_execute=auto_execute, timeout_s=timeout_s, expressions=written
        )

    async def thread(self, work: Callable[[], T]) -> T:
        """Run a pure function in a thread, for what takes longer than a few milliseconds."""
        return await self._runner.in_thread(self._step, work)

    # -- waiting ------------------------------------------------------------------------------------------------------

    async def sleep(self, seconds: float, key: str = "sleep") -> None:
        """Park for some seconds from the first time this was reached."""
        await self.sleep_until(self._segment.clock.now() + seconds, key)

    async def sleep_until(self, until: float, key: str = "sleep") -> None:
        """Park until epoch seconds; on a replay the time that was journaled first counts."""
        await self._segment.sleep(self._step, until, self._part.prefix + key)

    async def ask(self, key: str, question: Question) -> Answer:
        """Ask a person and park until the answer is there. An answer `cancel` ends the run.

        Where the config says `expires_s` (and `on_expire`), the question is open for so long. Raises NodeTimeout when
        it expired and that is to be a failure.
        """
        seconds = self.config.get("expires_s")
        if seconds is not None and question.expires_in_s is None and question.kind not in ("recovery", "mismatch"):
            on_expire = question.on_expire or ("fail" if self.config.get("on_expire") == "fail" else "decline")
            question = replace(question, expires_in_s=_seconds(seconds), on_expire=on_expire)
        return await self._segment.ask(self._step, self._part.prefix + key, question, self._part)

    # -- steps inside this one ----------------------------------------------------------------------------------------

    def sub(self, key: str) -> SubStep[Values]:
        """A step inside this step, as a planner's: it has a public id of its own, its keys begin with `key/`, and its
        lines carry `data.parent`. Its STEP_* events are for people; nothing is settled by them.
        """
        prefix = f"{self._part.prefix}{key}/"
        id_ = part_id(self._segment.info.id, self._step.path, self._step.node.id, prefix[:-1])
        return SubStep(self._segment, self._step, self.config, self._runner, StepScope(prefix, id_))

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
        return await self._runner.rounds.run(self._step, index, values)

    def rounds_before(self) -> tuple[int, JsonObject, JsonObject] | None:
        """Where this loop stands, as far as that was written down: (the round that comes next, what `rounds_over` was
        given, the outputs of the round before by node)."""
        return self._runner.rounds.rounds_before(self._step)

    def rounds_over(self, number: int, carried: JsonObject) -> None:
        """Round `number` comes next, and `carried` is all it needs of those before but what the last one gave. Written
        down now and then, so that a resume begins there."""
        self._runner.rounds.rounds_over(self._step, number, carried)

    def items_before(self) -> Items:
        """The items of this iteration that are over, as far as that was written down: `given` has what they gave."""
        return self._runner.rounds.items_before(self._step)

    def item_over(self, number: int) -> None:
        """One more item of this iteration is over, and nothing of it is needed but what it gave under `output:…`.
        Written down now and then, so that a resume begins behind it."""
        self._runner.rounds.item_over(self._step, number)

    def inner_value(self, key: str) -> object:
        """What `inner_later` gave for a key, maybe as a `Later`; `NOTHING` where it was never asked."""
        return self._step.records.values.get((self._step.attempt, self._part.prefix + key), NOTHING)

    def inner(self, field: str, scope: Scope, key: str) -> JsonValue:
        """The value of an `inner` config field in a frame, the same for the same key on every replay."""
        meter = Meter(self._segment.info.bounds)
        return with_values_now(lambda: self._value(key, lambda: self._step.node.inner[field].render(scope, meter)))

    async def inner_later(self, field: str, scope: Scope, key: str) -> JsonValue | Later:
        """As `inner`; what an earlier segment gave may come as a `Later`, for `whole` to read once it is needed."""
        values, record_key = self._step.records.values, (self._step.attempt, self._part.prefix + key)
        if record_key in values:
            known: JsonValue | Later = values[record_key]
            return known
        template = self._step.node.inner[field]

        async def render() -> JsonValue:
            bounds = self._segment.info.bounds
            try:
                return template.render(scope, Meter(bounds, quick=True))
            except Slow:
                return await self._runner.in_thread(self._step, lambda: template.render(scope, Meter(bounds)))

        try:
            rendered = await self._segment.with_values(self._step, render)
        except ResultTooLarge as error:
            error.params |= {"node": self._step.node.id, "field": field}
            raise
        return self._value(key, lambda: rendered)

    def asks(self, field: str) -> bool:
        """Whether an `inner` config field says anything."""
        template = self._step.node.inner[field]
        return template.kind != "constant" or template.value not in (None, [], {})

    async def per_item(self, field: str, items: list[JsonValue], places: Sequence[int]) -> list[JsonValue]:
        """What an `inner` config field gives for the items at these places, each as `item` and its place as `index`.

        Nothing of it is journaled: a replay that comes here has no outcome of this step yet, and asks anew.
        """
        template, outer, bounds = self._step.node.inner[field], self._step.frame.scope, self._segment.info.bounds

        def render_all() -> list[JsonValue]:
            meter = Meter(bounds)
            return [template.render(Scope({"item": items[i], "index": i}, outer=outer), meter) for i in places]

        async def render() -> list[JsonValue]:
            return await self._runner.in_thread(self._step, render_all)

        try:
            return await self._segment.with_values(self._step, render)
        except ResultTooLarge as error:
            error.params |= {"node": self._step.node.id, "field": field}
            raise

    def gathering(self, field: str) -> Callable[[object], None]:
        """Counts what is put together of many values, each as it comes; raises ResultTooLarge when it is too much."""
        meter = Meter(self._segment.info.bounds)

        def add(value: object) -> None:
            try:
                meter.add(value)
            except ResultTooLarge as error:
                error.params |= {"node": self._step.node.id, "field": field}
                raise

        return add

    async def whole(self, value: T | Later) -> T:
        """The value, read from where it is stored."""
        return await self._segment.loaded(self._step, value)


class SubStep(NodeContext[Values]):
    """A step inside a node's step (`NodeContext.sub`): what it writes is its own, time and fate are the node's."""

    __slots__ = ()


AnyContext: TypeAlias = NodeContext[Any]
"""The context of a node of whatever type, for what many types share."""


def _seconds(value: Any) -> float:
    """Seconds that a config names, which an expression may have given."""
    try:
        return max(0.0, float(value))
    except (TypeError, ValueError):
        params = {"reason": "value", "field": "expires_s", "expected": "number", "got": json_type(value)}
        raise ValidationFailed(params=params, fields={"expires_s": ["must be number"]}) from None
