"""How many statements a page of a list takes: as many for a full page as for one row, and none for what nobody has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from backend.files.services import blob_store
from backend.runs.models import Interaction, Run
from backend.workflows.models import Workflow
from tests.api.isolation.plans import statements
from tests.people import Person

pytestmark = pytest.mark.django_db
SERVERS = "/api/mcp/servers"


def count(person: Person, path: str) -> int:
    """Statements of one request, after one that fills what is kept in memory."""
    assert person.api.get(path).status == 200
    with statements() as answer:
        reply = person.api.get(path)
    assert reply.status == 200, reply.text
    return len(answer)


def servers(adam: Person, number: int, **more: Any) -> None:
    """So many servers over HTTP."""
    for n in range(number):
        body = {"name": f"Server {n}", "transport": "http", "url": f"https://{n}.example.org/mcp", **more}
        assert adam.api.post(SERVERS, body).status == 201


def questions(adam: Person, number: int) -> None:
    """So many runs that ask, each of a workflow of its own and below another run."""
    graph, now = blob_store(adam.team.id, b'{"nodes": [], "edges": []}'), timezone.now()
    for n in range(number):
        flow = Workflow.objects.create(team=adam.team, name=f"Flow {n}", slug=f"flow-{n}", draft="{}", draft_at=now)
        row = {"team": adam.team, "workflow": flow, "graph": graph, "started_by": adam.user, "queued_at": now}
        root = Run.objects.create(pk=f"run_root{n}", state="WAITING", **row)
        run = Run.objects.create(pk=f"run_{n}", state="WAITING", root_run=root, parent_run=root, depth=1, **row)
        body = {"kind": "approval", "title": "Sure?", "node": "ask", "answered_by": adam.user, "created_at": now}
        Interaction.objects.create(pk=f"int_{n}", team=adam.team, run=run, root_run=root, **body)


@pytest.mark.parametrize(
    ("make", "path", "most"),
    [
        (servers, f"{SERVERS}?limit=50", 4),
        (servers, f"{SERVERS}?limit=50&sort=name", 4),
        (questions, "/api/interactions", 2),
        (questions, "/api/workflows?limit=50", 3),
        (questions, "/api/runs", 2),
    ],
    ids=["servers", "servers by name", "questions", "workflows", "runs"],
)
def test_a_full_page_takes_as_many_as_one_row(
    adam: Person, make: Callable[[Person, int], None], path: str, most: int
) -> None:
    make(adam, 12)
    full = count(adam, path)
    assert full == count(adam, f"{path}{'&' if '?' in path else '?'}limit=1".replace("limit=50&", "")) == most


def test_who_asks_alone_takes_two(adam: Person) -> None:
    assert count(adam, "/api/me") == 2


def test_what_members_entered_is_read_where_each_enters_it(adam: Person) -> None:
    servers(adam, 2)
    alike = count(adam, f"{SERVERS}?cursor=")
    servers(adam, 1, slug="own", credentials="user", auth_type="bearer")
    assert count(adam, f"{SERVERS}?cursor=") > alike


def test_where_nothing_was_restored_one_look_says_so(adam: Person) -> None:
    assert count(adam, "/api/restored-runs") == 2
    assert count(adam, "/api/restored-runs?limit=0") == 2
