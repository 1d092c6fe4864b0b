"""Form node: a person fills in a form; the values are the outputs. Declining ends the step with an error."""

from __future__ import annotations

from pydantic import Field

from backend.engine.document.types import LongText, Text, TextValue, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.errors import Cancelled
from backend.nodes.expiring import Expiring, ExpiringValues
from backend.nodes.start import ObjectSchema, property_names
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue, Question


class FormValues(ExpiringValues):
    """Its values when it runs."""

    title: JsonValue
    message: JsonValue
    schema: JsonObject


class FormConfig(Expiring):
    """What is asked for."""

    title: TextValue = Field(**words("Title", "标题"))
    message: LongText = Field(default="", **words("Message", "说明"))
    schema_: ObjectSchema = Field(
        default_factory=lambda: {"type": "object", "properties": {}}, alias="schema", **words("Fields", "字段")
    )


@node_type(
    "form",
    group="people",
    title=Text("Form", "表单"),
    description=Text("Waits until a person fills in a form.", "等待有人填写表单。"),
    config=FormConfig,
    raw=frozenset({"schema"}),
    output_keys=lambda config: property_names(config.get("schema") or {}),
    open_outputs=True,
)
async def form(ctx: NodeContext[FormValues]) -> JsonObject:
    """The values by name."""
    config = ctx.config
    question = Question(
        "form", to_text(config["title"]), message=to_text(config["message"]), schema=config["schema"], proposal={}
    )
    answer = await ctx.ask("form", question)
    if answer.action != "accept":
        raise Cancelled(params={"reason": "declined", "why": answer.reason})
    return an_object("values", answer.values or {})
