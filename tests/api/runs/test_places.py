"""Places at servers: a limit holds in every claim, nobody is held up by it who need not be, freed places are taken."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backend.accounts.models import AuditEntry
from backend.registry.models import Server
from backend.runs.graphs import named_servers
from backend.runs.models import Interaction, Run, RunServer, RunState
from backend.runs.queue import inbox, leases
from backend.runs.queue.leases import Terms
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events, start, state
from tests.api.runs.claimed import ids
from tests.api.runs.conftest import graph, make_run, make_workflow, node, until
from tests.live.servers.conftest import PROGRAMS
from tests.looking import inside
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
BEGAN = datetime.now(UTC) - timedelta(hours=1)


def terms(limit: int = 30) -> Terms:
    return Terms("me", limit, None if settings.PATCHBAY.mode == "embedded" else 15.0)


def make_server(person: Person, slug: str, max_runs: int | None = None, **more: Any) -> Server:
    columns = {"name": slug.title(), "transport": "stdio", "command": "x", **more}
    return Server.objects.create(team=person.team, slug=slug, max_runs=max_runs, **columns)


class Queue:
    """Makes runs, each a second later than the one before, that name servers."""

    def __init__(self, person: Person) -> None:
        self._person, self._workflow, self._count = person, make_workflow(person), 0

    def __call__(self, *servers: Server, **columns: Any) -> str:
        self._count += 1
        at = BEGAN + timedelta(seconds=self._count)
        run = make_run(
            self._person,
            self._workflow,
            **{"state": RunState.QUEUED, "queued_at": at, "turn": at.timestamp(), **columns},
        )
        RunServer.objects.bulk_create([RunServer(run=run, server=server) for server in servers])
        return run.pk


@pytest.fixture
def queue(bob: Person) -> Queue:
    return Queue(bob)


# -- claims -----------------------------------------------------------------------------------------------------------


def test_so_many_are_claimed_as_there_are_places_and_others_pass(bob: Person, queue: Queue) -> None:
    narrow, wide = make_server(bob, "narrow", 1), make_server(bob, "wide", 2)
    first, second, third = queue(narrow), queue(narrow, wide), queue(narrow)
    fourth, fifth, sixth, free = queue(wide), queue(wide), queue(wide), queue()
    claims = leases.claim_batch(terms(), 4)
    assert sorted(ids(claims)) == sorted([first, fourth, fifth, free]) and claims.full
    assert leases.claim_batch(terms(), 4) == leases.Claims([], full=True)
    Run.objects.filter(pk=fourth).update(state=RunState.SUCCESS)
    assert ids(leases.claim_batch(terms(), 4)) == [sixth]  # the second one lacks the other server
    Run.objects.filter(pk=first).update(state=RunState.WAITING)  # it holds nothing
    Run.objects.filter(pk__in=[fifth, sixth]).update(state=RunState.SUCCESS)
    assert ids(leases.claim(terms(), third)) == []  # the second one wants it, too, and has waited longer
    assert ids(leases.claim_batch(terms(), 4)) == [second]
    narrow.delete()
    assert ids(leases.claim(terms(), third)) == [third]


def test_the_limit_of_the_house_holds_as_well(bob: Person, queue: Queue) -> None:
    server = make_server(bob, "narrow", 3)
    runs = [queue(server) for _ in range(3)]
    claims = leases.claim_batch(terms(2), 10)
    assert ids(claims) == runs[:2] and claims.full


def test_a_cancelled_run_needs_no_place(bob: Person, queue: Queue) -> None:
    server = make_server(bob, "narrow", 1)
    queue(server, state=RunState.RUNNING, lease_until=9e9)
    run = queue(server)
    assert leases.claim(terms(), run) == leases.Claims([], full=True)
    inbox.enqueue_message(run, "cancel", {"by": bob.user.id})
    assert ids(leases.claim(terms(), run)) == [run]


def test_claimers_at_once_keep_the_limit(bob: Person, queue: Queue) -> None:
    server = make_server(bob, "narrow", 2)
    runs = [queue(server) for _ in range(8)]

    def attempt(n: int) -> int:
        try:
            return len((leases.claim_batch(terms(), 3) if n % 2 else leases.claim(terms(), runs[n // 2])).taken)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(attempt, range(12))) == 2
    assert set(Run.objects.filter(state=RunState.RUNNING).values_list("pk", flat=True)) == set(runs[:2])


def test_a_timer_that_lacks_a_place_hides_no_other(bob: Person, queue: Queue) -> None:
    server = make_server(bob, "narrow", 1)
    queue(server, state=RunState.RUNNING, lease_until=9e9)
    queue(server, state=RunState.WAITING, wake_at=1.0)
    queue(state=RunState.WAITING, wake_at=time.time() + 50)
    claims = leases.claim_batch(terms(), 5)
    left = leases.next_timer(claims.at)
    assert claims.full and left is not None and 40 < left <= 50.5


# -- which servers a run names ----------------------------------------------------------------------------------------


def test_a_run_notes_the_registered_servers_that_its_graph_names(bob: Person, adam: Person, charlie: Person) -> None:
    notes, maps, private = make_server(bob, "notes"), make_server(bob, "maps"), make_server(bob, "mine")
    Server.objects.filter(pk=private.pk).update(visibility="private", created_by=bob.user)
    make_server(charlie, "maps")
    make_server(bob, "unnamed")
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("look", "tool", {"server": "notes", "tool": "t", "arguments": {}}),
            node("own", "tool", {"server": "mine", "tool": "t", "arguments": {}}),
            node("map", "tool", {"server": maps.pk, "tool": "t", "arguments": {}}),
            node("again", "tool", {"server": "maps", "tool": "t", "arguments": {}}),
            node("end", "end", {"outputs": {}}),
        ],
        "start -> look",
        "look -> own",
        "own -> map",
        "map -> again",
        "again -> end",
    )
    workflow = make_workflow(bob, document)
    reply = start(bob, workflow, {})
    assert reply.status == 202, reply.text
    named = set(RunServer.objects.filter(run=reply.data["id"]).values_list("server", flat=True))
    assert named == {notes.pk, maps.pk, private.pk}
    notes.delete()
    assert RunServer.objects.filter(run=reply.data["id"]).count() == 2


def test_what_a_document_calls_its_servers() -> None:
    tools = {"servers": [{"server": "maps"}, {"server": {"command": "x"}}, {"server": "declared"}]}
    nodes = [node("think", "agent", {"tools": tools}), node("say", "tool", {"server": "{{ start.which }}"})]
    document = graph([*nodes, node("look", "tool", {"server": "notes"})], mcp_servers={"declared": {"command": "y"}})
    assert named_servers(json.dumps(document)) == ("maps", "notes")


def test_a_run_without_servers_asks_nothing_more(bob: Person) -> None:
    workflow = make_workflow(bob)
    with CaptureQueriesContext(connection) as queries:
        assert start(bob, workflow).status == 202
    assert "runserver" not in str(queries.captured_queries) and RunServer.objects.count() == 0


def test_the_limit_is_a_setting_that_leaves_connections_alone(adam: Person) -> None:
    server = make_server(adam, "narrow")
    at = f"/api/mcp/servers/{server.pk}"
    assert adam.api.patch(at, {"max_runs": 0}).status == 400
    assert adam.api.patch(at, {"max_runs": 2}).data["max_runs"] == 2
    assert inside(AuditEntry.objects.get(action="server.changed").content)["changes"] == {"max_runs": [None, 2]}
    assert adam.api.patch(at, {"max_runs": None}).data["max_runs"] is None
    server.refresh_from_db()
    assert server.revision == 1


def test_the_queue_says_at_which_server_a_run_waits(bob: Person, alice: Person, queue: Queue) -> None:
    server = make_server(bob, "narrow", 1, visibility="private", created_by=bob.user)
    queue(server, state=RunState.RUNNING)
    waiting, free = queue(server), queue()

    def shown(person: Person) -> list[tuple[str, str | None]]:
        return [(run["run"], run["server"]) for run in person.api.get("/api/queue").data["runs"]]

    assert shown(bob) == [(waiting, "Narrow"), (free, None)]
    assert shown(alice) == [(waiting, ""), (free, None)]  # it is private to somebody else


# -- a worker and a real server ---------------------------------------------------------------------------------------


@pytest.fixture
def booking(adam: Person) -> Iterator[Server]:
    """A program with a tool that lasts until its question is answered; at most one run at once."""
    server = {"name": "Booking", "transport": "stdio", "command": sys.executable, "asks": True, "max_runs": 1}
    reply = adam.api.post("/api/mcp/servers", {**server, "args": [str(PROGRAMS / "stdio_server.py"), "plain"]})
    assert adam.api.get("/api/mcp/servers/booking/tools?refresh=1").status == 200
    yield Server.objects.get(id=reply.data["id"])
    LOOP.stop()


START = node("start", "start", {"inputs": {"type": "object"}})
BOOK = node("book", "tool", {"server": "booking", "tool": "ask", "arguments": {}}, timeout_s=60)
END = node("end", "end", {"outputs": {}})
BOOKS = graph([START, BOOK, END], "start -> book", "book -> end")
IS_SURE = graph(
    [START, node("sure", "approval", {"title": "Sure?"}), BOOK, END],
    "start -> sure",
    "sure:approved -> book",
    "sure:declined -> end",
    "book -> end",
)


def accept(person: Person, run: str, **values: Any) -> None:
    """Answer the question that a run asks now, or will."""
    rows = Interaction.objects.filter(run_id=run, state="open")
    question = until(lambda: rows.values_list("pk", flat=True).first(), 30)
    body = {"action": "accept", **({"values": values} if values else {})}
    assert person.api.post(f"/api/interactions/{question}/answer", body).status == 200


def running(*runs: str) -> list[str]:
    return [run for run in runs if state(run) == RunState.RUNNING]


def times_of_work(person: Person, run: str) -> list[tuple[str, str]]:
    """From when until when the run was with a worker."""
    log = events(person, run)
    begun = [line["ts"] for line in log if line["type"] in {"FLOW_START", "FLOW_RESUME"}]
    rested = [line["ts"] for line in log if line["type"] in {"FLOW_STOP", "FLOW_SUCCESS"}]
    return list(zip(begun, rested, strict=True))


def test_runs_wait_for_a_place_while_others_pass(booking: Server, worker: Worker, adam: Person, bob: Person) -> None:
    workflow = make_workflow(bob, BOOKS)
    first, second, third = [start(bob, workflow, {}).data["id"] for _ in range(3)]
    until(lambda: running(first), 30)
    other = start(bob, make_workflow(bob)).data["id"]
    until(lambda: state(other) == RunState.SUCCESS, 30)
    shown = bob.api.get("/api/queue").data["runs"]
    assert [(item["run"], item["server"]) for item in shown] == [(second, "Booking"), (third, "Booking")]
    accept(bob, first, seats=1)
    until(lambda: running(second), 30)
    assert (state(first), state(third)) == (RunState.SUCCESS, RunState.QUEUED)
    assert adam.api.patch(f"/api/mcp/servers/{booking.pk}", {"max_runs": 2}).status == 200
    until(lambda: running(second, third) == [second, third], 30)
    accept(bob, second, seats=2)
    accept(bob, third, seats=3)
    until(lambda: state(second) == state(third) == RunState.SUCCESS, 30)
    [(_, ended)], [(begun, _)] = times_of_work(bob, first), times_of_work(bob, second)
    assert ended <= begun


def test_a_run_that_waits_for_a_person_gives_its_place_away(booking: Server, worker: Worker, bob: Person) -> None:
    waits = start(bob, make_workflow(bob, IS_SURE), {}).data["id"]
    until(lambda: state(waits) == RunState.WAITING, 30)
    works = start(bob, make_workflow(bob, BOOKS), {}).data["id"]
    until(lambda: running(works), 30)
    accept(bob, waits)
    accept(bob, works, seats=1)
    accept(bob, waits, seats=2)  # which it asks once it goes on
    until(lambda: state(waits) == RunState.SUCCESS, 30)
    before, [(began, ended)] = times_of_work(bob, waits), times_of_work(bob, works)
    assert len(before) == 2 and before[0][1] <= began and ended <= before[1][0]
