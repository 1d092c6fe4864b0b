"""Servers of the handshake era that ask in the middle of a call: the call is held, alone on its connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from backend.errors import McpTimeout
from backend.json_types import JsonLike
from backend.tools.calls.testing import PlainEffects
from backend.tools.mcp.pool import Pool
from backend.tools.servers import ServerConfig
from backend.tools.types import Answer, EffectHandle, EffectKind, Event, Question, T
from tests.live.servers.conftest import Caller, node_server, program, until
from tests.looking import inside

Call = Callable[[ServerConfig], Caller]
BOB = "usr_bob"


@dataclass
class Person(PlainEffects):
    """Effects whose questions wait until somebody says something: `person.says(Answer(...))`."""

    open: list[asyncio.Future[Answer]] = field(default_factory=list)
    withdrawn: int = 0

    async def effect(
        self,
        key: str,
        call: Callable[[EffectHandle], Awaitable[T]],
        kind: EffectKind,
        *,
        target: str,
        arguments: JsonLike = None,
        started: Event | None = None,
        ended: Callable[[T], Event] | None = None,
    ) -> T:
        async def asking(handle: EffectHandle) -> T:
            return await call(replace(handle, ask=self.held))

        return await super().effect(key, asking, kind, target=target)

    async def held(self, key: str, question: Question) -> Answer:
        self.questions.append(question)
        reply: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.open.append(reply)
        try:
            return await reply
        except asyncio.CancelledError:
            self.withdrawn += 1
            raise

    async def says(self, answer: Answer) -> None:
        await until(lambda: any(not reply.done() for reply in self.open))
        next(said for said in self.open if not said.done()).set_result(answer)


async def test_only_where_asks_is_on_such_a_server_may_ask(pool: Pool, caller: Call) -> None:
    plain = {tool.name for tool in await caller(program()).source.list_tools()}
    asking = {tool.name for tool in await caller(program("asking", asks=True)).source.list_tools()}
    assert asking - plain == {"ask"}


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (Answer("accept", {"seats": 5}, by=BOB), {"action": "accept", "content": {"seats": 5}}),
        (Answer("accept", None, by=BOB), {"action": "accept", "content": {"seats": 2}}),
        (Answer("decline", by=BOB), {"action": "decline"}),
        (Answer("decline", reason="expired"), {"action": "cancel"}),
    ],
)
async def test_the_call_goes_on_with_the_answer(pool: Pool, caller: Call, answer: Answer, reply: Any) -> None:
    person = Person()
    call = asyncio.ensure_future(caller(program(asks=True))("ask", effects=person))
    await person.says(answer)
    assert json.loads((await call).text) == reply
    (question,) = person.questions
    assert (question.kind, question.message, question.expires_in_s) == ("elicitation", "How many seats?", 600)
    assert question.proposal == {"seats": 2} and question.tool == {"server": "plain", "name": "ask"}


async def test_time_stands_still_while_a_person_thinks(pool: Pool, caller: Call) -> None:
    person = Person()
    call = asyncio.ensure_future(caller(program(asks=True))("ask", effects=person, timeout_s=0.5))
    await until(lambda: bool(person.questions))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(call), 1.2)
    await person.says(Answer("accept", by=BOB))
    assert json.loads((await call).text)["action"] == "accept"
    with pytest.raises(McpTimeout):
        await caller(program(asks=True))("sleep", {"seconds": 30}, effects=person, timeout_s=0.3)


async def test_one_call_at_a_time(pool: Pool, caller: Call) -> None:
    person = Person()
    call = caller(program(asks=True))
    first = asyncio.ensure_future(call("ask", effects=person))
    await until(lambda: bool(person.questions))
    second = asyncio.ensure_future(call("echo", {"text": "me too"}))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(second), 0.3)
    await person.says(Answer("accept", by=BOB))
    await first
    assert (await second).text == "me too"


async def test_a_question_is_taken_back_when_the_server_gives_up(pool: Pool, caller: Call) -> None:
    person = Person()
    result = await caller(program(asks=True))("ask", {"patience": 0.2}, effects=person)
    assert (result.text, len(person.questions), person.withdrawn) == ("nobody answered", 1, 1)


async def test_cancelling_a_held_call_tells_the_server(pool: Pool, caller: Call) -> None:
    person = Person()
    call = caller(program(asks=True))
    held = asyncio.ensure_future(call("ask", effects=person))
    await until(lambda: bool(person.questions))
    held.cancel()
    with pytest.raises(asyncio.CancelledError):
        await held
    assert person.withdrawn == 1
    async with pool.use(program(asks=True)) as live:
        await until(lambda: any(line.startswith("cancelled") for line in live.stderr.tail()))
    assert (await call("echo", {"text": "still here"})).text == "still here"


async def test_an_address_that_is_none_is_not_shown_to_anybody(pool: Pool, caller: Call) -> None:
    person = Person()
    result = await caller(program(asks=True))("ask", {"url": "javascript:alert(1)"}, effects=person)
    assert json.loads(result.text)["code"] == -32602 and person.questions == []


async def test_outside_a_run_nobody_is_asked(pool: Pool, caller: Call) -> None:
    from backend.tools.calls.direct import DirectEffects

    result = await caller(program(asks=True))("ask", effects=DirectEffects(confirm=True))
    assert json.loads(result.text) == {"action": "cancel"}


async def test_the_elicitation_tool_of_server_everything(pool: Pool, caller: Call) -> None:
    config = replace(node_server("mcp-server-everything", "stdio"), asks=True)
    person = Person()
    call = asyncio.ensure_future(caller(config)("trigger-elicitation-request", effects=person))
    await person.says(Answer("accept", {"name": "Alice", "check": True}, by=BOB))
    result = await call
    assert "Alice" in result.text and not result.is_error
    assert person.questions[0].schema and "firstLine" in inside(person.questions[0].schema["properties"])
