"""Files that come with a message: their bytes, addresses of them, or files of the team that were uploaded before."""

from __future__ import annotations

import binascii
import mimetypes
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from backend.accounts.actor import Actor
from backend.accounts.teams.outbound import network_rules
from backend.agui.threads import in_thread
from backend.errors import ValidationFailed
from backend.files.fetching import MOST, Fetched, fetched, room_for_files
from backend.files.services import file_create, files_known, mime_of
from backend.json_types import JsonValue
from backend.runs.selectors import file_reached
from backend.web.lookup import storable

MOST_FILES = 20


async def fetched_parts(parts: list[tuple[str, Any]], language: str) -> dict[str, Fetched]:
    """What stands at the addresses among these parts, by their places. Raises ValidationFailed, which names the part.

    Nothing is stored, and no transaction is open, while others are waited for.
    """
    refuse_many(parts)
    named = [(place, part.source) for place, part in parts if part.source.type == "url"]
    if len(named) > MOST:
        raise ValidationFailed(fields={named[MOST][0]: [f"is one of more than {MOST} addresses"]})
    by_address: dict[str, Fetched] = {}
    room = room_for_files()
    rules = await in_thread(network_rules)
    for place, source in named:
        mime = _mime(place, source.mime_type) if source.mime_type else ""
        by_address[place] = await fetched(f"{place}.source.value", source.value, rules, room, language, mime=mime)
        room -= len(by_address[place][0])
    return by_address


def refuse_many(parts: list[tuple[str, Any]]) -> None:
    """Raise ValidationFailed for the first of the parts that is one too many."""
    if len(parts) > MOST_FILES:
        raise ValidationFailed(fields={parts[MOST_FILES][0]: [f"is one file too many: at most {MOST_FILES}"]})


def attached(actor: Actor, parts: list[tuple[str, Any]], fetched: Mapping[str, Fetched]) -> list[JsonValue]:
    """The files of these parts, stored in the caller's transaction. `fetched` = what stood at their addresses.

    Raises ValidationFailed, which names the part.
    """
    refuse_many(parts)
    keys = [_kept(actor, place, part, number, fetched) for number, (place, part) in enumerate(parts, 1)]
    known = files_known(actor.team.pk, set(keys))
    return [known[key] for key in keys]


def _kept(actor: Actor, place: str, part: Any, number: int, fetched: Mapping[str, Fetched]) -> str:
    """The id of the file of one part."""
    source = part.source
    if source.type == "url":
        if place not in fetched:  # its request came before, and was forgotten just now
            raise ValidationFailed(fields={f"{place}.source.value": ["was not fetched: send the request again"]})
        data, name, mime = fetched[place]
        return str(file_create(actor, name, mime, data).pk)
    if source.type == "file":
        key = source.value
        if not storable(key) or key not in files_known(actor.team.pk, {key}) or not file_reached(actor, key):
            raise ValidationFailed(fields={f"{place}.source.value": ["is no file"]})
        return str(key)
    try:
        data = b64decode(source.value, validate=True)
    except (binascii.Error, ValueError):
        raise ValidationFailed(fields={f"{place}.source.value": ["must be the bytes in base64"]}) from None
    mime = _mime(place, source.mime_type)
    name = f"{part.type}-{number}{mimetypes.guess_extension(mime) or ''}"
    return str(file_create(actor, name, mime_of(name, mime), data).pk)


def _mime(place: str, mime: str) -> str:
    if not storable(mime) or len(mime) > 100:
        raise ValidationFailed(fields={f"{place}.source.mimeType": ["must be a media type"]})
    return mime
