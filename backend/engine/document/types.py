"""What a node type is, and the registry of all of them.

A node type is one file in `nodes/`: a pydantic config model (its JSON Schema makes the form), ports, an output schema
and `async run(ctx)`. `run` gets its config as plain JSON in `ctx.config`, defaults filled and every expression replaced
by its value, frozen by the journal; it gives back its outputs, or a `Result` where it chooses a port or sets variables.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from backend.tools.types import JsonObject, JsonValue

if TYPE_CHECKING:
    from backend.engine.execution.context import AnyContext

OUT = "out"
IN = "in"
ERROR = "error"

RETRY_ON_LOST_CONNECTION = frozenset({"MCP_UNREACHABLE", "MCP_TIMEOUT"})


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence in both languages."""

    en: str
    zh: str

    def in_(self, language: str) -> str:
        """The sentence in `language` ("zh…" or anything else for English)."""
        return self.zh if language.startswith("zh") else self.en


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and how soon a failed step is repeated. `max` counts repeats after the first try; seconds.

    `codes` limits it to these errors (None = all that may pass); `writes` = also where a write was started and its
    failure is known. A write whose outcome is unknown is never repeated, whatever stands here.
    """

    max: int = 0
    delay_s: float = 1.0
    factor: float = 2.0
    max_delay_s: float = 10.0
    codes: frozenset[str] | None = None
    writes: bool = True

    def delay(self, attempt: int) -> float:
        """Seconds between the failed `attempt` (from 1) and the next one."""
        return min(self.delay_s * self.factor ** min(attempt - 1, 64), self.max_delay_s)


@dataclass(frozen=True, slots=True)
class Result:
    """What a node's `run` gives where plain outputs do not suffice: the port that fires, the variables it sets.

    What stands in the outputs, an object, says the node type; the step runner looks that they are one.
    """

    outputs: Any
    port: str = OUT
    variables: JsonObject = field(default_factory=dict)


class NodeConfig(BaseModel):
    """Base of all config models. Keys that a type does not know are kept in the document and warned about."""

    model_config = ConfigDict(extra="ignore", strict=True)


Run = Callable[["AnyContext"], Awaitable["Mapping[str, object] | Result"]]


@dataclass(frozen=True, slots=True)
class NodeType:
    """One type of node. Everything but `run` is known without running anything.

    `raw` names the config fields that are taken as they stand: no expression is read in them; `raw` and `secrets` may
    name places inside a field (`tools.servers.*.server`, `engine/document/config_paths.py`). `inner` names those that
    are evaluated inside the node's own frame and may name its children (iteration.output, loop.until).
    `dynamic_ports(config)` gives the out ports where they depend on the config. `output_keys(config)` gives the names
    under which outputs may be read, None where any may; with `open_outputs` others may come too. A type that
    `stands_in` for something that is missing keeps a document that reaches it from running. `retry` is the policy of
    nodes that state none. `upgrade(config, from_v)` turns a config of an older version into this one's.
    """

    name: str
    v: int
    group: str
    title: Text
    description: Text
    config: type[BaseModel]
    run: Run
    output_schema: JsonObject = field(default_factory=lambda: {"type": "object"})
    ports_in: tuple[str, ...] = (IN,)
    ports_out: tuple[str, ...] = (OUT,)
    dynamic_ports: Callable[[Any], tuple[str, ...]] | None = None  # of a config of the type
    output_keys: Callable[[Any], frozenset[str] | None] | None = None  # of any config, valid or not
    open_outputs: bool = False
    stands_in: bool = False
    effect: str = "pure"
    raw: frozenset[str] = frozenset()
    secrets: frozenset[str] = frozenset()  # config fields in which ${secret:name} may stand
    inner: frozenset[str] = frozenset()
    container: str | None = None  # what its children may read besides nodes: "item" (iteration) or "loop"
    lends: str | None = None  # the same of its own `inner` fields, where it has no children
    written: frozenset[str] = frozenset()  # config fields of which `run` also sees what the document writes
    retry: Retry = Retry()
    upgrade: Callable[[JsonObject, int], JsonObject] | None = None

    def ports(self, config: JsonObject) -> tuple[str, ...]:
        """The out ports of a node with this config, without the error port."""
        return self.dynamic_ports(config) if self.dynamic_ports else self.ports_out

    def keys(self, config: JsonObject) -> frozenset[str] | None:
        """Names of its outputs, or None where they cannot be known before it ran."""
        if self.output_keys:
            return self.output_keys(config)
        if self.output_schema.get("additionalProperties") is False:
            properties = self.output_schema.get("properties", {})
            return frozenset(properties if isinstance(properties, dict) else ())
        return None

    def describe(self, language: str) -> JsonObject:
        """One entry of `GET /api/node-types` (contract), texts in `language`."""
        return {
            "type": self.name,
            "v": self.v,
            "group": self.group,
            "title": self.title.in_(language),
            "description": self.description.in_(language),
            "config_schema": localized(_form(self.config), language),
            "output_schema": localized(self.output_schema, language),
            "ports": {"in": list(self.ports_in), "out": list(self.ports_out)},
            "dynamic_ports": self.dynamic_ports is not None,
            "effect": self.effect,
        }


def node_type(name: str, *, group: str, **about: Any) -> Callable[[Run], NodeType]:
    """Decorate a node's `run` into its NodeType; `about` are the fields of `NodeType`, `v` is 1 unless given."""

    def wrap(run: Run) -> NodeType:
        return NodeType(name=name, group=group, run=run, **({"v": 1} | about))

    return wrap


class NodeTypes(Mapping[str, NodeType]):
    """All node types by name, in the order of the palette."""

    def __init__(self, types: Iterable[NodeType]) -> None:
        self._types: dict[str, NodeType] = {}
        for item in types:
            if item.name in self._types:
                raise ValueError(f"two node types are named {item.name}")
            self._types[item.name] = item

    def __getitem__(self, name: str) -> NodeType:
        return self._types[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)

    def describe(self, language: str) -> list[JsonObject]:
        """The `results` of `GET /api/node-types`."""
        return [type_.describe(language) for type_ in self._types.values()]


# -- fields of config models ------------------------------------------------------------------------------------------


def words(
    en: str,
    zh: str,
    *,
    help: Text | None = None,
    choices: Sequence[tuple[str, str]] = (),
    extra: JsonObject | None = None,
) -> dict[str, Any]:
    """`Field(**words(...))`: title and description of a form field in both languages, and further schema keys.

    `choices` = (English, Chinese) words for the values of an enum, in its order.
    """
    chinese: JsonObject = {"title": zh}
    more: JsonObject = {}
    if help:
        chinese["description"] = help.zh
    if choices:
        more["x-enum-titles"] = [choice for choice, _ in choices]
        chinese["x-enum-titles"] = [choice for _, choice in choices]
    out: dict[str, Any] = {"title": en, "json_schema_extra": {"x-zh": chinese, **more, **(extra or {})}}
    if help:
        out["description"] = help.en
    return out


def _form(model: type[BaseModel]) -> JsonObject:
    """A model's JSON Schema without what its Python class is called and says to programmers."""
    schema = model.model_json_schema()
    for about in (schema, *schema.get("$defs", {}).values()):
        about.pop("title", None)
        about.pop("description", None)
    return schema


def localized(schema: JsonObject, language: str) -> JsonObject:
    """A schema with its `x-zh` texts put in place (Chinese) or dropped (English)."""
    chinese = language.startswith("zh")

    def walk(value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [walk(item) for item in value]
        return walk_object(value) if isinstance(value, dict) else value

    def walk_object(value: JsonObject) -> JsonObject:
        out = {key: walk(item) for key, item in value.items() if key != "x-zh"}
        texts = value.get("x-zh")
        return out | texts if chinese and isinstance(texts, dict) else out

    return walk_object(copy.deepcopy(schema))


def is_expression(value: JsonValue) -> bool:
    """Whether a config value is a text that holds an expression, so that its type is known only when the node runs."""
    return isinstance(value, str) and "{{" in value


def _checked(expected: str, fits: Callable[[Any], bool]) -> PlainValidator:
    def check(value: Any) -> Any:
        if is_expression(value) or fits(value):
            return value
        raise PydanticCustomError("expected", "must be {expected}", {"expected": expected})

    return PlainValidator(check)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


AnyValue = Annotated[Any, WithJsonSchema({"x-expression": True})]
"""Any JSON value, or an expression."""
TextValue = Annotated[
    str, _checked("string", lambda v: isinstance(v, str)), WithJsonSchema({"type": "string", "x-expression": True})
]
"""A text, in which expressions may stand."""
LongText = Annotated[
    str,
    _checked("string", lambda v: isinstance(v, str)),
    WithJsonSchema({"type": "string", "x-expression": True, "x-multiline": True}),
]
"""The same with a tall field."""
OptionalNumber = Annotated[
    Any,
    _checked("number", lambda v: v is None or _is_number(v)),
    WithJsonSchema({"type": "number", "x-expression": True}),
]
"""A number, an expression that gives one, or nothing."""
OptionalText = Annotated[
    Any,
    _checked("string", lambda v: v is None or isinstance(v, str)),
    WithJsonSchema({"type": "string", "x-expression": True}),
]
"""A text in which expressions may stand, or nothing."""
ObjectValue = Annotated[
    Any,
    _checked("object", lambda v: isinstance(v, dict)),
    WithJsonSchema({"type": "object", "additionalProperties": {"x-expression": True}, "x-expression": True}),
]
"""An object whose values may be expressions, or an expression that gives one."""
ListValue = Annotated[
    Any,
    _checked("array", lambda v: isinstance(v, list)),
    WithJsonSchema({"type": "array", "items": {"x-expression": True}, "x-expression": True}),
]
"""A list whose items may be expressions, or an expression that gives one."""
