"""The shapes of resources, templates and prompts in answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.errors import ValidationFailed
from backend.json_types import JsonLike
from backend.registry.contents.changes import MOST_SHOWN, Changes
from backend.registry.contents.listing_cache import Kept
from backend.registry.responses import MessageJson
from backend.tools.uris import variables_of


class MarkedJson(TypedDict):
    """Something that a server offers, and whether it is as it was accepted."""

    change: Annotated[Literal["added", "changed"] | None, Help("Since it was accepted; null = nothing.")]


class ContentChangeJson(TypedDict):
    """What changed of a resource, template or prompt since it was accepted."""

    kind: Annotated[str, Choices(["resource", "template", "prompt"])]
    name: Annotated[str, Help("The URI, the template or the prompt's name.")]
    change: Annotated[str, Choices(["added", "changed", "gone"])]
    before: Annotated[JsonLike | None, Help("As it was accepted; null where it was added.")]
    now: Annotated[JsonLike | None, Help("As it is listed; null where it is gone.")]


class ChangedListJson(TypedDict):
    """What changed in a list, on its first page."""

    changes: Annotated[list[ContentChangeJson], Help(f"At most {MOST_SHOWN}.")]
    changed: Annotated[int, Help("How many changed, also those that are not shown.")]


class ContentsAcceptedJson(TypedDict):
    """What was accepted."""

    accepted: Annotated[int, Help("How many changes.")]


class ResourceJson(MarkedJson):
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


class ResourceTemplateJson(MarkedJson):
    """A template of resources, as its server describes it."""

    uri_template: str
    name: str
    title: str | None
    description: str | None
    mime_type: str | None
    variables: Annotated[list[UriVariableJson] | None, Help("null where it cannot be read.")]


class KeptJson(TypedDict):
    """When a server listed something, and what it allows to be done with that."""

    at: Timestamp
    ttl_ms: Annotated[int, Help("For how long it is shown again without asking; 0 = not at all.")]
    scope: Annotated[str, Choices(["public", "private"]), Help("private: it is shown to nobody else.")]


class ResourceListJson(ChangedListJson):
    """A page of a server's resources, and with the first one its templates, as it describes them."""

    results: list[ResourceJson]
    templates: list[ResourceTemplateJson]
    next: str | None
    total: int
    kept: KeptJson


class PromptArgumentJson(TypedDict):
    """An argument of a prompt."""

    name: str
    description: str | None
    required: bool


class PromptJson(MarkedJson):
    """A prompt, as its server describes it."""

    name: str
    title: str | None
    description: str | None
    arguments: list[PromptArgumentJson]


class PromptListJson(ChangedListJson):
    """A page of a server's prompts, as it describes them."""

    results: list[PromptJson]
    next: str | None
    total: int
    kept: KeptJson


class PromptMessageJson(TypedDict):
    """A message of a prompt that was filled."""

    role: Annotated[str, Help("user or assistant.")]
    content: JsonLike


class ResourceReadJson(TypedDict):
    """What stands in a resource, and the raw messages around it."""

    uri: Annotated[str, Help("As it was asked for; of a template, what it became.")]
    content: Annotated[list[JsonLike], Help("A block of the type `resource` for each of its contents.")]
    ms: float
    messages: list[MessageJson]


class PromptFilledJson(TypedDict):
    """A prompt that was filled, and the raw messages around it."""

    description: str | None
    results: list[PromptMessageJson]
    ms: float
    messages: list[MessageJson]


class CompletedJson(TypedDict):
    """What may stand in an argument."""

    values: list[str]


def kept_json(kept: Kept) -> KeptJson:
    """How long a list is good, and for whom."""
    at = datetime.fromtimestamp(kept.at, UTC).isoformat()
    return {"at": at, "ttl_ms": kept.listing.ttl_ms, "scope": kept.listing.scope}


def changes_json(changes: Changes) -> ChangedListJson:
    """What changed, as the first page of a list shows it."""
    changed = list(changes.by_key.values())
    return {
        "changes": [
            {"kind": each.kind, "name": each.name, "change": each.change, "before": each.before, "now": each.now}
            for each in changed[:MOST_SHOWN]
        ],
        "changed": len(changed),
    }


def resource_json(item: Any, changes: Changes) -> ResourceJson:
    """A resource as it is answered."""
    marked: Any = {**item, "change": changes.of(item)}
    resource: ResourceJson = marked
    return resource


def prompt_json(item: Any, changes: Changes) -> PromptJson:
    """A prompt as it is answered."""
    marked: Any = {**item, "change": changes.of(item)}
    prompt: PromptJson = marked
    return prompt


def template_json(item: Any, changes: Changes) -> ResourceTemplateJson:
    """A template as it is answered, with its variables."""
    template: Any = {**item, "variables": _variables(item["uri_template"]), "change": changes.of(item)}
    described: ResourceTemplateJson = template
    return described


def _variables(template: str) -> list[UriVariableJson] | None:
    try:
        variables = {variable.name: variable.required for variable in variables_of(template)}
    except ValidationFailed:
        return None
    return [{"name": name, "required": required} for name, required in variables.items()]
