"""The registry's list over the API: its order, its filters and their counts, and what a search looks into."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from backend.registry.models import Server
from backend.registry.tools.listing import record_listing, record_status
from backend.tools.types import ToolSpec
from tests.people import Person

AT = "/api/mcp/servers"
HTTP = {"transport": "http", "url": "https://example.org/mcp"}


def created(person: Person, name: str, **more: Any) -> dict[str, Any]:
    reply = person.api.post(AT, {**HTTP, "name": name, **more})
    assert reply.status == 201, reply.text
    return dict(reply.data)


def listed(person: Person, query: str = "") -> list[str]:
    """Names, from all pages."""
    names: list[str] = []
    cursor = ""
    while True:
        reply = person.api.get(f"{AT}?{query}&cursor={cursor}" if cursor else f"{AT}?{query}")
        assert reply.status == 200, reply.text
        names += [server["name"] for server in reply.data["results"]]
        if not (cursor := reply.data["next"] or ""):
            return names


def counts(person: Person, query: str = "") -> Any:
    return person.api.get(f"{AT}?{query}").data["counts"]


def test_it_is_read_by_name_page_after_page(adam: Person) -> None:
    names = ["delta", "Alpha", "charlie|x", "Bravo", "服务器", "alpha"]
    for number, name in enumerate(names):
        created(adam, name, slug=f"s{number}")
    by_name = listed(adam, "sort=name&limit=2")
    assert sorted(by_name[:2]) == ["Alpha", "alpha"] and by_name[2:] == ["Bravo", "charlie|x", "delta", "服务器"]
    assert listed(adam, "sort=name&limit=1") == by_name
    assert listed(adam, "limit=2") == names[::-1] == listed(adam, "sort=newest")


def test_counts_are_of_all_servers_whatever_is_searched_and_stand_on_the_first_page(adam: Person) -> None:
    for name in ("One", "Two", "Three"):
        created(adam, name)
    assert counts(adam, "limit=1&q=one") == {"all": 3, "attention": 0}
    first = adam.api.get(f"{AT}?limit=1").data
    assert adam.api.get(f"{AT}?limit=1&cursor={first['next']}").data["counts"] is None


def test_those_that_someone_should_look_at(adam: Person) -> None:
    soon, later = timezone.now() + timedelta(days=2, hours=23), timezone.now() + timedelta(days=3, hours=1)
    created(adam, "fine")
    created(adam, "ends soon", expires_at=soon.isoformat())
    created(adam, "ends later", expires_at=later.isoformat())
    fails, off = created(adam, "fails"), created(adam, "fails but is off", enabled=False)
    for server in (fails, off):
        revision = Server.objects.get(id=server["id"]).revision
        record_status(server["id"], revision, {"state": "error", "code": "MCP_TIMEOUT"})
    changed = created(adam, "changed")
    for text in ("before", "after"):
        revision = Server.objects.get(id=changed["id"]).revision
        spec = ToolSpec(server="changed", name="t", description=text, input_schema={"type": "object"})
        record_listing(changed["id"], revision, [spec])
    expected = ["changed", "ends soon", "fails"]
    assert listed(adam, "only=attention&sort=name&limit=2") == expected
    assert counts(adam) == {"all": 6, "attention": 3}
    assert listed(adam, "only=attention&q=soon") == ["ends soon"]


def test_a_key_that_only_its_reader_misses_is_for_them_to_look_at(adam: Person, bob: Person) -> None:
    own = created(adam, "Own", auth_type="bearer", credentials="user")
    assert listed(bob, "only=attention") == ["Own"] and counts(bob)["attention"] == 1
    assert bob.api.patch(f"{AT}/{own['id']}/credentials", {"api_key": "a-key-of-bob"}).status == 200
    assert listed(bob, "only=attention") == [] and counts(bob)["attention"] == 0
    assert listed(adam, "only=attention") == ["Own"]


def test_those_that_one_added_and_nobody_elses_private_ones(adam: Person, bob: Person, charlie: Person) -> None:
    created(adam, "Ours")
    created(adam, "Adam's", visibility="private")
    assert listed(adam, "only=mine&sort=name") == ["Adam's", "Ours"] and counts(adam)["all"] == 2
    assert listed(bob, "only=mine") == [] and listed(bob) == ["Ours"] and counts(bob)["all"] == 1
    assert listed(charlie) == [] and counts(charlie) == {"all": 0, "attention": 0}


@pytest.mark.parametrize("word", ["docs", "REACHED", "npx", "server-of-args"])
def test_a_search_looks_at_what_a_server_is_reached_by(adam: Person, word: str) -> None:
    created(adam, "Docs", url="https://reached.example.org/mcp")
    created(adam, "Program", transport="stdio", url="", command="npx", args=["server-of-args"])
    assert listed(adam, f"q={word}") == (["Docs"] if word in {"docs", "REACHED"} else ["Program"])


def test_a_search_does_not_find_what_is_kept_secret(adam: Person) -> None:
    created(adam, "Hidden", url="https://example.org/k/hush-hush-0042/mcp", url_secret=True)
    assert listed(adam, "q=hush") == [] and listed(adam, "q=hidden") == ["Hidden"]


@pytest.mark.parametrize("query", ["only=broken", "sort=size", "sort=name&cursor=abc", "sort=name&cursor=%00"])
def test_what_it_does_not_know_it_says(adam: Person, query: str) -> None:
    reply = adam.api.get(f"{AT}?{query}")
    assert reply.status == 400 and reply.data["code"] == "VALIDATION_ERROR"
    assert next(iter(reply.data["fields"])) in query
