"""Looks into what may have one of many shapes, where a test knows which: JSON, and what a message holds."""

from __future__ import annotations

from typing import Any

from backend.llm.types import Message


def inside(value: object) -> Any:
    """JSON, to be looked into; where it has another shape than the test says, the test fails at that place."""
    return value


def text_of(message: Message) -> str:
    """The content of a message that is nothing but text."""
    content = message["content"]
    assert isinstance(content, str), content
    return content
