"""What a call says to an agent, and what the agent says back: arguments as a message, its parts as a tool's result."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Iterable
from uuid import NAMESPACE_URL, uuid5

from a2a.types.a2a_pb2 import Message, Part, Role, Task, TaskState
from a2a.utils.proto_utils import parse_lenient
from google.protobuf.json_format import MessageToDict, ParseError
from google.protobuf.struct_pb2 import Value

from backend.errors import McpInvalidParams, McpProtocolError, ResultTooLarge
from backend.json_types import JsonObject, JsonValue
from backend.net.urls import url_problem
from backend.tools.a2a.model import Skill
from backend.tools.types import ToolResult

ReadFile = Callable[[str], Awaitable[tuple[bytes, str, str]]]
"""(bytes, mime, name) of a file of the run's team, by its id. Raises NotFound."""
MOST_FILE_BYTES = 20 * 1024 * 1024
"""Of all files that go with one message."""
STATES = {
    TaskState.TASK_STATE_SUBMITTED: "submitted",
    TaskState.TASK_STATE_WORKING: "working",
    TaskState.TASK_STATE_COMPLETED: "completed",
    TaskState.TASK_STATE_FAILED: "failed",
    TaskState.TASK_STATE_CANCELED: "canceled",
    TaskState.TASK_STATE_INPUT_REQUIRED: "input-required",
    TaskState.TASK_STATE_REJECTED: "rejected",
    TaskState.TASK_STATE_AUTH_REQUIRED: "auth-required",
}
"""The states of a task, as results and messages name them."""
_EXACT = 2**53
_FAILED = ("failed", "rejected")
_SOUNDS = "audio/"
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def message_id(key: str) -> str:
    """The id of a message: of one call always the same, so an agent that looks at it sees what it has had already."""
    return str(uuid5(NAMESPACE_URL, f"patchbay:{key}"))


async def message_of(arguments: JsonObject, skill: Skill, key: str, read_file: ReadFile | None) -> Message:
    """The message of a call. Raises McpInvalidParams, NotFound (a file)."""
    context = arguments.get("context_id")
    message = Message(
        message_id=message_id(key),
        role=Role.ROLE_USER,
        context_id=context if isinstance(context, str) else "",
        parts=[Part(text=_clean(str(arguments.get("message") or "")))],
    )
    if skill.id:
        message.metadata.update({"skillId": skill.id})
    if arguments.get("data") is not None:
        message.parts.append(Part(data=_value(arguments["data"])))
    files = arguments.get("files")
    room = MOST_FILE_BYTES
    for number, file in enumerate(files if isinstance(files, list) else []):
        part = await _file(file, f"arguments.files.{number}", read_file)
        room -= len(part.raw)
        if room < 0:
            _wrong("arguments.files", f"hold more than {MOST_FILE_BYTES // 1024 // 1024} MB")
        message.parts.append(part)
    return message


def answer_message(task: Task, text: str, key: str) -> Message:
    """A person's answer to what a task asks."""
    return Message(
        message_id=message_id(key),
        role=Role.ROLE_USER,
        context_id=task.context_id,
        task_id=task.id,
        parts=[Part(text=_clean(text))],
    )


def _clean(text: str) -> str:
    """Without what UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode()


def _value(data: JsonValue) -> Value:
    try:
        value: Value = parse_lenient(json.dumps(data), Value())
    except (ParseError, ValueError, RecursionError):
        _wrong("arguments.data", "cannot be sent: it is nested too deeply, or is no JSON")
    return value


def _wrong(field: str, why: str) -> None:
    raise McpInvalidParams(fields={field: [why]})


async def _file(file: JsonValue, field: str, read_file: ReadFile | None) -> Part:
    if not isinstance(file, dict):
        raise McpInvalidParams(fields={field: ["must be an object"]})
    name, mime = str(file.get("name") or ""), str(file.get("mime_type") or "")
    if isinstance(key := file.get("$file"), str):
        if read_file is None:
            raise McpInvalidParams(fields={field: ["files of a run can only be sent by a run"]})
        data, kind, called = await read_file(key)
        return Part(raw=data, filename=name or called, media_type=mime or kind)
    if isinstance(url := file.get("url"), str):
        if url_problem(url) is not None:
            raise McpInvalidParams(fields={f"{field}.url": ["is no address of a file"]})
        return Part(url=url, filename=name, media_type=mime)
    try:
        raw = base64.b64decode("".join(str(file.get("data") or "").split()), validate=True)
    except (binascii.Error, ValueError):
        raise McpInvalidParams(fields={f"{field}.data": ["must be base64"]}) from None
    if not raw:
        raise McpInvalidParams(fields={field: ['needs "$file", "url" or "data"']})
    return Part(raw=raw, filename=name, media_type=mime)


# -- what came back ------------------------------------------------------------------------------------------------


def state_of(task: Task) -> str:
    """The state by its name; "" for one that is none."""
    return STATES.get(task.status.state, "")


def message_text(task: Task) -> str:
    """What the agent says of a task now, in words."""
    return "\n".join(part.text for part in task.status.message.parts if part.WhichOneof("content") == "text")


def result_of(answer: Task | Message, limit: int, ms: float) -> ToolResult:
    """An answer, or a task that has ended, as a tool's result. Raises ResultTooLarge, McpProtocolError."""
    if isinstance(answer, Message):
        return _result(answer.parts, answer.context_id, answer.task_id, "completed", limit, ms)
    state = state_of(answer)
    parts = [part for artifact in answer.artifacts for part in artifact.parts]
    if not parts or state in _FAILED:
        parts += answer.status.message.parts
    return _result(parts, answer.context_id, answer.id, state, limit, ms)


def _result(parts: Iterable[Part], context: str, task: str, state: str, limit: int, ms: float) -> ToolResult:
    content: list[JsonObject] = []
    data: list[JsonValue] = []
    for part in parts:
        block = _block(part)
        if block is not None:
            content.append(block)
        if part.WhichOneof("content") == "data":
            data.append(_json(part))
    text = "\n".join(str(block["text"]) for block in content if block["type"] == "text")
    if state in _FAILED and not text:
        text = f"The agent says that the task {'failed' if state == 'failed' else 'was rejected'}."
        content.append({"type": "text", "text": text})
    structured: JsonObject = {
        "data": data[0] if len(data) == 1 else data or None,
        "context_id": context,
        "task_id": task,
        "state": state,
    }
    if context:  # for models, which see no structured values
        content.append({"type": "text", "text": f"context_id: {context}", "annotations": {"audience": ["assistant"]}})
    if len(json.dumps([content, structured])) > limit:
        raise ResultTooLarge(params={"limit": limit // (1024 * 1024)})
    return ToolResult(content, structured, text, is_error=state in _FAILED, ms=ms)


def _block(part: Part) -> JsonObject | None:
    kind, mime, name = part.WhichOneof("content"), part.media_type, part.filename
    if kind == "text":
        return {"type": "text", "text": part.text}
    if kind == "data":
        return {"type": "text", "text": json.dumps(_json(part), ensure_ascii=False)}
    if kind == "url":  # never fetched from here: whoever reads it decides
        link: JsonObject = {"type": "resource_link", "uri": part.url, "name": name or part.url}
        return {**link, "mimeType": mime} if mime else link
    if kind != "raw":
        return None
    packed = base64.b64encode(part.raw).decode()
    if mime in _PICTURES or mime.startswith(_SOUNDS):
        return {"type": "image" if mime in _PICTURES else "audio", "data": packed, "mimeType": mime}
    resource: JsonObject = {"uri": f"file:///{name or 'file'}", "mimeType": mime, "blob": packed}
    return {"type": "resource", "resource": resource}


def _json(part: Part) -> JsonValue:
    try:
        value: JsonValue = MessageToDict(part.data)
    except (ValueError, RecursionError) as error:
        raise McpProtocolError(params={"reason": "shape"}, detail={"why": str(error)[:2000]}) from error
    return _whole(value)


def _whole(value: JsonValue) -> JsonValue:
    """The value with 3.0 as 3: the SDK's type for data knows only one kind of number."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _EXACT else value
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
