"""Resources and prompts of a server by the API: lists by the page, kept as allowed; read, filled, completed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from backend.tools.loop import LOOP
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

AT = "/api/mcp/servers/notes"


@pytest.fixture(scope="module", params=["modern", "handshake"])
def serving(request: pytest.FixtureRequest) -> Iterator[tuple[str, bool]]:
    """(base URL, whether it is of the modern era)."""
    for port in started(str(PROGRAMS / "contents_server.py"), request.param):
        yield f"http://127.0.0.1:{port}", request.param == "modern"


@pytest.fixture
def base(adam: Person, serving: tuple[str, bool]) -> Iterator[str]:
    """The server is there, and allows nothing to be kept."""
    httpx2.get(f"{serving[0]}/keep/0/private")
    httpx2.get(f"{serving[0]}/offer/before")
    about = {"name": "Notes", "transport": "http", "url": f"{serving[0]}/mcp"}
    assert adam.api.post("/api/mcp/servers", about).status == 201
    yield serving[0]
    LOOP.stop()


def lists(base: str, method: str = "resources/list") -> int:
    """How often the server was asked for a list (its first page)."""
    request = httpx2.get(f"{base}/log").json()
    return len([params for name, params in request if name == method and not params.get("cursor")])


def test_lists_come_by_the_page(bob: Person, base: str) -> None:
    first = bob.api.get(f"{AT}/resources?limit=2").data
    assert [item["name"] for item in first["results"]] == ["a", "picture"] and first["total"] == 5
    assert [item["variables"] for item in first["templates"]] == [
        [{"name": "name", "required": True}],
        [{"name": "path", "required": True}],
    ]
    before = lists(base)
    second = bob.api.get(f"{AT}/resources?limit=2&cursor={first['next']}").data
    third = bob.api.get(f"{AT}/resources?limit=2&cursor={second['next']}").data
    assert [item["name"] for item in second["results"] + third["results"]] == ["endless", "gone", "secret"]
    assert second["templates"] == [] and third["next"] is None
    assert lists(base) == before, "further pages are of the list that the first one is of"
    prompts = bob.api.get(f"{AT}/prompts").data
    assert [item["name"] for item in prompts["results"]] == ["plan", "roles", "picture", "asking"]
    assert prompts["results"][0]["arguments"][0] == {"name": "city", "description": None, "required": True}


@pytest.mark.parametrize("cursor", ["x", "LTE=", "é", "AAAA"])
def test_what_is_no_cursor_is_refused_by_name(bob: Person, base: str, cursor: str) -> None:
    for kind in ("resources", "prompts"):
        reply = bob.api.get(f"{AT}/{kind}?cursor={cursor}")
        assert (reply.status, list(reply.data["fields"])) == (400, ["cursor"])
    assert bob.api.get(f"{AT}/resources?limit=0").status == 400


def test_what_nobody_allows_to_be_kept_is_asked_for_each_time(bob: Person, base: str) -> None:
    before = lists(base)
    for _ in range(2):
        assert bob.api.get(f"{AT}/resources").data["kept"]["ttl_ms"] == 0
    assert lists(base) == before + 2


def test_what_is_private_is_kept_for_one_person_alone(
    adam: Person, bob: Person, base: str, serving: tuple[str, bool]
) -> None:
    httpx2.get(f"{base}/keep/600000/private")
    before = lists(base)
    kept = bob.api.get(f"{AT}/resources").data["kept"]
    bob.api.get(f"{AT}/resources")
    if not serving[1]:
        assert lists(base) == before + 2 and kept["ttl_ms"] == 0, "the handshake era knows no time to keep"
        return
    assert (kept["ttl_ms"], kept["scope"]) == (600000, "private") and lists(base) == before + 1
    adam.api.get(f"{AT}/resources")
    assert lists(base) == before + 2, "what Bob was told is not shown to another"
    bob.api.get(f"{AT}/resources?refresh=1")
    assert lists(base) == before + 3


def test_what_is_public_is_kept_for_the_team_until_the_server_takes_it_back(
    adam: Person, bob: Person, base: str, serving: tuple[str, bool]
) -> None:
    if not serving[1]:
        return  # see above
    httpx2.get(f"{base}/keep/600000/public")
    before = lists(base)
    bob.api.get(f"{AT}/resources")
    adam.api.get(f"{AT}/resources")
    assert lists(base) == before + 1
    httpx2.get(f"{base}/keep/600000/private")
    bob.api.get(f"{AT}/resources?refresh=1")
    adam.api.get(f"{AT}/resources")
    assert lists(base) == before + 3
    adam.api.patch(AT, {"headers": {"X-Other": "1"}})
    bob.api.get(f"{AT}/resources")
    assert lists(base) == before + 4, "another configuration, another list"


def test_another_team_sees_nothing_of_it(charlie: Person, bob: Person, vera: Person, base: str) -> None:
    bob.api.get(f"{AT}/resources")
    posts: list[tuple[str, Any]] = [
        ("resources/read", {"uri": "notes://a"}),
        ("prompts/get", {"prompt": "plan"}),
        ("complete", {"prompt": "plan", "argument": "city", "value": ""}),
    ]
    assert charlie.api.get(f"{AT}/resources").status == charlie.api.get(f"{AT}/prompts").status == 404
    assert vera.api.get(f"{AT}/resources").status == 403
    for path, body in posts:
        assert charlie.api.post(f"{AT}/{path}", body).status == 404
        assert vera.api.post(f"{AT}/{path}", body).status == 403


def test_a_resource_is_read(bob: Person, base: str) -> None:
    read = bob.api.post(f"{AT}/resources/read", {"uri": "notes://picture"}).data
    assert [block["resource"]["mimeType"] for block in read["content"]] == ["text/plain", "image/png"]
    assert read["uri"] == "notes://picture" and read["messages"][0]["message"]["method"]
    body = {"uri": "notes://by-name/{name}", "arguments": {"name": "a b/c"}}
    assert bob.api.post(f"{AT}/resources/read", body).data["uri"] == "notes://by-name/a%20b%2Fc"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "uri"),
        ({"uri": ""}, "uri"),
        ({"uri": 7, "arguments": []}, "arguments"),
        ({"uri": "no uri"}, "uri"),
        ({"uri": "x" * 9000}, "uri"),
        ({"uri": "notes://{a"}, "uri"),
        ({"uri": "file:///etc/passwd"}, "uri"),
        ({"uri": "notes://a", "arguments": {"b": 1}}, "arguments"),
        ({"uri": "notes://by-name/{name}"}, "arguments.name"),
        ({"uri": "notes://tree/{+path}", "arguments": {"path": "../../etc/passwd"}}, "arguments.path"),
        ({"uri": "notes://tree/{+path}", "arguments": {"path": {"a": 1}}}, "arguments.path"),
    ],
)
def test_what_may_not_be_read_is_refused_by_name(bob: Person, base: str, body: Any, field: str) -> None:
    reply = bob.api.post(f"{AT}/resources/read", body)
    assert (reply.status, field in reply.data["fields"]) == (400, True), reply.data
    status = bob.api.get(AT).data["status"]["state"]
    assert status != "error", "a bad address says nothing of the server"


def test_a_prompt_is_filled(bob: Person, base: str) -> None:
    filled = bob.api.post(f"{AT}/prompts/get", {"prompt": "plan", "arguments": {"city": "Oslo"}}).data
    assert filled["description"] == "A plan"
    assert filled["results"] == [{"role": "user", "content": {"type": "text", "text": '{"city": "Oslo"}'}}]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "prompt"),
        ({"prompt": "nothing"}, 400, "prompt"),
        ({"prompt": "plan"}, 400, "arguments.city"),
        ({"prompt": "plan", "arguments": {"city": {"a": 1}}}, 400, "arguments.city"),
        ({"prompt": "plan", "arguments": {"city": "x", "more": "y"}}, 400, "arguments.more"),
        ({"prompt": "roles"}, 502, ""),
    ],
)
def test_what_cannot_be_filled_is_refused_by_name(bob: Person, base: str, body: Any, status: int, field: str) -> None:
    reply = bob.api.post(f"{AT}/prompts/get", body)
    assert reply.status == status and (not field or field in reply.data["fields"]), reply.data


def test_an_argument_is_completed(bob: Person, base: str) -> None:
    reply = bob.api.post(f"{AT}/complete", {"prompt": "plan", "argument": "city", "value": "os"})
    assert reply.status == 200, reply.data
    values = reply.data["values"]
    assert len(values) == 100 and values[0] == "os0"
    body = {"uri_template": "notes://tree/{+path}", "argument": "path", "value": "", "arguments": {"other": "x"}}
    assert bob.api.post(f"{AT}/complete", body).data["values"] == ["other"]
    for wrong in ({}, {"prompt": "a", "uri_template": "b"}):
        reply = bob.api.post(f"{AT}/complete", {**wrong, "argument": "a", "value": ""})
        assert (reply.status, list(reply.data["fields"])) == (400, ["prompt"])


@pytest.mark.parametrize("odd", ["\ud800", "\x00", "\u202e", "\U0001f600" * 500])
def test_odd_characters_are_refused_or_carried(bob: Person, base: str, odd: str) -> None:
    bodies: list[tuple[str, Any]] = [
        ("complete", {"prompt": "plan", "argument": "city", "value": odd}),
        ("complete", {"prompt": odd, "argument": odd, "value": "", "arguments": {odd: odd}}),
        ("prompts/get", {"prompt": "plan", "arguments": {"city": odd}}),
        ("prompts/get", {"prompt": odd}),
        ("resources/read", {"uri": f"notes://tree/{odd}"}),
        ("resources/read", {"uri": "notes://by-name/{name}", "arguments": {"name": odd}}),
    ]
    for path, body in bodies:
        reply = bob.api.post(f"{AT}/{path}", body)
        assert reply.status in (200, 400), (path, body, reply.data)
