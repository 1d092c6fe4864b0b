"""The agent's loop (L3): ask the model, make the calls it wants, tell it what came of them, until it answers.

Every round and every call is an effect of the step, under keys that name its place (`round:3`, `round:3/call:1`), so an
agent that was killed goes on at the same round: what ended is read from the journal, model and tools are not asked
again. At `max_iterations` one last round without tools (`final`) forces an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict, get_args

from backend.agents.behaviour import BEHAVIOUR
from backend.agents.budgets import Budgets
from backend.agents.calling import Caller, CallRecord
from backend.agents.endings import Ending, ending_of, say_ending
from backend.agents.prompting import prompt
from backend.agents.reading import NotJson, read_json
from backend.agents.rounds import PromptChain, misfits
from backend.agents.structured import fitted, with_final_schema
from backend.agents.toolset import Toolset, with_left_out
from backend.agents.window import Window
from backend.engine.execution.context import AnyContext
from backend.llm.types import ChatModel, ChatReply, ChatRequest, Message, Usage, UsageJson
from backend.tools.types import JsonObject, JsonValue

Stopped = Literal["done", "max_iterations", "budget"] | Ending


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent is to do. `messages` = the conversation so far, the system message first, the question last."""

    messages: list[Message]
    params: JsonObject = field(default_factory=dict)
    max_iterations: int = 10
    parallel_tool_calls: bool = True
    auto_execute: bool = False
    output_schema: JsonObject | None = None
    prompts: Mapping[str, object] = field(default_factory=dict)
    behaviour: int = BEHAVIOUR


class AgentOutputs(TypedDict):
    """What the node gives out."""

    text: str
    tool_calls: list[CallRecord]
    iterations: int
    structured: JsonValue
    usage: UsageJson
    stopped: Stopped
    finish: str
    model: str


@dataclass(slots=True)
class Outcome:
    """What came of it (contract, "agent"). `iterations` = rounds without the forced last one; `finish` = how the last
    answer ended, `model` = who gave it."""

    text: str = ""
    tool_calls: list[CallRecord] = field(default_factory=list)
    iterations: int = 0
    structured: JsonValue = None
    usage: UsageJson = field(default_factory=Usage().as_json)
    stopped: Stopped = "done"
    finish: str = ""
    model: str = ""

    def as_json(self) -> AgentOutputs:
        """The node's outputs."""
        return {
            "text": self.text,
            "tool_calls": self.tool_calls,
            "iterations": self.iterations,
            "structured": self.structured,
            "usage": self.usage,
            "stopped": self.stopped,
            "finish": self.finish,
            "model": self.model,
        }


async def run_agent(ctx: AnyContext, model: ChatModel, tools: Toolset, task: Task, budgets: Budgets) -> Outcome:
    """Work on the task until there is an answer.

    Raises BudgetExceeded where nothing may even be begun, LlmError of a round that repeats did not help, LlmBadResponse
    where the final answer does not fit `output_schema`, NetworkBlocked, and what `calling.FATAL` names.
    """
    return await _Agent(ctx, model, tools, task, budgets).run()


class _Agent:
    """One agent at work."""

    def __init__(self, ctx: AnyContext, model: ChatModel, tools: Toolset, task: Task, budgets: Budgets) -> None:
        self._ctx, self._model, self._tools, self._task, self._budgets = ctx, model, tools, task, budgets
        self._caller = Caller(
            ctx,
            tools,
            auto_execute=task.auto_execute,
            parallel=task.parallel_tool_calls,
            sees="vision" in (model.features or ()),
            prompts=task.prompts,
            behaviour=task.behaviour,
        )
        self._thread = PromptChain()
        self._messages = with_left_out(list(task.messages), tools, ctx.language)
        if task.output_schema is not None and tools:
            self._messages = with_final_schema(self._messages, task.output_schema, ctx.language, task.prompts)
        self._last = ChatReply()
        self._window = Window(ctx, model, len(self._messages), task.prompts)
        self._outcome = Outcome(tool_calls=self._caller.log)

    async def run(self) -> Outcome:
        """The whole of it."""
        outcome = self._outcome
        outcome.stopped = await self._rounds()
        if self._task.output_schema is not None:
            await self._structure(self._task.output_schema)
            if outcome.structured is not None and outcome.stopped in get_args(Ending):
                outcome.stopped = "done"  # asked again, it gave a whole one
        outcome.usage = self._budgets.usage.as_json()
        return outcome

    async def _rounds(self) -> Stopped:
        outcome, task = self._outcome, self._task
        for iteration in range(task.max_iterations):
            key = f"round:{iteration + 1}"
            if iteration == 0:
                await self._budgets.refuse(key)
            elif await self._budgets.used_up(key):
                return "budget"
            call, reply = await self._ask(key, self._tools)
            outcome.iterations += 1
            if not reply.tool_calls or not self._tools:
                outcome.text = reply.text
                return self._ended(key, reply) or "done"
            outcome.text = reply.text or outcome.text
            requested = len(reply.tool_calls)
            allowed = await self._budgets.calls_allowed(key, requested)
            self._messages += await self._caller.round(call, iteration, reply, allowed)
            if allowed < requested:
                return await self._force("budget")
        return await self._force("max_iterations")

    async def _force(self, why: Stopped) -> Stopped:
        """One last round without tools; none where that is not to be paid any more."""
        if await self._budgets.used_up("final"):
            return "budget"
        last = prompt("last_answer", self._ctx.language, self._task.prompts)
        self._messages.append({"role": "user", "content": last})
        _, reply = await self._ask("final", None)
        self._outcome.text = reply.text or self._outcome.text
        return self._ended("final", reply) or why

    def _ended(self, key: str, reply: ChatReply) -> Ending | None:
        """Why the answer is no whole one, which is said; None where it is."""
        ending = ending_of(reply, [tool.name for tool in self._tools.definitions])
        say_ending(self._ctx, key, ending)
        return ending

    async def _ask(self, key: str, tools: Toolset | None) -> tuple[str, ChatReply]:
        """(key under which the round was answered, the reply); the conversation is shortened where it does not fit."""
        call, request, reply = await self._window.ask(key, self._request(tools), self._thread)
        self._last = reply
        self._messages = list(request.messages)
        self._budgets.usage += reply.usage + self._window.taken()
        self._outcome.finish, self._outcome.model = reply.finish, reply.model or self._model.model
        return call, reply

    def _request(self, tools: Toolset | None) -> ChatRequest:
        return ChatRequest(
            list(self._messages),
            tools=list(tools.definitions) if tools else [],
            params=self._task.params,
            output_schema=None if tools else self._task.output_schema,
            parallel_tool_calls=self._task.parallel_tool_calls,
        )

    async def _structure(self, schema: JsonObject) -> None:
        """Make the answer a value of the schema; where the budget is used up, only if it is one already."""
        outcome = self._outcome
        if outcome.stopped == "budget":
            outcome.structured = await _if_fits(outcome.text, schema)
            return
        outcome.structured, usage = await fitted(
            self._ctx,
            "answer",
            self._model,
            self._messages,
            outcome.text,
            schema,
            params=self._task.params,
            thread=self._thread,
            own=self._task.prompts,
            window=self._window if self._task.behaviour >= 3 else None,
            attached=self._last.attached if self._last.text == outcome.text and not self._last.tool_calls else None,
        )
        self._budgets.usage += usage


async def _if_fits(text: str, schema: JsonObject) -> JsonValue:
    try:
        value = read_json(text)
    except NotJson:
        return None
    return None if await misfits(schema, value) else value
