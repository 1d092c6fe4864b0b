"""The MCP server behind `/mcp`: what is listed and read, on the SDK's low-level server."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
import mcp_types as types
from django.conf import settings
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from backend.accounts.actor import Actor
from backend.errors import NotFound, PatchbayError
from backend.json_types import JsonObject
from backend.mcp_server import calls, contents, running, tasks
from backend.mcp_server.caller import Context, actor_of, failure, language_of
from backend.mcp_server.changes import RUN, STATUS, WORKFLOW, listen
from backend.mcp_server.collection_offers import offers_in
from backend.mcp_server.offers import Offer, may_run, offered_to, offers
from backend.mcp_server.threads import in_thread
from backend.version import VERSION

log = logging.getLogger(__name__)

JSON = "application/json"
INSTRUCTIONS = (
    "Workflows of a Patchbay team. Each is a tool under its own name; list_workflows finds them by words. A run that "
    "asks a person waits until that person answers on the page whose link the result gives; no tool answers for them."
)
_LISTS = CacheHint(ttl_ms=5000, scope="private")
"""What is listed depends on who asks. What was read is good for no longer than that: it has no time of its own."""
_LISTED: tuple[CacheableMethod, ...] = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


OF_A_COLLECTION = (
    "Tools, resources and prompts of a Patchbay team, chosen for this client. Each call and reading runs under the "
    "team's rules. One that a person must approve waits until somebody answers on the page whose link the result "
    "gives; no tool answers for them."
)


def build(*, collection: bool = False) -> Server[Any]:
    """The server, of `/mcp` or of collections; who calls is in the request's scope, as `endpoint` put it there."""
    of_collections: dict[str, Any] = {
        "on_list_prompts": _list_prompts,
        "on_get_prompt": contents.prompt,
        "on_completion": contents.complete,
    }
    server: Server[Any] = Server(
        "patchbay",
        version=VERSION,
        title="Patchbay",
        website_url=settings.PUBLIC_URL,
        instructions=OF_A_COLLECTION if collection else INSTRUCTIONS,
        cache_hints=dict.fromkeys(_LISTED, _LISTS),
        get_tool_input_schema=_looked_at_later,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_subscriptions_listen=listen,
        **(of_collections if collection else {}),
    )
    server.extensions[tasks.EXTENSION] = {}
    server.add_request_handler("tasks/get", tasks.TaskParams, tasks.get)
    server.add_request_handler("tasks/update", tasks.UpdateParams, tasks.update)
    server.add_request_handler("tasks/cancel", tasks.TaskParams, tasks.cancel)
    return server


def _looked_at_later(name: str) -> None:
    """No schema: without one the SDK lists all tools with every call, to compare headers; `calls` compares them."""


async def _list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    actor = actor_of(ctx)
    offered = await _ours(ctx, _offered_tools, actor) if may_run(actor) else []
    return types.ListToolsResult(tools=[*calls.built_in_tools(actor), *offered])


def _offered_tools(actor: Actor) -> list[types.Tool]:
    listed = offers_in(actor) if actor.collection else offers(actor)
    return [_tool(offer) for offer in listed if offer.name not in calls.BUILT_IN]


def _tool(offer: Offer) -> types.Tool:
    hints = offer.hints()
    return types.Tool(
        name=offer.name,
        title=offer.title,
        description=offer.description,
        input_schema=offer.input_schema(),
        output_schema=offer.output_schema(),
        annotations=types.ToolAnnotations(
            title=offer.title, read_only_hint=hints.read_only, destructive_hint=hints.destructive
        ),
    )


async def _call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:
    return await calls.call(ctx, actor_of(ctx), language_of(ctx), params)


async def _list_resources(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    actor = actor_of(ctx)
    if actor.collection:
        return types.ListResourcesResult(resources=await _ours(ctx, contents.resources, actor))
    rows = await _ours(ctx, _offered_resources, actor) if actor.in_scope("read") else []
    return types.ListResourcesResult(resources=rows)


def _offered_resources(actor: Actor) -> list[types.Resource]:
    return [
        types.Resource(
            uri=f"{WORKFLOW}{row.slug}",
            name=row.slug,
            title=row.name,
            description=row.description or None,
            mime_type=JSON,
        )
        for row in offered_to(actor)[:1000]
    ]


async def _list_templates(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    actor, run = actor_of(ctx), _template(f"{RUN}{{id}}", "run", "Where a run stands")
    if actor.collection:
        theirs = await _ours(ctx, contents.templates, actor)
        return types.ListResourceTemplatesResult(resource_templates=[*theirs, run])
    return types.ListResourceTemplatesResult(
        resource_templates=[
            _template(f"{WORKFLOW}{{name}}", "workflow", "What a workflow takes and gives"),
            _template(f"{WORKFLOW}{{name}}{STATUS}", "status", "Its newest run"),
            run,
        ]
    )


async def _list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=await _ours(ctx, contents.prompts, actor_of(ctx)))


def _template(uri: str, name: str, title: str) -> types.ResourceTemplate:
    return types.ResourceTemplate(uri_template=uri, name=name, title=title, mime_type=JSON)


async def _read_resource(
    ctx: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult | types.InputRequiredResult:
    uri, actor, language = str(params.uri), actor_of(ctx), language_of(ctx)
    if actor.collection and not uri.startswith(RUN):
        return await contents.read(ctx, params)
    try:
        value = await _ours(ctx, _read, actor, uri, language)
    except NotFound:
        raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:200]!r}.", {"uri": uri[:200]}) from None
    text = json.dumps(value, ensure_ascii=False, indent=1)
    whole = types.TextResourceContents(uri=params.uri, mime_type=JSON, text=text)
    return types.ReadResourceResult(contents=[whole])


def _read(actor: Actor, uri: str, language: str) -> JsonObject:
    """What a resource holds. Raises NotFound."""
    if uri.startswith(RUN):
        return running.plain(running.run_answer(actor, unquote(uri.removeprefix(RUN)), language))
    if not uri.startswith(WORKFLOW):
        raise NotFound
    name = unquote(uri.removeprefix(WORKFLOW))
    if name.endswith(STATUS):
        return running.status_text(actor, name.removesuffix(STATUS), language)
    return running.workflow_text(actor, name)


async def _ours(ctx: Context, work: Callable[..., Any], *arguments: Any) -> Any:
    """`work` in a thread. Raises NotFound as it is; what else was refused, or failed, as the protocol's error."""
    try:
        return await in_thread(work, *arguments)
    except NotFound:
        raise
    except PatchbayError as error:
        message, hint = error.text(language_of(ctx))
        raise MCPError(types.INVALID_REQUEST, f"{message} {hint}".strip(), {"code": error.code}) from error
    except Exception as error:
        raise failure(error, language_of(ctx)) from error
