"""An agent's card: where it is read, and what of it counts.

A card is another's word. It may say which of its addresses takes messages, but only on the host that a person entered;
so a card that is read anew changes the tools, never to whom messages and credentials go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from backend.errors import McpParseError, McpProtocolError
from backend.json_types import JsonObject, JsonValue
from backend.net.urls import url_problem
from backend.tools.a2a.model import Agent, Dialect, Skill

if TYPE_CHECKING:
    from a2a.types.a2a_pb2 import AgentCard, AgentSkill

WELL_KNOWN = "/.well-known/agent-card.json"
MOST_BYTES = 1024 * 1024
"""Of a card."""
MOST_SKILLS = 200
_JSON_RPC = "JSONRPC"
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_.-]+")


def card_address(url: str, document_url: str = "") -> str:
    """Where the card is: at an address of its own, at `url` itself where that names a file, else at the usual path."""
    if document_url:
        return document_url if _names_file(document_url) else _below(document_url)
    return url if _names_file(url) else _below(url)


def _names_file(url: str) -> bool:
    return urlsplit(url).path.endswith(".json")


def _below(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(path=parts.path.rstrip("/") + WELL_KNOWN, fragment="").geturl()


def same_origin(url: str, other: str) -> bool:
    """Whether two addresses are on one host, by one scheme and port."""
    return _origin(url) == _origin(other)


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    return parts.scheme.lower(), (parts.hostname or "").lower(), port or {"https": 443, "http": 80}.get(parts.scheme)


def tidied(value: JsonValue) -> Any:
    """A copy of JSON without what the SDK's types stumble over: lone surrogates. Raises ValueError (infinities),
    RecursionError."""
    return json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))


def unusable(why: str) -> McpParseError:
    """The error for a card that is none."""
    return McpParseError(params={"reason": "agent_card", "why": why})


def agent_of(card: JsonValue, url: str) -> Agent:
    """What a card says of the agent that a person entered as `url`.

    Raises McpParseError (no card), McpProtocolError (no JSON-RPC, another version, another host).
    """
    read = _read(card)
    address, dialect = _address(read, url)
    skills = tuple(_skills(read))
    if len(skills) > MOST_SKILLS:
        raise unusable(f"lists more than {MOST_SKILLS} skills")
    return Agent(
        name=read.name[:200],
        version=read.version[:100],
        description=read.description,
        dialect=dialect,
        url=address,
        skills=skills,
        by_name={skill.name: skill for skill in skills},
    )


def _read(card: JsonValue) -> AgentCard:
    from a2a.types.a2a_pb2 import AgentCard
    from a2a.utils.proto_utils import parse_lenient
    from google.protobuf.json_format import ParseError

    if not isinstance(card, dict):
        raise unusable("is no JSON object")
    try:
        tidy: JsonObject = tidied(card)
        if "supportedInterfaces" in tidy:
            read: AgentCard = parse_lenient(_of_now(tidy), AgentCard())
        else:
            from a2a.client.card_resolver import parse_agent_card  # only for cards of 0.3: it brings all clients

            read = parse_agent_card(tidy)
    except (ParseError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise unusable(f"does not have the form of one: {str(error)[:300]}") from error
    if not read.name or not read.supported_interfaces:
        raise unusable("lacks a name" if not read.name else "names no address for messages")
    return read


def _of_now(card: JsonObject) -> JsonObject:
    """The members that are read: a fault in what a card says of signing in, which people read, is none here."""
    fields = ("name", "description", "version", "supportedInterfaces", "skills", "defaultOutputModes", "capabilities")
    kept = {name: card[name] for name in fields if name in card}
    skills = kept.get("skills")
    if isinstance(skills, list):
        kept["skills"] = [
            {name: value for name, value in skill.items() if name != "securityRequirements"}
            if isinstance(skill, dict)
            else skill
            for skill in skills
        ]
    return kept


def _address(card: AgentCard, url: str) -> tuple[str, Dialect]:
    """The first address for JSON-RPC in a version that is spoken here, on the host that was entered."""
    offered = [interface for interface in card.supported_interfaces if interface.protocol_binding.upper() == _JSON_RPC]
    if not offered:
        kinds = sorted({interface.protocol_binding[:40] or "?" for interface in card.supported_interfaces})
        raise McpProtocolError(params={"reason": "agent_binding", "why": ", ".join(kinds)[:200]})
    spoken = [
        (interface.url, dialect)
        for interface in offered
        if (dialect := _dialect(interface.protocol_version)) is not None
    ]
    if not spoken:
        versions = sorted({interface.protocol_version[:20] or "?" for interface in offered})
        raise McpProtocolError(params={"reason": "agent_version", "why": ", ".join(versions)[:200]})
    spoken.sort(key=lambda pair: pair[1], reverse=True)
    for address, dialect in spoken:
        if url_problem(address) is None and same_origin(address, url):
            return address, dialect
    named = spoken[0][0][:300]
    if url_problem(named) is not None:
        raise unusable("names an address for messages that cannot be used")
    params: JsonObject = {"reason": "agent_origin", "why": named, "host": urlsplit(url).netloc}
    raise McpProtocolError(params=params, detail={"url": named})


def _dialect(version: str) -> Dialect | None:
    if version == "1" or version.startswith("1."):
        return "1.0"
    return "0.3" if version == "0.3" or version.startswith("0.3.") else None


def _skills(card: AgentCard) -> Iterator[Skill]:
    taken: set[str] = set()
    modes = tuple(card.default_output_modes)
    for skill in card.skills:
        name = _free(skill.id or skill.name, taken)
        taken.add(name)
        yield Skill(name, skill.id, skill.name[:200], _words(skill), tuple(skill.output_modes) or modes)
    if not card.skills:
        yield Skill("message", "", card.name[:200], card.description, modes)


def _free(preferred: str, taken: set[str]) -> str:
    name = preferred if _PLAIN.fullmatch(preferred) else _NOT_PLAIN.sub("_", preferred).strip("_")[:60] or "skill"
    number, stem = 1, name
    while name in taken:
        number += 1
        name = f"{stem[:58]}_{number}"
    return name


def _words(skill: AgentSkill) -> str:
    """What a model reads of a skill."""
    parts = [skill.description]
    if skill.tags:
        parts.append(f"Tags: {', '.join(skill.tags)}")
    if skill.examples:
        parts.append("\n".join(["Examples:", *(f"- {example}" for example in skill.examples)]))
    return "\n\n".join(part for part in parts if part)
