"""Puts what a person wrote onto a `Server` and checks that the whole makes sense. Touches no database, no network.

Secrets live in `server.secrets` and leave it only towards the address or program they were given for: when that
target changes, secrets that are not given again are dropped (a changed URL must not carry an old key elsewhere).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from backend.accounts.responses import SecretStateJson
from backend.errors import SecretMissing, ValidationFailed
from backend.net.urls import check_url
from backend.registry.configuration.oauth_client import FIELDS, set_client
from backend.registry.models import Server
from backend.secrets.detector import findings, hide, path_holds_secret
from backend.secrets.names import REFERENCE, is_secret_name
from backend.secrets.services import hint_of

_PLAIN: dict[str, Any] = {
    "description": "",
    "expires_at": None,
    "command": "",
    "args": [],
    "env": {},
    "cwd": "",
    "auth_type": "none",
    "api_key_header": "X-API-Key",
    "api_key_in": "header",
    "headers": {},
    "timeout_ms": 30_000,
    "visibility": "team",
    "enabled": True,
    "session": "shared",
    "credentials": "shared",
    "asks": False,
    "max_runs": None,
    "max_calls": None,
    "tool_rules": {},
    "box": "boxed",
    "folders": None,
    "network": True,
}
"""Fields that are stored as sent, with what null makes of them."""

_ENTRUSTED = ("oauth_client_id", "oauth_client_secret", "oauth_private_key")
"""What is dropped of a client when it would go elsewhere."""

COSMETIC = frozenset({"name", "description", "visibility", "enabled", "expires_at", "max_runs"})
"""Changes of these leave open connections as they are."""

MODELSCOPE_HOSTS = (".modelscope.net", ".modelscope.cn", ".modelscope.ai")
_SECRET_FLAG = re.compile(r"--?[a-z0-9_-]*(?:api[_-]?key|access[_-]?key|token|secret|password|passwd)", re.IGNORECASE)
HIDDEN = "····"
"""What stands in an argument in place of a secret value."""
_KNOWN_ENDINGS = {"mcp", "sse", "streamable_http"}


def url_is_secret(url: str) -> bool:
    """Whether the URL itself is a credential: ModelScope's hosted servers, or a key in the query."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    hosted = host.endswith(MODELSCOPE_HOSTS) and parts.path not in {"", "/", "/mcp-server"}
    named = any(is_secret_name(name) for name, _ in parse_qsl(parts.query))
    return hosted or named or path_holds_secret(parts.path) or bool(findings(url))


def with_secrets_named(url: str) -> str:
    """`url` with `x` for each `${secret:name}` behind the host, so that its form can be checked."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}{slash}{REFERENCE.sub('x', path)}" if rest else url


def real_url(server: Server) -> str:
    """The URL to connect to, secret or not."""
    return str(server.secrets.get("url") or "") if server.url_secret else server.url


def masked_url(server: Server) -> str:
    """The URL as it may be shown: of a secret one only the host and a telling last word."""
    if not server.url_secret:
        return server.url
    parts = urlsplit(real_url(server))
    if not parts.netloc:
        return ""
    last = parts.path.rsplit("/", 1)[-1]
    ending = f"/{last}" if last in _KNOWN_ENDINGS else ""
    query = "?····" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc}/····{ending}{query}"


def target_of(server: Server) -> tuple[str, ...]:
    """Where the server's secrets go: a program, or the origin of a URL."""
    if server.transport == Server.Transport.STDIO:
        return ("stdio", server.command)
    parts = urlsplit(real_url(server))
    return (parts.scheme, (parts.hostname or "").lower(), str(parts.port or {"https": 443}.get(parts.scheme, 80)))


def hide_args(
    args: list[str], held: dict[str, str], shown_before: list[str] | None = None, values: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """(arguments as they may be shown, {place: hidden argument}): values of flags such as `--api-key` are secrets.

    So are `values` wherever they stand. An argument sent back in the form it was shown (`shown_before`) stands for the
    one that is `held` at its place, or at another place where it was moved.
    """
    known = _held_by_form(held, shown_before or [])
    shown: list[str] = []
    hidden: dict[str, str] = {}
    real_before = ""
    for index, arg in enumerate(args):
        real = known.get((index, arg)) or known.get((-1, arg)) or arg
        form = arg if real != arg else _form_of(arg, real_before, values)
        shown.append(form)
        real_before = real
        if form != real:
            hidden[str(index)] = real
    return shown, hidden


def _held_by_form(held: dict[str, str], shown: list[str]) -> dict[tuple[int, str], str]:
    """Hidden arguments by place and form; by form alone (place -1) where only one has it."""
    forms = [(int(place), shown[int(place)], real) for place, real in held.items() if int(place) < len(shown)]
    counts = Counter(form for _, form, _ in forms)
    known = {(place, form): real for place, form, real in forms}
    return known | {(-1, form): real for _, form, real in forms if counts[form] == 1}


def _form_of(arg: str, before: str, values: Sequence[str]) -> str:
    """`arg` with its secrets hidden. `before` = the argument in front of it."""
    flag, equals, _ = arg.partition("=")
    if equals and _SECRET_FLAG.fullmatch(flag):
        return f"{flag}={HIDDEN}"
    if arg and _SECRET_FLAG.fullmatch(before) and not arg.startswith("-"):
        return HIDDEN
    for value in values:
        arg = arg.replace(value, HIDDEN)
    return hide(arg, HIDDEN)


def real_args(server: Server) -> list[str]:
    """The arguments to start the program with. Raises SecretMissing where a hidden value is not there any more."""
    held: dict[str, str] = server.secrets.get("args", {})
    args = [held.get(str(index), arg) for index, arg in enumerate(server.args)]
    for index, arg in enumerate(args):
        if str(index) not in held and HIDDEN in arg:
            flag = arg.partition("=")[0]
            name = args[index - 1] if arg == HIDDEN and index else flag if flag != arg else arg
            raise SecretMissing(params={"reason": "unset", "name": name, "server": server.slug})
    return args


def configure(server: Server, data: dict[str, Any]) -> list[str]:
    """Lay `data` (checked by `ServerInputSerializer`) over `server`; names the secrets that were dropped.

    Raises ValidationFailed naming the fields that do not fit together.
    """
    saved = bool(server.transport)
    before = target_of(server) if saved else None
    if "name" in data:
        server.name = data["name"]
    if "transport" in data:
        server.transport = data["transport"]
    shown_before = list(server.args)
    for field, empty in _PLAIN.items():
        if field in data:
            setattr(server, field, deepcopy(empty) if data[field] is None else data[field])
    server.secrets = deepcopy(server.secrets)
    _set_url(server, data)
    _set_document(server, data)
    _require_target(server)
    moved = before is not None and before != target_of(server)
    dropped = _drop_secrets(server, data) if moved else []
    if moved or "modelscope_id" in data:  # at another origin it is another server, unless ModelScope said so
        server.modelscope_id = data.get("modelscope_id", "")
    _set_secrets(server, data, shown_before)
    if data.get("trust_annotations") is not None:
        server.trust_annotations = data["trust_annotations"]
    elif not saved or "trust_annotations" in data:
        # The hints of an API's tools are ours: they say which method of HTTP it is.
        ours = server.transport in (Server.Transport.STDIO, Server.Transport.OPENAPI)
        server.trust_annotations = ours or bool(server.preset)
    return dropped


def _set_url(server: Server, data: dict[str, Any]) -> None:
    """URL and whether it is a secret. The masked form, sent back as it was read, changes nothing."""
    url = real_url(server)
    was_secret = server.url_secret
    text = data.get("url") if "url" in data else None
    if "url" in data and not (was_secret and text and text == masked_url(server)):
        url = (text or "").strip()
        if url:
            check_url(with_secrets_named(url))
    secret_name = data.get("url_secret")
    if secret_name is None:
        secret_name = was_secret or url_is_secret(url)
    elif not secret_name and was_secret and url == real_url(server):
        raise ValidationFailed(fields={"url": ["enter the URL again to show it from now on"]})
    server.url_secret = bool(secret_name and url)
    server.url = "" if server.url_secret else url
    server.secrets.pop("url", None)
    if server.url_secret:
        server.secrets["url"] = url


def _set_document(server: Server, data: dict[str, Any]) -> None:
    """Where an API's document, or an agent's card, is read. A document that is given as a text takes the place of an
    address, and the other way."""
    if data.get("document"):
        if data.get("document_url"):
            raise ValidationFailed(fields={"document_url": ["goes with no document"]})
        server.document_url = ""
    elif "document_url" in data:
        url = (data["document_url"] or "").strip()
        if url:
            check_url(url, "document_url")
            if url_is_secret(url):
                raise ValidationFailed(fields={"document_url": ["holds a key; paste the document instead"]})
        server.document_url = url


def _check_sign_in(server: Server) -> None:
    """What only APIs and agents can do, and what they cannot. Raises ValidationFailed."""
    if server.transport == Server.Transport.OPENAPI and server.auth_type == Server.AuthType.OAUTH:
        why = "oauth is for MCP servers and agents; enter a token as bearer"
        raise ValidationFailed(fields={"auth_type": [why]})
    if server.transport in (Server.Transport.OPENAPI, Server.Transport.A2A):
        return
    server.document_url = ""
    if server.auth_type == Server.AuthType.BASIC:
        raise ValidationFailed(fields={"auth_type": ["basic is for the transports openapi and a2a"]})
    if server.api_key_in != Server.KeyPlace.HEADER:
        raise ValidationFailed(fields={"api_key_in": ["must be header, except for the transports openapi and a2a"]})


def _require_target(server: Server) -> None:
    """A program or a URL, by the transport; what belongs to the other transport is cleared."""
    if server.transport == Server.Transport.STDIO:
        server.url, server.url_secret, server.auth_type = "", False, Server.AuthType.NONE
        server.secrets.pop("url", None)
        server.secrets.pop("client", None)
        if not server.command.strip():
            raise ValidationFailed(fields={"command": ["is required for stdio"]})
    elif server.transport in Server.Transport:
        server.command, server.args, server.env, server.cwd = "", [], {}, ""
        server.box, server.folders, server.network = Server.Box.BOXED, None, True
        if not real_url(server):
            raise ValidationFailed(fields={"url": ["is required"]})
    else:
        raise ValidationFailed(fields={"transport": ["is required"]})
    _check_sign_in(server)


def _drop_secrets(server: Server, data: dict[str, Any]) -> list[str]:
    """Remove what was given for another target; the names of those that are not given again."""
    again = {"api_key"} if data.get("api_key") else set()
    for field in ("secret_headers", "secret_env"):
        again |= {f"{field}.{name}" for name in data.get(field) or {}}
    held = {"api_key"} if server.secrets.get("api_key") else set()
    if server.secrets.get("args") and "args" not in data:
        held.add("args")
    for kind in ("headers", "env"):
        values: dict[str, str] = server.secrets.pop(kind, {})
        held |= {f"secret_{kind}.{name}" for name, value in values.items() if value}
        if unset := {name: "" for name, value in values.items() if not value}:
            server.secrets[kind] = unset  # a name without a value is no secret
    client: dict[str, str] = server.secrets.pop("client", {})
    held |= {field for field in _ENTRUSTED if client.get(FIELDS[field]) and field not in data}
    if kept := {name: client[name] for name in ("grant", "auth") if name in client}:
        server.secrets["client"] = kept  # how it is signed in to is no secret
    for kind in ("api_key", "args"):
        server.secrets.pop(kind, None)
    return sorted(held - again)


def _set_secrets(server: Server, data: dict[str, Any], shown_before: list[str]) -> None:
    """Keys, secret headers and variables; plain ones with a telling name are treated as secrets too."""
    if "api_key" in data:
        server.secrets.pop("api_key", None)
        key = data["api_key"]
        if key and server.auth_type == Server.AuthType.BASIC and ":" not in key and not REFERENCE.search(key):
            raise ValidationFailed(fields={"api_key": ["must be name:password"]})
        if key:
            server.secrets["api_key"] = key
    set_client(server, data)
    server.headers = _merge(server, "headers", "secret_headers", data, str.lower)
    server.env = _merge(server, "env", "secret_env", data, str)
    if "args" in data or server.transport != Server.Transport.STDIO:
        held = server.secrets.pop("args", {})
        server.args, hidden = hide_args(server.args, held, shown_before, data.get("secret_values") or ())
        if hidden:
            server.secrets["args"] = hidden


def is_plain_secret(name: str, value: str) -> bool:
    """Whether a header or variable holds a secret in the clear: by its name or by its value."""
    return bool(value and not REFERENCE.search(value) and (is_secret_name(name) or findings(value, name)))


def _merge(server: Server, plain: str, secret: str, data: dict[str, Any], key: Any) -> dict[str, str]:
    """The plain entries that remain plain, after `server.secrets[plain]` took its own (null removes one)."""
    held: dict[str, str] = dict(server.secrets.get(plain, {}))
    changes: dict[str, str | None] = {}
    if secret in data:
        if data[secret] is None:
            held = {}
        changes.update(data[secret] or {})
    open_ones: dict[str, str] = {}
    for name, value in getattr(server, plain).items():
        if is_plain_secret(name, value):
            changes.setdefault(name, value)
        else:
            open_ones[name] = value
    for name, value in changes.items():
        held = {other: kept for other, kept in held.items() if key(other) != key(name)}
        if value is not None:
            held[name] = value
    server.secrets.pop(plain, None)
    if held:
        server.secrets[plain] = held
    return {name: value for name, value in open_ones.items() if key(name) not in {key(other) for other in held}}


def secret_states(secrets: dict[str, Any], kind: str) -> dict[str, SecretStateJson]:
    """`{name: {set, hint}}` of the secret headers ("headers") or variables ("env")."""
    held: dict[str, str] = secrets.get(kind, {})
    return {name: {"set": bool(value), "hint": hint_of(value) if value else ""} for name, value in held.items()}
