"""From the name a document uses to a complete `ServerConfig`: who may use it, secrets decrypted, masks noted.

A reference is looked up among the document's own declarations, then registry slugs, then ids; an object is inline.
Configurations are kept in memory by revision, so that a call costs one small read; what may change without a new
revision (whether the server is there, visible, switched on, and its program approved; secrets named by reference) is
read each time.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.db import connection

from backend.errors import McpPolicyDenied, NotFound, SecretMissing, ServerNotApproved, ValidationFailed
from backend.registry.configuration.declarations import declaration_hash, declared_key, normal_form, record_declarations
from backend.registry.configuration.oauth_client import machine_of
from backend.registry.configuration.server_fields import real_args, real_url
from backend.registry.configuration.user_credentials import SERVERS, required_slots
from backend.registry.models import Declaration, Server
from backend.registry.programs.approvals import startable_declared, startable_saved
from backend.registry.programs.boxes import folders_of
from backend.secrets import user_credentials
from backend.secrets.references import PROGRAM, Resolver
from backend.secrets.user_credentials import Values
from backend.server_signin.machines import Machine, TrialToken, machine_token
from backend.server_signin.renewal import SignedOut, bearer_of
from backend.tools.servers import Bearer, PoolKey, ServerConfig
from backend.tools.types import JsonObject
from backend.web.lookup import storable

SHORTEST_MASK = 4
"""Shorter secrets are not masked: their letters would be cut out of ordinary words."""
KEPT = 500
"""Configurations kept in memory."""

_kept: OrderedDict[tuple[str, str], ResolvedServer] = OrderedDict()
"""By (server, revision). The revision names whose credentials it holds where they are not shared."""
_VISIBLE = """
SELECT s.id, s.slug, s.revision, s.enabled, CASE WHEN s.credentials = 'user' THEN COALESCE(c.stamp, '') END,
  CASE WHEN s.transport = 'stdio' THEN COALESCE((
    SELECT a.state FROM registry_programapproval a WHERE a.team_id = s.team_id AND a.hash = s.program_hash
  ), '') END,
  CASE WHEN s.transport = 'stdio' THEN (SELECT COUNT(*) FROM (SELECT 1 FROM accounts_team LIMIT 2) t) END,
  CASE WHEN s.auth_type = 'oauth' THEN COALESCE((
    SELECT g.stamp FROM server_signin_signin g WHERE g.target = s.id
    AND (g.state = 'good' OR (g.state = 'none' AND g.stamp <> ''))
    AND CASE WHEN s.credentials = 'user' THEN g.user_id = %s ELSE g.user_id IS NULL END
  ), '') END
FROM registry_server s
LEFT JOIN secrets_credential c ON c.target = s.id AND c.user_id = %s AND s.credentials = 'user'
WHERE s.team_id = %s AND (s.slug IN ({names}) OR s.id IN ({names}))
AND (s.visibility = 'team' OR s.created_by_id = %s)
"""
_AT_ONCE = 200
"""Names that one statement asks for."""


@dataclass(frozen=True, slots=True)
class ResolvedServer:
    """A resolved reference: the configuration and where it came from (a row of the registry, or a declaration)."""

    config: ServerConfig
    server: Server | None = None
    declaration: Declaration | None = None


def server_config(
    team_id: str,
    reference: str | JsonObject,
    user_id: str | None = None,
    run_id: str | None = None,
    graph: Mapping[str, object] | None = None,
) -> ServerConfig:
    """The complete configuration of the server that a document names. Touches the database: not on the loop.

    Raises NotFound, ServerNotApproved, SecretMissing, McpPolicyDenied (switched off), ValidationFailed (inline form).
    """
    return find(team_id, reference, user_id=user_id, run_id=run_id, graph=graph).config


class NamedBy(TypedDict, total=False):
    """Who names a server: a person, in a run, by a workflow's document."""

    user_id: str | None
    run_id: str | None
    graph: Mapping[str, object] | None
    workflow_id: str


def find(team_id: str, reference: str | JsonObject, **by: Unpack[NamedBy]) -> ResolvedServer:
    """Like `server_config`, with the row it came from."""
    return find_all(team_id, [reference], **by)[0]


def find_all(team_id: str, references: Sequence[str | JsonObject], **by: Unpack[NamedBy]) -> list[ResolvedServer]:
    """As `find` of each, in order: those of the registry in one read. Raises what the first that fails raises."""
    user_id, run_id, workflow_id = by.get("user_id"), by.get("run_id"), by.get("workflow_id", "")
    declared = (by.get("graph") or {}).get("mcp_servers")
    here = declared if isinstance(declared, dict) else {}
    rows = _rows(team_id, [name for name in references if isinstance(name, str) and name not in here], user_id)
    resolved = []
    for reference in references:
        if isinstance(reference, dict):
            resolved.append(_declared(team_id, "inline", reference, workflow_id, user_id))
        elif reference in here:
            resolved.append(_declared(team_id, reference, here[reference], workflow_id, user_id))
        else:
            resolved.append(_saved(team_id, reference, rows.get(reference), user_id, run_id))
    return resolved


def _rows(team_id: str, references: list[str], user_id: str | None) -> dict[str, tuple[Any, ...]]:
    """The row of `_VISIBLE` that each of these names means, where there is one."""
    names = [name for name in dict.fromkeys(references) if storable(name)]
    rows: dict[str, tuple[Any, ...]] = {}
    who = user_id or ""
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        with connection.cursor() as cursor:
            marks = ", ".join(["%s"] * len(some))
            cursor.execute(_VISIBLE.format(names=marks), [who, who, team_id, *some, *some, who])
            rows |= {key: row for row in cursor.fetchall() for key in row[:2]}
    slugs = {row[1]: row for row in rows.values()}
    return rows | slugs  # a slug goes before an id


def _saved(
    team_id: str, reference: str, row: tuple[Any, ...] | None, user_id: str | None, run_id: str | None
) -> ResolvedServer:
    if row is None:
        raise NotFound(params={"reason": _why_not(team_id, reference), "server": reference})
    server_id, slug, revision, enabled, stamp, approval, teams, signed = row
    if not enabled:
        raise McpPolicyDenied(params={"reason": "server_off", "server": slug})
    resolved = _registered(server_id, _revision(revision, stamp, signed), user_id, run_id)
    if approval is None or resolved.server is None:
        return resolved
    return replace(resolved, config=startable_saved(resolved.server, resolved.config, approval, teams > 1, user_id))


def _why_not(team_id: str, reference: str) -> str:
    """Why nobody gets a server of this name: there is none, or it is private to somebody else."""
    private = storable(reference) and SERVERS.private_names(team_id, {reference})
    return "server_private" if private else "server"


def _revision(revision: int, stamp: str | None, signed: str | None = None) -> str:
    """The revision of a configuration, with whose credentials it has; `stamp` None = the shared ones. `signed` = the
    sign-in that it is used with, "" = none yet."""
    named = str(revision) if stamp is None else f"{revision}@{stamp}"
    return named if signed is None else f"{named}@{signed}"


def _registered(server_id: str, revision: str, user_id: str | None, run_id: str | None) -> ResolvedServer:
    """The configuration of a row, from memory where this revision was read before; where each run has a session of its
    own, for this run."""
    resolved = _kept.get((server_id, revision))
    if resolved is None:
        server = Server.objects.filter(id=server_id).first()
        if server is None:
            raise NotFound(params={"reason": "server", "server": server_id})
        resolved = ResolvedServer(config_of(server, user_id=user_id), server=server)
        if str(resolved.config.key.revision) == revision:
            _kept[server_id, revision] = resolved
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
    config = resolved.config
    if run_id is None or config.session != "run":
        return resolved
    return replace(resolved, config=replace(config, key=replace(config.key, run=run_id)))


def config_of(
    server: Server,
    *,
    user_id: str | None = None,
    run_id: str | None = None,
    values: Values | None = None,
    trial: bool = False,
) -> ServerConfig:
    """The configuration of a row, saved or not. Raises SecretMissing.

    Where each member uses their own credentials, those of `user_id`; `values` stand in for them in a test. `trial` =
    it is tested before it is saved, so no token of it is kept.
    """
    url = real_url(server)
    resolve = Resolver(server.team_id, urlsplit(url).hostname or "" if url else PROGRAM)
    held, stamp = _secrets(server, user_id, values)
    sent = _sent(server, held, url, resolve)
    machine = machine_of(server, sent.headers, sent.url)
    masks = _masks(sent.secrets)
    if machine is not None:
        masks = _masks([*masks, *machine.secrets])
    bearer, signed, account = _bearer(server, user_id, sent.url, masks, machine, trial)
    revision = server.revision if stamp is None and signed is None else _revision(server.revision, stamp, signed)
    return ServerConfig(
        key=PoolKey(
            team=server.team_id,
            server=server.id,
            revision="/".join([str(revision), *resolve.stamps]) if resolve.stamps else revision,
            user=None if stamp is None else user_id,
            run=run_id if server.session == Server.Session.RUN else None,
        ),
        slug=server.slug or "server",
        transport=server.transport,  # type: ignore[arg-type]
        url=sent.url,
        headers=sent.headers,
        query=sent.query,
        command=server.command,
        args=tuple(real_args(server)),
        env=sent.env,
        cwd=server.cwd,
        timeout_s=server.timeout_ms / 1000,
        calls=server.max_calls,
        session=server.session,  # type: ignore[arg-type]
        asks=server.asks and settings.PATCHBAY.elicitation_hold_s > 0,
        trust_annotations=server.trust_annotations,
        auth_type=server.auth_type,  # type: ignore[arg-type]
        url_has_secret=sent.url_has_secret,
        masks=masks,
        typed_address=True,
        boxed=server.box == Server.Box.BOXED,
        folders=folders_of(server),
        network=server.network,
        bearer=bearer,
        account=None if account is None else "/".join([_revision(server.revision, stamp, account), *resolve.stamps]),
    )


@dataclass(frozen=True, slots=True)
class _Sent:
    """What a server is reached or started with, every reference resolved; `secrets` = what of it nobody may read."""

    url: str
    url_has_secret: bool
    headers: dict[str, str]
    query: dict[str, str]
    env: dict[str, str]
    secrets: list[str]


def _sent(server: Server, held: Values, url: str, resolve: Resolver) -> _Sent:
    """What goes to a server, by its row and the secrets `held` for it. Raises SecretMissing."""
    unset = [name for kind in ("headers", "env") for name, value in held.get(kind, {}).items() if not value]
    if unset:
        raise SecretMissing(params={"reason": "unset", "name": unset[0], "server": server.slug})
    secret_headers: dict[str, str] = dict(held.get("headers", {}))
    secret_env: dict[str, str] = dict(held.get("env", {}))
    key = str(held.get("api_key") or "")
    basic = server.auth_type == Server.AuthType.BASIC
    if basic:
        key = resolve(key)  # here, for what it becomes cannot be looked through for names
    query = _sign(server, key, secret_headers) if key else {}
    headers = {name: resolve(value) for name, value in {**server.headers, **secret_headers}.items()}
    query = {name: resolve(value) for name, value in query.items()}
    env = {name: resolve(value) for name, value in {**server.env, **secret_env}.items()}
    resolved_url = resolve(url)
    url_has_secret = server.url_secret or resolved_url != url
    hidden = [arg.partition("=")[2] if arg.startswith("-") else arg for arg in server.secrets.get("args", {}).values()]
    secrets = [*secret_headers.values(), *secret_env.values(), *hidden, key, *resolve.values]
    if basic:
        secrets.append(key.partition(":")[2])
    if url_has_secret:
        secrets += _url_secrets(resolved_url)
    return _Sent(resolved_url, url_has_secret, headers, query, env, secrets)


def _sign(server: Server, key: str, headers: dict[str, str]) -> dict[str, str]:
    """Put the key where the server wants it: among the headers, or into what goes into each address."""
    if server.auth_type == Server.AuthType.BEARER:
        headers["Authorization"] = f"Bearer {key}"
    elif server.auth_type == Server.AuthType.BASIC:
        headers["Authorization"] = f"Basic {base64.b64encode(key.encode()).decode()}"
    elif server.auth_type == Server.AuthType.API_KEY and server.api_key_in == Server.KeyPlace.COOKIE:
        before = headers.get("Cookie")
        headers["Cookie"] = "; ".join(filter(None, [before, f"{server.api_key_header}={key}"]))
    elif server.auth_type == Server.AuthType.API_KEY and server.api_key_in == Server.KeyPlace.QUERY:
        return {server.api_key_header: key}
    elif server.auth_type == Server.AuthType.API_KEY:
        headers[server.api_key_header] = key
    return {}


def _bearer(
    server: Server, user_id: str | None, url: str, masks: tuple[str, ...], machine: Machine | None, trial: bool
) -> tuple[Bearer | None, str | None, str | None]:
    """(the token of the sign-in of the team, of Patchbay itself or, where each member has their own, of the person;
    its stamp; the account that is signed in)."""
    if server.auth_type != Server.AuthType.OAUTH:
        return None, None, None
    if machine is not None:
        if trial:
            return TrialToken(server.id, server.slug, url, machine, masks), "", ""
        return machine_token(server.id, server.slug, url, machine, masks)
    if server.credentials != Server.Credentials.USER:
        return bearer_of(server.id, None, server.slug, url, masks)
    return bearer_of(server.id, user_id, server.slug, url, masks) if user_id else (SignedOut(None, server.slug), "", "")


def _secrets(server: Server, user_id: str | None, values: Values | None) -> tuple[Values, str | None]:
    """(the secrets to connect with, stamp of the person's own; None = the shared ones). Raises SecretMissing."""
    if server.credentials != Server.Credentials.USER:
        return server.secrets, None
    row = user_credentials.credential_of(user_id, server.id) if values is None else None
    entered: Values = values or (row.values if row else {})
    user_credentials.require(required_slots(server), entered, "own", server.slug)
    return user_credentials.filled(server.secrets, entered), row.stamp if row else ""


def _declared(team_id: str, name: str, config: Any, workflow_id: str, user_id: str | None) -> ResolvedServer:
    """A server that the document declares; only once an admin approved exactly this configuration."""
    try:
        form = normal_form(config)
    except ValueError as error:
        raise ValidationFailed(fields={f"mcp_servers.{name}": [str(error)]}) from None
    digest = declaration_hash(form)
    row = Declaration.objects.filter(team_id=team_id, hash=digest).defer("card").first()
    if row is None:
        record_declarations(team_id, workflow_id, {"mcp_servers": {name: config}})
    if row is None or row.state != Declaration.State.APPROVED:
        raise ServerNotApproved(params={"server": name}, detail={"hash": digest})
    return ResolvedServer(_of_form(row, name, form, user_id), declaration=row)


def config_of_declaration(row: Declaration, user_id: str | None) -> ServerConfig:
    """How a declared server that was approved is started or reached. Raises ServerNotApproved, McpPolicyDenied."""
    if row.state != Declaration.State.APPROVED:
        raise ServerNotApproved(params={"server": row.name}, detail={"hash": row.hash})
    return _of_form(row, row.name, row.config, user_id)


def _of_form(row: Declaration, name: str, form: dict[str, Any], user_id: str | None) -> ServerConfig:
    team_id, digest = row.team_id, row.hash
    updates = [f"package {row.package['updates']}"] if row.package.get("updates") else []
    resolve = Resolver(team_id, urlsplit(form["url"]).hostname or "" if form["url"] else PROGRAM)
    headers = {key: resolve(value) for key, value in form["headers"].items()}
    env = {key: resolve(value) for key, value in form["env"].items()}
    url = resolve(form["url"])
    trusted = form["trust_annotations"]
    config = ServerConfig(
        key=PoolKey(team=team_id, server=declared_key(digest), revision="/".join(["1", *resolve.stamps, *updates])),
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
    if config.transport == "stdio":
        config = startable_declared(row, config, user_id)
    return config


def _url_secrets(url: str) -> list[str]:
    """What must not be seen of a secret URL: the whole, its path, long parts of the path, values of the query."""
    parts = urlsplit(url)
    pieces = [piece for piece in parts.path.split("/") if len(piece) >= 8]
    values = [value for _, value in parse_qsl(parts.query) if len(value) >= 8]
    path = [parts.path] if len(parts.path) >= 8 else []
    return [url, *path, *pieces, *values]


def _masks(secrets: list[str]) -> tuple[str, ...]:
    """Secrets as they may come back: whole, and without their scheme ("Bearer …"). Longest first."""
    masks = {secret for secret in secrets if len(secret) >= SHORTEST_MASK}
    for secret in list(masks):
        scheme, _, rest = secret.partition(" ")
        if len(rest) >= SHORTEST_MASK and scheme.isalpha():
            masks.add(rest)
    return tuple(sorted(masks, key=len, reverse=True))
