"""Resource node: reads one resource of an MCP server. Texts go into the outputs, bytes into files.

Reading changes nothing, so it is repeated after a crash. A template is filled here: only what the document itself
writes is read as one, so no value becomes a variable. The server is asked for URIs of its own alone (`mcp/contents`).
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from pydantic import AfterValidator, ConfigDict, Field, PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from backend.engine.document.types import (
    RETRY_ON_LOST_CONNECTION,
    NodeConfig,
    ObjectValue,
    Retry,
    Text,
    is_expression,
    node_type,
    words,
)
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.errors import ValidationFailed
from backend.nodes.tool import ServerRef
from backend.nodes.values import an_object
from backend.tools.calls.contents import contents_of
from backend.tools.types import JsonObject, JsonValue
from backend.tools.uris import checked_uri, filled, is_template, variables_of


def _expected(what: str) -> PydanticCustomError:
    return PydanticCustomError("expected", "must be {expected}", {"expected": what})


def _uri(value: Any) -> Any:
    if not isinstance(value, str) or not value.strip():
        raise _expected("URI")
    if is_expression(value):
        return value
    try:
        if is_template(value):
            variables_of(value)
        else:
            checked_uri(value)
    except ValidationFailed:
        raise _expected("URI or URI template") from None
    return value


def _arguments(value: Any, info: ValidationInfo) -> Any:
    """What can be said before the run: a template wants its variables, anything else takes no arguments."""
    uri = info.data.get("uri")
    if not isinstance(uri, str) or not isinstance(value, dict):
        return value
    if is_expression(uri) or not is_template(uri):
        if value:
            raise _expected("empty, for the URI is no template")
        return value
    variables = variables_of(uri)
    missing = [item.name for item in variables if item.required and value.get(item.name) is None]
    if missing:
        raise _expected(f"object with {', '.join(missing)}")
    unknown = [name for name in value if name not in {item.name for item in variables}]
    if unknown:
        raise _expected(f"object without {', '.join(unknown)}")
    return value


ResourceUri = Annotated[str, PlainValidator(_uri), WithJsonSchema({"type": "string", "x-expression": True})]
"""The URI of a resource, one of the server's templates, or a text with expressions that gives a URI."""
Arguments = Annotated[ObjectValue, AfterValidator(_arguments)]


class ResourceValues(TypedDict):
    """Its values when it runs."""

    server: str | JsonObject
    uri: str
    arguments: JsonValue


class ResourceOutputs(TypedDict):
    """What it gives."""

    text: str
    contents: list[JsonObject]


class ResourceConfig(NodeConfig):
    """Which resource."""

    model_config = ConfigDict(validate_default=True)  # a template without arguments misses them

    server: ServerRef = Field(**words("Server", "服务器"))
    uri: ResourceUri = Field(
        **words(
            "URI",
            "URI",
            help=Text(
                "A resource that the server lists, or one of its templates, such as notes://{name}.",
                "服务器列出的资源，或服务器的 URI 模板，例如 notes://{name}。",
            ),
        )
    )
    arguments: Arguments = Field(
        default_factory=dict,
        **words(
            "Arguments",
            "参数",
            help=Text("Values for the variables of a template.", "URI 模板中各变量的值。"),
            extra={"x-widget": "arguments"},
        ),
    )


@node_type(
    "resource",
    group="mcp",
    title=Text("Resource", "资源"),
    description=Text("Reads a resource of an MCP server.", "读取 MCP 服务器的资源。"),
    config=ResourceConfig,
    effect="read",
    raw=frozenset({"server"}),
    secrets=frozenset({"server"}),
    written=frozenset({"uri"}),
    retry=Retry(max=3, codes=RETRY_ON_LOST_CONNECTION),
    output_schema={
        "type": "object",
        "properties": {
            "text": {"type": "string", "title": "Text", "x-zh": {"title": "文本"}},
            "contents": {
                "type": "array",
                "title": "Contents",
                "x-zh": {"title": "内容"},
                "items": {
                    "type": "object",
                    "properties": {
                        "uri": {"type": "string"},
                        "mimeType": {"type": "string"},
                        "text": {"type": "string"},
                        "file": {"type": "object", "format": "file"},
                    },
                },
            },
        },
        "additionalProperties": False,
    },
)
async def resource(ctx: NodeContext[ResourceValues]) -> ResourceOutputs:
    """What stands in the resource."""
    arguments = an_object("arguments", ctx.config["arguments"])
    written = to_text(ctx.as_written["uri"])
    template = written if is_template(written) and not is_expression(written) else ""
    if template:
        uri = filled(template, arguments)
    elif arguments:
        raise ValidationFailed(params={"reason": "uri_unknown", "name": next(iter(arguments))}, fields=_no_template())
    else:
        uri = checked_uri(to_text(ctx.config["uri"]).strip())
    source = contents_of(await ctx.tools(ctx.config["server"]))
    answer = await source.read_resource(uri, ctx.call("call"), template)
    contents = [inner for block in answer.content if isinstance(inner := block.get("resource"), dict)]
    texts = [text for inner in contents if isinstance(text := inner.get("text"), str)]
    return {"text": "\n".join(texts) if contents else answer.text, "contents": contents}


def _no_template() -> dict[str, list[str]]:
    return {"arguments": ["must be empty, for the URI is no template"]}
