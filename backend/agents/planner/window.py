"""Keeps a planner's conversation within its model's context: results of old steps first, then a summary of old steps.

The question that is put, with the facts before it, stands whole at the end; the goal stays too. What was left out is
left out of every later question, so the conversation is shortened once and not before each of them.
"""

from __future__ import annotations

from dataclasses import replace

from backend.agents.planner.memory import Memory
from backend.agents.window import KEPT_CHARACTERS, Window, WindowContext
from backend.engine.document.types import Text
from backend.llm.types import ChatModel, ChatRequest, Message
from backend.llm.usage import tokens_of_messages


class PlannerWindow(Window):
    """The window of one planner, which shortens its `memory`."""

    shortened_text = Text(
        "The conversation is close to the model's context length ({limit} tokens): the results of {count} steps "
        "were shortened for the model. The log has them in full.",
        "对话接近模型的上下文长度（{limit} Token）：已为模型缩短 {count} 个步骤的结果，完整内容见日志。",
    )

    def __init__(self, ctx: WindowContext, model: ChatModel, memory: Memory) -> None:
        super().__init__(ctx, model, memory.head)
        self._memory = memory
        self._question = 0  # tokens of what is put to the model behind the memory

    async def fitted(self, key: str, request: ChatRequest) -> ChatRequest:
        """The request of the round `key`, made from the memory, with fewer words where it would not fit."""
        known = self._memory.messages
        question = str(request.messages[len(known) - 1]["content"]).removeprefix(str(known[-1]["content"]))
        after = request.messages[len(known) :]
        self._question = tokens_of_messages([{"role": "user", "content": question}, *after])
        try:
            messages = (await super().fitted(key, replace(request, messages=known))).messages
        finally:
            self._question = 0
        if messages == known:
            return request
        self._memory.messages = messages
        prompt_message: Message = {**messages[-1], "content": f"{messages[-1]['content']}{question}"}
        return replace(request, messages=[*messages[:-1], prompt_message, *after])

    def _tokens(self, request: ChatRequest) -> int:
        known = super()._tokens(request)  # learns the factor
        return known + int(self._question * self.factor)

    def _shorter(self, message: Message) -> Message:
        content = message["content"]
        if message["role"] == "user" and isinstance(content, str) and len(content) > KEPT_CHARACTERS * 2:
            return {**message, "content": self._cut(content, KEPT_CHARACTERS)}
        return message
