"""JSON-RPC to an agent in both versions of A2A: messages sent, tasks asked for and cancelled, every failure named.

Requests are built and answers read with the SDK's types; what is between is the guarded client, one request at a time.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar
from uuid import uuid4

from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    SendMessageConfiguration,
    SendMessageRequest,
    SendMessageResponse,
    Task,
)
from a2a.utils.constants import VERSION_HEADER
from a2a.utils.proto_utils import parse_lenient
from google.protobuf.json_format import MessageToDict, ParseError

from backend.errors import (
    McpExecutionError,
    McpInvalidParams,
    McpParseError,
    McpProtocolError,
    McpUnreachable,
    PatchbayError,
    ResultTooLarge,
)
from backend.json_types import JsonObject, JsonValue
from backend.net.rules import NetworkRules
from backend.tools.a2a.cards import MOST_BYTES, same_origin, tidied, unusable
from backend.tools.a2a.model import Agent
from backend.tools.a2a.signed import locked, signed_answer
from backend.tools.http.reading import Answer
from backend.tools.mcp.faults import RAW_LIMIT
from backend.tools.openapi.requests import Request
from backend.tools.openapi.source import Sending
from backend.tools.servers import ServerConfig

T = TypeVar("T")
_ETAG = re.compile(r'(W/)?"[\x21\x23-\x7e]{0,190}"')
_DATE = re.compile(r"[A-Za-z0-9:, ]{10,40}")
BIG = 256 * 1024
"""Characters or bytes of an answer above which it is read off the event loop."""
NOT_FOUND, NOT_CANCELABLE = -32001, -32002
_VERSION = -32009
_METHODS = {
    "SendMessage": "message/send",
    "GetTask": "tasks/get",
    "CancelTask": "tasks/cancel",
}
"""By the names of 1.0 those of 0.3."""
NOTHING_KNOWN: Mapping[str, str] = MappingProxyType({})


class Refused(Exception):
    """The agent's own error in JSON-RPC; `error` = as ours."""

    def __init__(self, code: int, error: PatchbayError) -> None:
        super().__init__(code)
        self.code, self.error = code, error


class Unchanged(Exception):
    """The card at the address is still the one that is known."""


@dataclass(frozen=True, slots=True)
class FetchedCard:
    """A card, and what its address said of this version; empty where it said nothing that can be sent back."""

    card: JsonObject
    etag: str = ""
    modified: str = ""


def validators(etag: str, modified: str) -> dict[str, str]:
    """The headers that ask for a card only where it is another than the one of which this was said."""
    return {"If-None-Match": etag} if etag else {"If-Modified-Since": modified} if modified else {}


async def fetched_card(
    config: ServerConfig,
    rules: NetworkRules,
    address: str,
    timeout_s: float,
    known: Mapping[str, str] = NOTHING_KNOWN,
) -> FetchedCard:
    """The card at an address; with the credentials only where it is on the agent's own host. Raises McpError.

    `known` = the `validators` of the version that is known; where it is still that, Unchanged.
    """
    request = Request("GET", address, {"Accept": "application/json", **known})
    try:
        if same_origin(address, config.url):
            answer = await signed_answer(config, rules, MOST_BYTES, request, timeout_s)
        else:
            answer, _ = await Sending(config, rules, MOST_BYTES).answer(request, timeout_s)
    except ResultTooLarge:
        raise unusable("is larger than 1 MB") from None
    if answer.status in (401, 403):
        raise locked(config, answer)
    if known and answer.status == 304:
        raise Unchanged
    if answer.status != 200:
        raise McpUnreachable(params={"reason": "agent_card_status", "status": answer.status})
    if answer.mime in ("text/html", "application/xhtml+xml"):
        raise unusable("is a web page")
    value: JsonValue = answer.body
    if not answer.parsed:
        try:
            value = json.loads(answer.text or answer.data)
        except (ValueError, RecursionError):
            raise unusable("is no JSON") from None
    if not isinstance(value, dict):
        raise unusable("is no JSON object")
    etag, modified = answer.headers.get("etag", ""), answer.headers.get("last-modified", "")
    return FetchedCard(value, etag if _ETAG.fullmatch(etag) else "", modified if _DATE.fullmatch(modified) else "")


class Peer:
    """One agent, as requests reach it."""

    def __init__(self, config: ServerConfig, agent: Agent, rules: NetworkRules, limit: int) -> None:
        self._config, self._agent, self._rules, self._limit = config, agent, rules, limit
        self._old = agent.dialect == "0.3"

    async def send(self, message: Message, modes: tuple[str, ...], timeout_s: float) -> Task | Message:
        """Send a message: the task that it became, or the agent's answer. Raises Refused, McpError.

        The agent is asked to answer at once, so that the task's id is known before its work is done.
        """
        configuration = SendMessageConfiguration(accepted_output_modes=modes, return_immediately=True)
        request = SendMessageRequest(message=message, configuration=configuration)
        if self._old:
            from a2a.compat.v0_3 import conversions

            params = _dumped(conversions.to_compat_send_message_request(request, request_id=0).params)
        else:
            params = MessageToDict(request)
        return await self._called("SendMessage", params, timeout_s, self._answer)

    def _answer(self, result: JsonValue) -> Task | Message:
        if self._old:
            return self._old_answer(result)
        read = self._parsed(result, SendMessageResponse())
        if read.HasField("task"):
            return _with_id(read.task)
        if read.HasField("message"):
            message: Message = read.message
            return message
        raise _misshapen("neither a task nor a message")

    async def task(self, task_id: str, timeout_s: float) -> Task:
        """Where a task is. Raises Refused, McpError."""
        # of the history nothing is read: what the agent says now is in the state, what it made in the artifacts
        query: JsonObject = {"id": task_id, "historyLength": 0}
        params = query if self._old else MessageToDict(GetTaskRequest(id=task_id, history_length=0))
        return await self._called("GetTask", params, timeout_s, partial(self._task_of, task_id))

    async def cancel(self, task_id: str, timeout_s: float) -> None:
        """Tell that nobody wants a task any more. Raises Refused, McpError."""
        params = {"id": task_id} if self._old else MessageToDict(CancelTaskRequest(id=task_id))
        await self._called("CancelTask", params, timeout_s, lambda _: None)

    # -- reading ---------------------------------------------------------------------------------------------------

    def _task_of(self, task_id: str, result: JsonValue) -> Task:
        if self._old:
            task = self._old_answer(result)
            if not isinstance(task, Task):
                raise _misshapen("no task")
        else:
            task = _with_id(self._parsed(result, Task()))
        if task.id != task_id:
            raise McpProtocolError(params={"reason": "task_id"})
        return task

    @staticmethod
    def _parsed(result: JsonValue, into: Any) -> Any:
        if not isinstance(result, dict):
            raise _misshapen("no object")
        try:
            return parse_lenient(tidied(result), into)
        except (ParseError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _misshapen(str(error)) from error

    @staticmethod
    def _old_answer(result: JsonValue) -> Task | Message:
        """An answer of 0.3 as one of 1.0."""
        from a2a.compat.v0_3 import conversions
        from a2a.compat.v0_3 import types as old

        if not isinstance(result, dict):
            raise _misshapen("no object")
        try:
            task: JsonObject = tidied(result)
            if task.get("kind") == "message" or ("kind" not in task and "messageId" in task):
                return conversions.to_core_message(old.Message.model_validate(task))
            return _with_id(conversions.to_core_task(old.Task.model_validate(task)))
        except (ParseError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise _misshapen(str(error)) from error

    # -- one request -----------------------------------------------------------------------------------------------

    async def _called(self, method: str, params: JsonObject, timeout_s: float, read: Callable[[JsonValue], T]) -> T:
        """One request, and its result as `read` has it. Raises Refused, McpError."""
        name = _METHODS[method] if self._old else method
        body: JsonObject = {"jsonrpc": "2.0", "id": uuid4().hex, "method": name, "params": params}
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        request = Request("POST", self._agent.url, {**headers, VERSION_HEADER: self._agent.dialect})
        request.content = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        answer = await signed_answer(self._config, self._rules, self._limit, request, timeout_s)
        value = await _json_of(answer)
        if isinstance(value, dict) and isinstance(error := value.get("error"), dict):
            raise _refused(error)
        if answer.status != 200:
            raise locked(self._config, answer, raw=(answer.text or "")[:RAW_LIMIT])
        if not isinstance(value, dict) or "result" not in value:
            _not_a2a(answer)
        if len(answer.text or answer.data) > BIG:
            return await asyncio.to_thread(read, value["result"])
        return read(value["result"])


async def _json_of(answer: Answer) -> JsonValue:
    """The body as JSON; None where it is none."""
    if answer.parsed:
        return answer.body
    if answer.data and answer.mime.endswith("json"):  # too large to be kept as text
        try:
            value: JsonValue = await asyncio.to_thread(json.loads, answer.data)
        except (ValueError, RecursionError):
            return None
        return value
    return None


def _not_a2a(answer: Answer) -> NoReturn:
    detail: JsonObject = {"raw": (answer.text or "")[:RAW_LIMIT]}
    if answer.parsed:
        raise _misshapen("neither a result nor an error")
    if answer.mime.endswith("json"):
        raise McpParseError(params={"reason": "json"}, detail=detail)
    raise McpProtocolError(params={"reason": "agent_kind", "kind": answer.mime}, detail=detail)


def _refused(error: Mapping[str, JsonValue]) -> Refused:
    code = error.get("code")
    number = code if isinstance(code, int) and not isinstance(code, bool) else 0
    message = str(error.get("message") or "")
    detail: JsonObject = {"code": number, "message": message[:RAW_LIMIT]}
    if error.get("data") is not None:
        detail["data"] = error["data"]
    why = message[:300]
    if number == _VERSION:
        return Refused(number, McpProtocolError(params={"reason": "agent_version", "why": why}, detail=detail))
    if number in (-32600, -32601, -32700, -32004, -32005, -32006, -32008):
        return Refused(number, McpProtocolError(params={"reason": "answer", "why": why}, detail=detail))
    if number == -32602:
        return Refused(number, McpInvalidParams(params={"reason": "server", "why": why}, detail=detail))
    return Refused(number, McpExecutionError(params={"reason": "server", "why": why}, detail=detail))


def _misshapen(why: str) -> McpProtocolError:
    return McpProtocolError(params={"reason": "shape"}, detail={"why": why[:2000]})


def _with_id(task: Task) -> Task:
    if not task.id or len(task.id) > 2048:
        raise _misshapen("a task without an id that can be used")
    return task


def _dumped(model: Any) -> JsonObject:
    value: JsonObject = model.model_dump(by_alias=True, exclude_none=True, mode="json")
    return value
