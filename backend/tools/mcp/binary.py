"""Bytes within a tool's answer become files: where a block held base64, it names a file that was kept.

Pictures, sound and the blobs of resources are handed on as what they are, `{"$file": id, name, mime, size}`, and no log
carries them. What is no base64 stays as it came.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import mimetypes
import re
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from backend.tools.types import JsonObject, JsonValue

UNKNOWN = "application/octet-stream"
IN_THREAD = 256 * 1024
"""Characters of base64 above which it is read off the event loop."""
_ENDINGS = {
    "image/jpeg": ".jpg",
    "image/svg+xml": ".svg",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
    "audio/x-wav": ".wav",
}
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
_LONGEST = 120
"""Characters of a file's name."""


class Binary(NamedTuple):
    """A file within an answer."""

    data: bytes
    mime: str
    name: str


KeepFiles = Callable[[list[Binary]], Awaitable[list[JsonObject]]]
"""Keeps files and gives, for each, how it stands in a value."""


async def kept(content: list[JsonObject], keep: KeepFiles) -> list[JsonObject]:
    """The blocks with their bytes kept as files."""
    packed = [(index, data) for index, block in enumerate(content) if (data := _packed(block)) is not None]
    if not packed:
        return content
    if sum(len(data) for _, data in packed) > IN_THREAD:
        read = await asyncio.to_thread(lambda: [_bytes(data) for _, data in packed])
    else:
        read = [_bytes(data) for _, data in packed]
    decoded = [(index, data) for (index, _), data in zip(packed, read, strict=True) if data is not None]
    files = await keep([_named(content[index], data, number) for number, (index, data) in enumerate(decoded, 1)])
    blocks = list(content)
    for (index, _), file in zip(decoded, files, strict=True):
        blocks[index] = _with_file(blocks[index], file)
    return blocks


def packed_again(block: JsonObject, read: Callable[[str], bytes]) -> JsonObject:
    """The block as a server sends it: where it names a file that was kept, its bytes, which `read` gives by the id."""
    holder = _holder(block)
    file = holder[0].get("file") if holder else None
    if holder is None or not isinstance(file, dict):
        return block
    within, name = holder
    data = base64.b64encode(read(str(file.get("$file")))).decode()
    changed: JsonObject = {key: value for key, value in within.items() if key != "file"} | {name: data}
    return changed if within is block else {**block, "resource": changed}


def kept_bytes(block: JsonObject) -> int:
    """How many bytes the file has that the block names; 0 where it names none."""
    holder = _holder(block)
    file = holder[0].get("file") if holder else None
    size = file.get("size") if isinstance(file, dict) else 0
    return size if isinstance(size, int) else 0


def _holder(block: JsonObject) -> tuple[JsonObject, str] | None:
    """What holds the bytes of a block, and under which name."""
    if block.get("type") in ("image", "audio"):
        return block, "data"
    resource = block.get("resource")
    return (resource, "blob") if block.get("type") == "resource" and isinstance(resource, dict) else None


def _packed(block: JsonObject) -> str | None:
    holder = _holder(block)
    value = holder[0].get(holder[1]) if holder else None
    return value if isinstance(value, str) and value else None


def _bytes(packed: str) -> bytes | None:
    plain = "".join(packed.split()).replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _named(block: JsonObject, data: bytes, number: int) -> Binary:
    holder = _holder(block)
    assert holder is not None  # noqa: S101 - it had bytes
    mime = _text(holder[0].get("mimeType")).split(";")[0].strip().lower() or UNKNOWN
    last = _ODD.sub("_", unquote(urlsplit(_text(holder[0].get("uri"))).path).rpartition("/")[2]).lstrip(".")[-_LONGEST:]
    ending = _ENDINGS.get(mime) or mimetypes.guess_extension(mime) or ".bin"
    if re.search(r"\.\w{1,8}$", last):
        return Binary(data, mime, last)
    return Binary(data, mime, f"{last or mime.partition('/')[0]}{'' if last else f'-{number}'}{ending}")


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _with_file(block: JsonObject, file: JsonObject) -> JsonObject:
    holder = _holder(block)
    assert holder is not None  # noqa: S101 - it had bytes
    within, name = holder
    changed: JsonObject = {key: value for key, value in within.items() if key != name} | {"file": file}
    return changed if within is block else {**block, "resource": changed}
