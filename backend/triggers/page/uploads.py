"""Files of a form: `{"$upload": {name, mime, base64}}` stands where a file is asked for.

They come with the form, so that the limits of its runs hold for them, and are stored in the transaction that stores
its run: where no run begins, nothing of them is kept.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from backend.accounts.actor import Actor
from backend.errors import TooLarge, ValidationFailed
from backend.files.services import file_create, files_known, mime_of
from backend.json_types import JsonValue
from backend.web.lookup import storable

MARK = "$upload"
MOST_FILES = 20
_SLACK = 1024 * 1024
"""Bytes of a body for what is no file."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came with a form."""

    name: str
    mime: str
    data: bytes


def most_bytes() -> int:
    """The longest body of what is sent: its files are written in base64."""
    return int(settings.PATCHBAY.page_mb * 1024 * 1024 * 4 / 3) + _SLACK


def read_uploads(inputs: Any) -> Any:
    """The inputs with an `Upload` for each file that came. Raises ValidationFailed (`inputs.<name>`), TooLarge."""
    uploads: list[Upload] = []

    def read(value: Any, field: str) -> Any:
        if isinstance(value, list):
            return [read(inner, f"{field}.{index}") for index, inner in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if "$file" in value:  # a reference would let whoever guesses an id read a file of the team
            raise ValidationFailed(fields={field: ["may not be a file of the team"]})
        if MARK not in value:
            return {name: read(inner, f"{field}.{name}") for name, inner in value.items()}
        uploads.append(_upload(value, field))
        return uploads[-1]

    read_value = read(inputs, "inputs")
    if len(uploads) > MOST_FILES:
        raise ValidationFailed(fields={"inputs": [f"may have at most {MOST_FILES} files"]})
    if sum(len(upload.data) for upload in uploads) > settings.PATCHBAY.page_mb * 1024 * 1024:
        raise TooLarge(params={"limit": f"{settings.PATCHBAY.page_mb:g}"})
    return read_value


def _upload(value: dict[str, Any], field: str) -> Upload:
    upload = value[MARK]
    if len(value) != 1 or not isinstance(upload, dict):
        raise ValidationFailed(fields={field: [f"must be {{{MARK}: {{name, mime, base64}}}}"]})
    name, mime, text = upload.get("name"), upload.get("mime") or "", upload.get("base64")
    if not isinstance(name, str) or not name.strip() or not storable(name):
        raise ValidationFailed(fields={f"{field}.name": ["must be the name of the file"]})
    if not isinstance(mime, str) or not storable(mime):
        raise ValidationFailed(fields={f"{field}.mime": ["must be a media type"]})
    try:
        data = b64decode(text if isinstance(text, str) else "?", validate=True)
    except (binascii.Error, ValueError):
        raise ValidationFailed(fields={f"{field}.base64": ["must be the bytes of the file in base64"]}) from None
    return Upload(name.strip(), mime_of(name, mime), data)


def described(inputs: Any) -> JsonValue:
    """The inputs with what the files are called in their place: what is kept where no run begins."""
    return _with(inputs, lambda upload: {"name": upload.name, "mime": upload.mime, "size": len(upload.data)})


def stored(actor: Actor, inputs: Any) -> JsonValue:
    """The inputs with the files, which are stored, in their place; in the caller's transaction."""

    def store(upload: Upload) -> JsonValue:
        row = file_create(actor, upload.name, upload.mime, upload.data)
        value: JsonValue = files_known(actor.team.pk, {row.pk})[row.pk]
        return value

    return _with(inputs, store)


def _with(value: Any, replace: Callable[[Upload], JsonValue]) -> JsonValue:
    if isinstance(value, Upload):
        return replace(value)
    if isinstance(value, dict):
        return {name: _with(inner, replace) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with(inner, replace) for inner in value]
    plain: JsonValue = value
    return plain
