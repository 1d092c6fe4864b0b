"""Providers of models, as runs use them."""

from __future__ import annotations

import pytest

from tests.api.runs.conftest import graph, node
from tests.cast import Person
from tests.llm_server import LlmServer


@pytest.fixture
def provider(adam: Person, llm: LlmServer) -> None:
    """The scripted endpoint as the team's provider `llm`."""
    models = [{"id": "m", "input_price": 1000, "output_price": 2000, "features": ["tools", "vision"]}]
    about = {"name": "LLM", "slug": "llm", "base_url": llm.url, "api_key": "sk-team-12345678", "models": models}
    assert adam.api.post("/api/providers", about).status == 201


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
