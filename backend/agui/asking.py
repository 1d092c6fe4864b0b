"""What a front end sends: the protocol's input, checked as far as we rely on it, and refused by the field's name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ag_ui.core import Message, ResumeEntry, RunAgentInput, Tool, ToolMessage, UserMessage
from pydantic import ValidationError

from backend.agui.tools import declared
from backend.errors import ValidationFailed
from backend.json_types import JsonObject
from backend.web.bodies import parse_json
from backend.web.lookup import storable

BODY = 4 * 1024 * 1024
"""Bytes of a request."""
MOST_MESSAGES = 1000
MOST_RESUMED = 100
LONGEST_ID = 200
MOST_NAMED = 20
"""Fields that one refusal names."""


@dataclass(frozen=True, slots=True)
class UserMessageParts:
    """The last message of the user: its words, and the parts of it that are files, by their place."""

    text: str
    parts: list[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool of the client gave, by the place of its message."""

    place: str
    call: str
    text: str
    failed: bool


@dataclass(frozen=True)
class FrontEndRequest:
    """One request of a front end."""

    body: RunAgentInput

    @property
    def thread(self) -> str:
        """The conversation, as the client calls it."""
        return self.body.thread_id

    @property
    def request(self) -> str:
        """The id that the client gave the request."""
        return self.body.run_id

    @property
    def messages(self) -> list[Message]:
        """The conversation as the client has it."""
        return self.body.messages

    @property
    def resume(self) -> list[ResumeEntry]:
        """What it answers to questions."""
        return self.body.resume or []

    @cached_property
    def user_message(self) -> UserMessageParts | None:
        """What the user said last; None where the last message is not the user's."""
        last = self.messages[-1] if self.messages else None
        if not isinstance(last, UserMessage):
            return None
        place = f"messages.{len(self.messages) - 1}.content"
        if isinstance(last.content, str):
            return UserMessageParts(last.content, [])
        texts = [part.text for part in last.content if part.type == "text"]
        files = [(f"{place}.{number}", part) for number, part in enumerate(last.content) if part.type != "text"]
        return UserMessageParts("\n".join(texts), files)

    @property
    def tools(self) -> list[Tool]:
        """The tools that the client declares."""
        return self.body.tools or []

    @cached_property
    def results(self) -> list[Result]:
        """What the client's tools gave since the agent spoke last: the messages of tools that come last."""
        results: list[Result] = []
        for number in range(len(self.messages) - 1, -1, -1):
            message = self.messages[number]
            if not isinstance(message, ToolMessage):
                break
            results.append(_result(number, message))
        return results[::-1]

    @property
    def values(self) -> JsonObject:
        """Values by name, for inputs of the workflow: of the client's state, and over them its forwarded properties."""
        sources = (self.body.state, self.body.forwarded_props)
        return {str(name): value for part in sources if isinstance(part, dict) for name, value in part.items()}


def parse_request(body: bytes) -> FrontEndRequest:
    """What a body asks. Raises ValidationFailed, which names each field."""
    value = parse_json(body)
    if not isinstance(value, dict):
        raise ValidationFailed(fields={"": ["must be an object"]})
    _refuse_many(value, "messages", MOST_MESSAGES)
    _refuse_many(value, "resume", MOST_RESUMED)
    try:
        parsed = RunAgentInput.model_validate(value)
    except ValidationError as error:
        raise ValidationFailed(fields=_named(error)) from None
    for name, text in (("threadId", parsed.thread_id), ("runId", parsed.run_id)):
        if not 0 < len(text) <= LONGEST_ID or not storable(text):
            raise ValidationFailed(fields={name: [f"must have 1 to {LONGEST_ID} characters that can be stored"]})
    declared(parsed.tools or [])
    request = FrontEndRequest(parsed)
    if request.user_message is not None and not storable(request.user_message.text):
        place = f"messages.{len(parsed.messages) - 1}.content"
        raise ValidationFailed(fields={place: ["has characters that cannot be stored"]})
    return request


def _result(number: int, message: ToolMessage) -> Result:
    if isinstance(message.content, str):
        text = message.content
    else:
        text = "\n".join(part.text for part in message.content if part.type == "text")
    text = "\n".join(part for part in (text, message.error) if part)
    return Result(f"messages.{number}", message.tool_call_id, text, message.error is not None)


def _refuse_many(value: dict[str, Any], name: str, most: int) -> None:
    if isinstance(value.get(name), list) and len(value[name]) > most:
        raise ValidationFailed(fields={name: [f"may have at most {most} entries"]})


def _named(error: ValidationError) -> dict[str, list[str]]:
    """What is wrong, by the place where it is; of a message of several kinds once."""
    fields: dict[str, list[str]] = {}
    for wrong in error.errors(include_url=False, include_context=False, include_input=False)[:MOST_NAMED]:
        place = ".".join(str(part) for part in wrong["loc"])
        fields.setdefault(place, []).append(str(wrong["msg"]))
    return fields
