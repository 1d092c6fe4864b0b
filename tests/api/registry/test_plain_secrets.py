"""What earlier versions stored in the clear moves to the secrets: nobody sees it, servers get what they got."""

from __future__ import annotations

import importlib
import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from backend.accounts.models import AuditEntry
from backend.registry.connecting.resolving import config_of
from backend.registry.models import Server
from tests.people import Person

pytestmark = pytest.mark.django_db

KEY = "sk-proj-9f8Ghjk2LmN4pQrStUv7wXyZ01aBcDeF3GhI"
DSN = "postgresql://app:pw-of-mine-1@db.example:5432/app"
BEFORE: dict[str, Any] = {
    "program": {
        "transport": "stdio",
        "command": "docker",
        "args": ["run", "-e", f"TOKEN={KEY}", "--header", "Authorization: Bearer abcdefgh12345", "image@1.2.3"],
        "env": {"DSN": DSN, "LOG_LEVEL": "debug", "REFERRED": "${secret:api_key}"},
    },
    "hosted": {
        "transport": "http",
        "url": f"https://mcp.example/{KEY}/mcp",
        "headers": {"X-Note": KEY, "Accept": "application/json"},
    },
    "plain": {"transport": "http", "url": "https://mcp.deepwiki.com/mcp", "headers": {"Accept": "*/*"}},
}


@pytest.fixture
def servers(adam: Person) -> dict[str, Server]:
    """Rows as an earlier version wrote them, and what its audit trail said."""
    adam.api.post("/api/secrets", {"name": "api_key", "value": "a-named-secret-1", "hosts": ["*"]})
    rows = {}
    for slug, fields in BEFORE.items():
        rows[slug] = Server.objects.create(team=adam.team, name=slug, slug=slug, created_by=adam.user, **fields)
        messages = {"changes": {name: [None, value] for name, value in fields.items()}}
        AuditEntry.objects.create(
            team=adam.team,
            actor=adam.user,
            action="server.created",
            target_kind="server",
            target_id=rows[slug].id,
            content=messages,
        )
    return rows


def moved() -> None:
    migration = importlib.import_module("backend.registry.migrations.0006_plain_secrets")
    at = MigrationLoader(None).project_state(("registry", "0006_plain_secrets"))
    migration.move_to_secrets(at.apps, None)


def seen(person: Person) -> str:
    """Everything that this person can read about servers."""
    texts = [person.api.get(f"/api/mcp/servers/{slug}").text for slug in BEFORE]
    texts += [person.api.get("/api/mcp/servers").text, person.api.get("/api/audit").text]
    return "\n".join(texts)


def in_the_database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM registry_server")
        rows = cursor.fetchall()
        cursor.execute("SELECT * FROM accounts_auditentry")
        return str([*rows, *cursor.fetchall()])


def test_what_was_in_the_clear_is_nowhere_and_servers_get_what_they_got(
    servers: dict[str, Server], adam: Person, vera: Person
) -> None:
    before = {slug: config_of(row) for slug, row in servers.items()}
    assert KEY in seen(adam)
    moved()
    for secret in (KEY, "pw-of-mine-1", "abcdefgh12345"):
        assert secret not in seen(adam) + seen(vera) + in_the_database(), secret
    for slug, row in servers.items():
        row.refresh_from_db()
        after = config_of(row)
        assert (after.url, after.args, after.env, after.headers) == (
            before[slug].url,
            before[slug].args,
            before[slug].env,
            before[slug].headers,
        )
        assert row.revision == 1
    shown = vera.api.get("/api/mcp/servers/program").data
    assert shown["args"][1:3] == ["-e", "TOKEN=····"] and shown["env"] == {
        "LOG_LEVEL": "debug",
        "REFERRED": "${secret:api_key}",
    }
    assert set(shown["secret_env"]) == {"DSN"}
    assert vera.api.get("/api/mcp/servers/plain").data["url"] == "https://mcp.deepwiki.com/mcp"
    assert {KEY, DSN} <= {mask.removeprefix("TOKEN=") for slug in servers for mask in config_of(servers[slug]).masks}


def test_moving_twice_changes_nothing(servers: dict[str, Server]) -> None:
    moved()
    first = [row.secrets for row in Server.objects.order_by("pk")]
    moved()
    assert [row.secrets for row in Server.objects.order_by("pk")] == first


def test_where_each_member_uses_their_own_nothing_is_moved_for_them(servers: dict[str, Server], adam: Person) -> None:
    servers["hosted"].credentials = "user"
    servers["hosted"].save()
    moved()
    row = Server.objects.get(slug="hosted")
    assert row.headers["X-Note"] == KEY and row.url_secret
    out = io.StringIO()
    call_command("find_secrets", stdout=out)
    assert out.getvalue().splitlines()[0] == f"{adam.team.slug}/hosted:  (each member's own: headers.X-Note)"


def test_the_command_names_places_and_never_values(servers: dict[str, Server], adam: Person) -> None:
    out = io.StringIO()
    call_command("find_secrets", stdout=out)
    assert out.getvalue().splitlines() == [
        f"{adam.team.slug}/hosted: headers.X-Note, url",
        f"{adam.team.slug}/program: env.DSN, args[2], args[4]",
        "5 secrets in 2 servers in the clear.",
    ]
    assert json.dumps(servers["program"].args) == json.dumps(Server.objects.get(slug="program").args)
    call_command("find_secrets", "--move", stdout=out)
    out = io.StringIO()
    call_command("find_secrets", stdout=out)
    assert out.getvalue() == "No secrets in the clear.\n"
    assert KEY not in in_the_database().partition("server.created")[0]
