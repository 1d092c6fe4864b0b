"""Live events over the websocket: every event once and in order, whatever the client and the network do."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator
from typing import Any, get_args

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from backend.accounts.models import ApiToken, Membership
from backend.engine.execution.ports import Entry
from backend.notifications.clients import notify_clients
from backend.project.asgi import application
from backend.runs.live import backlog
from backend.runs.live.hub import HUB, MAX_FRAME
from backend.runs.live.sockets import SOCKETS
from backend.runs.live.wire import FromClient, ToClient
from backend.runs.log.journal import DatabaseJournal, Writer
from backend.runs.models import LogLine, Run
from tests.api.runs.conftest import make_run, make_workflow
from tests.people import Person
from tests.shapes import checker

pytestmark = pytest.mark.django_db(transaction=True)
inside = sync_to_async
ORIGIN = f"http://localhost:{settings.PATCHBAY.port}".encode()


def socket(
    person: Person | None = None, origin: bytes | None = None, cookie: str = "", query: str = ""
) -> WebsocketCommunicator:
    headers = [(b"host", b"localhost:8103")]
    if person is not None:
        headers.append((b"authorization", f"Bearer {person.token}".encode()))
    if origin is not None:
        headers.append((b"origin", origin))
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    return WebsocketCommunicator(application, f"/ws/?{query}", headers=headers)


async def connected(person: Person) -> WebsocketCommunicator:
    page = socket(person)
    accepted, _ = await page.connect()
    assert accepted
    return page


async def ask(page: WebsocketCommunicator, action: str, topic: str, **more: Any) -> None:
    message = {"action": action, "topic": topic, **more}
    assert checker(get_args(FromClient)).is_valid(message), message
    await page.send_to(json.dumps(message))


async def subscribed(page: WebsocketCommunicator) -> None:
    """What was asked before is done: messages are taken in order, and this one is answered."""
    await ask(page, "subscribe", "run:none")
    frame = await receive(page)
    assert frame["topic"] == "run:none"


async def receive(page: WebsocketCommunicator, timeout: float = 5) -> dict[str, Any]:
    frame = await page.receive_from(timeout)
    assert len(frame.encode()) <= MAX_FRAME + 64 * 1024
    loaded: dict[str, Any] = json.loads(frame)
    assert checker(get_args(ToClient)).is_valid(loaded), loaded
    return loaded


async def collect(page: WebsocketCommunicator, topic: str, last: int) -> list[int]:
    """The seqs of a topic's events up to `last`, as they came."""
    seen: list[int] = []
    while not seen or seen[-1] < last:
        frame = await receive(page)
        if frame["topic"] == topic:
            seen += [event["seq"] for event in frame.get("events", [])]
    return seen


@pytest.fixture
async def journal(transactional_db: None, bob: Person) -> AsyncIterator[DatabaseJournal]:
    writer = Writer(HUB.publish)
    writer.start()
    run = await inside(make_run)(bob)
    yield DatabaseJournal(writer, run.pk, run.team_id, 1)
    await inside(writer.stop)()


def say(journal: DatabaseJournal, count: int, size: int = 10) -> None:
    for _ in range(count):
        journal.append(Entry(node="n", type="STEP_LOG", data={"level": "info", "text": "x" * size}, step="s"))


async def test_a_wrong_origin_is_refused_at_the_handshake(bob: Person) -> None:
    for origin in (b"https://evil.example", b"null", b"http://localhost:8103.evil.example"):
        accepted, _ = await socket(bob, origin).connect()
        assert not accepted
    page = socket(bob, ORIGIN)
    accepted, _ = await page.connect()
    assert accepted
    await page.disconnect()


async def test_nobody_is_refused_at_the_handshake(transactional_db: None) -> None:
    accepted, _ = await socket(None, ORIGIN).connect()
    assert not accepted


async def test_from_the_beginning_and_then_live(journal: DatabaseJournal, bob: Person) -> None:
    topic = f"run:{journal.run}"
    say(journal, 5)
    await journal.barrier()
    page = await connected(bob)
    await ask(page, "subscribe", topic)
    assert await collect(page, topic, 5) == [1, 2, 3, 4, 5]
    say(journal, 3)
    assert await collect(page, topic, 8) == [6, 7, 8]
    await page.disconnect()


async def test_after_names_the_place_to_go_on(journal: DatabaseJournal, bob: Person) -> None:
    say(journal, 10)
    await journal.barrier()
    page = await connected(bob)
    await ask(page, "subscribe", f"run:{journal.run}", after=7)
    assert await collect(page, f"run:{journal.run}", 10) == [8, 9, 10]
    await page.disconnect()


async def test_a_socket_event_is_the_same_as_over_http(journal: DatabaseJournal, bob: Person) -> None:
    journal.append(
        Entry(
            node="n",
            path=(("each", 2),),
            type="STEP_ERROR",
            step="s",
            data={"code": "NODE_TIMEOUT", "params": {"seconds": 3}},
        )
    )
    await journal.barrier()
    page = await connected(bob)
    await ask(page, "subscribe", f"run:{journal.run}")
    [event] = (await receive(page))["events"]
    over_http = await inside(bob.api.get)(f"/api/runs/{journal.run}/events")
    assert [event] == over_http.data["results"]
    assert event["path"] == [{"node": "each", "index": 2}] and "3 s" in event["data"]["message"]
    await page.disconnect()


DESTRUCTIVE = {"code": "RISK", "params": {"reason": "destructive"}}


def speak(journal: DatabaseJournal) -> None:
    """What a run says to people: why it asks, and what went wrong."""
    risk = {"level": "HIGH", "reasons": [DESTRUCTIVE]}
    journal.append(
        Entry(node="n", type="STEP_WAITING_FOR_START", step="s", data={"interaction": "int_1", "risk": risk})
    )
    error = {"code": "NODE_TIMEOUT", "params": {"seconds": 3}}
    journal.append(Entry(node="n", type="STEP_ERROR", step="s", data=error))


@pytest.mark.parametrize(("language", "ascii_only"), [("en", True), ("zh", False)])
async def test_live_events_and_refusals_are_in_the_page_s_language(
    journal: DatabaseJournal, bob: Person, language: str, ascii_only: bool
) -> None:
    topic = f"run:{journal.run}"
    page = await connected(bob)
    await ask(page, "subscribe", "run:none", language=language)
    refused = (await receive(page))["error"]
    assert refused["code"] == "NOT_FOUND" and refused["message"].isascii() is ascii_only
    await ask(page, "subscribe", topic, language=language)
    say(journal, 1)
    assert await collect(page, topic, 1) == [1]
    speak(journal)
    say(journal, 1)
    events: list[dict[str, Any]] = []
    while len(events) < 3:
        events += (await receive(page))["events"]
    assert [event["seq"] for event in events] == [2, 3, 4]
    request, failed, _ = events
    assert "".join(request["data"]["risk"]["reasons"]).isascii() is ascii_only
    assert request["data"]["risk"]["codes"] == [DESTRUCTIVE]
    assert failed["data"]["message"].isascii() is ascii_only
    await page.disconnect()


@pytest.mark.parametrize("seed", range(12))
async def test_reconnecting_at_random_loses_and_doubles_nothing(
    journal: DatabaseJournal, bob: Person, seed: int
) -> None:
    chance = random.Random(seed)
    topic, total = f"run:{journal.run}", 400
    got: list[int] = []

    async def speak() -> None:
        left = total
        while left:
            count = min(left, chance.randint(1, 40))
            say(journal, count, chance.choice([10, 3000]))
            left -= count
            await asyncio.sleep(chance.choice([0, 0, 0.005, 0.03]))
        await journal.barrier()

    speaking = asyncio.create_task(speak())
    while not got or got[-1] < total:
        page = await connected(bob)
        await ask(page, "subscribe", topic, after=got[-1] if got else 0)
        for _ in range(chance.randint(0, 6)):
            if got and got[-1] == total:
                break
            frame = await receive(page)
            got += [event["seq"] for event in frame["events"]]
            if chance.random() < 0.3:
                await ask(page, "ack", topic, seq=got[-1])
        await page.disconnect()
    await speaking
    assert got == list(range(1, total + 1))


async def test_what_the_hub_never_heard_of_is_found_by_the_tick(journal: DatabaseJournal, bob: Person) -> None:
    """As in scaled mode without a working broker: the row changes, no publish comes."""
    page = await connected(bob)
    await ask(page, "subscribe", f"run:{journal.run}")
    await subscribed(page)
    await inside(LogLine.objects.create)(
        run_id=journal.run, position=1, seq=1, ts=1.0, type="FLOW_QUEUED", data="", fence=0
    )
    await inside(Run.objects.filter(pk=journal.run).update)(last_seq=1)
    assert await collect(page, f"run:{journal.run}", 1) == [1]
    await page.disconnect()


async def test_a_client_that_stops_reading_is_not_sent_everything(journal: DatabaseJournal, bob: Person) -> None:
    topic = f"run:{journal.run}"
    page = await connected(bob)
    await ask(page, "subscribe", topic)
    say(journal, 1)
    assert await collect(page, topic, 1) == [1]
    await ask(page, "ack", topic, seq=1)
    for _ in range(40):
        say(journal, 500)
        await journal.barrier()
        await asyncio.sleep(0.03)
    got: list[int] = [1]
    while not await page.receive_nothing(1.5):
        got += [event["seq"] for event in (await receive(page))["events"]]
    assert 5000 <= got[-1] < 8000
    while got[-1] < 20_001:
        await ask(page, "ack", topic, seq=got[-1])
        got += [event["seq"] for event in (await receive(page))["events"]]
    assert got == list(range(1, 20_002))
    await page.disconnect()


async def test_large_logs_come_in_frames_of_bounded_size(journal: DatabaseJournal, bob: Person) -> None:
    say(journal, 200, 8000)
    await journal.barrier()
    page = await connected(bob)
    await ask(page, "subscribe", f"run:{journal.run}")
    assert await collect(page, f"run:{journal.run}", 200) == list(range(1, 201))
    await page.disconnect()


async def test_previews_are_joined_and_sent_without_numbers(journal: DatabaseJournal, bob: Person) -> None:
    page = await connected(bob)
    await ask(page, "subscribe", f"run:{journal.run}")
    await subscribed(page)
    for offset, delta in ((0, "Hel"), (3, "lo "), (6, "you")):
        HUB.preview(
            journal.run,
            {"step": "s", "call": "c", "attempt": 1, "channel": "text", "offset": offset, "delta": delta},
        )
    frame = await receive(page)
    assert [(item["offset"], item["delta"]) for item in frame["text"]] == [(0, "Hello you")]
    await page.disconnect()


async def test_foreign_topics_do_not_exist(journal: DatabaseJournal, bob: Person, charlie: Person) -> None:
    page = await connected(charlie)
    for topic in (
        f"run:{journal.run}",
        f"team:{bob.team.pk}",
        "run:run_none",
        "weather:today",
        "run:",
        "run:\0",
        "workflow:\ud800",
    ):
        await ask(page, "subscribe", topic)
        frame = await receive(page)
        assert (frame["topic"], frame["error"]["code"]) == (topic, "NOT_FOUND")
    await page.disconnect()


async def test_rubbish_is_answered_and_the_socket_stays(bob: Person) -> None:
    page = await connected(bob)
    texts = (
        "{}",
        "nonsense",
        "[]",
        '{"action": "subscribe"}',
        '{"action": "subscribe", "topic": 3}',
        '"x"',
        '{"action": "dance", "topic": "run:x"}',
    )
    endless = '{"action": "subscribe", "topic": "run:x", "after": 1e999}'
    for text in (*texts, endless, "[" * 100_000):
        await page.send_to(text)
        assert (await receive(page))["error"]["code"] == "VALIDATION_ERROR"
    await page.disconnect()


async def test_hints_reach_the_topics_of_team_and_workflow(bob: Person) -> None:
    workflow = await inside(make_workflow)(bob)
    page = await connected(bob)
    await ask(page, "subscribe", f"team:{bob.team.pk}")
    await ask(page, "subscribe", f"workflow:{workflow.pk}")
    await subscribed(page)
    await inside(notify_clients)(f"team:{bob.team.pk}", {"kind": "server", "id": "srv_1", "change": "updated"})
    await inside(notify_clients)(f"workflow:{workflow.pk}", {"kind": "draft", "revision": 2, "by": "x"})
    got = [await receive(page), await receive(page)]
    assert [item["hint"]["kind"] for item in got] == ["server", "draft"]
    await page.disconnect()


async def test_an_unsubscribed_topic_is_silent(journal: DatabaseJournal, bob: Person) -> None:
    page = await connected(bob)
    await ask(page, "subscribe", f"run:{journal.run}")
    say(journal, 1)
    assert await collect(page, f"run:{journal.run}", 1) == [1]
    await ask(page, "unsubscribe", f"run:{journal.run}")
    await subscribed(page)
    say(journal, 1)
    await journal.barrier()
    assert await page.receive_nothing(0.1)
    await page.disconnect()


async def closed(page: WebsocketCommunicator) -> int:
    while True:
        message = await page.receive_output(5)
        if message["type"] == "websocket.close":
            return int(message["code"])


async def test_losing_the_membership_closes_the_socket(bob: Person) -> None:
    page = await connected(bob)
    await inside(lambda: Membership.objects.get(user=bob.user).delete())()
    assert await closed(page) == 4403


async def test_losing_the_token_closes_the_socket(bob: Person) -> None:
    page = await connected(bob)
    await inside(lambda: ApiToken.objects.get(user=bob.user).delete())()
    assert await closed(page) == 4401


async def test_signing_out_closes_the_socket(bob: Person) -> None:
    browser = Client()
    await inside(browser.force_login)(bob.user, backend="django.contrib.auth.backends.ModelBackend")
    page = socket(None, ORIGIN, f"patchbay_session={browser.cookies['patchbay_session'].value}")
    accepted, _ = await page.connect()
    assert accepted
    await ask(page, "subscribe", f"team:{bob.team.pk}")
    await inside(browser.logout)()
    assert await closed(page) == 4401


async def test_a_new_password_closes_the_pages_of_other_sessions(bob: Person) -> None:
    browser = Client()
    await inside(browser.force_login)(bob.user, backend="django.contrib.auth.backends.ModelBackend")
    page = socket(None, ORIGIN, f"patchbay_session={browser.cookies['patchbay_session'].value}")
    assert (await page.connect())[0]
    bob.user.set_password("another long phrase")
    await inside(bob.user.save)()
    SOCKETS.look(bob.user.pk)
    assert await closed(page) == 4401


async def test_what_another_process_took_away_closes_the_socket_at_once(bob: Person) -> None:
    page = await connected(bob)
    rows = Membership.objects.filter(user=bob.user)
    await inside(lambda: rows._raw_delete(rows.db))()  # no signal comes here, as from another process
    HUB.receive({"topic": f"person:{bob.user.pk}", "rights": True})
    assert await closed(page) == 4403


class Wire:
    """A relay that keeps what it is given."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.followed: list[str] = []

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def follow(self, topic: str) -> None:
        self.followed.append(topic)

    def leave(self, topic: str) -> None:
        self.followed.remove(topic)


async def test_processes_tell_each_other_of_lost_rights(
    bob: Person, vera: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = Wire()
    monkeypatch.setattr(HUB, "relay", wire)
    page = await connected(bob)
    mine, hers = f"person:{bob.user.pk}", f"person:{vera.user.pk}"
    assert mine in wire.followed
    await inside(lambda: Membership.objects.get(user=vera.user).delete())()
    assert {"topic": hers, "rights": True} in wire.sent
    await inside(lambda: Membership.objects.get(user=bob.user).delete())()
    assert await closed(page) == 4403
    await page.disconnect()
    assert mine not in wire.followed


async def test_a_token_that_may_not_read_watches_nothing(bob: Person) -> None:
    await inside(lambda: ApiToken.objects.filter(user=bob.user).update(scopes=["run"]))()
    accepted, _ = await socket(bob).connect()
    assert not accepted


async def test_another_persons_lost_rights_close_nothing_of_mine(bob: Person, vera: Person) -> None:
    page = await connected(bob)
    await inside(lambda: Membership.objects.get(user=vera.user).delete())()
    assert await page.receive_nothing(0.2)
    await page.disconnect()


@pytest.fixture
def lagging(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The bytes on their way to the sockets of `slow`."""
    on_its_way = {"bytes": 0}
    monkeypatch.setitem(backlog.UNSENT, ("page", 1), lambda: on_its_way["bytes"])
    return on_its_way


async def slow(person: Person) -> WebsocketCommunicator:
    page = socket(person)
    page.scope["client"] = ["page", 1]
    accepted, _ = await page.connect()
    assert accepted
    return page


async def closed_with(page: WebsocketCommunicator) -> int:
    while True:
        reply = await page.receive_output(5)
        if reply["type"] == "websocket.close":
            code: int = reply["code"]
            return code


async def test_a_client_that_lags_rests_and_gets_everything_once_it_has_read(
    journal: DatabaseJournal, bob: Person, lagging: dict[str, int]
) -> None:
    topic = f"run:{journal.run}"
    page = await slow(bob)
    await ask(page, "subscribe", topic)
    say(journal, 1)
    assert await collect(page, topic, 1) == [1]
    lagging["bytes"] = 2 * backlog.REST_ABOVE
    say(journal, 3)
    await journal.barrier()
    assert await page.receive_nothing(0.3)
    lagging["bytes"] = 0
    assert await collect(page, topic, 4) == [2, 3, 4]
    await page.disconnect()


async def test_a_client_that_stopped_reading_is_closed_with_a_code_of_its_own(
    journal: DatabaseJournal, bob: Person, lagging: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "STALLED_S", 0.2)
    page = await slow(bob)
    lagging["bytes"] = 2 * backlog.REST_ABOVE
    say(journal, 3)
    await journal.barrier()
    await ask(page, "subscribe", f"run:{journal.run}")
    assert await closed_with(page) == 4408


async def test_what_cannot_wait_closes_a_socket_that_is_full(
    journal: DatabaseJournal, bob: Person, lagging: dict[str, int]
) -> None:
    page = await slow(bob)
    await ask(page, "subscribe", f"team:{bob.team.id}")
    await subscribed(page)
    lagging["bytes"] = backlog.MOST + 1
    HUB.hint(f"team:{bob.team.id}", {"kind": "server", "id": "srv_1", "change": "updated"})
    assert await closed_with(page) == 4408


async def test_a_refusal_names_the_socket_as_its_page_did(bob: Person, charlie: Person) -> None:
    for body, reply in (("page-1", "page-1"), ("a%0Ab", None), ("x" * 65, None)):
        page = socket(bob, query=f"request_id={body}")
        assert (await page.connect())[0]
        await ask(page, "subscribe", "run:none")
        error = (await receive(page))["error"]
        assert error["code"] == "NOT_FOUND"
        assert error["request_id"] == reply or (reply is None and re.fullmatch(r"[0-9a-f]{16}", error["request_id"]))
        await page.disconnect()
