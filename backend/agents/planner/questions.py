"""What the planner asks its model, one question at a time, and what it makes of an answer that cannot be used.

Every structured answer has some tries (`json_tries`); after them nothing is guessed: without a next step the plan is
final, without a judgement of risk the risk is MEDIUM, without arguments the step fails. A goal that does not fit
the model's context is told at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from backend.agents.planner.failures import relaxed
from backend.agents.planner.memory import Memory
from backend.agents.planner.window import PlannerWindow
from backend.agents.prompting import prompt
from backend.agents.rounds import PromptChain, ask_json, ask_model, is_overflow
from backend.agents.window import WindowContext
from backend.engine.execution.events import StepLogData
from backend.errors import LlmBadResponse
from backend.llm.types import ChatModel, ChatReply, ChatRequest, Usage, UsageJson
from backend.tools.calls.risk import reason
from backend.tools.types import JsonObject, JsonValue, Risk, RiskLevel, object_in, texts_in

FINAL = "FINAL"
"""The tool that is none: the plan is at its end."""
NAME_LENGTH = 80
_OF_THE_PLAN = ("flow_name", "flow_risk", "next_step")
REASON_LENGTH = 500


class Questions:
    """The model of one planner, its memory and what it used. Keys of rounds are `<key>` of the caller and stable."""

    def __init__(
        self,
        ctx: WindowContext,
        model: ChatModel,
        memory: Memory,
        *,
        params: JsonObject,
        own: Mapping[str, object],
        tries: int,
    ) -> None:
        self.memory, self.usage = memory, Usage()
        self._ctx, self._model, self._params, self._own, self._tries = ctx, model, params, own, tries
        self._thread = PromptChain()
        self._window = PlannerWindow(ctx, model, memory) if memory.behaviour >= 3 else None

    async def flow_name(self) -> str:
        """A short name of what is to be done; the goal's own beginning where the model finds none."""
        schema = _object(name={"type": "string", "minLength": 1})
        answer = await self._json("name", "flow_name", schema)
        name = " ".join(str(answer["name"]).split()) if answer else ""
        return name[:NAME_LENGTH]

    async def flow_risk(self) -> tuple[RiskLevel, str]:
        """(level, reason) of the whole; MEDIUM where the model gives no judgement."""
        return await self._risk("risk", "flow_risk")

    async def next_step(
        self, number: int, tools: Sequence[str], look: int = 0, *, searches: bool = False
    ) -> tuple[str, str]:
        """(tool, description) of the next step; FINAL where the plan is at its end or no tool of the list is named.

        `searches`: the list has the tool that finds others; `look` = how often it was chosen for this step.
        """
        schema = _object(tool={"enum": [*tools, FINAL]}, description={"type": "string"})
        question = self._prompt("next_step", number=str(number))
        if self.memory.behaviour >= 2 and self.memory.steps:
            object_in(schema, "properties")["facts"] = {"type": "array", "items": {"type": "string"}}
            question = f"{question}\n\n{self._prompt('facts')}"
        if searches:
            question = f"{question}\n\n{self._prompt('search_tools')}"
        place = f"step:{number}/search:{look}" if look else f"step:{number}"
        answer = await self._answer(f"{place}/plan", "next_step", question, schema) or {}
        self._learn(number, look, texts_in(answer, "facts"))
        return (str(answer["tool"]), str(answer["description"])) if answer else (FINAL, "")

    def _learn(self, number: int, look: int, facts: Sequence[str]) -> None:
        """Keep what the model noted, and show it."""
        new = self.memory.learn(facts)
        if new:
            text = "; ".join(new)
            data: StepLogData = {"level": "info", "text": text, "facts": new}
            key = f"step:{number}/search:{look}/facts" if look else f"step:{number}/facts"
            self._ctx.emit(key, "STEP_LOG", data)

    async def parameters(self, key: str, tool: str, description: str, schema: JsonObject) -> JsonObject | None:
        """The arguments of a step's first attempt, without those that the model cannot know."""
        form = relaxed(schema)
        return await self._json(key, "parameters", form, tool=tool, description=description, schema=_text(schema))

    async def tool_risk(self, key: str, tool: str, description: str, about: str, arguments: JsonObject) -> Risk:
        """The risk that the model sees in a call, for the gate, which it may raise and never lower."""
        level, why = await self._risk(
            key, "tool_risk", tool=tool, description=description, about=about, arguments=_text(arguments)
        )
        return Risk(level, [reason("model", why=why) if why else reason("unrated")])

    async def is_parameter_error(self, key: str, **about: str) -> bool:
        """Whether other arguments would help; no where the model gives no answer."""
        answer = await self._json(key, "param_error", _object(is_param_error={"type": "boolean"}), **about)
        return bool(answer and answer["is_param_error"])

    async def in_plain_words(self, key: str, **about: str) -> str:
        """A failure for a person who is no programmer; empty where the model has no words for it."""
        answer = await self._json(key, "error_message", _object(message={"type": "string", "minLength": 1}), **about)
        return str(answer["message"]) if answer else ""

    async def missing_parameters(self, key: str, schema: JsonObject, **about: str) -> list[str]:
        """The names of the arguments that a person has to supply."""
        names = list(object_in(schema, "properties"))
        if not names:
            return []
        shape = _object(missing={"type": "array", "items": {"enum": [*names]}})
        answer = await self._json(key, "missing_parameters", shape, schema=_text(schema), **about)
        return texts_in(answer, "missing") if answer else []

    async def mended(self, key: str, schema: JsonObject, **about: str) -> JsonObject | None:
        """All arguments of a failed call, corrected."""
        return await self._json(key, "mend_parameters", relaxed(schema), schema=_text(schema), **about)

    async def summary(self) -> ChatReply:
        """The answer to the goal, streamed: the first one with words in it, else the last of all tries."""
        messages = self.memory.asking(self.memory.with_facts(self._prompt("summary")))
        number = 0
        while True:
            number += 1
            request = ChatRequest(list(messages), params=self._params)
            call = "summary" if number == 1 else f"summary/again:{number}"
            if self._window is None:
                base = self._thread.follow(call, request)
                reply = await ask_model(self._ctx, call, self._model, request, base=base)
            else:
                _, request, reply = await self._window.ask(call, request, self._thread)
                messages, self.usage = request.messages, self.usage + self._window.taken()
            self.usage += reply.usage
            if reply.text.strip() or number >= self._tries:
                return reply

    # -- how ----------------------------------------------------------------------------------------------------------

    async def _risk(self, key: str, name: str, /, **values: str) -> tuple[RiskLevel, str]:
        schema = _object(risk={"enum": ["LOW", "MEDIUM", "HIGH"]}, reason={"type": "string"})
        answer = await self._json(key, name, schema, **values)
        if answer is None:
            return "MEDIUM", ""
        return cast(RiskLevel, answer["risk"]), " ".join(str(answer["reason"]).split())[:REASON_LENGTH]

    async def _json(self, key: str, name: str, shape: JsonObject, /, **values: str) -> JsonObject | None:
        """The answer to a question, an object that fits `shape`; None after all tries."""
        return await self._answer(key, name, self._prompt(name, **values), shape)

    async def _answer(self, key: str, name: str, question: str, shape: JsonObject) -> JsonObject | None:
        try:
            value, usage = await ask_json(
                self._ctx,
                key,
                self._model,
                self.memory.asking(self.memory.with_facts(question)),
                shape,
                params=self._params,
                tries=self._tries,
                language=self._ctx.language,
                thread=self._thread,
                aloud=False,
                window=self._window,
            )
        except LlmBadResponse as error:
            spent: UsageJson | None = error.detail.get("usage") if isinstance(error.detail, dict) else None
            self.usage += Usage.from_json(spent)
            self.usage += self._window.taken() if self._window else Usage()
            if self._window and name in _OF_THE_PLAN and is_overflow(error):
                raise  # without an answer to these there is no plan, which is not the end of one
            why = error.text(self._ctx.language)[0]
            data: StepLogData = {"level": "warning", "text": f"{name}: {why}"}
            self._ctx.emit(f"{key}/unusable", "STEP_LOG", data)
            return None
        self.usage += usage
        return cast(JsonObject, value)

    def _prompt(self, name: str, **values: str) -> str:
        return prompt(f"planner_{name}", self._ctx.language, self._own, **values)


def _object(**properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": {**properties},
        "required": [*properties],
        "additionalProperties": False,
    }


def _text(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
