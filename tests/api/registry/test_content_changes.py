"""What changed of a server's resources, templates and prompts since somebody accepted them: marked, shown, accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from backend.accounts.models import AuditEntry, Membership
from backend.registry.models import ContentList
from backend.tools.loop import LOOP
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Api, Person

pytestmark = pytest.mark.django_db(transaction=True)

AT = "/api/mcp/servers/notes"


@pytest.fixture(scope="module", params=["modern", "handshake"])
def serving(request: pytest.FixtureRequest) -> Iterator[str]:
    for port in started(str(PROGRAMS / "contents_server.py"), request.param):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def base(adam: Person, serving: str) -> Iterator[str]:
    """The server is there as it was."""
    httpx2.get(f"{serving}/keep/0/private")
    httpx2.get(f"{serving}/offer/before")
    about = {"name": "Notes", "transport": "http", "url": f"{serving}/mcp"}
    assert adam.api.post("/api/mcp/servers", about).status == 201
    yield serving
    LOOP.stop()


def changed(api: Api, kind: str = "resources") -> list[tuple[str, str, str]]:
    """(what, its name, what happened to it) of all changes of a list."""
    page = api.get(f"{AT}/{kind}").data
    assert page["changed"] == len(page["changes"])
    return [(item["kind"], item["name"], item["change"]) for item in page["changes"]]


def accept(api: Api, **what: str) -> Any:
    return api.post(f"{AT}/contents/accept", what)


def test_a_first_look_marks_nothing_and_a_change_is_marked_and_shown(bob: Person, base: str) -> None:
    for kind in ("resources", "prompts"):
        assert changed(bob.api, kind) == changed(bob.api, kind) == []
    httpx2.get(f"{base}/offer/anew")
    page = bob.api.get(f"{AT}/resources?limit=2").data
    assert [(item["name"], item["change"]) for item in page["results"]] == [("a", "changed"), ("picture", None)]
    assert [(item["name"], item["change"]) for item in page["templates"]] == [("by name", "changed")]
    assert [(item["kind"], item["name"], item["change"]) for item in page["changes"]] == [
        ("resource", "notes://a", "changed"),
        ("resource", "notes://new", "added"),
        ("template", "notes://by-name/{name}", "changed"),
        ("resource", "notes://gone", "gone"),
        ("template", "notes://tree/{+path}", "gone"),
    ]
    first, added, *_, gone = page["changes"]
    assert (first["before"]["mime_type"], first["now"]["mime_type"]) == ("text/plain", "text/markdown")
    assert (first["before"]["description"], first["now"]["description"]) == (None, "It was described.")
    assert added["before"] is None and added["now"]["name"] == "new" and gone["now"] is None
    last = bob.api.get(f"{AT}/resources?limit=4&cursor=NA==").data
    assert [(item["name"], item["change"]) for item in last["results"]] == [("new", "added")]
    assert last["changes"] == [], "they stand on the first page"
    prompts = bob.api.get(f"{AT}/prompts").data
    assert [item["change"] for item in prompts["results"]] == ["changed", None, None, "added"]
    assert [len(prompts["changes"][0][side]["arguments"]) for side in ("before", "now")] == [2, 1]
    httpx2.get(f"{base}/offer/before")
    assert changed(bob.api) == changed(bob.api, "prompts") == [], "what is as it was accepted is not marked"


def test_one_is_accepted_for_the_team_and_then_all_of_a_kind(adam: Person, bob: Person, base: str) -> None:
    changed(bob.api)
    changed(bob.api, "prompts")
    httpx2.get(f"{base}/offer/anew")
    before = changed(bob.api)
    assert accept(adam.api, kind="resource", name="notes://a").data == {"accepted": 1}
    assert changed(bob.api) == before[1:]
    assert accept(adam.api, kind="resource").data == {"accepted": 2}
    assert {what for what, _, _ in changed(bob.api)} == {"template"}
    assert accept(adam.api, kind="template").data == {"accepted": 2} and changed(bob.api) == []
    assert changed(bob.api, "prompts") == [
        ("prompt", "plan", "changed"),
        ("prompt", "new", "added"),
        ("prompt", "asking", "gone"),
    ]
    assert accept(adam.api, kind="prompt").data == {"accepted": 3} and changed(bob.api, "prompts") == []
    kept = AuditEntry.objects.filter(action="contents.accepted").order_by("pk").first()
    assert kept is not None and kept.data["kind"] == "resource" and kept.data["name"] == "notes://a"


def test_what_did_not_change_or_is_not_there_is_not_accepted(
    adam: Person, vera: Person, charlie: Person, base: str
) -> None:
    for body in ({"kind": "prompt"}, {"kind": "prompt", "name": "plan"}, {"kind": "resource", "name": "no such"}):
        assert accept(adam.api, **body).status == 409, "nobody has looked"
    changed(adam.api)
    assert accept(adam.api, kind="resource").status == 409
    assert accept(vera.api, kind="resource").status == 403, "who may not see the list"
    assert accept(charlie.api, kind="resource").status == 404, "another team's"
    for wrong, field in (({}, "kind"), ({"kind": "tool"}, "kind"), ({"kind": "prompt", "name": "x\x00"}, "name")):
        reply = accept(adam.api, **wrong)
        assert (reply.status, list(reply.data["fields"])) == (400, [field])


def test_where_members_use_their_own_credentials_each_accepts_for_themself(
    adam: Person, bob: Person, base: str
) -> None:
    adam.api.patch(AT, {"credentials": "user", "auth_type": "bearer"})
    for who in (adam, bob):
        assert who.api.patch(f"{AT}/credentials", {"api_key": f"key-of-{who.user.pk}"}).status == 200
        assert changed(who.api) == []
    httpx2.get(f"{base}/offer/anew")
    assert len(changed(adam.api)) == len(changed(bob.api)) == 5
    assert accept(bob.api, kind="resource").data == {"accepted": 3}
    assert len(changed(bob.api)) == 2 and len(changed(adam.api)) == 5
    assert ContentList.objects.filter(person=bob.user).count() == 1
    member = Membership.objects.get(team=adam.team, user=bob.user)
    assert adam.api.delete(f"/api/teams/members/{member.pk}").status == 204
    assert not ContentList.objects.filter(person=bob.user).exists()
    assert adam.api.delete(AT).status == 204 and not ContentList.objects.exists()
