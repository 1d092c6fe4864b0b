"""One step of a planner: from the tool that was planned to its result, its failure, or a person's no.

    INIT     arguments from the model, its judgement of the risk
    WAITING  the gate asks a person (policy, risk); the arguments may be edited there
    RUNNING  the call is under way
    ERROR    it failed: mended and tried again (INIT), put to a person (PARAM), or given up
    PARAM    a person supplies what is missing

Every attempt goes through the gate. A write whose outcome is unknown is never attempted again. The step is a step of
its own in the log (`ctx.sub`), with exactly one end: STEP_OUTPUT, STEP_ERROR, STEP_SKIP or STEP_CANCEL. What is said
to the model about it stands in the planner's own conversation, which so grows only by what is new.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from backend.agents.planner import failures as failures
from backend.agents.planner.memory import StepRecord
from backend.agents.planner.questions import Questions
from backend.agents.planner.states import STEP, Track
from backend.agents.watched import WatchedCall, repeat_question
from backend.engine.execution.events import (
    StepErrorData,
    StepInitData,
    StepInputData,
    StepOutputData,
    StepRetryData,
    StepSkipData,
)
from backend.errors import (
    BudgetExceeded,
    Cancelled,
    LlmBadResponse,
    McpExecutionError,
    NodeTimeout,
    PatchbayError,
    ReplayMismatch,
)
from backend.tools.signing_in import is_let_fail
from backend.tools.types import (
    Answer,
    EffectHandle,
    JsonObject,
    Question,
    Risk,
    ToolResult,
    ToolSpec,
    object_in,
    object_of,
)

if TYPE_CHECKING:
    from backend.agents.toolset import Toolset
    from backend.engine.execution.context import AnyContext, SubStep

FIRST_DELAY_S, FACTOR, MAX_DELAY_S = 1.0, 2.0, 10.0
"""Seconds before a lost connection is tried again."""


@dataclass(frozen=True, slots=True)
class PlannerContext:
    """What the steps of one planner share. `auto`: the model mends, and the gate asks at HIGH risk only."""

    ctx: AnyContext
    toolset: Toolset
    questions: Questions
    auto: bool
    max_attempts: int
    moved: Callable[[str], None]  # told the state of the step, for the planner's own


class PlannedStep:
    """One step. `record` is what is remembered of it."""

    def __init__(self, around: PlannerContext, number: int, tool: str, description: str) -> None:
        self.record = StepRecord(tool, description)
        self.track = Track(STEP)
        self._around, self._number = around, number
        self._ask = around.questions
        self._sub: SubStep[Any] = around.ctx.sub(f"step:{number}")
        self._spec: ToolSpec = around.toolset.specs[tool]
        self._schema: JsonObject = self._spec.input_schema
        self._rated: tuple[JsonObject, Risk] | None = None

    async def run(self) -> StepRecord:
        """Take the step. A failure is in its record; raises what ends the planner: errors of the model's endpoint, a
        used-up budget, a question that nobody answered where that is to be a failure, a replay that does not fit."""
        server, name = self._around.toolset.server_of(self.record.tool)
        init: StepInitData = {
            "name": self._spec.title or name,
            "tool": name,
            "server": server,
            "description": self.record.description,
            "attempt": 1,
        }
        self._sub.emit("init", "STEP_INIT", init)
        try:
            return await self._work()
        except (asyncio.CancelledError, Cancelled):
            self._to("CANCELLED")
            self._sub.emit("end", "STEP_CANCEL", {})
            raise
        except PatchbayError as error:
            self._sub.emit("end", "STEP_ERROR", _shown(error))
            raise

    # -- the states ---------------------------------------------------------------------------------------------------

    async def _work(self) -> StepRecord:
        key = f"step:{self._number}/parameters"
        arguments = await self._ask.parameters(key, self.record.tool, self.record.description, self._schema)
        if arguments is None:
            return self._give_up(LlmBadResponse(params={"reason": "parameters"}))
        attempt = 1
        while True:
            self.record.arguments = self.record.known = wished = arguments
            shown: StepInputData = {"input": arguments}
            self._sub.emit(f"input:{attempt}", "STEP_INPUT", shown)
            if self._ask.memory.may_have_happened(self.record.tool, arguments):
                answer = await self._repeat(attempt, arguments)
                if answer.action != "accept":
                    return self._skip(answer.reason)
                arguments = arguments if answer.values is None else object_of(answer.values)
            risk = await self._risk(attempt, arguments)
            call = WatchedCall(self._sub, self._to)
            try:
                result = await self._call(attempt, arguments, risk, call)
                if not result.is_error:
                    return self._succeed(result)
                error: PatchbayError = self._tool_error(result)
            except (BudgetExceeded, Cancelled, NodeTimeout, ReplayMismatch):
                raise
            except PatchbayError as raised:
                if is_let_fail(raised):
                    raise
                error = raised
            finally:
                self._called(arguments, call.arguments)
                changed = call.changed(wished, arguments) is not None
                self.record.requested = wished if changed else self.record.requested
            self.record.unknown = call.unknown
            if error.code == "MCP_POLICY_DENIED" and error.params.get("reason") == "declined":
                return self._skip(str(error.params.get("why") or ""))
            self._to("ERROR")
            self._note(failures.tool_words(error))
            again = await self._after(attempt, error)
            if isinstance(again, StepRecord):
                return again
            arguments, attempt = again, attempt + 1

    def _called(self, chosen: JsonObject, arguments: JsonObject | None) -> None:
        """Keep the arguments of the call as it was made; of them the model gets to know those that it or a person
        chose, not the parameters that the node settles."""
        if arguments is not None:
            known = chosen.keys() | object_in(self._schema, "properties").keys()
            self.record.arguments = arguments
            self.record.known = {name: value for name, value in arguments.items() if name in known}

    async def _call(self, attempt: int, arguments: JsonObject, risk: Risk, call: WatchedCall) -> ToolResult:
        context = self._sub.call(f"call:{attempt}", chosen_by="model", auto_execute=self._around.auto)
        context = replace(context, effects=call, raised=risk, read=self._ask.memory.tool_texts.newest())
        return await self._around.toolset.call(self.record.tool, arguments, context)

    async def _repeat(self, attempt: int, arguments: JsonObject) -> Answer:
        """A person's word on a call that an earlier step made and that may have happened."""
        server, _ = self._around.toolset.server_of(self.record.tool)
        evidence = self._ask.memory.tool_texts.evidence()
        question = repeat_question(server, self._spec, arguments, self.record.description, evidence)
        self._to("WAITING")
        return await self._sub.ask(f"repeat:{attempt}", question)

    async def _risk(self, attempt: int, arguments: JsonObject) -> Risk:
        """What the model sees in the call; asked anew only for other arguments."""
        if self._rated is None or self._rated[0] != arguments:
            key = f"step:{self._number}/risk:{attempt}"
            about = self._spec.description
            risk = await self._ask.tool_risk(key, self.record.tool, self.record.description, about, arguments)
            self._rated = (arguments, risk)
        return self._rated[1]

    async def _after(self, attempt: int, error: PatchbayError) -> JsonObject | StepRecord:
        """What follows a failed attempt: the arguments of the next one, or the step as it ended."""
        kind = failures.category(error)
        if kind == "connection":
            await self._drop(attempt)
        if attempt >= self._around.max_attempts or self.record.unknown:
            return self._give_up(error)
        if kind == "connection":
            delay = min(FIRST_DELAY_S * FACTOR ** (attempt - 1), MAX_DELAY_S)
            self._again(attempt, error, delay)
            await self._sub.sleep(delay, key=f"again:{attempt}")
            return self.record.known
        about = self._about(error)
        sure = kind == "parameter"
        key = f"step:{self._number}"
        if not sure and failures.may_be_parameters(error):
            sure = await self._ask.is_parameter_error(f"{key}/is-parameter:{attempt}", **about)
        if not sure:
            return self._give_up(error)
        if not self._around.auto:
            return await self._supplied(attempt, error, about)
        mended = await self._ask.mended(f"{key}/mend:{attempt}", self._schema, **about)
        if mended is None:
            return self._give_up(error)
        self._again(attempt, error, 0.0)
        return mended

    def _again(self, attempt: int, error: PatchbayError, delay_s: float) -> None:
        """ERROR to INIT."""
        data: StepRetryData = {"attempt": attempt + 1, "delay_ms": round(delay_s * 1000), "code": error.code}
        self._sub.emit(f"again:{attempt}", "STEP_RETRY", data)
        self._to("INIT")

    async def _supplied(self, attempt: int, error: PatchbayError, about: dict[str, str]) -> JsonObject | StepRecord:
        """PARAM: a person gets the failure in plain words and a form of what is missing."""
        key, arguments = f"step:{self._number}", self.record.known
        words = await self._ask.in_plain_words(f"{key}/plain-words:{attempt}", **about)
        named = failures.named_in(error, self._schema)
        named += await self._ask.missing_parameters(f"{key}/missing:{attempt}", self._schema, **about)
        names = failures.form_fields(self._schema, arguments, named)
        if not names:
            return self._give_up(error)
        server, tool = self._around.toolset.server_of(self.record.tool)
        question = Question(
            "params",
            self._spec.title or tool,
            message=words or failures.error_text(error, self._around.ctx.language),
            tool={"server": server, "name": tool},
            schema=failures.form(self._schema, names),
            proposal={name: arguments[name] for name in names if name in arguments},
        )
        self._to("PARAM")
        answer = await self._sub.ask(f"params:{attempt}", question)
        if answer.action != "accept":
            return self._skip(answer.reason)
        self._to("RUNNING")
        return {**arguments, **(answer.values if isinstance(answer.values, dict) else {})}

    async def _drop(self, attempt: int) -> None:
        """Let the pool make the connection anew."""

        async def body(_: EffectHandle) -> None:
            await self._around.toolset.drop(self.record.tool)

        server, _ = self._around.toolset.server_of(self.record.tool)
        await self._sub.effect(f"drop:{attempt}", body, "read", target=f"pool/{server}")

    # -- ends ---------------------------------------------------------------------------------------------------------

    def _succeed(self, result: ToolResult) -> StepRecord:
        self._to("SUCCESS")
        self.record.result = result.text
        self.record.summary = failures.shortened_result(result, self._around.ctx.language)
        self._note(self.record.summary)
        data: StepOutputData = {"output": {"result": result.text, "structured": result.structured, "is_error": False}}
        self._sub.emit("end", "STEP_OUTPUT", data)
        return self._ended("SUCCESS")

    def _skip(self, why: str) -> StepRecord:
        self._to("SKIPPED")
        self.record.result = self.record.summary = why or "-"
        data: StepSkipData = {"declined": True, "reason": why}
        self._sub.emit("end", "STEP_SKIP", data)
        return self._ended("SKIPPED")

    def _give_up(self, error: PatchbayError) -> StepRecord:
        self._to("ERROR")
        self.record.result = self.record.summary = failures.error_text(error, self._around.ctx.language)
        data = _shown(error)
        data["category"] = failures.category(error)
        if self.record.unknown:
            data["unknown"] = True
        self._sub.emit("end", "STEP_ERROR", data)
        return self._ended("ERROR")

    def _ended(self, state: str) -> StepRecord:
        self.record.state = state
        return self.record

    def _tool_error(self, result: ToolResult) -> PatchbayError:
        text = failures.shortened_result(result, self._around.ctx.language)
        return McpExecutionError(params={"tool": self.record.tool}, detail={"text": text})

    def _about(self, error: PatchbayError) -> dict[str, str]:
        return {
            "tool": self.record.tool,
            "description": self.record.description,
            "arguments": json.dumps(self.record.known, ensure_ascii=False),
            "error": failures.error_text(error, self._around.ctx.language),
        }

    def _note(self, text: str) -> None:
        """Keep what the tool said: from here on the model may follow it."""
        server, tool = self._around.toolset.server_of(self.record.tool)
        self._ask.memory.tool_texts.add(server, tool, text)

    def _to(self, state: str) -> None:
        self.track.to(state)
        self._around.moved(state)


def _shown(error: PatchbayError) -> StepErrorData:
    return {"code": error.code, "params": error.params, "detail": error.detail}
