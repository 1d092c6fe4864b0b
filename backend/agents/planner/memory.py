"""What the planner's model remembers: the goal, the tools, some earlier rounds, and each step once.

Every question is asked at the end of the same conversation, which only grows: so an endpoint can reuse what it has
read, and the log holds only what is new. Roles take turns strictly, which some endpoints demand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backend.agents.prompting import prompt
from backend.agents.tool_search import SEARCH_TOOLS
from backend.agents.tool_texts import ToolTexts
from backend.llm.types import Message, ToolDefinition
from backend.tools.types import JsonObject

FACT_LENGTH = 500
MOST_FACTS = 50
TOOL_WORDS = 400
"""Characters of a tool's description that the list of tools shows."""

_WORDS = {"SUCCESS": "planner_step", "ERROR": "planner_step_failed", "SKIPPED": "planner_step_declined"}


@dataclass(slots=True)
class StepRecord:
    """One step as it ended. `summary` = its result, or why it failed or was declined, as the model reads it; `known` =
    the arguments without those that the node settles, which the model is not told."""

    tool: str
    description: str
    arguments: JsonObject = field(default_factory=dict)
    known: JsonObject = field(default_factory=dict)
    state: str = "INIT"
    result: str = ""
    summary: str = ""
    unknown: bool = False  # a write that failed and may have happened
    requested: JsonObject | None = None  # what the model wished, where a person changed it

    def as_json(self) -> JsonObject:
        """As the node gives it out (contract): `{tool, description, arguments, requested?, result, state}`."""
        changed: JsonObject = {} if self.requested is None else {"requested": self.requested}
        return {
            **changed,
            "tool": self.tool,
            "description": self.description,
            "arguments": self.arguments,
            "result": self.result,
            "state": self.state,
        }


class Memory:
    """The conversation so far, to which every question is put."""

    def __init__(
        self,
        goal: str,
        tools: Sequence[ToolDefinition],
        *,
        language: str,
        own: Mapping[str, object] | None = None,
        history: Sequence[Message] = (),
        rounds: int = 3,
        facts: Sequence[str] = (),
        behaviour: int = 0,
    ) -> None:
        """`history` = messages of earlier rounds, of which the last `rounds` are kept; `own` = the node's prompts;
        `facts` = what is known already. The first `head` of the `messages` are the task, the others steps."""
        self.language, self._own, self.behaviour = language, own, behaviour
        self.steps: list[StepRecord] = []
        self.tool_texts = ToolTexts()
        self.facts: list[str] = []
        self.learn(facts)
        listed = "\n".join(f"- {tool.name}: {_in_short(tool.description)}" for tool in tools) or "-"
        self.messages: list[Message] = [
            {"role": "system", "content": prompt("planner_system", language, own, tools=listed)},
            *last_rounds(history, rounds),
            {"role": "user", "content": prompt("planner_goal", language, own, goal=goal)},
        ]
        self.head = len(self.messages)

    def keep(self, step: StepRecord) -> None:
        """Remember a step that ended, once."""
        self.steps.append(step)
        plan = {"tool": step.tool, "description": step.description, "arguments": step.known}
        words = "planner_step_unknown" if step.unknown else _WORDS[step.state]
        text = self._prompt(words, number=str(len(self.steps)), result=step.summary)
        if self.behaviour >= 2:
            text = "\n\n".join([*self._noticed(step), text])
        self.messages += [
            {"role": "assistant", "content": json.dumps(plan, ensure_ascii=False)},
            {"role": "user", "content": text},
        ]

    def looked(self, query: str, result: str) -> None:
        """Remember a search for tools; it is no step."""
        question = json.dumps({"tool": SEARCH_TOOLS, "description": query}, ensure_ascii=False)
        self.messages += [{"role": "assistant", "content": question}, {"role": "user", "content": result}]

    def times(self, step: StepRecord) -> int:
        """How often this very step was taken and ended in this way, the last time included."""
        return sum(
            (item.tool, item.known, item.state, item.summary) == (step.tool, step.known, step.state, step.summary)
            for item in self.steps
        )

    def _noticed(self, step: StepRecord) -> list[str]:
        changed, times = step.requested is not None, self.times(step)
        notes = [self._prompt("planner_step_changed", number=str(len(self.steps)))] if changed else []
        return [*notes, self._prompt("planner_same_step", times=str(times))] if times > 1 else notes

    def _prompt(self, name: str, **values: str) -> str:
        return prompt(name, self.language, self._own, **values)

    def learn(self, facts: Sequence[str]) -> list[str]:
        """Note facts; gives those that are new. The oldest are forgotten first."""
        plain = [" ".join(fact.split())[:FACT_LENGTH] for fact in facts]
        new = [fact for fact in dict.fromkeys(plain) if fact and fact not in self.facts]
        self.facts = [*self.facts, *new][-MOST_FACTS:]
        return new

    def with_facts(self, question: str) -> str:
        """A question with the facts before it."""
        if not self.facts:
            return question
        listed = "\n".join(f"- {fact}" for fact in self.facts)
        return f"{self._prompt('planner_known_facts', facts=listed)}\n\n{question}"

    def asking(self, question: str) -> list[Message]:
        """The messages of a request that puts `question` now."""
        *before, last = self.messages
        return [*before, {**last, "content": f"{last['content']}\n\n{question}"}]

    def may_have_happened(self, tool: str, arguments: JsonObject) -> bool:
        """Whether an earlier step made exactly this call and nobody knows what came of it."""
        return any(step.unknown and step.tool == tool and step.known == arguments for step in self.steps)


def last_rounds(history: Sequence[Message], rounds: int) -> list[Message]:
    """The last rounds of a conversation, each a person's message and the answer to it; other roles are passed over."""
    pairs: list[tuple[Message, Message]] = []
    request: Message | None = None
    for message in history:
        content = message.get("content")
        if not isinstance(content, str) or not content:
            continue
        if message.get("role") == "user":
            request = {"role": "user", "content": content}
        elif message.get("role") == "assistant" and request is not None:
            pairs.append((request, {"role": "assistant", "content": content}))
            request = None
    return [message for pair in pairs[max(0, len(pairs) - rounds) :] for message in pair]


def _in_short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= TOOL_WORDS else f"{plain[:TOOL_WORDS]}…"
