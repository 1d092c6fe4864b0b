"""The one door from the database to live servers: whose configuration, behind which gate, in which pool.

A reference in a document is looked up among the document's own declarations, then registry slugs, then ids; an object
is inline. What comes out is a `ServerConfig` with secrets decrypted, or a source of tools behind the gate. Everything
that touches the database runs in a small thread pool of its own: sources are used on the event loop.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qsl, urlsplit

from django.db import InterfaceError, OperationalError, connection
from django.db.models import Q

from backend.errors import McpPolicyDenied, NotFound, SecretMissing, ServerNotApproved, ValidationFailed
from backend.registry.configuration import real_url
from backend.registry.declarations import declaration_hash, normal_form, record_declarations
from backend.registry.listing import record_listing
from backend.registry.models import Declaration, Server
from backend.registry.policies import DeclaredPolicies, RegistryPolicies, pin_declared
from backend.registry.references import PROGRAM, Resolver
from backend.registry.rules import network_rules, stdio_rules
from backend.registry.selectors import visible_servers
from backend.tools.gate import GatedToolSource
from backend.tools.loop import LOOP
from backend.tools.pool import Pool
from backend.tools.servers import PoolKey, ServerConfig
from backend.tools.source import McpToolSource
from backend.tools.types import JsonObject, ToolSpec

P = ParamSpec("P")
T = TypeVar("T")
THREADS = 3
"""Threads for database work that live sources need; each keeps its connection open."""
SHORTEST_MASK = 4
"""Shorter secrets are not masked: their letters would be cut out of ordinary words."""

_lock = threading.Lock()
_pool: tuple[int, Pool] | None = None
_threads: tuple[int, ThreadPoolExecutor] | None = None


def pool() -> Pool:
    """This process's pool of connections. Use only inside `LOOP`; it is closed when the loop stops."""
    global _pool
    with _lock:
        if _pool is None or _pool[0] != os.getpid():
            made = Pool(network_rules(), stdio_rules())
            _pool = (os.getpid(), made)
            LOOP.on_stop(_close)
        return _pool[1]


async def _close() -> None:
    global _pool, _threads
    with _lock:
        (gone, threads), _pool, _threads = (_pool, _threads), None, None
    if gone is not None:
        await gone[1].close()
    if threads is not None:
        await asyncio.to_thread(_close_connections, threads[1])


def _executor() -> ThreadPoolExecutor:
    global _threads
    with _lock:
        if _threads is None or _threads[0] != os.getpid():
            _threads = (os.getpid(), ThreadPoolExecutor(THREADS, thread_name_prefix="patchbay-registry"))
            LOOP.on_stop(_close)
        return _threads[1]


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a piece of database work off the event loop; a connection that broke is replaced once."""
    return await asyncio.get_running_loop().run_in_executor(_executor(), partial(_fresh, call, *args, **kwargs))


def _fresh(call: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    try:
        return call(*args, **kwargs)
    except (OperationalError, InterfaceError):
        connection.close()
        return call(*args, **kwargs)


def _close_connections(executor: ThreadPoolExecutor) -> None:
    """Each thread closes its own database connection, then ends."""
    together = threading.Barrier(THREADS)

    def close() -> None:
        with suppress(threading.BrokenBarrierError):
            together.wait(2)  # so that every thread takes one
        connection.close()

    for _ in range(THREADS):
        executor.submit(close)
    executor.shutdown(wait=True)


@dataclass(frozen=True, slots=True)
class Found:
    """A resolved reference: the configuration and where it came from (a row of the registry, or a declaration)."""

    config: ServerConfig
    server: Server | None = None
    declaration: Declaration | None = None


def server_config(
    team_id: str,
    reference: str | JsonObject,
    user_id: str | None = None,
    run_id: str | None = None,
    graph: JsonObject | None = None,
) -> ServerConfig:
    """The complete configuration of the server that a document names. Touches the database: not on the loop.

    Raises NotFound, ServerNotApproved, SecretMissing, McpPolicyDenied (switched off), ValidationFailed (inline form).
    """
    return find(team_id, reference, user_id=user_id, run_id=run_id, graph=graph).config


def find(
    team_id: str,
    reference: str | JsonObject,
    *,
    user_id: str | None = None,
    run_id: str | None = None,
    graph: JsonObject | None = None,
    workflow_id: str = "",
) -> Found:
    """Like `server_config`, with the row it came from."""
    if isinstance(reference, dict):
        return _declared(team_id, "inline", reference, workflow_id)
    declared = (graph or {}).get("mcp_servers")
    if isinstance(declared, dict) and reference in declared:
        return _declared(team_id, reference, declared[reference], workflow_id)
    rows = visible_servers(team_id, user_id)
    server = rows.filter(slug=reference).first() or rows.filter(id=reference).first()
    if server is None:
        raise NotFound(params={"reason": "server", "server": reference})
    if not server.enabled:
        raise McpPolicyDenied(params={"reason": "server_off", "server": server.slug})
    return Found(config_of(server, user_id=user_id, run_id=run_id), server=server)


def config_of(server: Server, *, user_id: str | None = None, run_id: str | None = None) -> ServerConfig:
    """The configuration of a row, saved or not. Raises SecretMissing."""
    url = real_url(server)
    resolve = Resolver(server.team_id, urlsplit(url).hostname or "" if url else PROGRAM)
    unset = [name for kind in ("headers", "env") for name, value in server.secrets.get(kind, {}).items() if not value]
    if unset:
        raise SecretMissing(params={"reason": "unset", "name": unset[0], "server": server.slug})
    secret_headers: dict[str, str] = dict(server.secrets.get("headers", {}))
    secret_env: dict[str, str] = dict(server.secrets.get("env", {}))
    key = str(server.secrets.get("api_key") or "")
    if key and server.auth_type == Server.AuthType.BEARER:
        secret_headers["Authorization"] = f"Bearer {key}"
    elif key and server.auth_type == Server.AuthType.API_KEY:
        secret_headers[server.api_key_header] = key
    headers = {name: resolve(value) for name, value in {**server.headers, **secret_headers}.items()}
    env = {name: resolve(value) for name, value in {**server.env, **secret_env}.items()}
    resolved_url = resolve(url)
    url_has_secret = server.url_secret or resolved_url != url
    secrets = [*secret_headers.values(), *secret_env.values(), key, *resolve.values]
    if url_has_secret:
        secrets += _url_secrets(resolved_url)
    per_user = server.credentials == Server.Credentials.USER
    return ServerConfig(
        key=PoolKey(
            team=server.team_id,
            server=server.id,
            revision="/".join([str(server.revision), *resolve.stamps]) if resolve.stamps else server.revision,
            user=user_id if per_user else None,
            run=run_id if server.session == Server.Session.RUN else None,
        ),
        slug=server.slug or "server",
        transport=server.transport,  # type: ignore[arg-type]
        url=resolved_url,
        headers=headers,
        command=server.command,
        args=tuple(server.args),
        env=env,
        cwd=server.cwd,
        timeout_s=server.timeout_ms / 1000,
        session=server.session,  # type: ignore[arg-type]
        asks=server.asks,
        trust_annotations=server.trust_annotations,
        auth_type=server.auth_type,  # type: ignore[arg-type]
        url_has_secret=url_has_secret,
        masks=_masks(secrets),
        typed_address=True,
    )


def _declared(team_id: str, name: str, config: Any, workflow_id: str) -> Found:
    """A server that the document declares; only once an admin approved exactly this configuration."""
    try:
        form = normal_form(config)
    except ValueError as error:
        raise ValidationFailed(fields={f"mcp_servers.{name}": [str(error)]}) from None
    digest = declaration_hash(form)
    row = Declaration.objects.filter(team_id=team_id, hash=digest).first()
    if row is None:
        record_declarations(team_id, workflow_id, {"mcp_servers": {name: config}})
    if row is None or row.state != Declaration.State.APPROVED:
        raise ServerNotApproved(params={"server": name}, detail={"hash": digest})
    resolve = Resolver(team_id, urlsplit(form["url"]).hostname or "" if form["url"] else PROGRAM)
    headers = {key: resolve(value) for key, value in form["headers"].items()}
    env = {key: resolve(value) for key, value in form["env"].items()}
    url = resolve(form["url"])
    trusted = form["trust_annotations"]
    found = ServerConfig(
        key=PoolKey(team=team_id, server=f"decl_{digest[:26]}", revision="/".join(["1", *resolve.stamps])),
        slug=name,
        transport=form["transport"],
        url=url,
        headers=headers,
        command=form["command"],
        args=tuple(form["args"]),
        env=env,
        cwd=form["cwd"],
        timeout_s=form["timeout_ms"] / 1000,
        trust_annotations=form["transport"] == "stdio" if trusted is None else trusted,
        url_has_secret=url != form["url"],
        masks=_masks([*resolve.values, *(_url_secrets(url) if url != form["url"] else [])]),
        typed_address=True,
    )
    return Found(found, declaration=row)


def _url_secrets(url: str) -> list[str]:
    """What must not be seen of a secret URL: the whole, its path, long parts of the path, values of the query."""
    parts = urlsplit(url)
    pieces = [piece for piece in parts.path.split("/") if len(piece) >= 8]
    values = [value for _, value in parse_qsl(parts.query) if len(value) >= 8]
    path = [parts.path] if len(parts.path) >= 8 else []
    return [url, *path, *pieces, *values]


def _masks(secrets: list[str]) -> tuple[str, ...]:
    """Secrets as they may come back: whole, and without their scheme ("Bearer …"). Longest first."""
    found = {secret for secret in secrets if len(secret) >= SHORTEST_MASK}
    for secret in list(found):
        scheme, _, rest = secret.partition(" ")
        if len(rest) >= SHORTEST_MASK and scheme.isalpha():
            found.add(rest)
    return tuple(sorted(found, key=len, reverse=True))


def source_of(found: Found) -> McpToolSource:
    """The bare source of a resolved server; what it lists is kept and pinned. For this room only: it has no gate."""
    config = found.config

    async def on_listed(specs: list[ToolSpec]) -> None:
        if found.server is not None:
            await in_thread(record_listing, found.server.id, found.server.revision, specs)
        elif found.declaration is not None:
            await in_thread(pin_declared, found.declaration.pk, specs)

    return McpToolSource(pool(), config, on_listed=on_listed)


async def gated_source(
    team_id: str,
    reference: str | JsonObject,
    *,
    user_id: str | None = None,
    run_id: str | None = None,
    workflow_id: str = "",
    graph: JsonObject | None = None,
) -> GatedToolSource:
    """The tools of the server that a document names, behind the gate. Await it on the loop; connects when first used.

    Raises as `server_config`.
    """
    found = await in_thread(
        find, team_id, reference, user_id=user_id, run_id=run_id, graph=graph, workflow_id=workflow_id
    )
    return gated(found, user_id=user_id, run_id=run_id, workflow_id=workflow_id)


def gated(found: Found, *, user_id: str | None, run_id: str | None, workflow_id: str) -> GatedToolSource:
    """The gate in front of a resolved server."""
    policies: RegistryPolicies | DeclaredPolicies
    if found.server is not None:
        policies = RegistryPolicies(found.server, found.config, in_thread, run_id=run_id, workflow_id=workflow_id)
    else:
        assert found.declaration is not None  # noqa: S101 - a Found has one of the two
        policies = DeclaredPolicies(found.declaration.pk, found.config, in_thread, run_id=run_id)
    return GatedToolSource(source_of(found), policies)


def drop_connections(server: Server, *, deleted: bool = False) -> None:
    """Close this process's connections of older revisions of a server, in the background."""
    if LOOP.running and _pool is not None:
        LOOP.submit(pool().drop_server(server.id, keep_revision=None if deleted else server.revision))


def unapproved_servers(team_id: str, graph: JsonObject) -> list[str]:
    """Names of declared servers in `graph` that no admin has approved; runs refuse to start with any."""
    from backend.registry.declarations import declared_in

    waiting = []
    for _, name, config in declared_in(graph):
        try:
            digest = declaration_hash(normal_form(config))
        except ValueError:
            continue
        if not Declaration.objects.filter(Q(team_id=team_id), hash=digest, state=Declaration.State.APPROVED).exists():
            waiting.append(name)
    return waiting
