"""The servers of a document: where it holds them, whose format that is, each entry in the words of our API.

Wrappers met in the wild: `mcpServers` (Claude, Cursor, Cline, Windsurf, Gemini, Cherry Studio), `servers` (VS Code,
with `inputs`), `mcp.servers` (VS Code settings), `context_servers` (Zed), `mcp` (opencode), `mcp_servers` (Codex),
`extensions` (goose), `amp.mcpServers`, the bare map, a list, one entry; `server.json`, bundle manifests. Types `sse`,
`http`, `streamable_http`, `streamable-http`, `streamableHttp`, `stdio`, `local`, `remote`, or none; the address as
`url`, `serverUrl`, `httpUrl`, `baseUrl`, `uri`.
"""

from __future__ import annotations

import re
from typing import Any, TypeGuard
from urllib.parse import urlsplit

from backend.registry.importing.formats.candidates import Candidate, Question, Reading, Unreadable, text_of, words_of
from backend.registry.importing.formats.containers import container_of
from backend.registry.importing.formats.programs import program_of, texts_of
from backend.registry.importing.formats.published import bundle_entry, is_bundle, is_published, published_entries
from backend.registry.importing.formats.questions import Asking

_WRAPPERS = (
    (("mcpServers",), "mcpServers"),
    (("mcp", "servers"), "VS Code settings"),
    (("mcp", "mcpServers"), "mcpServers"),
    (("mcp_servers",), "Codex"),
    (("amp.mcpServers",), "Amp"),
    (("context_servers",), "Zed"),
    (("servers",), "VS Code"),
    (("mcp",), "opencode"),
    (("extensions",), "goose"),
)
_TYPES = {
    "stdio": "stdio",
    "local": "stdio",
    "sse": "sse",
    "http": "http",
    "remote": "http",
    "streamablehttp": "http",
    "streamable": "http",
}
_ADDRESSES = ("url", "serverUrl", "server_url", "httpUrl", "http_url", "baseUrl", "endpoint", "uri")
_DENIED = ("disabledTools", "disabled_tools", "excludeTools", "excludedTools", "exclude_tools", "blockedTools")
_ALLOWED = (
    "includeTools",
    "include_tools",
    "enabledTools",
    "enabled_tools",
    "allowedTools",
    "available_tools",
    "tools",
)
_MOST_TOOLS, _LONGEST_TOOL = 1000, 255


def read(document: Any) -> Reading:
    """The servers of a document (JSON value). Raises Unreadable."""
    if isinstance(document, dict) and (is_bundle(document) or is_published(document)):
        return _read_published(document)
    servers, dialect = _unwrapped(document)
    if (
        dialect != "list"
        and servers
        and all(isinstance(server, dict) and is_published(server) for _, server in servers)
    ):
        return _together([_read_published(server) for _, server in servers], "server.json")
    reading = Reading(dialect)
    declared = _inputs(document)
    for name, entry in servers:
        if not isinstance(entry, dict):
            reading.skipped.append((name, "not_object", {}))
            continue
        own = {**declared, **_inputs(entry)}
        _take(reading, name, _entry_name(name, entry), entry, own)
    _deny_by_document(reading, document)
    return reading


def _together(readings: list[Reading], dialect: str) -> Reading:
    merged = Reading(dialect)
    for reading in readings:
        merged.candidates += reading.candidates
        merged.skipped += reading.skipped
    return merged


def _read_published(document: dict[str, Any]) -> Reading:
    bundle = is_bundle(document)
    reading = Reading("MCPB" if bundle else "server.json")
    for name, entry, declared, alternative in [bundle_entry(document)] if bundle else published_entries(document):
        before = len(reading.candidates)
        _take(reading, name, name, entry, declared)
        if len(reading.candidates) > before:
            reading.candidates[-1].alternative = alternative and before > 0
    return reading


def _take(reading: Reading, key: str, name: str, entry: dict[str, Any], declared: dict[str, Question]) -> None:
    try:
        candidate = _candidate(name, entry, declared)
    except RecursionError:
        candidate = "not_object"
    if isinstance(candidate, str):
        reading.skipped.append((key, candidate, {}))
        return
    taken = {candidate.name for candidate in reading.candidates}
    number, plain = 2, candidate.name
    while candidate.name in taken:
        candidate.name, number = f"{plain[:190]} {number}", number + 1
    candidate.data["name"] = candidate.name
    reading.candidates.append(candidate)


def _entry_name(key: str, entry: dict[str, Any]) -> str:
    return (text_of(entry.get("name")) or key).strip() or "server"


def _unwrapped(document: Any) -> tuple[list[tuple[str, Any]], str]:
    if isinstance(document, list):
        return [
            (str(item.get("name") or index) if isinstance(item, dict) else str(index), item)
            for index, item in enumerate(document)
        ], "list"
    if not isinstance(document, dict):
        raise Unreadable("must be an object with mcpServers")
    for path, dialect in _WRAPPERS:
        inner: Any = document
        for key in path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, list):
            return _unwrapped(inner)[0], dialect
        if isinstance(inner, dict) and not _is_entry(inner):
            return _with_projects(document, list(inner.items())), dialect
    if projects := _with_projects(document, []):
        return projects, "mcpServers"
    if _is_entry(document):
        return [(str(document.get("name") or "server"), document)], "single"
    if document and all(isinstance(entry, dict) for entry in document.values()):
        return list(document.items()), "map"
    raise Unreadable("holds no servers: expected an object with mcpServers")


def _with_projects(document: dict[str, Any], servers: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Claude Code keeps servers of single folders in its own file beside those for all."""
    projects = document.get("projects")
    for project in projects.values() if isinstance(projects, dict) else []:
        inner = project.get("mcpServers") if isinstance(project, dict) else None
        servers += [pair for pair in inner.items() if pair not in servers] if isinstance(inner, dict) else []
    return servers


def _is_entry(value: dict[str, Any]) -> bool:
    program = value.get("command")
    return (
        isinstance(program, str | list)
        or (isinstance(program, dict) and isinstance(program.get("path"), str))
        or any(isinstance(value.get(key), str) for key in _ADDRESSES)
    )


def _inputs(document: Any) -> dict[str, Question]:
    """VS Code's `inputs`: what `${input:id}` stands for."""
    if not isinstance(document, dict):
        return {}
    holders = [document, document.get("mcp")]
    lists = [holder.get("inputs") for holder in holders if isinstance(holder, dict)]
    rows = [row for item in lists if isinstance(item, list) for row in item]
    questions: dict[str, Question] = {}
    for row in rows[:100]:
        if isinstance(row, dict) and isinstance(row.get("id"), str):
            token = f"${{input:{row['id']}}}"
            options = [
                option.get("value") if isinstance(option, dict) else option for option in row.get("options") or []
            ]
            questions[token] = Question(
                row["id"][:80],
                row["id"][:80],
                "env",
                description=text_of(row.get("description"))[:500],
                secret=row.get("password") is True,
                default=text_of(row.get("default")),
                choices=words_of(options)[:100],
                token=token,
            )
    return questions


def _candidate(name: str, entry: dict[str, Any], declared: dict[str, Question]) -> Candidate | str:
    """The entry in our words, or why it cannot be taken."""
    program = program_of(entry)
    url = program.url or next(
        (entry[key] for key in _ADDRESSES if isinstance(entry.get(key), str) and entry[key].strip()), ""
    )
    if not program.command and not url:
        return "no_target"
    transport = program.transport or _transport({} if program.url else entry, program.command, url)
    if transport is None:
        return "unknown_transport"
    candidate = Candidate(name[:200])
    asking = Asking(declared)
    candidate.data = {"description": text_of(entry.get("description"))[:2000], "transport": transport}
    if transport == "stdio":
        candidate.data["command"] = asking.mark(program.command, "command")
        candidate.data["cwd"] = asking.mark(text_of(entry.get("cwd")), "cwd")
        candidate.args = _marked_arguments(asking, program.groups)
        words = [word for group in program.groups for word in group]
        container = container_of(program.command, words)
        handed_on = {name: f"${{{name}}}" for name in container.handed_on} if container else {}
        candidate.data["env"] = _marked(asking, "env", {**handed_on, **program.env, **_env_names(entry)})
    else:
        candidate.data["url"] = asking.mark(url.strip(), "url")
        candidate.data["headers"] = _marked(asking, "headers", {**program.headers, **_headers(entry)})
    candidate.questions = asking.questions
    if any(entry.get(key) is value for key, value in _OFF):
        candidate.data["enabled"] = False
    _set_timeout(candidate, entry)
    candidate.denied = _tools(_DENIED, entry) + program.denied
    allowed = _tools(_ALLOWED, entry)
    candidate.allowed = allowed if allowed and "*" not in allowed else None
    if text_of(entry.get("envFile")):
        candidate.notes.append(("env_file", {"name": text_of(entry["envFile"])[:200]}))
    return candidate


_OFF = (("disabled", True), ("enabled", False), ("isActive", False))


def _marked_arguments(asking: Asking, groups: list[list[str]]) -> list[list[str]]:
    marked: list[list[str]] = []
    before = ""
    for group in groups:
        row: list[str] = []
        for word in group:
            flag, equals, _ = word.partition("=")
            name = flag if equals and flag.startswith("-") else before if before.startswith("-") else ""
            row.append(asking.mark(word, "args", name.lstrip("-")))
            before = word
        marked.append(row)
    return marked


def _marked(asking: Asking, where: str, values: dict[str, str]) -> dict[str, str]:
    return {name: asking.mark(value, where, name, ask_empty=True) for name, value in values.items()}


def _set_timeout(candidate: Candidate, entry: dict[str, Any]) -> None:
    seconds = entry.get("tool_timeout_sec")
    timeout = seconds * 1000 if _positive(seconds) else entry.get("timeout")
    if _positive(timeout):
        milliseconds = timeout if timeout >= 1000 else timeout * 1000
        candidate.data["timeout_ms"] = int(min(milliseconds, 3_600_000))


def _positive(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _transport(entry: dict[str, Any], command: str, url: str) -> str | None:
    named = text_of(entry.get("type") or entry.get("transport") or entry.get("transportType"))
    if named:
        kind = _TYPES.get(re.sub(r"[-_ ]", "", named).lower())
        if kind == "stdio" and not command:
            return "http"
        return kind if kind is None or kind == "stdio" or url else "stdio"
    if command and not url:
        return "stdio"
    return "sse" if _path_of(url).rstrip("/").endswith("/sse") and not entry.get("httpUrl") else "http"


def _path_of(url: str) -> str:
    try:
        return urlsplit(url.strip()).path
    except ValueError:
        return ""


def _headers(entry: dict[str, Any]) -> dict[str, str]:
    """Headers, Codex's names of variables among them, which become questions."""
    request = entry.get("requestInit")
    nested = request.get("headers") if isinstance(request, dict) else None
    headers = texts_of(entry.get("headers") or entry.get("http_headers") or nested)
    for name, variable in texts_of(entry.get("env_http_headers")).items():
        headers[name] = f"${{{variable}}}"
    if variable := text_of(entry.get("bearer_token_env_var")):
        headers["Authorization"] = f"Bearer ${{{variable}}}"
    if token := text_of(entry.get("bearer_token")):
        headers["Authorization"] = f"Bearer {token}"
    return headers


def _env_names(entry: dict[str, Any]) -> dict[str, str]:
    """Codex's `env_vars` and goose's `env_keys`: variables of the client's own machine, whose values are asked for."""
    rows = [*(entry.get("env_vars") or []), *(entry.get("env_keys") or [])] if _lists(entry) else []
    names = [text_of(row.get("name")) if isinstance(row, dict) else text_of(row) for row in rows[:200]]
    return {name: f"${{{name}}}" for name in names if re.fullmatch(r"[A-Za-z_]\w{0,200}", name)}


def _lists(entry: dict[str, Any]) -> bool:
    return all(isinstance(entry.get(key) or [], list) for key in ("env_vars", "env_keys"))


def _tools(keys: tuple[str, ...], entry: dict[str, Any]) -> list[str]:
    names = [name for key in keys for name in words_of(entry.get(key)) if isinstance(entry.get(key), list)]
    return [name for name in names[:_MOST_TOOLS] if 0 < len(name) <= _LONGEST_TOOL]


def _deny_by_document(reading: Reading, document: Any) -> None:
    """Tools that are switched off beside the servers: opencode's `tools`, Claude's `permissions.deny`."""
    if not isinstance(document, dict):
        return
    switches, permissions = document.get("tools"), document.get("permissions")
    off = [name for name, on in switches.items() if on is False] if isinstance(switches, dict) else []
    refused = words_of(permissions.get("deny")) if isinstance(permissions, dict) else []
    for candidate in reading.candidates:
        for name in off[:_MOST_TOOLS]:
            if name.startswith((f"{candidate.name}_", f"{candidate.name}*")):
                candidate.denied.append(name[len(candidate.name) :].removeprefix("_") or "*")
        for name in refused[:_MOST_TOOLS]:
            if name == f"mcp__{candidate.name}" or name.startswith(f"mcp__{candidate.name}__"):
                candidate.denied.append(name[len(candidate.name) + 5 :].removeprefix("__") or "*")
