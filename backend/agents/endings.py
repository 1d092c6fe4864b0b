"""How a model's last answer ended, where it is no whole answer: cut, filtered, refused, empty, or a call in words.

An answer that is none must not look like one: agents stop with the reason, and it stands in the log. Answers that were
journaled before this was looked at (they name no model) count as whole, so that their replay says what it said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Literal, Protocol, get_args

from backend.engine.document.ids import derived_id
from backend.engine.document.types import Text
from backend.llm.types import ChatReply

Ending = Literal["length", "content_filter", "refusal", "written_call", "empty"]
ENDINGS = get_args(Ending)

_MARKS = (
    "<tool_call",
    "<function=",
    "<function_calls>",
    "<|python_tag|>",
    "<|tool_call",
    "<｜tool▁call",
    "[TOOL_CALLS]",
    "<minimax:tool_call",
    "<|recipient|>",
)
_JSON = re.compile(r"^\s*(?:```[a-z_]*\s*)?(\{.*\}|\[.*\])\s*(?:```)?\s*$", re.DOTALL)
LONGEST = 20_000
"""Characters of a text in which a call is looked for."""

_SENTENCES: dict[Ending, Text] = {
    "length": Text(
        "The answer was cut off: the model reached its token limit. Raise max_tokens, or ask for less.",
        "回答被截断：模型达到 Token 上限。请调大 max_tokens，或缩小任务。",
    ),
    "content_filter": Text("The provider's content filter ended the answer.", "供应商的内容过滤中止了回答。"),
    "refusal": Text("The model refused to answer.", "模型拒绝回答。"),
    "written_call": Text(
        "The model wrote a tool call as text, so nothing was called. Its server may lack a parser for tool calls "
        "(vLLM: --enable-auto-tool-choice, llama.cpp: --jinja), or the model cannot call tools.",
        "模型把工具调用写成了文本，因此没有调用任何工具。其服务可能缺少工具调用解析器"
        "（vLLM：--enable-auto-tool-choice，llama.cpp：--jinja），或模型不支持工具调用。",
    ),
    "empty": Text("The model returned nothing.", "模型没有给出任何回答。"),
}


class Log(Protocol):
    """What is needed of a step to say it."""

    @property
    def language(self) -> str:
        """The run's language."""
        ...

    def log(self, key: str, text: str, level: Literal["debug", "info", "warning", "error"] = "info") -> None:
        """Write a line once."""
        ...


def ending_of(reply: ChatReply, tools: Iterable[str]) -> Ending | None:
    """Why `reply` is no whole answer; None where it is one. `tools` = names of those that the model was offered."""
    if not reply.model or reply.tool_calls:
        return None
    if reply.finish in ("length", "content_filter", "refusal"):
        return reply.finish  # type: ignore[return-value]
    if not reply.text.strip():
        return "empty"
    return "written_call" if writes_call(reply.text, list(tools)) else None


def writes_call(text: str, tools: list[str]) -> bool:
    """Whether a text is a tool call that its server did not read as one."""
    if not tools or len(text) > LONGEST:
        return False
    if any(mark in text for mark in _MARKS):
        return True
    match = _JSON.match(text)
    if match is None:
        return False
    try:
        value = json.loads(match[1])
    except (ValueError, RecursionError):
        return False
    calls = value if isinstance(value, list) else [value]
    return bool(calls) and all(_is_call(call, tools) for call in calls)


def _is_call(value: object, tools: list[str]) -> bool:
    if not isinstance(value, dict):
        return False
    function = value.get("function")
    inner = function if isinstance(function, dict) else value
    name = inner.get("name") or value.get("tool") or (function if isinstance(function, str) else None)
    return name in tools and any(key in inner for key in ("arguments", "parameters", "args", "input"))


def say_ending(ctx: Log, key: str, ending: Ending | None) -> None:
    """Write the reason into the log of the step."""
    if ending is not None:
        ctx.log(f"{derived_id('ending', key)}/{ending}", _SENTENCES[ending].in_(ctx.language), "warning")
