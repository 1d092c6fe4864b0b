"""What an endpoint turned out not to take: how a model wants to be asked, learned from its refusals.

Endpoints that call themselves compatible refuse parts of a request with 400 or 422: the wish for usage in a stream, a
JSON schema, the name of a limit, an order of messages. `adapt` draws the next try from what a refusal says. Where it
names the part, the change is remembered; where it does not, it holds for this round only: a stray 400 must not switch
anything off for good.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from backend.llm.types import ChatRequest, Message

SchemaBy = Literal["json_schema", "json_object", "words"]

_TOO_LONG = (
    "context length",
    "context_length",
    "context window",
    "maximum context",
    "exceeds the available context size",
    "exceed_context_size",
    "too many tokens",
    "too long",
    "input length",
    "range of input length",
    "max_prompt_tokens",
    "token limit",
    "input token count",
    "reduce the length",
)
_ABOUT_FORMAT = ("response_format", "json_schema", "json_object", "json schema", "guided", "structured")
_ABOUT_ORDER = ("after role 'tool'", "roles must alternate", "message_order", "role user after", "unexpected role")
_NO_TOOLS = ("tools= param", "tools must be", "tools parameter", "requires tools", "`tools` is required", "toolconfig")
_MISSING = ("missing", "must be passed", "required", "must be provided", "must include")
_MISTRAL = ("mistral", "ministral", "mixtral", "magistral", "devstral", "codestral", "pixtral")
REASONING = "reasoning_content"
SIGNATURE = "thought_signature"


@dataclass(frozen=True, slots=True)
class Habits:
    """How one model of one endpoint wants to be asked.

    `completion_tokens`: its limit is `max_completion_tokens`. `bridge`: a message of the assistant stands between a
    tool's answer and a user's message. `declare`: calls in the conversation need their tools in the request. `fill`: a
    message with calls needs `reasoning_content`, empty where none is known. `sign`: the first call of a message needs a
    thought signature (Gemini), a stand-in where another model made it. `without`: attached fields that it refuses;
    `bare`: it is sent none. `effortless`: it calls tools only without reasoning (`reasoning_effort` "none").
    """

    usage: bool = True
    schema: SchemaBy = "json_schema"
    completion_tokens: bool = False
    parallel: bool = True
    bridge: bool = False
    declare: bool = False
    fill: bool = False
    sign: bool = False
    without: frozenset[str] = frozenset()
    bare: bool = False
    effortless: bool = False


def first_habits(base_url: str, model: str, features: frozenset[str] | None) -> Habits:
    """How to ask a model that nobody asked yet: by what is said of it, and by whose it is. Mistral's models take no
    user's message right after a tool's answer, whoever serves them."""
    mistral = "mistral" in base_url.lower() or any(name in model.lower() for name in _MISTRAL)
    schema: SchemaBy = "json_schema" if features is None or "json_schema" in features else "json_object"
    return Habits(schema=schema, bridge=mistral)


@dataclass(frozen=True, slots=True)
class Change:
    """What to try after a refusal. `named`: the refusal said so itself."""

    fields: dict[str, Any]
    named: bool

    def on(self, habits: Habits) -> Habits:
        """The habits with this change."""
        return replace(habits, **self.fields)


def says_too_long(text: str) -> bool:
    """Whether a refusal means that the conversation does not fit the model's context."""
    words = text.lower()
    return any(mark in words for mark in _TOO_LONG)


def adapt(habits: Habits, refusal: str, request: ChatRequest) -> Change | None:
    """What to try after a refusal with these words; None where nothing is left to change."""
    words = refusal.lower()
    if says_too_long(words):
        return None
    for fields in (*_by_name(habits, words, request), *_attachments(habits, words, request)):
        return Change(fields, named=True)
    for fields in _by_guess(habits, request):
        return Change(fields, named=False)
    return None


def _by_name(habits: Habits, words: str, request: ChatRequest) -> Iterator[dict[str, Any]]:
    """Changes for what the refusal names."""
    if "max_completion_tokens" in words and not habits.completion_tokens and "max_tokens" in request.params:
        yield {"completion_tokens": True}
    if "parallel_tool_calls" in words and habits.parallel and not request.parallel_tool_calls:
        yield {"parallel": False}
    if not habits.effortless and request.tools and "reasoning_effort" in words:
        yield {"effortless": True}
    if habits.usage and ("stream_options" in words or "include_usage" in words):
        yield {"usage": False}
    about = request.output_schema is not None and any(mark in words for mark in _ABOUT_FORMAT)
    if about and habits.schema != "words":
        yield _plainer(habits)
    ordered = "role" in words and any(mark in words for mark in _ABOUT_ORDER)
    if not habits.bridge and user_after_tool(request.messages) and ordered:
        yield {"bridge": True}
    if not habits.declare and calls_without_tools(request) and any(mark in words for mark in _NO_TOOLS):
        yield {"declare": True}


def _attachments(habits: Habits, words: str, request: ChatRequest) -> Iterator[dict[str, Any]]:
    """Changes for an attached field that the refusal names: one that is missing is filled, one that it does not know is
    left out from then on."""
    if REASONING in words and not habits.fill and any(mark in words for mark in _MISSING):
        yield {"fill": True}
    if SIGNATURE in words and not habits.sign and any(mark in words for mark in _MISSING):
        yield {"sign": True}
    sent = {name for message in request.messages for name in attached_names(message)} - habits.without
    refused = {name for name in sent if name.lower() in words}
    if refused:
        yield {"without": habits.without | refused, "fill": False}


def _by_guess(habits: Habits, request: ChatRequest) -> Iterator[dict[str, Any]]:
    """Changes worth a try where the refusal names nothing, the likeliest first."""
    if request.output_schema is not None and habits.schema != "words":
        yield _plainer(habits)
    if not habits.bridge and user_after_tool(request.messages):
        yield {"bridge": True}
    if not habits.declare and calls_without_tools(request):
        yield {"declare": True}
    if not habits.bare and any(attached_names(message) for message in request.messages):
        yield {"bare": True}
    if habits.usage:
        yield {"usage": False}


def _plainer(habits: Habits) -> dict[str, Any]:
    return {"schema": "json_object" if habits.schema == "json_schema" else "words"}


def attached_names(message: Message) -> set[str]:
    """The fields that a message and its calls carry besides their own."""
    attached = message.get("attached")
    names = set((attached.get("fields") if attached else None) or {})
    return names.union(*((call.get("attached") or {}) for call in message.get("tool_calls") or []))


def user_after_tool(messages: list[Message]) -> bool:
    """Whether a user speaks right after a tool's answer."""
    pairs = pairwise(messages)
    return any(before["role"] == "tool" and after["role"] == "user" for before, after in pairs)


def calls_without_tools(request: ChatRequest) -> bool:
    """Whether the conversation holds tool calls though no tools are offered any more."""
    return not request.tools and any(message.get("tool_calls") for message in request.messages)
