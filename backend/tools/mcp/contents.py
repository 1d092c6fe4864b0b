"""Resources and prompts of a live server: what is asked for, whether the server offers it, what it answers.

A server is only asked for URIs of its own: those it lists, and those that one of its templates makes. What a run's
values made of a URI (`file:///etc/passwd`) is refused before it is sent. Nothing here reads a file of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate
from mcp_types import (
    ContentBlock,
    GetPromptResult,
    InputRequiredResult,
    PromptReference,
    ReadResourceResult,
    ResourceTemplateReference,
)
from pydantic import ValidationError

from backend.errors import McpExecutionError, McpInvalidParams, McpProtocolError, PatchbayError
from backend.tools.calls.contents import GET, READ, prompt_arguments, read_arguments
from backend.tools.mcp.connection import Connection
from backend.tools.mcp.listing import list_prompts, list_resources
from backend.tools.types import JsonObject, JsonValue
from backend.tools.uris import climbs

MOST_VALUES, LONGEST_VALUE = 100, 1000
"""Values that complete an argument, and characters of each."""
NOT_FOUND = -32002
"""What servers of the handshake era answer where there is no such resource."""

Raw = ReadResourceResult | GetPromptResult | InputRequiredResult


class ContentRequest(Protocol):
    """Something that a server is asked for: by which method, and how that stands in the log."""

    @property
    def method(self) -> str:
        """The protocol's name for it."""
        ...

    @property
    def arguments(self) -> JsonObject:
        """As the log shows it."""
        ...

    async def fetch(self, live: Connection, responses: Any, state: str | None) -> Raw:
        """Look whether the server offers it and ask for it. Raises McpInvalidParams and what the SDK raises."""
        ...


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """A resource; `template` = what its URI was made of."""

    uri: str
    template: str = ""
    method: str = READ

    @property
    def arguments(self) -> JsonObject:
        """As the log shows it."""
        return read_arguments(self.uri)

    async def fetch(self, live: Connection, responses: Any, state: str | None) -> Raw:
        """Read it."""
        if not await self._offered(live):
            params: JsonObject = {"reason": "uri_not_offered", "uri": self.uri[:200], "server": live.config.slug}
            raise McpInvalidParams(params=params, fields={"uri": ["is no resource of the server"]})
        return await live.client.session.read_resource(
            self.uri, input_responses=responses, request_state=state, allow_input_required=True
        )

    async def _offered(self, live: Connection) -> bool:
        known = live.resources
        if known is not None and self._among(known):
            return True
        live.resources = (await list_resources(live.client, refresh=known is not None)).items
        return self._among(live.resources)

    def _among(self, resources: list[JsonObject]) -> bool:
        templates = [str(item["uri_template"]) for item in resources if "uri_template" in item]
        if any(item.get("uri") == self.uri for item in resources) or self.template in templates:
            return True
        return any(matches_template(template, self.uri) for template in templates)


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """A prompt with its arguments."""

    name: str
    values: dict[str, str]
    method: str = GET

    @property
    def arguments(self) -> JsonObject:
        """As the log shows it."""
        return prompt_arguments(self.name, self.values)

    async def fetch(self, live: Connection, responses: Any, state: str | None) -> Raw:
        """Get it filled."""
        _sendable({"prompt": self.name} | {f"arguments.{name}": value for name, value in self.values.items()})
        known = live.prompts
        misfit = None if known is None else self._misfit(known, live.config.slug)
        if known is None or misfit is not None:  # maybe it changed
            live.prompts = (await list_prompts(live.client, refresh=known is not None)).items
            misfit = self._misfit(live.prompts, live.config.slug)
        if misfit is not None:
            raise misfit
        try:
            return await live.client.session.get_prompt(
                self.name, self.values, input_responses=responses, request_state=state, allow_input_required=True
            )
        except ValidationError as error:
            raise _of_roles(error) or error from None

    def _misfit(self, prompts: list[JsonObject], server: str) -> McpInvalidParams | None:
        prompt = next((item for item in prompts if item["name"] == self.name), None)
        if prompt is None:
            params: JsonObject = {"reason": "prompt_unknown", "prompt": self.name[:200], "server": server}
            return McpInvalidParams(params=params, fields={"prompt": ["is no prompt of the server"]})
        listed = prompt["arguments"]
        arguments = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        names = {str(item["name"]) for item in arguments}
        for item in arguments:
            name = str(item["name"])
            if item["required"] and name not in self.values:
                params = {"reason": "prompt_missing", "prompt": self.name[:200], "name": name}
                return McpInvalidParams(params=params, fields={f"arguments.{name}": ["is required"]})
        for name in self.values:
            if name not in names:
                params = {"reason": "prompt_unasked", "prompt": self.name[:200], "name": name[:200]}
                return McpInvalidParams(params=params, fields={f"arguments.{name}": ["is no argument of the prompt"]})
        return None


def matches_template(template: str, uri: str) -> bool:
    """Whether a template makes this URI out of values that stay within their variables."""
    try:
        match = UriTemplate.parse(template).match(uri)
    except InvalidUriTemplate:  # a form that cannot be turned round: its beginning is all that is certain
        start = template.partition("{")[0]
        return "://" in start and uri.startswith(start) and not climbs(uri[len(start) :])
    if match is None:
        return False
    values = [text for value in match.values() for text in (value if isinstance(value, list) else [value])]
    return not any(climbs(text) for text in values)


def contents(raw: ReadResourceResult | GetPromptResult) -> tuple[list[JsonObject], JsonValue]:
    """The blocks of an answer, and what stands beside them."""
    if isinstance(raw, ReadResourceResult):
        read: list[JsonObject] = [
            {"type": "resource", "resource": item.model_dump(by_alias=True, mode="json", exclude_none=True)}
            for item in raw.contents
        ]
        return read, None
    blocks = [_block(message.content) for message in raw.messages]
    return blocks, {"description": raw.description, "roles": [message.role for message in raw.messages]}


def _block(block: ContentBlock) -> JsonObject:
    dumped: JsonObject = block.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped


@dataclass(frozen=True, slots=True)
class Completing:
    """An argument that is being written: of the prompt or template `of`, `others` = the other ones."""

    kind: Literal["prompt", "template"]
    of: str
    argument: str
    value: str
    others: dict[str, str]

    async def values(self, live: Connection) -> list[str]:
        """What the server would put there; nothing where it completes nothing. Raises what the SDK raises."""
        if live.client.server_capabilities.completions is None:
            return []
        others = {f"arguments.{name}": value for name, value in self.others.items()}
        _sendable({"prompt": self.of, "argument": self.argument, "value": self.value} | others)
        prompt = self.kind == "prompt"
        ref = PromptReference(name=self.of) if prompt else ResourceTemplateReference(uri=self.of)
        argument = {"name": self.argument, "value": self.value}
        result = await live.client.session.complete(ref, argument, self.others or None)
        return [value[:LONGEST_VALUE] for value in result.completion.values[:MOST_VALUES]]


def _sendable(texts: dict[str, str]) -> None:
    """Refuse halves of characters, which no message can hold. `texts` = by the field they stand in."""
    for field, text in texts.items():
        try:
            f"{field}{text}".encode()
        except UnicodeEncodeError as error:
            params: JsonObject = {"reason": "not_json", "why": str(error)[:200]}
            name = field.encode(errors="replace").decode()
            raise McpInvalidParams(params=params, fields={name: ["must be valid Unicode"]}) from None


def _of_roles(error: ValidationError) -> PatchbayError | None:
    """Our error where a prompt's answer has a role that does not exist."""
    for fault in error.errors(include_url=False, include_context=False):
        if fault["loc"][-1:] == ("role",):
            role = str(fault.get("input"))[:100]
            return McpProtocolError(params={"reason": "prompt_role", "role": role}, detail={"why": str(error)[:2000]})
    return None


async def explained(error: Exception, live: Connection, mark: int) -> PatchbayError:
    """Our error for what asking for a resource or prompt raised: it is about no tool."""
    missing = isinstance(error, MCPError) and error.error.code == NOT_FOUND
    translated = await live.explain(error, calling=True, mark=mark)
    if translated.params.get("reason") == "server":
        kind = McpInvalidParams if missing or isinstance(translated, McpInvalidParams) else McpExecutionError
        why = translated.params.get("why")
        return kind(params={"reason": "not_given", "why": why}, detail=translated.detail)
    return translated
