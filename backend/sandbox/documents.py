"""Documents read in processes of their own, which start with the first document and end when idle.

Whoever wrote a document chose what its library does with it: it has its time and its memory, and ends with neither.
"""

from __future__ import annotations

import atexit
import logging
from typing import Any, Literal, NotRequired, TypedDict

from backend.errors import InternalError
from backend.json_types import JsonObject
from backend.sandbox.pool import Failed, Pool, TooCostly

log = logging.getLogger(__name__)

TIME_S = 30
"""How long one document may take."""
MEMORY = 768 * 1024 * 1024
"""Bytes of address space in which it is read."""
LARGEST = 64 * 1024 * 1024
"""Bytes of an answer: all the text that a document may give, once whole and once by pages, as JSON in any script."""
WORKERS = 2
"""Documents at once; more wait in line."""

_POOL = Pool(WORKERS, memory=MEMORY, largest=LARGEST)
atexit.register(_POOL.close)


Form = Literal["text", "markdown", "rows"]
"""What is wanted of a document."""


class DocumentValue(TypedDict):
    """What stands in a document."""

    text: str
    rows: list[JsonObject]
    pages: list[str]
    meta: JsonObject


class DocumentAnswer(TypedDict):
    """What stands in it, or why it cannot be read: `reason` of the catalogue with its values."""

    value: NotRequired[DocumentValue]
    failed: NotRequired[dict[str, Any]]


async def read_document(data: bytes, name: str, mime: str, form: Form, sheet: str = "") -> DocumentAnswer:
    """Read a document as text, as Markdown or as rows of a table. Never raises for what stands in it.

    Raises InternalError for a fault of ours, which is told to the log.
    """
    if not data:
        return {"failed": {"reason": "empty"}}
    try:
        answer: DocumentAnswer = await _POOL.start("document", name, mime, form, sheet, data=data, seconds=TIME_S)
        return answer
    except TooCostly:
        return {"failed": {"reason": "too_costly", "seconds": TIME_S}}
    except Failed as error:  # what its text quotes may stand in the document: the log hears the kind and the place
        log.error(
            "a document could not be read by a fault of ours: %s at %s", str(error).partition(":")[0], error.where
        )
        raise InternalError(params={"reason": "document"}) from error
