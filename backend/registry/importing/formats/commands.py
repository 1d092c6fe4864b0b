"""Command lines: `claude mcp add …` and its like, `code --add-mcp '{…}'`, or the program's own line."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from backend.registry.importing.formats.containers import container_of

_PROMPT = re.compile(r"^\s*(?:[$>%]\s+|PS [^>]*>\s*)")
_ADDERS = re.compile(
    r"^(?:npx\s+(?:-y\s+)?@[\w-]+/(?:claude-code|gemini-cli|codex)\s+mcp\s"
    r"|(?:claude|codex|gemini|qwen|amp|droid|copilot|kimi|crush|auggie|vibe)\s+mcp\s+add"
    r"|(?:code|code-insiders|codium|cursor)\s+(?:\S+\s+)*?--add-mcp\s)"
)
_PROGRAMS = re.compile(
    r"^(?:[A-Za-z_]\w*=\S+\s+)*"
    r"(?:npx|uvx|uv|docker|podman|node|python3?|bunx|deno|pipx|dnx|cmd)\s+\S"
)
_VALUE_FLAGS = {
    **dict.fromkeys(("-t", "--transport", "--type"), "transport"),
    **dict.fromkeys(("-e", "--env"), "env"),
    **dict.fromkeys(("-H", "--header"), "header"),
    **dict.fromkeys(("-s", "--scope", "--callback-port", "--client-id", "--timeout", "--description"), "ignored"),
    **dict.fromkeys(("--url",), "url"),
    **dict.fromkeys(("--bearer-token-env-var",), "bearer"),
    **dict.fromkeys(("--exclude-tools",), "exclude"),
    **dict.fromkeys(("--include-tools",), "include"),
}
_SWITCHES = {"--client-secret", "--trust", "--yes", "-y", "--force"}
_LONGEST = 50_000
"""Longer texts are no commands."""
_BETWEEN = {"run", "tool", "exec", "dlx"}
_ENV = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


def is_command(text: str) -> bool:
    """Whether a text begins with a command line that names a server."""
    return len(text) <= _LONGEST and any(_names_server(line) for line in _lines(text)[:50])


def servers_of(text: str) -> dict[str, Any] | None:
    """`{mcpServers: …}` of all command lines; None where none of them adds a server."""
    servers: dict[str, Any] = {}
    inputs: list[Any] = []
    for line in _lines(text)[:200]:
        if not _names_server(line):
            continue
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        name, entry = _added(words) if _ADDERS.match(line) else _own(words)
        if entry:
            inputs += entry["inputs"] if isinstance(entry.get("inputs"), list) else []
            while name in servers:
                name += " 2"
            servers[name] = entry
    return {"mcpServers": servers, "inputs": inputs} if servers else None


def _lines(text: str) -> list[str]:
    """Lines without prompts and comments; joined at a backslash, caret or backtick, and in an open quote."""
    joined = re.sub(r"[\\^`]\r?\n[ \t]*", " ", text)
    lines: list[str] = []
    open_quote = ""
    for raw in joined.splitlines():
        if open_quote:
            lines[-1] += "\n" + raw
        else:
            lines.append(_PROMPT.sub("", raw).strip())
        for character in raw if open_quote or _names_server(lines[-1]) else "":
            if character in "'\"" and open_quote in {"", character}:
                open_quote = "" if open_quote else character
    return [line for line in lines if line and not line.startswith(("#", "//"))]


def _names_server(line: str) -> bool:
    return bool(_ADDERS.match(line) or _PROGRAMS.match(line))


def _added(words: list[str]) -> tuple[str, dict[str, Any]]:
    """What `… mcp add …` or `--add-mcp` adds."""
    if "--add-mcp" in words:
        return _from_json("", words[words.index("--add-mcp") + 1 :][:1])
    start = words.index("mcp") + 1
    verb, rest = words[start] if start < len(words) else "", words[start + 1 :]
    if verb in {"add-json", "add_json"}:
        plain = _without_flags(rest)
        return _from_json(plain[0] if plain else "", plain[1:2])
    return _from_words(rest) if verb == "add" else ("", {})


def _without_flags(words: list[str]) -> list[str]:
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _VALUE_FLAGS:
            next(rest, "")
        elif word not in _SWITCHES:
            kept.append(word)
    return kept


def _from_json(name: str, texts: list[str]) -> tuple[str, dict[str, Any]]:
    try:
        entry = json.loads(texts[0]) if texts else {}
    except (ValueError, RecursionError):
        entry = {}
    if not isinstance(entry, dict):
        return "", {}
    return name or str(entry.get("name") or "server"), entry


def _from_words(words: list[str]) -> tuple[str, dict[str, Any]]:
    """Flags, name, then the address or the program with its own arguments."""
    options: dict[str, list[str]] = {}
    plain: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        flag, equals, value = word.partition("=")
        index += 1
        if word == "--":
            plain += words[index:]
            break
        if flag in _VALUE_FLAGS and (len(plain) < 2 or _is_address(plain[1])):
            kind = _VALUE_FLAGS[flag]
            taken = [value] if equals else words[index : index + 1]
            index += 0 if equals else 1
            while kind == "env" and index < len(words) and _ENV.fullmatch(words[index]):
                taken.append(words[index])  # `-e A=1 B=2` takes several
                index += 1
            options.setdefault(kind, []).extend(taken)
        elif word in _SWITCHES and len(plain) < 2:
            continue
        else:
            plain.append(word)
    return (plain[0] if plain else "server"), _entry(options, plain[1:])


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _entry(options: dict[str, list[str]], rest: list[str]) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    url = (options.get("url") or [word for word in rest[:1] if _is_address(word)] or [""])[0]
    if url:
        headers = [item.partition(":") for item in options.get("header", [])]
        entry = {"url": url, "headers": {name.strip(): value.strip() for name, colon, value in headers if colon}}
        if named := (options.get("transport") or [""])[0]:
            entry["type"] = named
        if bearer := (options.get("bearer") or [""])[0]:
            entry["bearer_token_env_var"] = bearer
    elif rest:
        env = dict(item.split("=", 1) for item in options.get("env", []) if "=" in item)
        entry = {"command": rest[0], "args": rest[1:], "env": env}
    for kind, key in (("exclude", "excludeTools"), ("include", "includeTools")):
        if entry and (names := [part for text in options.get(kind, []) for part in text.split(",") if part]):
            entry[key] = names
    return entry


def _own(words: list[str]) -> tuple[str, dict[str, Any]]:
    """A program's own line, with the variables before it."""
    env: dict[str, str] = {}
    while words and _ENV.fullmatch(words[0]):
        name, _, value = words[0].partition("=")
        env[name] = value
        words = words[1:]
    if not words:
        return "", {}
    plain = [word for word in words[1:] if not word.startswith("-") and word not in _BETWEEN]
    package = next((word for word in plain if re.search(r"[A-Za-z]{2}", word)), words[0])
    if container := container_of(words[0], words[1:]):
        package = container.image.partition("@")[0] or package
    name = re.sub(r"(?<=.)@[^/]*$|==.*$", "", package).rsplit("/", 1)[-1].split(":")[0]
    return name[:100] or words[0], {"command": words[0], "args": words[1:], "env": env}
