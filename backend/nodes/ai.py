"""Fields that the nodes with a model share: which model, its parameters, tools, messages, schemas, budgets."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from pydantic import Field, PlainValidator, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from backend.agents.fallback import WithFallback
from backend.agents.local_tools import local_tools
from backend.agents.memory import ROLES
from backend.agents.prompting import prompt_text
from backend.agents.tool_search import MOST_TOKENS, MOST_TOOLS, ToolSearch
from backend.agents.toolset import MAX_TOOLS
from backend.engine.document.types import NodeConfig, ObjectValue, Text, is_expression, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.llm.types import ChatModel
from backend.tools.schemas import problem
from backend.tools.types import JsonObject, JsonValue

PLACES = frozenset({"tools.servers.*.server"})
"""Where in a node's config a server's configuration may stand: no expressions there, but names of secrets."""

USAGE_SCHEMA: JsonObject = {
    "type": "object",
    "title": "Usage",
    "x-zh": {"title": "用量"},
    "properties": {
        "input_tokens": {"type": "integer"},
        "output_tokens": {"type": "integer"},
        "cached_tokens": {"type": "integer"},
        "reasoning_tokens": {"type": "integer"},
        "cost": {"type": "number"},
        "estimated": {"type": "boolean"},
    },
}
CALLS_SCHEMA: JsonObject = {
    "type": "array",
    "title": "Tool calls",
    "x-zh": {"title": "工具调用"},
    "items": {
        "type": "object",
        "properties": {
            "iteration": {"type": "integer"},
            "server": {"type": "string"},
            "tool": {"type": "string"},
            "arguments": {},
            "requested": {},
            "result": {"type": "string"},
            "is_error": {"type": "boolean"},
        },
    },
}
FINISH_SCHEMA: JsonObject = {
    "type": "string",
    "title": "How the answer ended",
    "description": "stop, length, content_filter, tool_calls, refusal",
    "x-zh": {"title": "回答如何结束"},
}
MODEL_SCHEMA: JsonObject = {"type": "string", "title": "Model that answered", "x-zh": {"title": "作答的模型"}}
STRUCTURED: JsonObject = {"title": "Structured", "x-zh": {"title": "结构化数据"}}


def _wrong(expected: str) -> PydanticCustomError:
    return PydanticCustomError("expected", "must be {expected}", {"expected": expected})


def _filled(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value
    raise _wrong("string")


Name = Annotated[str, PlainValidator(_filled), WithJsonSchema({"type": "string", "x-expression": True})]
"""A text that is not empty, in which expressions may stand."""


def provider_field() -> Any:
    """Which provider: a slug or id."""
    return Field(**words("Provider", "模型供应商", extra={"x-widget": "provider"}))


def model_field() -> Any:
    """Which of its models."""
    return Field(**words("Model", "模型", extra={"x-widget": "model"}))


def params_field() -> Any:
    """temperature, top_p, max_tokens, seed, stop and whatever else the endpoint takes."""
    return Field(
        default_factory=dict, **words("Parameters", "模型参数", extra={"x-widget": "params", "x-advanced": True})
    )


class _Fallback(NodeConfig):
    provider: Name
    model: Name


def _fallback(value: Any) -> Any:
    if value is None or value == {}:
        return None
    try:
        return _Fallback.model_validate(value).model_dump()
    except ValidationError:
        raise _wrong("{provider, model}") from None


FallbackValue = Annotated[
    Any,
    PlainValidator(_fallback),
    WithJsonSchema(
        {
            "type": "object",
            "x-widget": "fallback",
            "properties": {
                "provider": {
                    "type": "string",
                    "x-expression": True,
                    "title": "Provider",
                    "x-zh": {"title": "模型供应商"},
                },
                "model": {"type": "string", "x-expression": True, "title": "Model", "x-zh": {"title": "模型"}},
            },
            "required": ["provider", "model"],
        }
    ),
]
"""`{provider, model}` that is asked where the first cannot answer, or nothing."""


def fallback_field() -> Any:
    """Which model stands in."""
    help_ = Text(
        "Used if the model above does not answer after its retries, for the rest of the step.",
        "当上面的模型在重试后仍不作答时改用此模型，本步骤其余轮次也由它作答。",
    )
    return Field(default=None, **words("Fallback model", "备用模型", help=help_, extra={"x-advanced": True}))


class ModelName(TypedDict):
    """A model of a provider."""

    provider: JsonValue
    model: JsonValue


class ModelValues(ModelName):
    """Its values when the node runs."""

    params: JsonValue
    fallback: NotRequired[ModelName | None]  # not there in what runs of before have frozen


class ModelConfig(NodeConfig):
    """What every node with a model says first."""

    provider: Name = provider_field()
    model: Name = model_field()
    params: ObjectValue = params_field()
    fallback: FallbackValue = fallback_field()


async def chosen_model(ctx: NodeContext[ModelValues]) -> ChatModel:
    """The model that the node's config names, its fallback behind it. Raises NotFound, ValidationFailed."""
    first = await ctx.chat(to_text(ctx.config["provider"]), to_text(ctx.config["model"]))
    other = ctx.config.get("fallback")  # not there in what runs of before have frozen
    if not other:
        return first
    return WithFallback(first, lambda: ctx.chat(to_text(other["provider"]), to_text(other["model"])))


def own_words(name: str, en: str, zh: str, *, help: Text | None = None) -> dict[str, Any]:
    """`Field(**own_words(...))`: a field for the node's own words in the place of the prompt `name`, which the form
    shows as long as it is empty: in the language of the workflow, whatever that of the reader is."""
    texts: JsonObject = {"en": prompt_text(name, "en"), "zh": prompt_text(name, "zh")}
    return words(en, zh, help=help, extra={"x-advanced": True, "x-widget": "prompt", "x-texts": texts})


# -- tools ------------------------------------------------------------------------------------------------------------


class _Entry(NodeConfig):
    server: Any
    include: list[str] | None = None
    fixed: dict[str, dict[str, Any]] | None = None


class _Tools(NodeConfig):
    servers: list[_Entry] = Field(default_factory=list)
    workflows: list[str] = Field(default_factory=list)
    local: list[str] = Field(default_factory=list)


def _tools(value: Any) -> Any:
    if value is None:
        return {}
    try:
        selection = _Tools.model_validate(value)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise _wrong(f"{{servers: [{{server, include?, fixed?}}], workflows?, local?}} ({place})") from None
    for entry in selection.servers:
        if not (
            (isinstance(entry.server, str) and entry.server.strip()) or (entry.server and type(entry.server) is dict)
        ):
            raise _wrong("server (tools.servers)")
    return selection.model_dump(exclude_none=True)


def _tools_schema() -> JsonObject:
    titles = {"servers": "服务器", "workflows": "工作流", "local": "内置工具"}
    entry: JsonObject = {
        "type": "object",
        "properties": {
            "server": {
                "type": ["string", "object"],
                "x-widget": "server",
                "title": "Server",
                "x-zh": {"title": "服务器"},
            },
            "include": {"type": "array", "items": {"type": "string"}, "title": "Tools", "x-zh": {"title": "工具"}},
            "fixed": {
                "type": "object",
                "title": "Fixed parameters",
                "x-zh": {"title": "固定参数"},
                "additionalProperties": {"type": "object", "additionalProperties": {"x-expression": True}},
            },
        },
        "required": ["server"],
    }
    names: list[JsonValue] = [tool.spec.name for tool in local_tools()]
    return {
        "type": "object",
        "x-widget": "tools",
        "properties": {
            "servers": {"type": "array", "items": entry, "title": "Servers", "x-zh": {"title": titles["servers"]}},
            "workflows": {
                "type": "array",
                "items": {"type": "string"},
                "title": "Workflows",
                "x-zh": {"title": titles["workflows"]},
            },
            "local": {
                "type": "array",
                "items": {"type": "string", "enum": names},
                "title": "Built-in tools",
                "x-zh": {"title": titles["local"]},
            },
        },
    }


ToolsValue = Annotated[Any, PlainValidator(_tools), WithJsonSchema(_tools_schema())]
"""`{servers: [{server, include?, fixed?}], workflows?, local?}`; expressions may stand in the values of `fixed`."""


def tools_field() -> Any:
    """What the model may use."""
    return Field(default_factory=dict, **words("Tools", "工具"))


def tool_search_field() -> Any:
    """How they are offered."""
    help_ = Text(
        f"Automatic: beyond {MOST_TOOLS} tools or {MOST_TOKENS:,} tokens of definitions the model searches for tools "
        "and loads those that it needs.",
        f"自动：超过 {MOST_TOOLS} 个工具或 {MOST_TOKENS:,} Token 的定义时，由模型搜索工具并按需加载。",
    )
    extra: JsonObject = {
        "x-widget": "tool-search",
        "x-limits": {"tools": MOST_TOOLS, "tokens": MOST_TOKENS, "offered": MAX_TOOLS},
    }
    choices = (("Automatic", "自动"), ("All at once", "一次全部"), ("Search", "搜索"))
    return Field(default="automatic", **words("Offer tools", "提供工具", help=help_, choices=choices, extra=extra))


class OfferValues(TypedDict, total=False):
    """What a node says of how its tools are offered; runs of before have not frozen it."""

    tool_search: ToolSearch


def offer(config: OfferValues, behaviour: int) -> ToolSearch:
    """How an attempt of this behaviour offers its tools."""
    return config.get("tool_search", "automatic") if behaviour >= 4 else "all"


# -- messages and schemas ---------------------------------------------------------------------------------------------


def _messages(value: Any) -> Any:
    if is_expression(value):
        return value
    fits = isinstance(value, list) and value and all(isinstance(item, dict) and "content" in item for item in value)
    if not fits or any(item.get("role", "user") not in ROLES for item in value):
        raise _wrong("[{role: system | user | assistant, content}]")
    return value


MessagesValue = Annotated[
    Any,
    PlainValidator(_messages),
    WithJsonSchema(
        {
            "type": "array",
            "x-widget": "messages",
            "x-expression": True,
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "role": {"enum": list(ROLES)},
                    "content": {"x-expression": True, "x-multiline": True},
                },
                "required": ["role", "content"],
            },
        }
    ),
]
"""`[{role, content}]`, or an expression that gives them."""


def _output_schema(value: Any) -> Any:
    if value is None or value == {}:
        return None
    if not isinstance(value, dict) or problem(value) is not None:
        raise _wrong("JSON Schema")
    return value


OutputSchema = Annotated[
    Any, PlainValidator(_output_schema), WithJsonSchema({"type": "object", "x-widget": "json-schema"})
]
"""A JSON Schema that the answer must fit, or nothing."""


def output_schema_field() -> Any:
    """What the answer must fit."""
    help_ = Text("The answer must be JSON that matches this schema.", "回答必须是符合此 Schema 的 JSON。")
    return Field(default=None, **words("Output schema", "输出 Schema", help=help_, extra={"x-advanced": True}))


# -- budgets and memory -----------------------------------------------------------------------------------------------


class _Budgets(NodeConfig):
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[float, Field(gt=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    tool_calls: Annotated[int, Field(ge=0)] | None = None
    on_limit: Literal["stop", "ask"] = "stop"


def _budgets(value: Any) -> Any:
    if value is None or value == {}:
        return None
    try:
        return _Budgets.model_validate(value).model_dump(exclude_none=True)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"][:1]))
        raise _wrong(f"{{tokens?, cost?, seconds?, tool_calls?, on_limit?: stop | ask}} ({place})") from None


def _number(kind: str, en: str, zh: str, least: int = 1) -> JsonObject:
    bound: JsonObject = {"minimum": least} if kind == "integer" else {"exclusiveMinimum": 0}
    return {"type": kind, "title": en, "x-zh": {"title": zh}, **bound}


BudgetsValue = Annotated[
    Any,
    PlainValidator(_budgets),
    WithJsonSchema(
        {
            "type": "object",
            "x-widget": "budgets",
            "properties": {
                "tokens": _number("integer", "Tokens", "Token"),
                "cost": _number("number", "Cost", "费用"),
                "seconds": _number("number", "Seconds of work", "工作时间（秒）"),
                "tool_calls": _number("integer", "Tool calls", "工具调用次数", 0),
                "on_limit": {
                    "enum": ["stop", "ask"],
                    "default": "stop",
                    "title": "When one is used up",
                    "x-enum-titles": ["Stop with the best answer", "Ask a person for more"],
                    "x-zh": {"title": "用尽时", "x-enum-titles": ["以目前最好的结果结束", "请人追加"]},
                },
            },
        }
    ),
]
"""`{tokens?, cost?, seconds?, tool_calls?, on_limit?}`, or nothing."""


def budgets_field() -> Any:
    """How much may be used."""
    return Field(default=None, **words("Budgets", "预算", extra={"x-advanced": True}))


class MemoryGiven(TypedDict):
    """Earlier messages, and how many rounds of them are kept."""

    window: int
    messages: JsonValue


class _Memory(NodeConfig):
    window: Annotated[int, Field(ge=0, le=1000)] = 10
    messages: Any = None


def _memory(value: Any) -> Any:
    if value is None or value == {}:
        return None
    try:
        return _Memory.model_validate(value).model_dump()
    except ValidationError:
        raise _wrong("{window, messages}") from None


MemoryValue = Annotated[
    Any,
    PlainValidator(_memory),
    WithJsonSchema(
        {
            "type": "object",
            "x-widget": "memory",
            "properties": {
                "window": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 1000,
                    "default": 10,
                    "title": "Rounds kept",
                    "x-zh": {"title": "保留的轮数"},
                },
                "messages": {"x-expression": True, "title": "Earlier messages", "x-zh": {"title": "先前的消息"}},
            },
        }
    ),
]
"""`{window, messages}`: the last rounds of earlier messages, or nothing."""


def memory_field() -> Any:
    """What was said before."""
    return Field(default=None, **words("Memory", "记忆", extra={"x-advanced": True}))
