"""The journal of a step as one of its calls sees it: it tells where the call stands.

The gate asks and calls through it, so who makes the call learns when a person is asked, when the call begins, with
which arguments (a person may have edited them), and whether a failed write may have happened. And the question that is
put to a person before such a write is made again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from backend.engine.execution.retry import may_have_happened
from backend.errors import PatchbayError
from backend.tools.calls.risk import reason
from backend.tools.calls.workflow_source import StartsRuns
from backend.tools.types import (
    Answer,
    EffectContext,
    EffectHandle,
    EffectKind,
    Event,
    Evidence,
    FollowedTask,
    JsonLike,
    JsonObject,
    Question,
    Risk,
    T,
    ToolResultJson,
    ToolSpec,
    object_in,
)


def repeat_question(
    server: str, tool: ToolSpec, arguments: JsonObject, message: str, evidence: Evidence | None
) -> Question:
    """A person's word on a call that was made before and of which nobody knows what came of it, whatever the tool's
    policy is; the gate decides besides. `evidence` = what the model had read."""
    return Question(
        "approval",
        tool.title or tool.name,
        message=message,
        tool={"server": server, "name": tool.name},
        risk=Risk("HIGH", [reason("may_repeat")]),
        schema=tool.input_schema,
        proposal=arguments,
        evidence=evidence,
    )


class World(EffectContext, StartsRuns, Protocol):
    """The journaled world of a step, in which workflows can be called too."""


class WatchedCall:
    """A `World` around another. `arguments` = as the call was made, None where it was not; `proposed` = as a person was
    first asked about it, None where nobody was; `edited`: a person gave other arguments."""

    def __init__(self, effects: World, moved: Callable[[str], None] = lambda _: None) -> None:
        """`moved` is told WAITING and RUNNING."""
        self.arguments: JsonObject | None = None
        self.proposed: JsonObject | None = None
        self.edited = False
        self.unknown = False  # a write that failed and may have happened
        self._effects, self._moved = effects, moved

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
        """As the inner one; a tool's request means that the call runs."""
        calling = started is not None and started[0] == "TOOL_REQUEST"
        if started is not None and calling:
            self.arguments = object_in(started[1], "arguments")
            self._moved("RUNNING")
        try:
            return await self._effects.effect(
                key, call, kind, target=target, arguments=arguments, started=started, ended=ended
            )
        except PatchbayError as error:
            self.unknown = self.unknown or (calling and kind == "write" and may_have_happened(error))
            raise

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
        """As the inner one; the call goes on at its server."""
        try:
            return await self._effects.follow(
                key, task, kind, target=target, arguments=arguments, started=started, ended=ended
            )
        except PatchbayError as error:
            self.unknown = self.unknown or (kind == "write" and may_have_happened(error))
            raise

    async def ask(self, key: str, question: Question) -> Answer:
        """As the inner one; the step waits meanwhile."""
        self._moved("WAITING")
        answer = await self._effects.ask(key, question)
        if question.kind == "approval":
            if self.proposed is None and isinstance(question.proposal, dict):
                self.proposed = question.proposal
            self.edited = self.edited or (answer.values is not None and answer.values != question.proposal)
        return answer

    def changed(self, wished: JsonObject, passed: JsonObject) -> JsonObject | None:
        """The arguments that the call ran with where a person changed what a model had `wished`, as far as the model
        may know them: without the parameters that the node settles, which joined those that were `passed` on."""
        if self.arguments is None or not (self.edited or passed != wished):
            return None
        shown = self.arguments if self.proposed is None else self.proposed
        unmasked = {name for name, value in shown.items() if name not in passed or passed[name] != value}
        return {name: value for name, value in self.arguments.items() if name not in unmasked}

    def emit(self, key: str, type: str, data: Mapping[str, object]) -> None:
        """As the inner one."""
        self._effects.emit(key, type, data)

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
        """As the inner one: a workflow that is called as a tool runs."""
        self.arguments = inputs
        self._moved("RUNNING")
        return await self._effects.child(key, workflow, inputs, version, as_tool=as_tool, before=before)
