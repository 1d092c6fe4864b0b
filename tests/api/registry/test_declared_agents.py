"""Agents of others that documents declare: approved by an admin, their cards kept, and what changed accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from backend.accounts.models import AuditEntry
from backend.registry.configuration.declarations import declaration_hash, normal_form
from backend.registry.models import Declaration, Server
from backend.tools.loop import LOOP
from tests.people import Person
from tests.sample_agents import KEY, ODD_CARDS, SKILLS, SampleAgents

DECLARATIONS = "/api/mcp/declarations"


def document(**declared: dict[str, Any]) -> dict[str, Any]:
    return {"schema": 1, "language": "en", "nodes": [], "edges": [], "annotations": [], "mcp_servers": declared}


def declared(bob: Person, url: str, **more: Any) -> str:
    """Where the declaration is, of an agent in a document of Bob's."""
    graph = document(far={"transport": "a2a", "url": url, **more})
    created = bob.api.post("/api/workflows", {"name": "flow", "graph": graph})
    assert created.status == 201, created.text
    return f"{DECLARATIONS}/{bob.api.get(DECLARATIONS).data['results'][0]['hash']}"


def card(person: Person, at: str) -> dict[str, Any]:
    reply = person.api.get(f"{at}/card")
    assert reply.status == 200, reply.text
    return dict(reply.data)


def test_the_card_is_read_once_an_admin_approved(far: SampleAgents, adam: Person, bob: Person, charlie: Person) -> None:
    at = declared(bob, f"{far.url}/kit")
    [waiting] = bob.api.get(f"{DECLARATIONS}?state=waiting").data["results"]
    assert (waiting["config"]["transport"], waiting["approval"], waiting["package"]) == ("a2a", None, None)
    assert card(bob, at) == {"hash": waiting["hash"], "card": None, "version": "", "changed": 0, "skills": []}
    assert adam.api.post(f"{at}/card").data["code"] == "SERVER_NOT_APPROVED" and far.log("card") == []
    assert bob.api.post(f"{at}/approve").status == 403 and charlie.api.post(f"{at}/approve").status == 404
    approved = adam.api.post(f"{at}/approve")
    assert (approved.status, approved.data["state"], approved.data["changed"]) == (200, "approved", 0), approved.text
    shown = card(bob, at)
    assert (shown["card"]["name"], shown["card"]["version"]) == ("Sample agent", "1.4")
    assert (shown["card"]["url"], shown["card"]["protocol"]) == (f"{far.url}/kit/rpc", "A2A 1.0")
    assert [skill["name"] for skill in shown["skills"]] == list(SKILLS)
    echo = shown["skills"][0]
    assert (echo["server"], echo["policy"], echo["effect"], echo["changed"]) == ("far", "auto", "write", False)
    assert "It can echo." in echo["description"] and "message" in echo["input_schema"]["properties"]
    assert len(far.log("card")) == 1 and far.log("send") == []


def test_a_changed_card_waits_to_be_accepted(far: SampleAgents, adam: Person, bob: Person) -> None:
    at = declared(bob, f"{far.url}/kit")
    adam.api.post(f"{at}/approve")
    before = card(adam, at)
    nothing = adam.api.post(f"{at}/card/accept", {"version": before["version"]})
    assert (nothing.status, nothing.data["code"]) == (409, "CONFLICT")
    far.do("change")
    assert bob.api.post(f"{at}/card").status == 403
    result = adam.api.post(f"{at}/card").data
    assert result["changed"] == 1 and result["version"] != before["version"]
    [changed] = [skill for skill in result["skills"] if skill["changed"]]
    assert changed["name"] == "echo" and "as of day 1" in changed["description"]
    assert changed["pinned"]["description"].startswith("It can echo.\n")
    assert adam.api.get(DECLARATIONS).data["results"][0]["changed"] == 1
    for version, status in ((before["version"], 409), ("", 400), ("x" * 65, 400)):
        assert adam.api.post(f"{at}/card/accept", {"version": version}).status == status
    assert bob.api.post(f"{at}/card/accept", {"version": result["version"]}).status == 403
    accepted = adam.api.post(f"{at}/card/accept", {"version": result["version"]}).data
    assert accepted["changed"] == 0 and not any(skill["changed"] for skill in accepted["skills"])
    deed = AuditEntry.objects.get(action="declaration.accepted")
    assert deed.data == {"name": "far", "skills": ["echo"]}
    assert adam.api.post(f"{at}/card/accept", {"version": result["version"]}).status == 409


def test_a_card_that_did_not_change_is_not_sent_again(far: SampleAgents, adam: Person, bob: Person) -> None:
    at = declared(bob, f"{far.url}/kit")
    adam.api.post(f"{at}/approve")
    before = card(adam, at)
    after = adam.api.post(f"{at}/card").data
    assert [entry["status"] for entry in far.log("card")] == [200, 304]
    assert after["skills"][0]["description"] == before["skills"][0]["description"]
    assert after["card"]["read_at"] > before["card"]["read_at"] and after["version"] == before["version"]


def test_deciding_anew_forgets_the_card(far: SampleAgents, adam: Person, bob: Person) -> None:
    at = declared(bob, f"{far.url}/kit")
    adam.api.post(f"{at}/approve")
    assert adam.api.post(f"{at}/reject").data["state"] == "rejected"
    assert card(adam, at)["card"] is None
    far.do("change")
    adam.api.post(f"{at}/approve")
    shown = card(adam, at)
    assert shown["changed"] == 0 and "as of day 1" in shown["skills"][0]["description"]


def test_its_key_is_a_secret_by_name(far: SampleAgents, adam: Person, bob: Person) -> None:
    at = declared(bob, f"{far.url}/locked", headers={"Authorization": "Bearer ${secret:agent_key}"})
    assert adam.api.post(f"{at}/approve").status == 200, "approved it is, also where its card cannot be read yet"
    assert card(adam, at)["card"] is None
    assert adam.api.post(f"{at}/card").data["code"] == "SECRET_MISSING"
    adam.api.post("/api/secrets", {"name": "agent_key", "value": KEY, "hosts": ["127.0.0.1"]})
    result = adam.api.post(f"{at}/card")
    assert result.status == 200 and result.data["card"]["name"] == "Sample agent"
    assert KEY not in result.text and KEY not in adam.api.get(DECLARATIONS).text
    assert [entry["authorization"] for entry in far.log("card")] == [f"Bearer {KEY}"]


def test_its_card_may_stand_elsewhere_and_gets_no_key_there(far: SampleAgents, adam: Person, bob: Person) -> None:
    elsewhere = far.url.replace("127.0.0.1", "localhost")
    adam.api.post("/api/secrets", {"name": "agent_key", "value": KEY, "hosts": ["localhost"]})
    headers = {"Authorization": "Bearer ${secret:agent_key}"}
    at = declared(bob, f"{elsewhere}/kit", document_url=f"{far.url}/kit", headers=headers)
    adam.api.post(f"{at}/approve")
    result = adam.api.post(f"{at}/card")
    assert result.data["code"] == "MCP_PROTOCOL_ERROR" and "127.0.0.1" in result.data["message"]
    assert {entry["authorization"] for entry in far.log("card")} == {None}


@pytest.mark.parametrize("mode", ODD_CARDS)
def test_a_card_that_is_no_good(far: SampleAgents, adam: Person, bob: Person, mode: str) -> None:
    at = declared(bob, f"{far.url}/odd/{mode}")
    assert adam.api.post(f"{at}/approve").status == 200
    result = adam.api.post(f"{at}/card")
    assert result.data["code"] in ("MCP_PARSE_ERROR", "MCP_PROTOCOL_ERROR"), result.text
    assert mode != "huge" or "larger than 1 MB" in result.data["message"]
    assert card(adam, at)["card"] is None and far.log("send") == []


def test_a_card_that_turns_bad_leaves_what_was_read(far: SampleAgents, adam: Person, bob: Person) -> None:
    at = declared(bob, f"{far.url}/kit")
    adam.api.post(f"{at}/approve")
    before = card(adam, at)
    far.do("move")
    moved = adam.api.post(f"{at}/card")
    assert moved.data["code"] == "MCP_PROTOCOL_ERROR" and "elsewhere.example" in moved.data["message"]
    assert card(adam, at) == before


@pytest.mark.parametrize("url", ["http://10.1.2.3/agent", "http://169.254.169.254/latest"])
def test_a_private_address_is_not_reached(adam: Person, bob: Person, transactional_db: None, url: str) -> None:
    at = declared(bob, url)
    assert adam.api.post(f"{at}/approve").status == 200
    assert adam.api.post(f"{at}/card").data["code"] == "NETWORK_BLOCKED"
    LOOP.stop()


@pytest.mark.parametrize(
    "bad",
    [
        {"transport": "a2a"},
        {"transport": "a2a", "url": "ftp://agents.example.org"},
        {"transport": "a2a", "url": "https://{{ start.host }}/a"},
        {"transport": "a2a", "url": "https://a.example.org", "document_url": "card.json"},
        {"transport": "a2a", "url": "https://a.example.org", "document_url": "https://a.example.org/${secret:k}"},
        {"transport": "http", "url": "https://a.example.org", "document_url": "https://a.example.org/card.json"},
    ],
)
def test_what_cannot_be_declared(bob: Person, db: None, bad: dict[str, Any]) -> None:
    created = bob.api.post("/api/workflows", {"name": "flow", "graph": document(far=bad)}).data
    problems = bob.api.post(f"/api/workflows/{created['id']}/validate").data["problems"]
    assert [(item["code"], item["path"]) for item in problems if item["code"] == "server_bad"] == [
        ("server_bad", "/mcp_servers/far")
    ]
    assert not Declaration.objects.exists()


def test_a_server_has_no_card(adam: Person, bob: Person, charlie: Person, db: None) -> None:
    bob.api.post("/api/workflows", {"name": "flow", "graph": document(kb={"url": "https://kb.example.org/mcp"})})
    at = f"{DECLARATIONS}/{Declaration.objects.get().hash}"
    for reply in (
        adam.api.get(f"{at}/card"),
        adam.api.post(f"{at}/card"),
        adam.api.post(f"{at}/card/accept", {"version": "x"}),
        adam.api.get(f"{DECLARATIONS}/none/card"),
        charlie.api.get(f"{at}/card"),
    ):
        assert reply.status == 404, reply.text


def test_what_was_approved_before_keeps_its_hash() -> None:
    """There was no `document_url` then; with one in it, every approval of a server would have to be given again."""
    form = normal_form({"transport": "http", "url": "https://kb.example.org/mcp"})
    assert "document_url" not in form
    assert declaration_hash(form) == "e9f3dc868d6a9cd2d9037085c0de53e2b270143f46a0918ff6961a3b1fd139b3"


def test_another_team_has_its_own_approval_and_card(
    far: SampleAgents, adam: Person, bob: Person, charlie: Person
) -> None:
    mine, theirs = declared(bob, f"{far.url}/kit"), declared(charlie, f"{far.url}/kit")
    assert mine == theirs and Declaration.objects.count() == 2
    adam.api.post(f"{mine}/approve")
    assert card(charlie, theirs)["card"] is None and card(bob, mine)["card"] is not None
    assert charlie.api.get(DECLARATIONS).data["results"][0]["state"] == "waiting"
    assert not Server.objects.exists()


def imported(bob: Person, **config: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The document that an import with an agent node makes, and the report."""
    ask = {"id": "ask", "type": "agent", "v": 1, "position": {"x": 0, "y": 0}}
    ask["config"] = {"provider": "llm", "model": "m", "query": "x", **config}
    graph = {"schema": 1, "language": "en", "nodes": [ask], "edges": [], "annotations": []}
    created = bob.api.post("/api/workflows/import", {"text": json.dumps(graph), "name": "theirs"})
    assert created.status == 201, created.text
    return created.data["workflow"]["draft"]["graph"], created.data["report"]


def test_agents_of_a_foreign_document_are_declared(bob: Person, db: None) -> None:
    headers = {"Authorization": "Bearer ${secret:hotel}"}
    agents = [
        "https://travel.example.org/a2a",
        {"name": "Hotel desk", "url": "https://h.example.org", "headers": headers},
    ]
    graph, report = imported(bob, a2a_agents=agents, tools={"local": ["calculate"]})
    assert graph["mcp_servers"] == {
        "travel_example_org": {"transport": "a2a", "url": "https://travel.example.org/a2a"},
        "hotel_desk": {"transport": "a2a", "url": "https://h.example.org", "headers": headers},
    }
    config = graph["nodes"][0]["config"]
    assert "a2a_agents" not in config and config["tools"] == {
        "local": ["calculate"],
        "servers": [{"server": "travel_example_org"}, {"server": "hotel_desk"}],
    }
    assert "travel_example_org" in json.dumps(report)
    waiting = bob.api.get(f"{DECLARATIONS}?state=waiting").data["results"]
    assert {row["name"] for row in waiting} == {"travel_example_org", "hotel_desk"}


@pytest.mark.parametrize("bad", [[3], [{"name": "x"}], ["https://a.example.org"] * 51, "https://a.example.org", [[]]])
def test_agents_that_cannot_be_read_stay_as_they_are(bob: Person, db: None, bad: Any) -> None:
    graph, _ = imported(bob, a2a_agents=bad)
    assert graph["nodes"][0]["config"]["a2a_agents"] == bad and not graph.get("mcp_servers")
    assert not Declaration.objects.exists()
