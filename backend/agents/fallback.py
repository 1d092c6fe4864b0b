"""A model with another behind it, which a step asks once the first cannot answer: its endpoint is away, busy, refuses.

A step that has fallen back stays there: its later rounds do not wait for the first model again. The next step begins
with the first one. Which model was asked stands with each round in the log.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from backend.engine.execution.events import ModelName
from backend.errors import PatchbayError
from backend.llm.types import ChatModel, ChatReply, ChatRequest, OnDelta, context_of


class WithFallback:
    """A ChatModel that is another one after `fall_back`. `open_other` gives that one."""

    def __init__(self, first: ChatModel, open_other: Callable[[], Awaitable[ChatModel]]) -> None:
        self._current, self._open_other = first, open_other
        self._fallen = False

    @property
    def provider(self) -> str:
        """Slug of the provider that is asked now."""
        return self._current.provider

    @property
    def model(self) -> str:
        """Id of the model that is asked now."""
        return self._current.model

    @property
    def features(self) -> frozenset[str] | None:
        """What the model that is asked now can do."""
        return self._current.features

    @property
    def context(self) -> int | None:
        """How many tokens fit into one conversation with the model that is asked now."""
        return context_of(self._current)

    async def chat(self, request: ChatRequest, on_delta: OnDelta) -> ChatReply:
        """As the model that is asked now."""
        return await self._current.chat(request, on_delta)

    async def fall_back(self) -> bool:
        """Ask the other model from now on; no where that is done already, or there is no such model any more."""
        if self._fallen:
            return False
        self._fallen = True
        try:
            self._current = await self._open_other()
        except PatchbayError:
            return False
        return True


async def fell_back(model: ChatModel) -> ModelName | None:
    """After a round of `model` failed for good: `{provider, model}` to ask instead, None where there is none."""
    if isinstance(model, WithFallback) and await model.fall_back():
        return {"provider": model.provider, "model": model.model}
    return None
