"""Who calls: a member by token; how much they have open, and how they hear of failures of ours."""

from __future__ import annotations

import logging
from typing import Any

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from backend.accounts.actor import Actor
from backend.database.storage_errors import storage_problem
from backend.errors import InternalError
from backend.errors.log_context import request_id
from backend.oauth.clients import shown_name

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]
MODERN = "2026-07-28"
"""The first revision without a handshake, in which a closed stream means that the client cancelled its request."""
ACTOR = "patchbay.actor"
"""The scope's name for who calls."""


def actor_of(ctx: Context) -> Actor:
    """Who calls."""
    actor: Actor = ctx.request.scope[ACTOR]  # type: ignore[union-attr]
    return actor


def language_of(ctx: Context) -> str:
    """The language of who calls: "en" or "zh"."""
    return "zh" if (actor_of(ctx).user.language or "").startswith("zh") else "en"


def client_of(ctx: Context) -> str:
    """What the client of a request of the modern era calls itself; "" where it does not say."""
    return client_named((ctx.meta or {}).get(types.CLIENT_INFO_META_KEY))


def client_named(about: Any) -> str:
    """What a client calls itself, as it can be kept and shown. Nobody has checked it."""
    return shown_name(about.get("name")) if isinstance(about, dict) else ""


def failure(error: Exception, language: str) -> MCPError:
    """A failure that is not the caller's, as the protocol's error: logged whole, told with the request's id."""
    problem = storage_problem(error)
    if problem is None:
        log.exception("a request at /mcp failed")
        problem = InternalError()
    message, hint = problem.text(language)
    return MCPError(
        types.INTERNAL_ERROR, f"{message} {hint}".strip(), {"code": problem.code, "request_id": request_id()}
    )
