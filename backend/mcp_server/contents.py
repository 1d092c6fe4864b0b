"""Resources, templates and prompts of a collection, for its clients: listed as they were put in, read by a run each.

A reading is a run like a call: of the hidden workflow that was made for it, under the caller's name, through the gate,
with the team's credentials, in journal and audit. So it may ask and wait as a call does. An argument that is being
completed is no reading and no run: the server is asked for words alone, on a connection of the caller's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from backend.accounts.actor import Actor
from backend.errors import McpInvalidParams, NotFound, PatchbayError, ValidationFailed
from backend.json_types import JsonObject
from backend.mcp_server import calls, running
from backend.mcp_server.caller import Context, actor_of, failure, language_of
from backend.mcp_server.heeding import heed
from backend.mcp_server.offers import LONGEST_DESCRIPTION, Offer, may_run, published_graphs
from backend.mcp_server.running import RunAnswer
from backend.mcp_server.threads import in_thread
from backend.registry.contents.offers import completed
from backend.runs.models import RunState
from backend.tool_collections import selectors
from backend.tool_collections.models import Collection, Content
from backend.tool_collections.offered import original_of
from backend.tools.uris import MOST_URI
from backend.web.lookup import storable
from backend.web.remote_requests import StartedWork

T = TypeVar("T")
Kind = Content.Kind
MOST_ARGUMENTS, LONGEST_ARGUMENT = 100, 65_536
_CONTENTS: TypeAdapter[types.TextResourceContents | types.BlobResourceContents] = TypeAdapter(
    types.TextResourceContents | types.BlobResourceContents
)


@dataclass(frozen=True, slots=True)
class ContentOffer(Offer):
    """Something to read: what a reading runs."""

    content: Content

    @property
    def is_tool(self) -> bool:
        """A reading is one call as well."""
        return True


def offered_contents(actor: Actor, *kinds: Kind) -> list[Content]:
    """What may be read in the actor's collection, of these kinds. Of servers that are off nothing is."""
    collection = Collection.objects.filter(team=actor.team, pk=actor.collection, enabled=True).first()
    if collection is None or not may_run(actor):
        return []
    rows = selectors.contents_of(collection)
    return [row for row in rows if row.kind in kinds and row.server.enabled and selectors.visible_to(actor, row)]


def resources(actor: Actor) -> list[types.Resource]:
    """The resources of the actor's collection."""
    return [
        types.Resource(uri=row.reference, **_words(row), mime_type=_text(original_of(row), "mime_type"))
        for row in offered_contents(actor, Kind.RESOURCE)
    ]


def templates(actor: Actor) -> list[types.ResourceTemplate]:
    """The templates of resources of the actor's collection."""
    return [
        types.ResourceTemplate(
            uri_template=row.reference, **_words(row), mime_type=_text(original_of(row), "mime_type")
        )
        for row in offered_contents(actor, Kind.TEMPLATE)
    ]


def prompts(actor: Actor) -> list[types.Prompt]:
    """The prompts of the actor's collection."""
    return [_prompt(row) for row in offered_contents(actor, Kind.PROMPT)]


def _prompt(row: Content) -> types.Prompt:
    listed: Any = original_of(row).get("arguments") or []
    arguments = [
        types.PromptArgument(name=each["name"], description=each.get("description"), required=each.get("required"))
        for each in listed
    ]
    return types.Prompt(**_words(row), arguments=arguments)


def _words(row: Content) -> dict[str, Any]:
    original = original_of(row)
    description = row.description or (_text(original, "description") or "")[:LONGEST_DESCRIPTION]
    return {"name": row.name, "title": _text(original, "title"), "description": description or None}


def _text(original: JsonObject, name: str) -> str | None:
    value = original.get(name)
    return value if isinstance(value, str) else None


async def read(
    ctx: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult | types.InputRequiredResult:
    """Read a resource of the collection, or one that a template of it makes."""
    uri = str(params.uri)

    def of_run(answer: RunAnswer) -> types.ReadResourceResult:
        blocks: list[JsonObject] = [
            {"type": "resource", "resource": inner} for inner in _objects(answer["outputs"], "contents")
        ]
        packed = _packed(answer, blocks)
        return types.ReadResourceResult(contents=[_content(block, uri) for block in packed])

    missing = MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:200]!r}.", {"uri": uri[:200]})
    return await _reading(ctx, lambda actor: _resource(actor, uri), params, missing, of_run)


async def prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    """Fill a prompt of the collection."""

    def of_run(answer: RunAnswer) -> types.GetPromptResult:
        items = _objects(answer["outputs"], "blocks")
        blocks = [block for each in items if isinstance(block := each.get("content"), dict)]
        messages = [
            {"role": each.get("role"), "content": block}
            for each, block in zip(items, _packed(answer, blocks), strict=True)
        ]
        description = (answer["outputs"] or {}).get("description") or None
        return types.GetPromptResult.model_validate({"description": description, "messages": messages})

    name, arguments = params.name, dict(params.arguments or {})
    missing = MCPError(types.INVALID_PARAMS, f"There is no prompt {name[:80]!r}.")
    return await _reading(ctx, lambda actor: _filling(actor, name, arguments), params, missing, of_run)


def _resource(actor: Actor, uri: str) -> tuple[Offer, JsonObject]:
    """What reads this URI, and with which inputs. Raises NotFound."""
    from backend.tools.mcp.contents import matches_template  # with the SDK's client, which only some addresses need

    if len(uri) > MOST_URI or not storable(uri):
        raise NotFound
    rows = offered_contents(actor, Kind.RESOURCE, Kind.TEMPLATE)
    exact = next((row for row in rows if row.kind == Kind.RESOURCE and row.reference == uri), None)
    if exact is not None:
        return _offer(exact), {}
    template = next((row for row in rows if row.kind == Kind.TEMPLATE and matches_template(row.reference, uri)), None)
    if template is None:
        raise NotFound
    return _offer(template), {"uri": uri}


def _filling(actor: Actor, name: str, arguments: dict[str, str]) -> tuple[Offer, JsonObject]:
    """What fills the prompt of this name, and with which inputs. Raises NotFound, ValidationFailed."""
    row = next((row for row in offered_contents(actor, Kind.PROMPT) if row.name == name), None)
    if row is None:
        raise NotFound
    if len(arguments) > MOST_ARGUMENTS or any(len(value) > LONGEST_ARGUMENT for value in arguments.values()):
        raise ValidationFailed(fields={"arguments": [f"must be at most {MOST_ARGUMENTS}, each of 65,536 characters"]})
    return _offer(row), {**arguments}


def _offer(row: Content) -> Offer:
    graph = published_graphs([row.workflow]).get(row.workflow_id)
    if graph is None:
        raise NotFound
    return ContentOffer(row.workflow, row.workflow.published_version or 0, graph, row)


async def _reading(
    ctx: Context,
    find: Callable[[Actor], tuple[Offer, JsonObject]],
    params: types.ReadResourceRequestParams | types.GetPromptRequestParams,
    missing: MCPError,
    of_run: Callable[[RunAnswer], T],
) -> T | types.InputRequiredResult:
    """Run what was found, or go on with the run that asked. Raises MCPError, `missing` where nothing was found."""
    actor, language = actor_of(ctx), language_of(ctx)

    async def go() -> T | types.InputRequiredResult:
        actor.require("editor")
        actor.require_scope("run")
        offer, inputs = await in_thread(find, actor)
        if params.request_state is None:
            heed(ctx)
            answer, asks = await calls.stood(ctx, actor, language, lambda: offer, inputs), True
            links = frozenset[str]()
        else:
            answer, asks, links = await calls.gone_on(ctx, actor, language, offer, params)
        if answer["state"] == RunState.SUCCESS:
            return await in_thread(of_run, answer)
        requests = await calls.asking(ctx, actor, language, answer, links) if asks else None
        if requests is not None:
            return requests
        raise _unread(answer, language)

    return await _ours(language, missing, go)


async def _ours(language: str, missing: MCPError, go: Callable[[], Awaitable[T]]) -> T:
    try:
        return await go()
    except NotFound:
        raise missing from None
    except PatchbayError as error:
        message, hint = error.text(language)
        data = {"code": error.code, "fields": error.fields}
        raise MCPError(types.INVALID_PARAMS, f"{message} {hint}".strip(), data) from error
    except MCPError:
        raise
    except Exception as error:
        raise failure(error, language) from error


def _unread(answer: RunAnswer, language: str) -> MCPError:
    """Why there is nothing to read (yet): the run's error, or where it waits."""
    result = calls.of_run({**answer, "outputs": None}, language)
    text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
    error = answer["error"]
    theirs = error is not None and error["code"] in {McpInvalidParams.code, ValidationFailed.code}
    return MCPError(types.INVALID_PARAMS if theirs else types.INTERNAL_ERROR, text, running.plain(answer))


def _objects(outputs: JsonObject | None, name: str) -> list[JsonObject]:
    value = (outputs or {}).get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _packed(answer: RunAnswer, blocks: list[JsonObject]) -> list[JsonObject]:
    """The blocks with their bytes, as far as one answer carries them."""
    return running.with_bytes(running.run_of(answer["run"]), blocks)


def _content(block: JsonObject, uri: str) -> types.TextResourceContents | types.BlobResourceContents:
    """A block of a reading; what an answer does not carry is a text that says where it is."""
    inner = block.get("resource")
    content = inner if isinstance(inner, dict) else {"mimeType": "text/plain", "text": block.get("text")}
    try:
        return _CONTENTS.validate_python({"uri": uri, **content})
    except ValidationError:
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text="")


async def complete(ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    """What the server would write for an argument of a prompt, or of a template, of the collection."""
    actor, language = actor_of(ctx), language_of(ctx)
    missing = MCPError(types.INVALID_PARAMS, "There is no such prompt or template.")

    async def go() -> types.CompleteResult:
        actor.require("editor")
        actor.require_scope("run")
        started = await in_thread(_completing, actor, params)
        values = await asyncio.wrap_future(started.on_loop(list[str]))
        return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))

    return await _ours(language, missing, go)


def _completing(actor: Actor, params: types.CompleteRequestParams) -> StartedWork[list[str]]:
    """The server is asked. Raises NotFound where the collection has no such prompt or template, RateLimited."""
    ref = params.ref
    of_prompt = isinstance(ref, types.PromptReference)
    kind, reference = (
        (Kind.PROMPT, ref.name) if isinstance(ref, types.PromptReference) else (Kind.TEMPLATE, str(ref.uri))
    )
    rows = offered_contents(actor, kind)
    row = next((row for row in rows if (row.name if of_prompt else row.reference) == reference), None)
    if row is None:
        raise NotFound
    arguments = dict(params.context.arguments or {}) if params.context is not None else {}
    texts = [params.argument.name, params.argument.value, *arguments, *arguments.values()]
    if len(arguments) > MOST_ARGUMENTS or any(len(text) > LONGEST_ARGUMENT for text in texts):
        raise ValidationFailed(fields={"argument": ["must be at most 65,536 characters"]})
    request = {
        "prompt" if of_prompt else "uri_template": row.reference,
        "argument": params.argument.name,
        "value": params.argument.value,
        "arguments": arguments,
    }
    return StartedWork(actor, completed(actor, row.server_id, request))
