"""Calls to servers of the handshake era that ask a person in mid-call: the call stays open until the answer is there.

Such a server cannot wait for days and cannot say which call its question belongs to. So its connection serves one call
at a time (`Connection.slots`), the call is held while the person thinks, and its own timeout stands still meanwhile.

    the SDK's task: Connection.on_question -> HeldCall.put ... the caller's task: HeldCall.result -> EffectHandle.ask
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Coroutine
from typing import Any

from mcp_types import INVALID_PARAMS, ElicitRequestParams, ElicitResult, ErrorData, Result

from backend.errors import McpProtocolError
from backend.tools.mcp.connection import Connection
from backend.tools.mcp.elicitation import held_answer, question_of
from backend.tools.types import EffectHandle, Question

LONGEST_CALL_S = 86_400.0
"""The SDK's own timeout of such a call, which knows nothing of holding."""
_END_WAIT_S = 3.0

Raw = Result
Reply = asyncio.Future[ElicitResult | ErrorData]


class HeldCall:
    """One call that may be held. `timeout_s`, `longest_s` = how long it may take, as of `Patience`, without the time
    for which it is held."""

    def __init__(
        self, live: Connection, handle: EffectHandle, tool: str, timeout_s: float, hold_s: float, longest_s: float
    ) -> None:
        self._live, self._handle, self._tool = live, handle, tool
        self._timeout_s, self._left, self._hold_s = timeout_s, timeout_s, hold_s
        self._most = max(timeout_s, longest_s)
        self._since = time.monotonic()
        self._put: asyncio.Queue[tuple[ElicitRequestParams, Reply]] = asyncio.Queue()
        self._replies: list[Reply] = []

    def on_message(self) -> None:
        """The server told how far it is: its time counts anew."""
        passed = time.monotonic() - self._since
        self._left = min(self._timeout_s + passed, self._most)

    async def put(self, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        """A question of the server; gives what it is answered. Awaited by the SDK."""
        reply: Reply = asyncio.get_running_loop().create_future()
        self._replies.append(reply)
        self._put.put_nowait((params, reply))
        return await reply

    async def result(self, call: Coroutine[Any, Any, Raw]) -> Raw:
        """What `call` gives, its server's questions answered meanwhile. Raises what it raises, and TimeoutError."""
        self._live.questions = self.put
        work = asyncio.ensure_future(call)
        try:
            while not work.done():
                question = await self._next(work)
                if question is not None:
                    await self._answer(*question, work)
                elif not work.done() and self._left <= 0:
                    raise TimeoutError("the call took longer than it may")
            return work.result()
        finally:
            self._live.questions = None
            try:
                if not work.done():
                    work.cancel()  # tells the server
                    await asyncio.wait({work}, timeout=_END_WAIT_S)
            finally:
                for reply in self._replies:
                    if not reply.done():
                        reply.set_result(ElicitResult(action="cancel"))

    async def _next(self, work: asyncio.Future[Raw]) -> tuple[ElicitRequestParams, Reply] | None:
        """The next question; None when the call is over, or has had its time."""
        self._since = time.monotonic()
        question = asyncio.ensure_future(self._put.get())
        waited: set[asyncio.Future[Any]] = {work, question}
        try:
            await asyncio.wait(waited, timeout=max(0.0, self._left), return_when=asyncio.FIRST_COMPLETED)
            return question.result() if question.done() else None
        finally:
            question.cancel()
            passed = time.monotonic() - self._since
            self._left, self._most = self._left - passed, self._most - passed

    async def _answer(self, params: ElicitRequestParams, reply: Reply, work: asyncio.Future[Raw]) -> None:
        """Ask the person, unless the call or the server's question is over before the answer is there."""
        shown = self._live.masker.value(params.model_dump(by_alias=True, mode="json", exclude_none=True))
        try:
            question = question_of(shown, self._live.config.slug, self._tool, expires_in_s=self._hold_s)
        except McpProtocolError as error:
            reply.set_result(ErrorData(code=INVALID_PARAMS, message=str(error.params.get("reason"))))
            return
        question_task = asyncio.ensure_future(self._handle.ask(_key(question), question))
        try:
            over: set[asyncio.Future[Any]] = {question_task, work, reply}
            await asyncio.wait(over, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not question_task.done():
                question_task.cancel()
                await asyncio.wait({question_task})
        if not question_task.cancelled() or not (work.done() or reply.done()):
            answer = question_task.result()  # a cancelled run is told so here
            if not reply.done():
                reply.set_result(ElicitResult.model_validate(held_answer(answer, question)))


def _key(question: Question) -> str:
    """The same question of the same call is the same question after a crash, and answered at once."""
    text = json.dumps([question.message, question.schema], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
