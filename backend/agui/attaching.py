"""Files that come with a message: their bytes, or files of the team that were uploaded before. Nothing is fetched."""

from __future__ import annotations

import binascii
import mimetypes
from base64 import b64decode
from typing import Any

from backend.accounts.actor import Actor
from backend.errors import ValidationFailed
from backend.files.services import file_create, files_known, mime_of
from backend.json_types import JsonValue
from backend.runs.selectors import file_reached
from backend.web.lookup import storable

MOST_FILES = 20


def attached(actor: Actor, parts: list[tuple[str, Any]]) -> list[JsonValue]:
    """The files of these parts, stored in the caller's transaction. Raises ValidationFailed, which names the part."""
    if len(parts) > MOST_FILES:
        raise ValidationFailed(fields={parts[MOST_FILES][0]: [f"is one file too many: at most {MOST_FILES}"]})
    keys = [_kept(actor, place, part, number) for number, (place, part) in enumerate(parts, 1)]
    known = files_known(actor.team.pk, set(keys))
    return [known[key] for key in keys]


def _kept(actor: Actor, place: str, part: Any, number: int) -> str:
    """The id of the file of one part."""
    source = part.source
    if source.type == "url":
        raise ValidationFailed(fields={f"{place}.source": ["may not be a URL: send the bytes as data"]})
    if source.type == "file":
        key = source.value
        if not storable(key) or key not in files_known(actor.team.pk, {key}) or not file_reached(actor, key):
            raise ValidationFailed(fields={f"{place}.source.value": ["is no file"]})
        return str(key)
    try:
        data = b64decode(source.value, validate=True)
    except (binascii.Error, ValueError):
        raise ValidationFailed(fields={f"{place}.source.value": ["must be the bytes in base64"]}) from None
    mime = source.mime_type
    if not storable(mime) or len(mime) > 100:
        raise ValidationFailed(fields={f"{place}.source.mimeType": ["must be a media type"]})
    name = f"{part.type}-{number}{mimetypes.guess_extension(mime) or ''}"
    return str(file_create(actor, name, mime_of(name, mime), data).pk)
