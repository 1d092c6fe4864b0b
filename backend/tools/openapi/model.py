"""The words of this room: an API as it was read, its operations, and where each argument of a tool goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from backend.json_types import JsonObject
from backend.tools.types import ToolSpec

Place = Literal["path", "query", "header", "cookie", "body"]
BodyKind = Literal["json", "form", "multipart", "text", "bytes"]
SchemeKind = Literal["api_key", "bearer", "basic", "other"]


@dataclass(frozen=True, slots=True)
class Argument:
    """Where an argument goes: as `name` into a place. `style` and `explode` say how lists and objects are written,
    `as_json` that the value is written as JSON; `binary` = it comes as base64."""

    arg: str
    name: str
    place: Place
    style: str = ""
    explode: bool = True
    as_json: bool = False
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """How a body is written. `whole` = it is one argument, else it consists of those whose place is `body`.
    `required` = one is sent even where no argument is for it."""

    kind: BodyKind
    mime: str
    whole: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as a tool. `signs_in` = the document says that nobody may call it without credentials."""

    name: str
    method: str
    path: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    body: Body | None
    input_schema: JsonObject
    output_schema: JsonObject | None
    annotations: JsonObject
    signs_in: bool

    def spec(self, server: str) -> ToolSpec:
        """The tool under which the server is called so."""
        return ToolSpec(
            server,
            self.name,
            self.description,
            self.title,
            self.input_schema,
            self.output_schema,
            self.annotations,
        )


@dataclass(frozen=True, slots=True)
class Base:
    """An address below which the operations are. `foreign` = on another host than the document itself."""

    url: str
    foreign: bool


@dataclass(frozen=True, slots=True)
class Scheme:
    """How the API wants its users to sign in; `place` and `parameter` of an API key."""

    name: str
    kind: SchemeKind
    place: Literal["", "header", "query", "cookie"] = ""
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An operation that is no tool, and why: a reason of MCP_PROTOCOL_ERROR."""

    operation: str
    reason: str
    why: str = ""

    def as_json(self) -> JsonObject:
        """As the status of a server has it."""
        return {"tool": self.operation, "reason": self.reason, "why": self.why}


@dataclass(frozen=True, slots=True)
class Api:
    """What a document describes. `dialect` = "OpenAPI 3.1.0" or "Swagger 2.0"."""

    title: str
    version: str
    dialect: str
    bases: tuple[Base, ...]
    schemes: tuple[Scheme, ...]
    operations: tuple[Operation, ...]
    left_out: tuple[LeftOut, ...]
    by_name: dict[str, Operation] = field(default_factory=dict, compare=False)

    def specs(self, server: str) -> list[ToolSpec]:
        """Its tools."""
        return [operation.spec(server) for operation in self.operations]
