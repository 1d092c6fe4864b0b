"""Providers of models, as runs use them."""

from __future__ import annotations

from tests.api.runs.conftest import graph, node


def agent(query: str) -> dict[str, object]:
    """start → ask → end, with the built-in tools."""
    config = {"provider": "llm", "model": "m", "query": query, "tools": {"local": ["calculate"]}}
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("ask", "agent", config),
            node("end", "end", {"outputs": {"text": "{{ ask.text }}"}}),
        ],
        "start -> ask",
        "ask -> end",
        env={"x": "the environment"},
    )
