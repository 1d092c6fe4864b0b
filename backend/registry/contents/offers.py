"""What a person does with a server's resources and prompts: list them, read one, fill one, complete an argument.

They are errands, as those in `servers.trials`. Reading and filling go through the gate as calls do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from backend.accounts.actor import Actor
from backend.accounts.auth import rate_limits
from backend.errors import PatchbayError, ValidationFailed
from backend.registry.connecting.connections import ResolvedServer, find, gated, source_of
from backend.registry.contents.changes import Changes, changes_in
from backend.registry.contents.listing_cache import Kept, Kind, keep, known
from backend.registry.contents.responses import PromptFilledJson, ResourceReadJson
from backend.registry.selectors import server_for
from backend.registry.servers.trials import with_source
from backend.tools.calls.direct import DirectEffects
from backend.tools.calls.gate import GatedToolSource
from backend.tools.types import CallContext, JsonObject, ToolResult, texts_in
from backend.tools.uris import checked_uri, filled, is_template
from backend.web.remote_requests import RemoteWork

Fetch = Callable[[GatedToolSource, CallContext], Awaitable[ToolResult]]
Answered = tuple[ToolResult, list[Any]]
"""What a server gave, and the messages that went over the wire for it."""


def listed(actor: Actor, reference: str, kind: Kind, *, anew: bool, further: bool) -> RemoteWork[tuple[Kept, Changes]]:
    """What a server lists: as it was kept, where its server allows that, else by asking. `further` = for another page.

    With it, how that differs from what was accepted.

    Raises McpError, NetworkBlocked, SecretMissing.
    """
    actor.require("editor")
    server = server_for(actor, reference)
    key = find(actor.team.id, server.id, user_id=actor.user.id).config.key
    before = None if anew else known(key, kind, actor.user.id, further=further)
    if before is not None:
        return before, changes_in(actor, reference, kind, before.listing.items, new=False)
    listing = yield from with_source(actor, reference, lambda source: source.listing(kind))
    kept = keep(key, kind, actor.user.id, listing)
    return kept, changes_in(actor, reference, kind, listing.items, new=True)


def resource_read(actor: Actor, reference: str, uri: str, arguments: JsonObject) -> RemoteWork[ResourceReadJson]:
    """Read a resource, or what a template becomes. Raises ValidationFailed, McpError, ResultTooLarge."""
    template = uri if is_template(uri) else ""
    if arguments and not template:
        raise ValidationFailed(fields={"arguments": ["must be empty, for the URI is no template"]})
    target = filled(uri, arguments) if template else checked_uri(uri)
    result, messages = yield from _asking(
        actor, reference, lambda source, call: source.read_resource(target, call, template)
    )
    return {"uri": target, "content": [*result.content], "ms": round(result.ms, 3), "messages": messages}


def prompt_get(actor: Actor, reference: str, name: str, arguments: dict[str, str]) -> RemoteWork[PromptFilledJson]:
    """Fill a prompt. Raises McpError, ResultTooLarge."""
    result, messages = yield from _asking(
        actor, reference, lambda source, call: source.get_prompt(name, arguments, call)
    )
    about = result.structured if isinstance(result.structured, dict) else {}
    description = about.get("description")
    return {
        "description": description if isinstance(description, str) else None,
        "results": [
            {"role": role, "content": block}
            for role, block in zip(texts_in(about, "roles"), result.content, strict=True)
        ],
        "ms": round(result.ms, 3),
        "messages": messages,
    }


def completed(actor: Actor, reference: str, request: dict[str, Any]) -> RemoteWork[list[str]]:
    """What the server would write for an argument of a prompt or template. Raises McpError."""
    from backend.tools.mcp.contents import Completing  # with the SDK, see `connections`

    prompt, template = request.get("prompt"), request.get("uri_template")
    if (prompt is None) == (template is None):
        raise ValidationFailed(fields={"prompt": ["name either a prompt or a template"]})
    resolved = _resolved(actor, reference)
    completing = Completing(
        "template" if prompt is None else "prompt",
        prompt or template or "",
        request["argument"],
        request["value"],
        request["arguments"],
    )
    values: list[str] = yield source_of(resolved).complete(completing)
    return values


def _resolved(actor: Actor, reference: str) -> ResolvedServer:
    actor.require("editor")
    server = server_for(actor, reference)
    rate_limits.count_connection(actor)
    return find(actor.team.id, server.id, user_id=actor.user.id)


def _asking(actor: Actor, reference: str, ask: Fetch) -> RemoteWork[Answered]:
    resolved = _resolved(actor, reference)
    answered: Answered = yield _ask(resolved, actor.user.id, ask)
    return answered


async def _ask(resolved: ResolvedServer, user_id: str, ask: Fetch) -> Answered:
    """What the server gives, with the raw messages; a failure carries them in its detail."""
    from backend.tools.mcp.wire import capturing

    source = gated(resolved, user_id=user_id, run_id=None, workflow_id="")
    with capturing(resolved.config.masker()) as capture:
        try:
            result = await ask(source, CallContext(effects=DirectEffects(by=user_id), key="call"))
        except PatchbayError as error:
            if error.detail is None or isinstance(error.detail, dict):
                error.detail = {**(error.detail or {}), "messages": capture.entries}
            raise
    return result, list(capture.entries)
