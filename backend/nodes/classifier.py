"""Classifier node: a model sorts a text into one of the classes, and the run goes that way."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from backend.agents.attached import attached
from backend.agents.budgets import Budgets
from backend.agents.memory import content_of
from backend.agents.prompting import prompt
from backend.agents.rounds import ask_json
from backend.engine.document.graph import ID
from backend.engine.document.types import ERROR, LongText, NodeConfig, Result, Text, TextValue, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.llm.types import Message, UsageJson
from backend.nodes.ai import USAGE_SCHEMA, ModelConfig, ModelValues, chosen_model, own_words
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue


def _class_id(value: str) -> str:
    if not ID.fullmatch(value) or value == ERROR:
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "a-z, 0-9, _"})
    return value


class Class(NodeConfig):
    """One class: the port of its id."""

    id: Annotated[str, AfterValidator(_class_id)] = Field(**words("Port", "端口"))
    description: TextValue = Field(default="", **words("Description", "描述"))


def _ids_differ(classes: list[Class]) -> list[Class]:
    if not classes or len({class_.id for class_ in classes}) != len(classes):
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "classes with different ids"})
    return classes


class ClassValue(TypedDict):
    """A class with its values."""

    id: str
    description: JsonValue


class ClassifierValues(ModelValues):
    """Its values when it runs."""

    text: JsonValue
    classes: list[ClassValue]
    instructions: JsonValue


class ClassifierConfig(ModelConfig):
    """What is sorted, and into what."""

    text: LongText = Field(**words("Text", "文本"))
    classes: Annotated[list[Class], AfterValidator(_ids_differ)] = Field(
        **words("Classes", "类别", extra={"x-widget": "classes"})
    )
    instructions: LongText = Field(
        default="",
        **own_words(
            "classify",
            "Prompt",
            "提示词",
            help=Text(
                "Replaces the built-in prompt; {classes} becomes the list of classes.",
                "代替内置提示词；{classes} 会替换为类别列表。",
            ),
        ),
    )


ClassifierOutputs = TypedDict("ClassifierOutputs", {"class": str, "port": str, "usage": UsageJson})
"""What it gives."""


def _ports(config: ClassifierValues) -> tuple[str, ...]:
    return tuple(class_["id"] for class_ in config["classes"])


@node_type(
    "classifier",
    group="ai",
    title=Text("Classifier", "分类器"),
    description=Text("Sorts a text into a class and continues at its port.", "将文本归入某一类别，并走相应的分支。"),
    config=ClassifierConfig,
    ports_out=(),
    dynamic_ports=_ports,
    effect="read",
    output_schema={
        "type": "object",
        "properties": {
            "class": {"type": "string", "title": "Class", "x-zh": {"title": "类别"}},
            "port": {"type": "string"},
            "usage": USAGE_SCHEMA,
        },
        "additionalProperties": False,
    },
)
async def classifier(ctx: NodeContext[ClassifierValues]) -> Result:
    """The class, as output and port."""
    config = ctx.config
    await Budgets(ctx).refuse("classify")
    model = await chosen_model(ctx)
    ids: list[JsonValue] = [class_["id"] for class_ in config["classes"]]
    listed = "\n".join(
        f"- {class_['id']}: {to_text(class_['description'])}".rstrip(": ") for class_ in config["classes"]
    )
    system = prompt("classify", ctx.language, {"classify": config["instructions"]}, classes=listed)
    conversation: list[Message] = [
        {"role": "system", "content": system},
        {"role": "user", "content": content_of(config["text"])},
    ]
    messages = await attached(ctx, model, conversation)
    schema: JsonObject = {
        "type": "object",
        "properties": {"class": {"enum": ids}},
        "required": ["class"],
        "additionalProperties": False,
    }
    params = an_object("params", config["params"])
    value, usage = await ask_json(ctx, "classify", model, messages, schema, params=params, language=ctx.language)
    choice = str(an_object("class", value)["class"])
    outputs: ClassifierOutputs = {"class": choice, "port": choice, "usage": usage.as_json()}
    return Result(outputs, port=choice)
