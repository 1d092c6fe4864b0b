"""An answer of HTTP as a tool's: JSON is structured, text is text, anything else a file. Pure."""

from __future__ import annotations

import base64
import json
from http import HTTPStatus

from backend.errors import ResultTooLarge
from backend.json_types import JsonObject, JsonValue
from backend.tools.http.reading import Answer
from backend.tools.types import ToolResult

LONGEST_ERROR = 20_000
"""Characters of the body of an error that are kept."""
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def result_of(answer: Answer, wait: float | None, limit: int, ms: float) -> ToolResult:
    """What the tool answers; from status 300 on that is an error. `wait` = seconds that it asks to wait.

    Raises ResultTooLarge.
    """
    if answer.status >= 300:
        return _error(answer, wait, ms)
    text = answer.text or ""
    if answer.text is None and answer.data:
        result = ToolResult([_file(answer)], ms=ms)
    elif answer.parsed:
        result = ToolResult([_words(text)], answer.body, text, ms=ms)
    else:
        text = text or status_line(answer.status)
        result = ToolResult([_words(text)], None, text, ms=ms)
    if len(json.dumps([result.content, result.structured])) > limit:
        raise ResultTooLarge(params={"limit": limit // (1024 * 1024)})
    return result


def with_note(result: ToolResult, misfits: dict[str, list[str]]) -> ToolResult:
    """The result with what does not fit the document's schema, for people: the answer is used as it is."""
    place, texts = next(iter(misfits.items()))
    note = f"Not as the OpenAPI document says: {place} {texts[0]}"[:1000]
    block: JsonObject = {"type": "text", "text": note, "annotations": {"audience": ["user"]}}
    return ToolResult([*result.content, block], result.structured, result.text, ms=result.ms)


def status_line(status: int) -> str:
    """The status with its name, where it has one."""
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def _error(answer: Answer, wait: float | None, ms: float) -> ToolResult:
    body = (answer.text or "")[:LONGEST_ERROR]
    small = answer.parsed and len(answer.text or "") <= LONGEST_ERROR
    shown: JsonValue = answer.body if small else body
    structured: JsonObject = {"status": answer.status, "body": shown}
    if location := answer.headers.get("location"):
        structured["location"] = location[:1000]
    if wait is not None:
        structured["retry_after"] = wait
    advice = f"Retry after {wait:g} s." if wait is not None else ""
    text = "\n".join(filter(None, [status_line(answer.status), advice, body]))
    return ToolResult([_words(text)], structured, text, is_error=True, ms=ms)


def _words(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _file(answer: Answer) -> JsonObject:
    data = base64.b64encode(answer.data).decode()
    if answer.mime in _PICTURES:
        return {"type": "image", "data": data, "mimeType": answer.mime}
    if answer.mime.startswith("audio/"):
        return {"type": "audio", "data": data, "mimeType": answer.mime}
    return {
        "type": "resource",
        "resource": {"uri": f"file:///{answer.name}", "mimeType": answer.mime, "blob": data},
    }
