"""The program that an entry names: command, arguments and variables in every client's spelling, wrappers undone.

`cmd /c npx …` is what Windows needs, not what runs here; `npx mcp-remote <url>` is a bridge that we do not need.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from typing import Any

from backend.registry.importing.formats.candidates import text_of, words_of

_WINDOWS = re.compile(r"(npx|npm|node|uvx|uv|python|python3|docker|bunx|bun|deno|pnpm|yarn|dnx)\.(?:cmd|exe|bat)", re.I)
_FLAGS_WITH_VALUE = {
    *("--header", "--transport", "--host", "--resource", "--callback-path", "--ignore-tool", "--auth-timeout"),
    *("--static-oauth-client-metadata", "--static-oauth-client-info"),
}


@dataclass(slots=True)
class Program:
    """What is started; or, where it was only a bridge, the address behind it."""

    command: str = ""
    groups: list[list[str]] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    url: str = ""
    transport: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    denied: list[str] = field(default_factory=list)


def program_of(entry: dict[str, Any]) -> Program:
    """The program of an entry, without the wrappers that only another client or system needs."""
    command, groups, env = _spelled(entry)
    command, groups = _without_cmd(command, groups)
    if match := _WINDOWS.fullmatch(command):
        command = match.group(1).lower()
    bridge = _bridged(command, [word for group in groups for word in group], env)
    return bridge or Program(command, groups, env)


def _spelled(entry: dict[str, Any]) -> tuple[str, list[list[str]], dict[str, str]]:
    command, args = entry.get("command") or entry.get("cmd"), entry.get("args")
    env = {**texts_of(entry.get("environment")), **texts_of(entry.get("envs")), **texts_of(entry.get("env"))}
    words = words_of(args) if isinstance(args, list) else shlex_or_words(text_of(args))
    groups = entry["arg_groups"] if isinstance(entry.get("arg_groups"), list) else [[word] for word in words]
    if isinstance(command, dict):  # Zed: {path, args, env}
        inner = words_of(command.get("args"))
        return (
            text_of(command.get("path")),
            [[item] for item in inner] or groups,
            {**texts_of(command.get("env")), **env},
        )
    if isinstance(command, list):
        parts = words_of(command)
        return (parts[0], [[part] for part in parts[1:]] + groups, env) if parts else ("", [], env)
    program = text_of(command).strip()
    if " " in program and not groups and re.match(r"(?:npx|uvx|uv|docker|node|python3?|bunx|deno|cmd)\s", program):
        first, *rest = shlex_or_words(program)
        return first, [[item] for item in rest], env
    return program, groups, env


def shlex_or_words(text: str) -> list[str]:
    """A command line as words; one with an open quote is split at blanks."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _without_cmd(command: str, groups: list[list[str]]) -> tuple[str, list[list[str]]]:
    if not re.fullmatch(r"(?:.*[\\/])?cmd(?:\.exe)?", command, re.IGNORECASE):
        return command, groups
    rest = list(groups)
    while rest and len(rest[0]) == 1 and re.fullmatch(r"/[a-z](?::\w+)?", rest[0][0], re.IGNORECASE):
        rest.pop(0)
    words = [word for group in rest[:1] for word in group]
    if len(rest) == 1 and len(words) == 1:
        words = shlex_or_words(words[0])
        rest = [words]
    if not words:
        return command, groups
    return words[0], [*([word] for word in words[1:]), *rest[1:]]


def _bridged(command: str, args: list[str], env: dict[str, str]) -> Program | None:
    """The address behind `npx mcp-remote <url>`: we speak to remote servers ourselves.

    Its headers name variables of `env`, which stand for themselves here.
    """
    words_before = enumerate([command, *args])
    start = next((index for index, word in words_before if re.fullmatch(r"mcp-remote(?:@[\w.^~-]+)?", word)), None)
    if start is None:
        return None
    bridged = Program()
    words = iter([_expanded(word, env) for word in args[start:]])
    for word in words:
        flag, equals, value = word.partition("=")
        if flag in _FLAGS_WITH_VALUE:
            _bridge_flag(bridged, flag, value if equals else next(words, ""))
        elif not word.startswith("-") and not bridged.url:
            bridged.url = word
    return bridged if bridged.url else None


def _bridge_flag(program: Program, flag: str, value: str) -> None:
    if flag == "--header":
        name, colon, rest = value.partition(":")
        if colon:
            program.headers[name.strip()] = rest.strip()
    elif flag == "--transport":
        program.transport = "sse" if value.startswith("sse") else "http" if value.startswith("http") else None
    elif flag == "--ignore-tool" and value:
        program.denied.append(value[:255])


def _expanded(text: str, env: dict[str, str]) -> str:
    """`text` with the variables that the entry itself sets."""
    return re.sub(
        r"\$\{(\w+)\}|\$([A-Z_][A-Z0-9_]*)(?!\w)",
        lambda match: env.get(match.group(1) or match.group(2), match.group()),
        text,
    )


def texts_of(value: Any) -> dict[str, str]:
    """An object's values as texts; null ones are left out."""
    if not isinstance(value, dict):
        return {}
    return {
        str(key): item if isinstance(item, str) else json.dumps(item) for key, item in value.items() if item is not None
    }
