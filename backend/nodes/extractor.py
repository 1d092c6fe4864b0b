"""Extractor node: a model takes values out of a text; they come out by their names."""

from __future__ import annotations

from pydantic import Field

from backend.agents.attached import attached
from backend.agents.budgets import Budgets
from backend.agents.memory import content_of
from backend.agents.prompting import prompt
from backend.agents.rounds import ask_json
from backend.engine.document.types import LongText, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.llm.types import Message
from backend.nodes.ai import ModelConfig, ModelValues, chosen_model, own_words
from backend.nodes.start import ObjectSchema, property_names
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue


class ExtractorValues(ModelValues):
    """Its values when it runs."""

    text: JsonValue
    schema: JsonObject
    instructions: JsonValue


class ExtractorConfig(ModelConfig):
    """What is read, and which values are wanted."""

    text: LongText = Field(**words("Text", "文本"))
    schema_: ObjectSchema = Field(alias="schema", **words("Values", "字段", extra={"x-widget": "json-schema"}))
    instructions: LongText = Field(
        default="",
        **own_words("extract", "Prompt", "提示词", help=Text("Replaces the built-in prompt.", "代替内置提示词。")),
    )


@node_type(
    "extractor",
    group="ai",
    title=Text("Extractor", "提取器"),
    description=Text("Extracts values from a text.", "从文本中提取字段的值。"),
    config=ExtractorConfig,
    effect="read",
    raw=frozenset({"schema"}),
    output_keys=lambda config: property_names(config.get("schema") or {}),
    open_outputs=True,
)
async def extractor(ctx: NodeContext[ExtractorValues]) -> JsonObject:
    """The values by name; null where the text does not state one that is not required."""
    config = ctx.config
    await Budgets(ctx).refuse("extract")
    model = await chosen_model(ctx)
    system = prompt("extract", ctx.language, {"extract": config["instructions"]})
    conversation: list[Message] = [
        {"role": "system", "content": system},
        {"role": "user", "content": content_of(config["text"])},
    ]
    messages = await attached(ctx, model, conversation)
    schema: JsonObject = {**config["schema"], "type": "object"}
    params = an_object("params", config["params"])
    value, _ = await ask_json(ctx, "extract", model, messages, schema, params=params, language=ctx.language)
    empty: JsonObject = dict.fromkeys(property_names(schema))
    return empty | an_object("values", value)
