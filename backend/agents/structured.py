"""A final answer that must fit a schema: what the model said where it fits, else one asked for in so many words."""

from __future__ import annotations

import json
from collections.abc import Mapping

from backend.agents.prompting import prompt
from backend.agents.reading import NotJson, read_json
from backend.agents.rounds import Fitting, PromptChain, RoundContext, ask_json, misfits
from backend.llm.types import Attached, ChatModel, Message, Usage
from backend.tools.types import JsonObject, JsonValue


def with_final_schema(
    messages: list[Message], schema: JsonObject, language: str, own: Mapping[str, object] | None = None
) -> list[Message]:
    """The messages with the wish for a final answer of this schema in the system message."""
    return with_system(messages, prompt("final_json", language, own, schema=json.dumps(schema, ensure_ascii=False)))


def with_system(messages: list[Message], text: str) -> list[Message]:
    """The messages with a text at the end of the system message."""
    first = messages[0] if messages else None
    if first is not None and first["role"] == "system" and isinstance(first["content"], str):
        return [{**first, "content": f"{first['content']}\n\n{text}".strip()}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


async def fitted(
    ctx: RoundContext,
    key: str,
    model: ChatModel,
    messages: list[Message],
    text: str,
    schema: JsonObject,
    *,
    params: JsonObject,
    thread: PromptChain,
    own: Mapping[str, object] | None = None,
    attached: Attached | None = None,
    window: Fitting | None = None,
) -> tuple[JsonValue, Usage]:
    """The answer `text` as a value that fits `schema`, and what it cost to ask again. `messages` = up to the answer,
    `attached` = what the model attached to it, `window` = what keeps the conversation within the model's context.

    Raises LlmBadResponse (reason "json") where no try gives one, and what a round raises.
    """
    try:
        value = read_json(text)
        if not await misfits(schema, value):
            return value, Usage()
    except NotJson:
        pass
    history = list(messages)
    if text:
        answer: Message = {"role": "assistant", "content": text}
        if attached:
            answer["attached"] = attached
        history.append(answer)
    history.append({"role": "user", "content": prompt("as_json", ctx.language, own)})
    return await ask_json(
        ctx, key, model, history, schema, params=params, language=ctx.language, thread=thread, window=window
    )
