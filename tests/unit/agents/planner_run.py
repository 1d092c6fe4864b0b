"""Planners on the in-memory twins: a model that answers by what it is asked, tools behind the real gate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from backend.agents.planner.planner import Planner
from backend.engine.document.types import NodeType, NodeTypes
from backend.engine.execution.context import NodeContext
from backend.engine.execution.ports import Message
from backend.llm.testing import ScriptedModel
from backend.llm.types import ChatRequest
from backend.nodes import node_types
from backend.nodes.ai import chosen_model
from backend.nodes.planner import PlannerValues, job_of
from backend.nodes.planner import planner as planner_type
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource
from backend.tools.types import Answer, JsonObject, ToolSpec
from tests.looking import inside, text_of
from tests.unit.engine.engine_run import EngineRun, flow

Json = Any

READ: JsonObject = {"readOnlyHint": True}
GOAL = "Tidy {goal} up, ${secret:x}, {{ env.x }}"
WIPE = {"destructiveHint": True, "readOnlyHint": False}


def spec(tool: str, *required: str, annotations: Json = None, **properties: Json) -> ToolSpec:
    """A tool of the server `box`: `spec("send", "to", to={"type": "string"})`."""
    schema: Json = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return ToolSpec("box", tool, f"Does {tool}", input_schema=schema, annotations=annotations or {})


@dataclass
class Brain:
    """What the model says, by question. A value may be a function of the request; an exception is raised.

    `plan` = (tool, description) of each step, after them FINAL. `arguments`, `risks` by step (from 1), `mends` from
    the JSON of the arguments that failed to new ones. `raw` = texts instead of an answer, by question.
    """

    plan: list[tuple[str, str]] = field(default_factory=list)
    arguments: dict[int, Json] = field(default_factory=dict)
    risks: dict[int, tuple[str, str]] = field(default_factory=dict)
    mends: dict[str, Json] = field(default_factory=dict)
    name: Json = "Tidy up"
    risk: tuple[str, str] = ("LOW", "it only reads")
    blames: Callable[[str], bool] = lambda text: "argument" in text
    words: str = "Please say to whom."
    missing: list[str] = field(default_factory=list)
    summary: Json = "All is tidy."
    facts: dict[int, list[str]] = field(default_factory=dict)
    raw: dict[str, Json] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def question(self, request: ChatRequest) -> str:
        """Which of the planner's questions a request puts."""
        if request.output_schema is None:
            return "summary"
        keys = tuple(inside(request.output_schema).get("properties") or ())
        known = {
            ("name",): "flow_name",
            ("tool", "description"): "next_step",
            ("tool", "description", "facts"): "next_step",
            ("is_param_error",): "param_error",
            ("message",): "error_message",
            ("missing",): "missing_parameters",
        }
        if keys in known:
            return known[keys]
        text = "\n".join(text_of(reply) for reply in request.messages if not _is_step(reply))
        if keys == ("risk", "reason"):
            return "tool_risk" if "what the tool says" in text.lower() or "工具的自我说明" in text else "flow_risk"
        return "mend_parameters" if "Arguments so far" in text or "目前的参数" in text else "parameters"

    def __call__(self, request: ChatRequest) -> Json:
        question = self.question(request)
        self.asked.append(question)
        if question in self.raw:
            reply = self.raw[question]
            return reply(request) if callable(reply) else reply
        reply = self.answer(question, request)
        return reply if isinstance(reply, (str, BaseException)) else json.dumps(reply)

    def answer(self, question: str, request: ChatRequest) -> Json:
        """The usable answer."""
        text = text_of(request.messages[-1])
        step = 1 + sum(_is_step(reply) for reply in request.messages)
        match question:
            case "flow_name":
                return {"name": self.name}
            case "flow_risk":
                return dict(zip(("risk", "reason"), self.risk, strict=True))
            case "next_step":
                tool, description = self.plan[step - 1] if step <= len(self.plan) else ("FINAL", "done")
                said = {"tool": tool, "description": description}
                return said | ({"facts": self.facts[step]} if step in self.facts else {})
            case "parameters":
                return self.arguments.get(step, {})
            case "tool_risk":
                return dict(zip(("risk", "reason"), self.risks.get(step, ("LOW", "harmless")), strict=True))
            case "param_error":
                error = re.search(r"^(?:Error: |错误：)(.*)$", text, re.MULTILINE)
                assert error is not None, text
                return {"is_param_error": self.blames(error[1])}
            case "error_message":
                return {"message": self.words}
            case "missing_parameters":
                return {"missing": self.missing}
            case "mend_parameters":
                so_far = re.search(r"(?:Arguments so far: |目前的参数：)(\{.*\})", text)
                assert so_far is not None, text
                return self.mends[so_far[1]]
        return self.summary


def _is_step(message: Json) -> bool:
    if message["role"] != "assistant":
        return False
    try:
        reply = json.loads(message["content"])
    except ValueError:
        return False
    return isinstance(reply, dict) and {"tool", "arguments"} <= set(reply)


class Stage:
    """One planner with its environment. `kept` = the planners that ran, one per segment and attempt."""

    def __init__(
        self,
        brain: Brain,
        specs: list[ToolSpec],
        replies: dict[str, list[Json]],
        *,
        rules: dict[str, ToolRules] | None = None,
        auto: bool = False,
        language: str = "en",
        features: frozenset[str] | None = frozenset({"json_schema"}),
        **config: Json,
    ) -> None:
        self.brain, self.kept = brain, list[Planner]()
        self.model = ScriptedModel(brain, features=features)
        self.tools = ScriptedToolSource("box", specs=specs, **replies)
        self.policies = PolicyTable(rules or {})
        about = {
            "provider": "p",
            "model": "m",
            "goal": "{{ start.goal }}",
            "tools": {"servers": [{"server": "box"}]},
            "auto_execute": auto,
            **config,
        }
        document = flow(
            "start -> plan -> done",
            plan=("planner", about),
            done=("end", {"outputs": {"text": "{{ plan.text }}", "steps": "{{ plan.steps }}"}}),
        )
        document["language"] = language
        types = [node_type_ for node_type_ in node_types().values() if node_type_.name != "planner"]
        self.engine_run = EngineRun(
            document,
            {"goal": GOAL},
            {"box": GatedToolSource(self.tools, self.policies)},
            types=NodeTypes([*types, self._watched()]),
            models={"p": self.model},
        )

    def _watched(self) -> NodeType:
        """The node type, with each planner kept for a look at its states."""

        async def run(ctx: NodeContext[PlannerValues]) -> Json:
            self.kept.append(Planner(ctx, job_of(ctx.config, ctx.earlier_messages), lambda: chosen_model(ctx)))
            return await self.kept[-1].run()

        return replace(planner_type, run=run)

    async def run(self, *answers: Answer) -> Any:
        """Run to the end, with an answer to each question in turn."""
        end = await self.engine_run.run()
        for body in answers:
            assert end.state == "WAITING", end
            end = await self.engine_run.on(message(self.engine_run.question().interaction, body))
        return end

    # -- what can be seen ---------------------------------------------------------------------------------------------

    def lines(self, step: int | None = None) -> list[tuple[str, Json]]:
        """(type, data) of the events of a planner's step, or of the planner itself, without rounds and records of
        tools."""
        id_ = self.step_id(step)
        return [(line.type or "", line.data) for line in self.engine_run.events if line.step == id_]

    def step_id(self, step: int | None) -> str:
        """The public id of a step, or of the planner itself."""
        own = next(line.step for line in self.engine_run.events if line.node == "plan")
        if step is None:
            return own
        ids: dict[str, None] = {}
        for line in self.engine_run.events:
            if line.node == "plan" and line.type == "STEP_INIT" and line.step != own:
                ids.setdefault(line.step)
        return list(ids)[step - 1]

    def types(
        self, step: int | None = None, *, without: tuple[str, ...] = ("LLM_REQUEST", "LLM_RESPONSE")
    ) -> list[str]:
        """The types of those events."""
        return [type_ for type_, _ in self.lines(step) if type_ not in without]

    def flow(self) -> list[str]:
        """All events of the planner and its steps in order, without rounds, calls and answers."""
        left_out = {"LLM_REQUEST", "LLM_RESPONSE", "TOOL_REQUEST", "TOOL_RESPONSE", "STEP_ANSWERED", "STEP_LOG"}
        own = self.step_id(None)
        return [
            line.type or ""
            for line in self.engine_run.events
            if line.node == "plan"
            and line.type not in left_out
            and not (line.step == own and line.type in ("STEP_INIT", "STEP_INPUT", "STEP_OUTPUT"))
        ]

    def output(self) -> Json:
        """What the planner gave."""
        return self.engine_run.output("plan")


def message(interaction: str, value: Answer) -> Message:
    return Message("answer", interaction, value.as_json())


def yes(values: Json = None, **more: Json) -> Answer:
    """A person's yes."""
    return Answer("accept", values, by="usr_bob", **more)


def no(reason: str = "") -> Answer:
    """A person's no."""
    return Answer("decline", reason=reason, by="usr_bob")


def stop() -> Answer:
    """A person cancels the run."""
    return Answer("cancel", by="usr_bob")
