"""The planner: turns a goal into steps with tools, one at a time, and carries them out with people in the loop.

    name, risk -> FLOW_START -> (a person, once) -> [plan the next step -> take it] ... -> summary -> FLOW_SUCCESS

The flow's own risk is the model's judgement of the whole. HIGH and MEDIUM are put to a person before the first step,
whatever `auto_execute` says. Every single call passes the gate besides: without `auto_execute` each one that is not LOW
is confirmed there, with it each that is HIGH.

What results show and later steps need the model notes as facts, with the plan of the next step; they stand before every
later question, in the log and in the outputs.

Everything is an effect under a stable key, so a planner that was killed goes on where it was: neither model nor tool
is asked again, and only a round or a read that was under way is repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from backend.agents.behaviour import BEHAVIOUR
from backend.agents.budgets import AgentBudgets, Budgets
from backend.agents.endings import Ending, ending_of, say_ending
from backend.agents.planner.memory import Memory, StepRecord
from backend.agents.planner.questions import FINAL, Questions
from backend.agents.planner.states import FLOW, Track
from backend.agents.planner.step import PlannedStep, PlannerContext
from backend.agents.tool_loading import search_tools
from backend.agents.tool_search import SEARCH_TOOLS, ToolSearch
from backend.agents.toolset import AgentTools, Toolset, toolset
from backend.engine.document.types import Text
from backend.engine.execution.context import AnyContext
from backend.engine.execution.events import FailureData, PlanStartData
from backend.errors import Cancelled, McpExecutionError, McpPolicyDenied, PatchbayError
from backend.llm.types import ChatModel, Message, UsageJson
from backend.tools.calls.risk import reason
from backend.tools.types import JsonObject, Question, Risk, RiskLevel

Stopped = Literal["done", "max_steps", "budget", "repeated"] | Ending
SAME_STEPS = 3
"""After so many steps that are equal and ended in the same way nothing more is planned."""
SEARCHES = 5
"""Searches for the tool of one step."""
WHY = 500
"""Characters of the last failure that the flow's own failure tells."""
_NO_SUMMARY = Text("The model gave no summary.", "模型没有给出总结。")


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a planner goes. `max_errors`: with so many failed steps it ends; `history_rounds` of the conversation."""

    max_steps: int = 25
    max_errors: int = 3
    max_attempts: int = 5
    json_tries: int = 3
    history_rounds: int = 3


@dataclass(frozen=True, slots=True)
class Job:
    """What a planner is to do. `tools` as in a node's config; `prompts` = its own, by their short names."""

    goal: str
    tools: AgentTools = field(default_factory=AgentTools)
    tool_search: ToolSearch = "automatic"
    params: JsonObject = field(default_factory=dict)
    auto_execute: bool = False
    budgets: AgentBudgets | None = None
    prompts: Mapping[str, object] = field(default_factory=dict)
    history: Sequence[Message] = ()
    facts: Sequence[str] = ()
    limits: Limits = Limits()


class Closing(TypedDict):
    """The answer to the goal, and how it ended."""

    text: str
    stopped: Stopped
    finish: str
    model: str


class PlannerOutputs(Closing):
    """What the node gives out."""

    name: str
    risk: RiskLevel
    steps: list[JsonObject]
    facts: list[str]
    usage: UsageJson


class Planner:
    """One planner at work. `track` = its states, `ways` = those of its steps."""

    def __init__(self, ctx: AnyContext, job: Job, model: Callable[[], Awaitable[ChatModel]]) -> None:
        """`model` gives the model that plans."""
        self.track = Track(FLOW)
        self.ways: list[list[str]] = []
        self._ctx, self._job, self._model = ctx, job, model
        self._auto = job.auto_execute or ctx.auto_execute
        self._name, self._risk = "", Risk("LOW")
        self._behaviour = ctx.behaviour(BEHAVIOUR)
        self._begun = False  # whether FLOW_START is written

    async def run(self) -> PlannerOutputs:
        """The node's outputs.

        Raises McpExecutionError (reason "plan") when too many steps failed, McpPolicyDenied when a person declined
        the whole, BudgetExceeded where nothing may even be begun, and what tools cannot be listed for or a model's
        endpoint fails with.
        """
        try:
            return await self._run()
        except (asyncio.CancelledError, Cancelled):
            self.track.to("CANCELLED")
            raise
        except PatchbayError as error:
            self.track.to("ERROR")
            if self._begun:
                failed: FailureData = {"code": error.code, "params": error.params, "detail": error.detail}
                self._ctx.emit("flow/failed", "FLOW_FAILED", failed)
            raise

    async def _run(self) -> PlannerOutputs:
        job, ctx = self._job, self._ctx
        model = await self._model()
        tools = await toolset(ctx, job.tools, job.tool_search if self._behaviour >= 4 else "all")
        ask = self._questions(model, tools)
        budgets = Budgets(ctx, job.budgets)
        self.track.to("RUNNING")
        await budgets.refuse("flow")
        self._name = await ask.flow_name() or job.goal.strip()[:80]
        level, why = await ask.flow_risk()
        self._risk = Risk(level, [reason("model", why=why) if why else reason("unrated")])
        start: PlanStartData = {"name": self._name, "risk": level, "reason": why}
        ctx.emit("flow/start", "FLOW_START", start)
        self._begun = True
        await self._confirmed(level)
        around = PlannerContext(ctx, tools, ask, self._auto, job.limits.max_attempts, self._step_moved)
        stopped = await self._steps(around, budgets)
        ended = await self._closing(ask, model, tools, stopped)
        self.track.to("SUCCESS")
        ctx.emit("flow/success", "FLOW_SUCCESS", {})
        return {
            **ended,
            "name": self._name,
            "risk": level,
            "steps": [step.as_json() for step in ask.memory.steps],
            "facts": ask.memory.facts,
            "usage": ask.usage.as_json(),
        }

    def _questions(self, model: ChatModel, tools: Toolset) -> Questions:
        job, limits = self._job, self._job.limits
        own = {f"planner_{name}": text for name, text in job.prompts.items()}
        memory = Memory(
            job.goal,
            tools.definitions,
            language=self._ctx.language,
            own=own,
            history=job.history,
            rounds=limits.history_rounds,
            facts=job.facts,
            behaviour=self._behaviour,
        )
        return Questions(self._ctx, model, memory, params=job.params, own=own, tries=limits.json_tries)

    async def _confirmed(self, level: RiskLevel) -> None:
        """A person's yes to the whole, where its risk asks for one. Raises McpPolicyDenied."""
        if level == "LOW" or (level == "MEDIUM" and self._auto and self._behaviour < 2):
            return
        self.track.to("WAITING")
        question = Question("approval", self._name, message=self._job.goal, risk=self._risk)
        answer = await self._ctx.ask("confirm", question)
        if answer.action != "accept":
            raise McpPolicyDenied(params={"reason": "plan_declined", "why": answer.reason or "-"})
        self.track.to("RUNNING")

    async def _steps(self, around: PlannerContext, budgets: Budgets) -> Stopped:
        """Steps until the plan is final or a limit is reached. Raises McpExecutionError once too many have failed."""
        memory, limits = around.questions.memory, self._job.limits
        failed: list[StepRecord] = []
        for number in range(1, limits.max_steps + 1):
            key, budgets.usage = f"step:{number}", around.questions.usage
            if await budgets.used_up(key):
                return "budget"
            tool, description = await self._next(around, number)
            if tool == FINAL:
                return "done"
            if not await budgets.calls_allowed(key, 1):
                return "budget"
            step = PlannedStep(around, number, tool, description)
            self.ways.append(step.track.way)
            record = await step.run()
            memory.keep(record)
            failed += [record] if record.state == "ERROR" else []
            if len(failed) >= limits.max_errors:
                params = {"reason": "plan", "count": len(failed), "why": failed[-1].result[:WHY]}
                raise McpExecutionError(params=params, detail={"steps": [item.as_json() for item in failed]})
            if self._behaviour >= 2 and memory.times(record) >= SAME_STEPS:
                return "repeated"
        return "max_steps"

    async def _next(self, around: PlannerContext, number: int) -> tuple[str, str]:
        """(tool, description) of the next step, after searches for a tool where there are many."""
        ask, tools = around.questions, around.toolset
        for look in range(SEARCHES + 1):
            names = [name for name in tools.specs if tools.is_loaded(name)]
            searches = tools.searched and look < SEARCHES
            names += [SEARCH_TOOLS] if searches else []
            if not names:
                break
            tool, description = await ask.next_step(number, names, look, searches=searches)
            if tool != SEARCH_TOOLS:
                return tool, description
            search = await search_tools(self._ctx, f"step:{number}/search:{look + 1}", tools, {"query": description})
            tools.load(search.tools)
            ask.memory.looked(description, search.text)
        return FINAL, ""

    async def _closing(self, ask: Questions, model: ChatModel, tools: Toolset, stopped: Stopped) -> Closing:
        """`{text, stopped, finish, model}` of the answer to the goal; one that is no whole answer says why.

        Where a budget is used up it is the last step's result instead of one more round.
        """
        if stopped == "budget":
            last = next((step.result for step in reversed(ask.memory.steps) if step.state == "SUCCESS"), "")
            return {"text": last, "stopped": stopped, "finish": "", "model": ""}
        reply = await ask.summary()
        ending = ending_of(reply, [tool.name for tool in tools.definitions])
        if reply.text.strip():
            say_ending(self._ctx, "summary", ending)
        else:
            self._ctx.log("summary/empty", _NO_SUMMARY.in_(self._ctx.language), "warning")
        return {
            "text": reply.text.strip(),
            "stopped": ending or stopped,
            "finish": reply.finish,
            "model": reply.model or model.model,
        }

    def _step_moved(self, state: str) -> None:
        """While a step waits for a person, so does the planner."""
        if self.track.state in ("RUNNING", "WAITING"):
            self.track.to("WAITING" if state in ("WAITING", "PARAM") else "RUNNING")
