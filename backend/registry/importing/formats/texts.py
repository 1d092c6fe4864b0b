"""From a pasted text to the document in it: JSON (with comments, in pieces, fenced), TOML, YAML, link, command, URL.

Every step is linear in the text; what is too long or too deep is refused before a reader sees it.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any
from urllib.parse import urlsplit

from backend.errors import ValidationFailed
from backend.registry.importing.formats import commands, links
from backend.registry.importing.formats.candidates import MOST_CHARACTERS, SLOW_CHARACTERS, Reading, Unreadable
from backend.registry.importing.formats.entries import read
from backend.web.yaml_bodies import parse_yaml

_JSON = re.compile(r"\{|\[\s*(?:[{\"]|$)")
_TOML = re.compile(r"^[ \t]*(?:\[{1,2}[\w\"'. -]{1,500}\]{1,2}|[\w.-]{1,200}[ \t]*=)", re.MULTILINE)
_YAML = re.compile(r"^[ \t]*(?:- )?[\w.\"'-]{1,200}:(?:[ \t]|$)", re.MULTILINE)
_MOST_FENCES, _MOST_DEPTH, _MOST_DOTS = 20, 100, 50


def reading_of(config: Any) -> Reading:
    """The servers of a pasted text, or of a JSON value. Raises Unreadable."""
    if not isinstance(config, str):
        return read(config)
    if len(config) > MOST_CHARACTERS:
        raise Unreadable(f"is longer than {MOST_CHARACTERS // 1000} thousand characters; paste less at a time")
    text = config.lstrip("\ufeff").replace("\u00a0", " ").strip()
    blocks = _fenced(text)
    if blocks:
        return _first_readable(blocks)
    return _plain(text)


def _fenced(text: str) -> list[str]:
    """What stands between fences of three or more backticks or tildes, line by line."""
    blocks: list[str] = []
    body: list[str] = []
    fence = ""
    for line in text.splitlines():
        bare = line.strip()
        if not fence and bare.startswith(("```", "~~~")):
            fence, body = bare[:3], []
        elif fence and bare.startswith(fence) and not bare.strip(fence[0]):
            blocks.append("\n".join(body))
            fence = ""
        elif fence:
            body.append(line)
    if fence and body:
        blocks.append("\n".join(body))
    return blocks[:_MOST_FENCES]


def _first_readable(blocks: list[str]) -> Reading:
    """The servers of all fenced blocks that hold some; the same one told twice counts once."""
    merged: Reading | None = None
    problem = Unreadable("holds no servers")
    for block in blocks:
        try:
            reading = _plain(block.strip())
        except Unreadable as error:
            problem = error
            continue
        if merged is None:
            merged = reading
            continue
        names = {candidate.name for candidate in merged.candidates}
        merged.candidates += [candidate for candidate in reading.candidates if candidate.name not in names]
    if merged is None:
        raise problem
    return merged


def _plain(text: str) -> Reading:
    if re.fullmatch(r"<https?://[^\s<>]+>", text):
        text = text[1:-1]
    if re.fullmatch(r"https?://\S+", text) and not links.links_in(text):
        return _named(read({"url": text, "name": _host(text)}), "URL")
    looks_json = _JSON.match(text) is not None
    entries = [] if looks_json else [entry for link in links.links_in(text) if (entry := links.entry_of(link))]
    if entries:
        return _all(entries, "link")
    if commands.is_command(text) and (added := commands.servers_of(text)):
        return _named(read(added), "command")
    if not looks_json and _TOML.match(_without_comments(text)):
        return read(_toml(text))
    try:
        return read(parse_json(text))
    except Unreadable as error:
        if looks_json or '": ' in text[:200] or not _YAML.match(_without_comments(text)):
            raise
        problem = error
    return read(_yaml(text, problem))


def _without_comments(text: str) -> str:
    return re.sub(r"\A(?:[ \t]*(?:#[^\n]*)?\n)+", "", text)


def _all(documents: list[dict[str, Any]], dialect: str) -> Reading:
    merged = Reading(dialect)
    for document in documents:
        try:
            reading = read(document)
        except Unreadable:
            continue
        names = {candidate.name for candidate in merged.candidates}
        merged.candidates += [candidate for candidate in reading.candidates if candidate.name not in names]
        merged.skipped += reading.skipped
    return merged


def _named(reading: Reading, dialect: str) -> Reading:
    reading.dialect = dialect
    return reading


def _host(url: str) -> str:
    """What a server at this address is called: the telling part of its host."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    labels = [label for label in host.split(".")[:-1] if label not in {"www", "mcp", "api", "com", "co"}]
    return labels[-1] if labels and not host.replace(".", "").isdigit() else host or "server"


def _toml(text: str) -> Any:
    if len(text) > SLOW_CHARACTERS:
        raise Unreadable("is too long for TOML; paste less at a time")
    if any(line.lstrip().startswith("[") and line.count(".") > _MOST_DOTS for line in text.splitlines()):
        raise Unreadable("is nested too deeply")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is not TOML: {error}") from None


def _yaml(text: str, problem: Unreadable) -> Any:
    if len(text) > SLOW_CHARACTERS:
        raise Unreadable("is too long for YAML; paste less at a time")
    try:
        value = parse_yaml(text, aliases=False)
    except ValidationFailed as error:
        raise Unreadable(error.fields["text"][0]) from None
    if not isinstance(value, dict | list):
        raise problem
    return value


def parse_json(text: str) -> Any:
    """JSON with comments and trailing commas, whole or a piece of it. Raises Unreadable."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error
    except ValueError as error:
        problem = error
    for candidate in (strict(text), strict("{" + text)):
        try:
            return json.loads(candidate)
        except RecursionError as error:
            raise Unreadable("is nested too deeply") from error
        except ValueError:
            continue
    raise Unreadable(f"is not JSON: {problem}") from problem


_WORD = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|//[^\n]*|/\*|[{}\[\],]|[^"/{}\[\],]+|.', re.DOTALL)
_PAIRS = {"{": "}", "[": "]"}


def strict(text: str) -> str:
    """`text` as strict JSON: no comments, no comma before a closing bracket, brackets closed; the rest is cut off."""
    output: list[str] = []
    closing: list[str] = []
    comma = False
    position = 0
    while match := _WORD.match(text, position):
        word, position = match.group(), match.end()
        if word == "/*":
            end = text.find("*/", position)
            position = end + 2 if end >= 0 else len(text)
            continue
        if word.startswith("//"):
            continue
        if word == '"':  # a text without an end: nothing behind it can be told apart
            return "".join([*output, text[position - 1 :]])
        if word == ",":
            comma = bool(output) and output[-1] not in {"{", "["}
            continue
        if word in {"}", "]"}:
            comma = False
            if not closing or closing[-1] != word:
                continue  # the end of what stood around a piece
            closing.pop()
        elif not word.isspace():
            if comma:
                output.append(",")
            comma = False
            if word in _PAIRS:
                closing.append(_PAIRS[word])
                if len(closing) > _MOST_DEPTH:
                    raise Unreadable("is nested too deeply")
        else:
            continue
        output.append(word)
    return "".join(output) + "".join(reversed(closing))
