"""An agent with fifty servers finds them in one read, and each find sees what was decided up to then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backend.accounts.teams import allowances
from backend.errors import McpPolicyDenied, NotFound
from backend.registry.connecting import connections
from backend.registry.models import Server
from backend.tools.loop import LOOP
from tests.people import Person

pytestmark = pytest.mark.django_db
COUNT = 50


def add(person: Person, name: str, **more: object) -> Server:
    """A server over HTTP that nobody connects to."""
    url = f"https://{name}.example.org/mcp"
    created = person.api.post("/api/mcp/servers", {"name": name, "transport": "http", "url": url, **more})
    assert created.status == 201, created.text
    return Server.objects.get(id=created.data["id"])


@pytest.fixture
def servers(adam: Person) -> list[Server]:
    """Fifty servers of Adam's team."""
    return [add(adam, f"kb-{n}") for n in range(COUNT)]


def resolve_all(team: str, references: list[str], user: str | None = None) -> tuple[list[str], int]:
    """(the servers that references name, the statements that it took)."""
    with CaptureQueriesContext(connection) as statements:
        result = connections.find_all(team, references, user_id=user)
    return [item.config.key.server for item in result], _reads(statements)


def _reads(statements: CaptureQueriesContext) -> int:
    """Statements that read servers. What is looked at again now and then, whoever asks, is not counted."""
    return sum("registry_server" in statement["sql"] for statement in statements.captured_queries)


def test_fifty_servers_that_are_known_take_one_statement(servers: list[Server], adam: Person) -> None:
    slugs = [server.slug for server in servers]
    resolve_all(adam.team.id, slugs)
    assert resolve_all(adam.team.id, slugs) == ([server.id for server in servers], 1)
    assert resolve_all(adam.team.id, [slugs[3], servers[2].id, slugs[3]]) == (
        [servers[3].id, servers[2].id, servers[3].id],
        1,
    )


def test_a_changed_server_alone_is_read_anew(servers: list[Server], adam: Person) -> None:
    slugs = [server.slug for server in servers]
    resolve_all(adam.team.id, slugs)
    assert adam.api.patch(f"/api/mcp/servers/{servers[7].id}", {"timeout_ms": 12_000}).status == 200
    with CaptureQueriesContext(connection) as statements:
        result = connections.find_all(adam.team.id, slugs)
    assert [item.config.timeout_s for item in result] == [12.0 if n == 7 else 30.0 for n in range(COUNT)]
    assert _reads(statements) == 2


def test_the_first_that_cannot_be_had_says_why(servers: list[Server], adam: Person, bob: Person) -> None:
    team = adam.team.id
    private = add(adam, "adams", visibility="private")
    adam.api.patch(f"/api/mcp/servers/{servers[4].id}", {"enabled": False})
    with pytest.raises(McpPolicyDenied) as off:
        resolve_all(team, [servers[0].slug, servers[4].slug, "nowhere"])
    assert off.value.params == {"reason": "server_off", "server": servers[4].slug}
    with pytest.raises(NotFound) as nowhere:
        resolve_all(team, [servers[0].slug, "nowhere\x00", servers[4].slug])
    assert nowhere.value.params["reason"] == "server"
    with pytest.raises(NotFound) as hidden:
        resolve_all(team, [servers[0].slug, private.slug], bob.user.id)
    assert hidden.value.params["reason"] == "server_private"
    assert resolve_all(team, [private.slug], adam.user.id)[0] == [private.id]


def test_a_slug_goes_before_an_id_and_other_teams_before_nobody(
    servers: list[Server], adam: Person, charlie: Person
) -> None:
    named = add(adam, "named")
    Server.objects.filter(id=named.id).update(slug=servers[0].id)
    assert resolve_all(adam.team.id, [servers[0].id, servers[0].slug])[0] == [named.id, servers[0].id]
    with pytest.raises(NotFound):
        resolve_all(charlie.team.id, [servers[1].slug])


@pytest.fixture
def ended() -> Iterator[None]:
    """What the loop keeps ends with the test."""
    yield
    LOOP.stop()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("ended")
def test_what_an_operator_allows_counts_for_the_next_find(servers: list[Server], adam: Person) -> None:
    """What every connection needs is prepared once; the rules are of the moment all the same."""
    connections.find_all(adam.team.id, [servers[0].slug])

    async def hosts() -> tuple[str, ...]:
        return connections.pool().surroundings.network.allow

    before = LOOP.run(hosts())
    row = allowances.allow(adam.user, "host", "internal.example.org")
    connections.find_all(adam.team.id, [servers[0].slug])
    assert LOOP.run(hosts()) == (*before, "internal.example.org")
    allowances.disallow(adam.user, row.pk)
    connections.find_all(adam.team.id, [servers[0].slug])
    assert LOOP.run(hosts()) == before
