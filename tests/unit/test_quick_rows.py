"""Rows that are made without `Model.__init__` are the rows that it would have made."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, models

from backend.accounts.models import ApiToken, Team, User
from backend.database.rows import QuickJSONField, QuickRow
from backend.registry.models import Server
from backend.runs.models import Run
from tests.people import Person

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(bob: Person) -> Server:
    row = Server(team=bob.team, name="Docs", slug="docs", transport="http", created_by=bob.user)
    row.env, row.status, row.folders = {"A": "1"}, {"state": "ok"}, None
    row.save()
    return row


def test_a_row_holds_what_was_stored(server: Server) -> None:
    read = Server.objects.get(pk=server.pk)
    names = [field.attname for field in Server._meta.concrete_fields]
    assert {name: getattr(read, name) for name in names} == {name: getattr(server, name) for name in names}
    assert read == server and not read._state.adding and read._state.db == connection.alias


@pytest.mark.parametrize("table", [Run, Server, ApiToken, Team, User])
def test_a_new_row_is_the_one_that_its_constructor_makes(table: type[QuickRow]) -> None:
    constructor: Any = table
    new, made = table.new(id="x_1"), constructor(id="x_1")
    names = [field.attname for field in table._meta.concrete_fields]
    assert {name: getattr(new, name) for name in names} == {name: getattr(made, name) for name in names}
    assert new == made and new._state.adding and new._state.db is None
    assert table.new().pk != table.new().pk  # what is made anew for each row is


def test_new_rows_share_no_default() -> None:
    first, second = ApiToken.new(), ApiToken.new()
    first.scopes.append("run")
    assert second.scopes == []


def test_what_was_not_read_is_fetched_when_it_is_asked_for(server: Server) -> None:
    read = Server.objects.only("slug").get(pk=server.pk)
    assert read.get_deferred_fields() >= {"name", "env"} and "slug" not in read.get_deferred_fields()
    assert (read.name, read.env, read.team.name) == ("Docs", {"A": "1"}, server.team.name)
    read.name = "Other"
    read.save(update_fields=["name"])
    server.refresh_from_db()
    assert server.name == "Other"


def test_two_rows_share_no_empty_value(server: Server) -> None:
    first, second = (Server.objects.get(pk=server.pk) for _ in range(2))
    first.headers["X"] = first.args
    assert second.headers == {} and second.args == []


@pytest.mark.parametrize("text", ["{}", "[]", "null", "1", '"word"', ' {"a": [1, {}]} ', "no json", "1 2", ""])
def test_a_json_column_reads_what_django_reads(text: str) -> None:
    quick: Any = QuickJSONField()
    plain: Any = models.JSONField()
    assert quick.from_db_value(text, None, connection) == plain.from_db_value(text, None, connection)
    assert quick.deconstruct()[1:] == plain.deconstruct()[1:]
