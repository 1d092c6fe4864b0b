"""The parts of a file: what Dify calls them, and which of them there are here. Pure."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.report import NO_WORDS

FILE_KEYS = {"mime_type": "mime", "type": "mime", "related_id": "$file"}
"""What Dify calls the parts of a file that have another name here."""
_ABSENT = frozenset({"extension", "url", "remote_url", "transfer_method"})
_MEDIA_TYPE = Text(
    "the type of a file is a media type here, such as image/png", "这里文件的 type 为媒体类型，例如 image/png"
)


def file_part(keys: tuple[str, ...]) -> tuple[tuple[str, ...], Text] | None:
    """The keys that lead to a part of a file, by our names, and what is to be said of it; None where there is none.

    Keys that lead to the file itself, or to one of a list, stay as they are."""
    if not keys:
        return keys, NO_WORDS
    last = keys[-1]
    if last in _ABSENT:
        return None
    return (*keys[:-1], FILE_KEYS.get(last, last)), _MEDIA_TYPE if last == "type" else NO_WORDS
