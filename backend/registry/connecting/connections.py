"""The one door from the database to live servers: whose configuration, behind which gate, in which pool.

Sources are used on the event loop; whatever touches the database on their way runs in threads of its own. The MCP
SDK takes half a second and 20 MB, so it is imported with the first server that is used (`find`), not with Patchbay.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypedDict, Unpack

from django.conf import settings

from backend.accounts.teams.allowances import Allowed, allowed
from backend.accounts.teams.outbound import network_rules
from backend.database.threads import in_thread
from backend.net.client import tls_context
from backend.registry.configuration.declarations import declared_key
from backend.registry.connecting import resolving
from backend.registry.connecting.agent_cards import AgentWorld
from backend.registry.connecting.api_documents import ApiWorld
from backend.registry.connecting.declared_cards import card_url, world_of
from backend.registry.connecting.health import note
from backend.registry.connecting.resolving import NamedBy, ResolvedServer, config_of, server_config
from backend.registry.models import Declaration, ProgramApproval, Server
from backend.registry.program_hash import program_declared
from backend.registry.programs.rules import pool_limits, stdio_rules
from backend.registry.programs.starts import before_start
from backend.registry.tools.listing import proved_at, record_listing
from backend.registry.tools.policies import DeclaredPolicies, RegistryPolicies, pin_declared
from backend.tools.approvers import ANYONE, Approvers
from backend.tools.calls.gate import GatedToolSource
from backend.tools.loop import LOOP
from backend.tools.servers import ServerConfig
from backend.tools.types import JsonObject, ToolSpec

if TYPE_CHECKING:
    from backend.tools.a2a.messages import ReadFile
    from backend.tools.a2a.model import Agent
    from backend.tools.a2a.source import AgentToolSource
    from backend.tools.mcp.binary import KeepFiles
    from backend.tools.mcp.pool import Pool
    from backend.tools.mcp.source import McpToolSource
    from backend.tools.openapi.model import Api
    from backend.tools.openapi.source import ApiToolSource

__all__ = [
    "ResolvedServer",
    "config_of",
    "drop_connections",
    "end_program",
    "end_sessions",
    "find",
    "find_all",
    "gated",
    "gated_source",
    "gated_sources",
    "pool",
    "prepare",
    "server_config",
]

_lock = threading.Lock()
_preparing = threading.Lock()
_prepared: tuple[int, bool, str, str] | None = None
"""Of which process, for which settings, `prepare` has done its work."""
LISTED = 20
"""APIs and agents of which that is remembered."""
_listed: dict[str, tuple[int, Api | Agent]] = {}
"""By server the revision and what of it this process has told the registry."""
_pool: tuple[int, Allowed, Pool] | None = None
"""Of which process, by what operators allow, the pool."""


def pool() -> Pool:
    """This process's pool of connections, by the present rules. Only for `LOOP`, and closed with it."""
    from backend.tools.mcp.pool import Pool

    global _pool
    now = allowed()
    with _lock:
        if _pool is None or _pool[0] != os.getpid():
            new_pool = Pool(network_rules(), stdio_rules(), pool_limits(), before_start=before_start)
            _pool = (os.getpid(), now, new_pool)
            LOOP.on_stop(_close)
        elif _pool[1] is not now and _pool[1] != now:
            _pool[2].take_rules(network_rules(), stdio_rules())
            if not now.covers(_pool[1]) and LOOP.running:
                LOOP.submit(_pool[2].renew_all())
            _pool = (_pool[0], now, _pool[2])
        return _pool[2]


async def _close() -> None:
    global _pool
    with _lock:
        gone, _pool = _pool, None
    if gone is not None:
        await gone[2].close()


def prepare() -> None:
    """Find what every connection of this process needs: the SDK, what operators allow, the box, whom TLS trusts.

    In a thread that may wait. The first call takes a moment, later ones nothing; those that come meanwhile wait for it.
    """
    global _prepared
    env = settings.PATCHBAY
    allowed()  # what it takes from the database is read here, not beside the loop
    options = (os.getpid(), env.stdio_allowed, env.stdio_box, env.ca_file)
    if _prepared == options:  # the rules themselves are made anew wherever they are asked for
        return
    with _preparing:
        import backend.tools.mcp.source  # noqa: F401 - imports the SDK here

        stdio_rules()
        with suppress(OSError):  # a file that cannot be read is told by the connection that needs it
            tls_context(env.ca_file)
            _prepared = options


def find(team_id: str, reference: str | JsonObject, **by: Unpack[NamedBy]) -> ResolvedServer:
    """`resolving.find`, after `prepare` in the caller's thread, so that the loop need not wait for that."""
    return find_all(team_id, [reference], **by)[0]


def find_all(team_id: str, references: Sequence[str | JsonObject], **by: Unpack[NamedBy]) -> list[ResolvedServer]:
    """`resolving.find_all`, after `prepare` as in `find`."""
    prepare()
    return resolving.find_all(team_id, references, **by)


Anew = Callable[[], Awaitable[ServerConfig]]


class Whose(TypedDict, total=False):
    """For whom a source is: `user_id` = whoever started the run, `approvers` = who must agree by its workflow,
    `keep_files` = where the bytes within answers go, `read_file` gives those of files that are sent."""

    user_id: str | None
    run_id: str | None
    workflow_id: str
    graph: Mapping[str, object] | None
    approvers: Approvers
    keep_files: KeepFiles | None
    read_file: ReadFile | None


def source_of(
    resolved: ResolvedServer,
    keep_files: KeepFiles | None = None,
    reference: str | JsonObject | None = None,
    anew: Anew | None = None,
    read_file: ReadFile | None = None,
) -> McpToolSource | ApiToolSource | AgentToolSource:
    """The bare source of a resolved server; what it lists is kept and pinned. For this room only: it has no gate."""
    from backend.tools.mcp.source import McpToolSource

    config = resolved.config
    if config.transport == "openapi":
        return _api_source(resolved, keep_files, reference)
    if config.transport == "a2a":
        return _agent_source(resolved, keep_files, reference, read_file)

    async def on_listed(specs: list[ToolSpec]) -> None:
        if resolved.server is not None:
            await in_thread(record_listing, resolved.server.id, resolved.server.revision, specs)
        elif resolved.declaration is not None:
            await in_thread(pin_declared, resolved.declaration.pk, specs)

    async def proved() -> float:
        return await in_thread(proved_at, resolved.server.id, config.key.user) if resolved.server is not None else 0.0

    def on_used(error: Exception | None, ms: float | None, learned: JsonObject | None) -> None:
        if resolved.server is not None:
            note((resolved.server.id, resolved.server.revision, config.key.user), error, ms, learned)

    return McpToolSource(
        pool(),
        config,
        on_listed=on_listed,
        proved=proved,
        on_used=on_used,
        keep_files=keep_files,
        reference=reference,
        anew=anew,
    )


def _api_source(
    resolved: ResolvedServer, keep_files: KeepFiles | None, reference: str | JsonObject | None
) -> ApiToolSource:
    """The source of an API. It holds no session: what a call needs of the world is asked for with the call."""
    from backend.tools.openapi.source import ApiToolSource

    config, server = resolved.config, resolved.server
    assert server is not None  # noqa: S101 - no document declares an API

    async def reported(api: Api, specs: list[ToolSpec]) -> None:
        await _report(server, api, specs)

    def on_used(error: Exception | None, ms: float | None, learned: JsonObject | None) -> None:
        note((server.id, server.revision, config.key.user), error, ms, learned)

    return ApiToolSource(
        config,
        ApiWorld(server.id, server.document_url),
        result_bytes=pool_limits().message_bytes,
        on_listed=reported,
        on_used=on_used,
        keep_files=keep_files,
        reference=reference,
    )


def _agent_source(
    resolved: ResolvedServer,
    keep_files: KeepFiles | None,
    reference: str | JsonObject | None,
    read_file: ReadFile | None,
) -> AgentToolSource:
    """The source of an external agent. It holds no session either."""
    from backend.tools.a2a.source import AgentToolSource

    config, server = resolved.config, resolved.server
    if server is None:
        assert resolved.declaration is not None  # noqa: S101 - a Found has one of the two
        return AgentToolSource(
            config,
            world_of(resolved.declaration, config),  # which keeps and pins what the card lists
            document_url=card_url(resolved.declaration),
            result_bytes=pool_limits().message_bytes,
            keep_files=keep_files,
            read_file=read_file,
            reference=reference,
        )

    async def reported(agent: Agent, specs: list[ToolSpec]) -> None:
        await _report(server, agent, specs)

    def on_used(error: Exception | None, ms: float | None, learned: JsonObject | None) -> None:
        note((server.id, server.revision, config.key.user), error, ms, learned)

    return AgentToolSource(
        config,
        AgentWorld(server.id, server.revision),
        document_url=server.document_url,
        result_bytes=pool_limits().message_bytes,
        on_listed=reported,
        on_used=on_used,
        keep_files=keep_files,
        read_file=read_file,
        reference=reference,
    )


async def _report(server: Server, known: Api | Agent, specs: list[ToolSpec]) -> None:
    """Tell the registry what a server without a session lists, once for what is the same."""
    if _listed.get(server.id) == (server.revision, known):
        return
    if await in_thread(record_listing, server.id, server.revision, specs):
        _listed[server.id] = (server.revision, known)
        while len(_listed) > LISTED:
            _listed.pop(next(iter(_listed)), None)


async def gated_source(team_id: str, reference: str | JsonObject, **whose: Unpack[Whose]) -> GatedToolSource:
    """The tools of the server that a document names, behind the gate. Await it on the loop; connects when first used.

    Raises as `server_config`.
    """
    return (await gated_sources(team_id, [reference], **whose))[0]


async def gated_sources(
    team_id: str, references: Sequence[str | JsonObject], **whose: Unpack[Whose]
) -> list[GatedToolSource]:
    """As `gated_source` of each, in order, found together. Raises what the first that fails raises."""
    by: NamedBy = {
        "user_id": whose.get("user_id"),
        "run_id": whose.get("run_id"),
        "graph": whose.get("graph") or {},
        "workflow_id": whose.get("workflow_id", ""),
    }
    servers = await in_thread(find_all, team_id, references, **by)

    def behind_gate(reference: str | JsonObject, resolved: ResolvedServer) -> GatedToolSource:
        async def anew() -> ServerConfig:
            return (await in_thread(find, team_id, reference, **by)).config

        return gated(
            resolved,
            user_id=whose.get("user_id"),
            run_id=whose.get("run_id"),
            workflow_id=whose.get("workflow_id", ""),
            approvers=whose.get("approvers", ANYONE),
            keep_files=whose.get("keep_files"),
            read_file=whose.get("read_file"),
            reference=reference,
            anew=anew,
        )

    return [behind_gate(*pair) for pair in zip(references, servers, strict=True)]


def gated(
    resolved: ResolvedServer,
    *,
    user_id: str | None,
    run_id: str | None,
    workflow_id: str,
    approvers: Approvers = ANYONE,
    keep_files: KeepFiles | None = None,
    reference: str | JsonObject | None = None,
    anew: Anew | None = None,
    read_file: ReadFile | None = None,
) -> GatedToolSource:
    """The gate in front of a resolved server."""
    policies: RegistryPolicies | DeclaredPolicies
    if resolved.server is not None:
        policies = RegistryPolicies(
            resolved.server,
            resolved.config,
            user_id=user_id,
            run_id=run_id,
            workflow_id=workflow_id,
            approvers=approvers,
        )
    else:
        assert resolved.declaration is not None  # noqa: S101 - a Found has one of the two
        policies = DeclaredPolicies(resolved.declaration.pk, resolved.config, run_id=run_id)

    async def taken() -> ServerConfig:
        assert anew is not None  # noqa: S101 - called only where it was given
        policies.config = await anew()
        return policies.config

    return GatedToolSource(source_of(resolved, keep_files, reference, anew and taken, read_file), policies)


def drop_connections(server: Server, *, deleted: bool = False, user_id: str | None = None) -> None:
    """Close this process's connections of older revisions of a server, in the background; with `user_id` only those
    with that person's own credentials."""
    if LOOP.running and _pool is not None:
        keep = None if deleted else server.revision
        LOOP.submit(pool().drop_server(server.id, keep_revision=keep, user=user_id))


def end_program(row: ProgramApproval) -> None:
    """Close this process's connections to a program that was rejected. (Others learn of it with their next call.)"""
    servers = Server.objects.filter(team_id=row.team_id, program_hash=row.hash)
    keys = list(servers.values_list("pk", flat=True))
    declared = Declaration.objects.filter(team_id=row.team_id, config__transport="stdio")
    keys += [declared_key(item.hash) for item in declared if program_declared(item.config).hash == row.hash]
    if LOOP.running and _pool is not None:
        for key in keys:
            LOOP.submit(pool().drop_server(key, keep_revision=None))


async def end_sessions(run_id: str) -> None:
    """Close the connections that belong to one run alone (`session: run`). Await it on the loop; costs nothing where
    there are none."""
    if _pool is not None and _pool[0] == os.getpid():
        await _pool[2].drop_run(run_id)
