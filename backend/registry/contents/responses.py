"""The shapes of resources, templates and prompts in answers."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from backend.accounts.described import Help
from backend.errors import ValidationFailed
from backend.tools.uris import variables_of


class ResourceJson(TypedDict):
    """A resource, as its server describes it."""

    uri: str
    name: str
    title: str | None
    description: str | None
    mime_type: str | None
    size: int | None


class UriVariableJson(TypedDict):
    """A variable of a URI template."""

    name: str
    required: Annotated[bool, Help("false where the URI is complete without it.")]


class ResourceTemplateJson(TypedDict):
    """A template of resources, as its server describes it."""

    uri_template: str
    name: str
    title: str | None
    description: str | None
    mime_type: str | None
    variables: Annotated[list[UriVariableJson] | None, Help("null where it cannot be read.")]


class ResourceListJson(TypedDict):
    """A server's resources and templates, as it describes them."""

    results: list[ResourceJson]
    templates: list[ResourceTemplateJson]
    next: str | None


class PromptArgumentJson(TypedDict):
    """An argument of a prompt."""

    name: str
    description: str | None
    required: bool


class PromptJson(TypedDict):
    """A prompt, as its server describes it."""

    name: str
    title: str | None
    description: str | None
    arguments: list[PromptArgumentJson]


class PromptListJson(TypedDict):
    """A server's prompts, as it describes them."""

    results: list[PromptJson]
    next: str | None


def resources_json(listed: list[dict[str, Any]]) -> ResourceListJson:
    """Resources and templates as they are answered."""
    templates: list[Any] = [
        {**item, "variables": _variables(item["uri_template"])} for item in listed if "uri_template" in item
    ]
    plain: list[Any] = [item for item in listed if "uri_template" not in item]
    return {"results": plain, "templates": templates, "next": None}


def _variables(template: str) -> list[UriVariableJson] | None:
    try:
        variables = {variable.name: variable.required for variable in variables_of(template)}
    except ValidationFailed:
        return None
    return [{"name": name, "required": required} for name, required in variables.items()]
