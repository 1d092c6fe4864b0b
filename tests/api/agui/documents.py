"""Documents that front ends are offered in tests."""

from __future__ import annotations

from typing import Any

from tests.api.runs.conftest import graph, node

TEXT = {"type": "string"}
CHAT = {
    "type": "object",
    "properties": {
        "text": TEXT,
        "files": {"type": "array", "items": {"type": "object", "format": "file"}},
        "history": {"type": "array"},
        "tone": {"type": "string", "default": "plain"},
    },
}
COUNTING = graph(
    [
        node("start", "start", {"inputs": CHAT}),
        node("more", "set_variable", {"values": {"times": "{{ vars.times }}+", "passing": "x"}}),
        node(
            "say", "answer", {"text": "{{ start.tone }} {{ start.text }} {{ more.times }} {{ start.history | length }}"}
        ),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> more",
    "more -> say",
    "say -> end",
    variables={"times": {"default": "", "scope": "conversation"}, "passing": {"default": "", "scope": "run"}},
)
"""Says how often it was asked, which it keeps, and how many messages came before."""
SCHEMA = {"type": "object", "properties": {"name": TEXT}, "required": ["name"], "additionalProperties": False}
ASKING = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"text": TEXT}}}),
        node("ask", "form", {"title": "Who?", "message": "Say it", "schema": SCHEMA}),
        node("say", "answer", {"text": "It is {{ ask.name }}."}),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> ask",
    "ask -> say",
    "say -> end",
)
APPROVAL = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"text": TEXT}}}),
        node("ask", "approval", {"title": "Go on?"}),
        node("end", "end", {"outputs": {"text": "Done."}}),
    ],
    "start -> ask",
    "ask:approved -> end",
)
RESTING = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"text": TEXT}}}),
        node("rest", "wait", {"seconds": 3600}),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> rest",
    "rest -> end",
)
FORM = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"a": {"type": "number"}, "b": TEXT}}}),
        node("end", "end", {"outputs": {"sum": "{{ start.a }}", "b": "{{ start.b }}"}}),
    ],
    "start -> end",
)
"""Takes no message."""


def agent(**config: Any) -> dict[str, Any]:
    """An agent that answers with what it writes, and may calculate."""
    body = {"provider": "llm", "model": "m", "query": "{{ start.text }}", "tools": {"local": ["calculate"]}, **config}
    return graph(
        [
            node("start", "start", {"inputs": CHAT}),
            node("ask", "agent", body),
            node("say", "answer", {"text": "{{ ask.text }}"}),
            node("end", "end", {"outputs": {}}),
        ],
        "start -> ask",
        "ask -> say",
        "say -> end",
    )
