"""What the API answers about servers that are found, imported or read from a document, before they are added."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.errors import text_for
from backend.registry.models import Server
from backend.registry.responses import ServerJson
from backend.tools.openapi.model import Api


class SkippedJson(TypedDict):
    """An entry that was not taken, and why."""

    name: str
    reason: str


class ImportQuestionJson(TypedDict):
    """A value that a configuration leaves open. Without it a secret stays unset, and anything else is not taken."""

    id: str
    where: Literal["command", "args", "cwd", "env", "url", "headers"]
    description: str
    secret: bool
    choices: list[str]
    multiple: Annotated[bool, Help("Several values, one a line.")]
    token: Annotated[str, Help("What stands in its place in the document.")]
    label: str
    required: bool
    default: str


class FoundServerJson(TypedDict):
    """A server that an import would create."""

    name: str
    transport: Annotated[str, Choices(Server.Transport.choices)]
    target: Annotated[str, Help("Its masked URL, or its command line.")]
    secrets: Annotated[list[str], Help("Names that are stored encrypted.")]
    missing: Annotated[list[str], Help("Secrets whose value is still to be given.")]
    questions: Annotated[list[ImportQuestionJson], Help("Placeholders; `values` answers them.")]
    denied: Annotated[list[str], Help("Patterns of tools that get the policy deny.")]
    allowed: Annotated[list[str] | None, Help("All other tools get the policy deny. null = no list.")]
    notes: Annotated[list[str], Help("What could not be taken over.")]
    alternative: Annotated[bool, Help("Another way to the server before it; taken only where `only` names it.")]


class ListedWayJson(TypedDict):
    """A way to a listed server."""

    kind: Annotated[str, Help("remote, npm, pypi, oci and so on.")]
    target: Annotated[str, Help("Its address, or its package at an exact version.")]


class ListedServerJson(TypedDict):
    """A server as an MCP registry lists it: somebody else's word."""

    name: Annotated[str, Help("Unique in its registry; before the slash whose it is.")]
    title: str
    description: str
    version: str
    publisher: Annotated[str, Help("The namespace that the registry let it be published under.")]
    repository: Annotated[str, Help("Empty, or an address of the web.")]
    website: Annotated[str, Help("The same.")]
    deprecated: bool
    updated_at: Annotated[str, Help("As the registry says; empty where it does not.")]
    ways: list[ListedWayJson]
    config: Annotated[str, Help("What the import takes: its `server.json`, or `mcpServers`. Empty: none is told.")]


class ListedServersJson(TypedDict):
    """A page of what an MCP registry lists."""

    results: list[ListedServerJson]
    next: str | None


class HostedServerJson(TypedDict):
    """A server that ModelScope hosts for a person. Its address is a secret and not told."""

    id: Annotated[str, Help("What ModelScope calls it.")]
    name: str
    description: str
    transport: Annotated[Literal["http", "sse"] | None, Help("null where it has no address that works now.")]
    expires_at: Timestamp | None
    server: Annotated[str | None, Help("The team's server of this id; null where there is none.")]


class HostedServersJson(TypedDict):
    """What ModelScope hosts for a person, and what was added of it."""

    found: list[HostedServerJson]
    created: list[ServerJson]


class ImportJson(TypedDict):
    """What an import did, or would do."""

    created: list[ServerJson]
    skipped: list[SkippedJson]
    found: list[FoundServerJson]
    dialect: Annotated[str, Help("Whose format it looks like.")]


class ApiBaseJson(TypedDict):
    """An address below which an API's operations are, as its document says."""

    url: str
    foreign: Annotated[bool, Help("On another host than the document: to be confirmed by a person.")]


class ApiSchemeJson(TypedDict):
    """How an API wants its users to sign in."""

    name: str
    kind: Annotated[Literal["api_key", "bearer", "basic", "other"], Help("other: cannot be used here.")]
    place: Annotated[Literal["", "header", "query", "cookie"], Help("Of an API key.")]
    parameter: Annotated[str, Help("What an API key is called there.")]


class ApiOperationJson(TypedDict):
    """An operation and the tool that it becomes."""

    name: str
    method: str
    path: str
    title: str


class ApiLeftOutJson(TypedDict):
    """An operation that is no tool, and why."""

    operation: str
    message: str
    hint: str


class ApiJson(TypedDict):
    """What an OpenAPI document describes."""

    title: str
    version: str
    dialect: Annotated[str, Help("OpenAPI 3.1.0, Swagger 2.0 and so on.")]
    bases: list[ApiBaseJson]
    schemes: list[ApiSchemeJson]
    operations: Annotated[list[ApiOperationJson], Help("The first 500.")]
    total: Annotated[int, Help("How many operations become tools.")]
    left_out: list[ApiLeftOutJson]


MOST_OPERATIONS = 500
"""Operations that a look at a document lists one by one."""


def api_json(api: Api, language: str) -> ApiJson:
    """An API before it is added."""
    left_out: list[ApiLeftOutJson] = []
    for left in api.left_out:
        message, hint = text_for("MCP_PROTOCOL_ERROR", left.as_json(), language)
        left_out.append({"operation": left.operation, "message": message, "hint": hint})
    return {
        "title": api.title,
        "version": api.version,
        "dialect": api.dialect,
        "bases": [{"url": base.url, "foreign": base.foreign} for base in api.bases],
        "schemes": [
            {"name": scheme.name, "kind": scheme.kind, "place": scheme.place, "parameter": scheme.parameter}
            for scheme in api.schemes
        ],
        "operations": [
            {"name": operation.name, "method": operation.method, "path": operation.path, "title": operation.title}
            for operation in api.operations[:MOST_OPERATIONS]
        ],
        "total": len(api.operations),
        "left_out": left_out,
    }
