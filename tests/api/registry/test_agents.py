"""External agents in the registry: added, tested, called, changed; and cards and answers that are no good."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from backend.registry.models import ApiDocument, Tool
from tests.people import Person
from tests.sample_agents import FORBIDDEN, KEY, ODD_CARDS, PNG, SKILLS, SampleAgents

SERVERS = "/api/mcp/servers"
STAGES = ["url", "dns", "tcp", "tls", "card", "protocol", "auth", "tools"]


def added(adam: Person, url: str, name: str = "Sample", **more: Any) -> dict[str, Any]:
    reply = adam.api.post(SERVERS, {"name": name, "transport": "a2a", "url": url, **more})
    assert reply.status == 201, reply.text
    return dict(reply.data)


def called(person: Person, tool: str, message: str = "hi", **more: Any) -> Any:
    arguments = {"message": message, **more}
    return person.api.post(
        "/api/mcp/tools/call", {"server": "sample", "tool": tool, "arguments": arguments, "confirm": True}
    )


def test_an_agent_is_added_tested_and_called(far: SampleAgents, adam: Person, bob: Person) -> None:
    agent = added(adam, f"{far.url}/kit")
    assert (agent["kind"], agent["transport"], agent["trust_annotations"]) == ("agent", "a2a", False)
    report = bob.api.post(f"{SERVERS}/sample/test").data
    assert [stage["name"] for stage in report["stages"]] == STAGES
    assert report["ok"] and report["protocol"] == "A2A 1.0" and report["tool_count"] == len(SKILLS), report
    assert report["server"] == {"name": "Sample agent", "version": "1.4"} and far.log("send") == []
    listed = bob.api.get(f"{SERVERS}/sample/tools").data["results"]
    assert sorted(tool["name"] for tool in listed) == sorted(SKILLS)
    echo = next(tool for tool in listed if tool["name"] == "echo")
    assert echo["title"] == "Echo" and "It can echo." in echo["description"] and "Please echo" in echo["description"]
    assert echo["effect"] == "write" and echo["risk"]["level"] != "LOW"
    answer = called(bob, "echo", data={"seats": 3})
    assert answer.status == 200, answer.text
    assert answer.data["text"].startswith("You said: hi") and answer.data["structured"]["data"] == {"seats": 3}
    assert answer.data["structured"]["context_id"] and answer.data["structured"]["state"] == "completed"
    [sent] = far.log("send")
    assert sent["skill"] == "echo" and sent["message"]["parts"][0] == {"text": "hi"}
    exchange = answer.data["messages"][0]["http"]
    assert exchange["method"] == "POST" and exchange["status"] == 200
    assert bob.api.get(f"{SERVERS}/sample").data["status"]["state"] == "ok"


def test_nothing_is_sent_without_a_yes(far: SampleAgents, adam: Person, bob: Person) -> None:
    added(adam, f"{far.url}/kit")
    bob.api.get(f"{SERVERS}/sample/tools?refresh=1")
    assert adam.api.patch(f"{SERVERS}/sample/tools/echo", {"policy": "ask"}).status == 200
    call = {"server": "sample", "tool": "echo", "arguments": {"message": "hi"}}
    assert bob.api.post("/api/mcp/tools/call", call).data["code"] == "APPROVAL_REQUIRED"
    wrong = bob.api.post("/api/mcp/tools/call", {**call, "arguments": {"text": "hi"}, "confirm": True})
    assert wrong.status == 400 and far.log("send") == []


def test_a_conversation_goes_on(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/kit")
    first = called(adam, "echo").data["structured"]["context_id"]
    assert called(adam, "echo", context_id=first).data["structured"]["context_id"] == first


def test_files_and_data_come_and_go(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/kit")
    content = called(adam, "things").data["content"]
    kinds = [block["type"] for block in content]
    assert kinds[:4] == ["text", "image", "resource_link", "text"]
    assert base64.b64decode(content[1]["data"]) == PNG
    assert content[2]["uri"] == "https://files.example.org/report.pdf"
    assert json.loads(content[3]["text"]) == {"count": 3, "ratio": 0.5}
    packed = base64.b64encode(PNG).decode()
    back = called(adam, "echo", files=[{"data": packed, "mime_type": "image/png", "name": "dot.png"}]).data["content"]
    assert back[1] == {"type": "image", "data": packed, "mimeType": "image/png"}
    for bad in ({"data": "%"}, {}, {"url": "file:///etc/passwd"}, {"$file": "x"}):
        reply = called(adam, "echo", files=[bad])
        assert reply.status == 400 and any(name.startswith("arguments.files.0") for name in reply.data["fields"])
    assert len(far.log("send")) == 2


def test_a_task_called_by_hand(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/kit", timeout_ms=2000)
    assert called(adam, "things").data["text"].startswith("42")
    failed = called(adam, "fail").data
    assert failed["is_error"] and failed["text"] == "No room left." and failed["structured"]["state"] == "failed"
    asks = called(adam, "ask")
    assert asks.data["code"] == "APPROVAL_REQUIRED" and asks.data["detail"]["kind"] == "elicitation"
    assert len(far.log("cancel")) == 1
    late = called(adam, "work")
    assert late.data["code"] == "MCP_TIMEOUT" and len(far.log("cancel")) == 2


def test_an_agent_of_0_3(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/old")
    report = adam.api.post(f"{SERVERS}/sample/test").data
    assert report["ok"] and report["protocol"] == "A2A 0.3", report
    answer = called(adam, "echo", data={"seats": 3}).data
    assert answer["text"].startswith("You said: hi") and answer["structured"]["data"] == {"seats": 3}
    assert called(adam, "things").data["content"][1]["type"] == "image"
    assert called(adam, "fail").data["is_error"]


def test_its_key_goes_to_its_own_host_alone(far: SampleAgents, adam: Person, bob: Person) -> None:
    locked = added(adam, f"{far.url}/locked", auth_type="bearer", api_key=KEY)
    assert locked["api_key_set"] and KEY not in json.dumps(locked)
    assert bob.api.post(f"{SERVERS}/sample/test").data["ok"]
    answer = called(bob, "echo", message=f"my key is {KEY}")
    assert answer.status == 200 and KEY not in answer.text
    elsewhere = far.url.replace("127.0.0.1", "localhost")
    adam.api.patch(f"{SERVERS}/sample", {"document_url": f"{elsewhere}/kit/.well-known/agent-card.json"})
    far.do("reset")
    report = bob.api.post(f"{SERVERS}/sample/test").data
    [request] = far.log("card")
    assert request["authorization"] is None
    assert report["code"] == "MCP_PROTOCOL_ERROR" and "localhost" in report["message"]


def test_each_member_may_use_a_key_of_their_own(far: SampleAgents, adam: Person, bob: Person) -> None:
    added(adam, f"{far.url}/locked", auth_type="bearer", credentials="user", api_key=KEY)
    assert adam.api.post(f"{SERVERS}/sample/test").data["ok"]
    assert bob.api.post(f"{SERVERS}/sample/test").data["code"] == "SECRET_MISSING"
    assert bob.api.patch(f"{SERVERS}/sample/credentials", {"api_key": KEY}).status == 200
    assert bob.api.post(f"{SERVERS}/sample/test").data["ok"]


def test_without_a_key_it_says_so(far: SampleAgents, adam: Person) -> None:
    report = adam.api.post(f"{SERVERS}/test", {"transport": "a2a", "url": f"{far.url}/locked"}).data
    assert (report["code"], [stage["name"] for stage in report["stages"] if stage["ok"] is False]) == (
        "MCP_AUTH_FAILED",
        ["card"],
    )
    draft = {"transport": "a2a", "url": f"{far.url}/locked", "auth_type": "bearer", "api_key": KEY}
    report = adam.api.post(f"{SERVERS}/test", draft).data
    assert report["ok"] and [tool["name"] for tool in report["tools"]] == list(SKILLS)
    assert not ApiDocument.objects.exists() and far.log("send") == []


@pytest.mark.parametrize("mode", ODD_CARDS)
def test_a_card_that_is_no_good(far: SampleAgents, adam: Person, mode: str) -> None:
    added(adam, f"{far.url}/odd/{mode}")
    report = adam.api.post(f"{SERVERS}/sample/test").data
    assert not report["ok"] and [s["name"] for s in report["stages"] if s["ok"] is False] == ["card"], report
    words = {
        "moved": "https://elsewhere.example/a2a",
        "huge": "larger than 1 MB",
        "page": "a web page",
        "words": "no JSON",
        "list": "no JSON object",
        "grpc": "GRPC",
        "later": "2.0",
        "nameless": "a name",
        "many": "more than 200 skills",
    }
    assert words[mode] in report["message"]
    if mode == "moved":
        [stage] = [stage for stage in report["stages"] if stage["name"] == "card"]
        assert stage["detail"] == {"url": words[mode]}
    assert adam.api.get(f"{SERVERS}/sample/tools?refresh=1").status in (400, 409, 422, 502)
    assert called(adam, "echo").status != 200 and not Tool.objects.exists()


def test_a_card_elsewhere_is_confirmed_by_a_person(far: SampleAgents, adam: Person) -> None:
    """The card stands on one host, the agent on another: whoever enters both says that this is meant."""
    elsewhere = far.url.replace("127.0.0.1", "localhost")
    added(adam, f"{elsewhere}/kit/rpc", document_url=f"{elsewhere}/kit/.well-known/agent-card.json")
    assert adam.api.post(f"{SERVERS}/sample/test").data["ok"]


def test_a_card_that_changes_waits_to_be_accepted(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/kit")
    adam.api.post(f"{SERVERS}/sample/test")
    adam.api.patch(f"{SERVERS}/sample/tools/echo", {"policy": "allow"})
    far.do("change")
    adam.api.get(f"{SERVERS}/sample/tools?refresh=1")
    tools = {tool["name"]: tool for tool in adam.api.get(f"{SERVERS}/sample/tools").data["results"]}
    assert tools["echo"]["changed"] and not tools["work"]["changed"]
    assert adam.api.get(f"{SERVERS}/sample").data["changed_tools"] == 1
    call = {"server": "sample", "tool": "echo", "arguments": {"message": "hi"}}
    assert adam.api.post("/api/mcp/tools/call", call).data["code"] == "APPROVAL_REQUIRED"
    assert adam.api.post(f"{SERVERS}/sample/tools/echo/accept").status == 200
    assert adam.api.post("/api/mcp/tools/call", call).status == 200


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        ("html", "MCP_PROTOCOL_ERROR"),
        ("nojson", "MCP_PARSE_ERROR"),
        ("array", "MCP_PROTOCOL_ERROR"),
        ("nothing", "MCP_PROTOCOL_ERROR"),
        ("down", "MCP_UNREACHABLE"),
        ("refuses", "MCP_INVALID_PARAMS"),
        ("noid", "MCP_PROTOCOL_ERROR"),
        ("shape", "MCP_PROTOCOL_ERROR"),
        ("otherid", "MCP_PROTOCOL_ERROR"),
        ("stateless", "MCP_PROTOCOL_ERROR"),
    ],
)
def test_an_answer_that_is_no_good(far: SampleAgents, adam: Person, mode: str, code: str) -> None:
    added(adam, f"{far.url}/odd/{mode}")
    reply = called(adam, "echo")
    assert reply.data["code"] == code, reply.text
    assert reply.status < 500 or reply.status in (502, 504)


def test_a_message_with_a_thousand_parts(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/odd/parts")
    answer = called(adam, "echo").data
    assert answer["text"].split("\n") == [str(number) for number in range(1000)]


def test_a_call_with_a_thousand_parts_sends_nothing(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/kit")
    reply = called(adam, "echo", files=[{"data": base64.b64encode(PNG).decode()}] * 1000)
    assert (reply.status, list(reply.data["fields"])) == (400, ["arguments.files"]), reply.text
    assert far.log("send") == []


def test_files_of_an_answer_are_links_that_nobody_follows(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/odd/links")
    content = called(adam, "echo").data["content"]
    links = [block["uri"] for block in content if block["type"] == "resource_link"]
    assert links == [f"{far.url}/odd/links/file", *FORBIDDEN] and far.log("fetched") == []


@pytest.mark.parametrize("address", FORBIDDEN[1:])
def test_a_file_that_is_sent_has_an_address_of_the_web(far: SampleAgents, adam: Person, address: str) -> None:
    added(adam, f"{far.url}/kit")
    reply = called(adam, "echo", files=[{"data": "eA=="}, {"url": address}])
    assert (reply.status, list(reply.data["fields"])) == (400, ["arguments.files.1.url"]), reply.text
    assert far.log("send") == []


def test_a_skill_stands_in_a_collection(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/kit")
    adam.api.post(f"{SERVERS}/sample/test")
    desk = adam.api.post("/api/collections", {"name": "Desk"}).data["id"]
    reply = adam.api.post(f"/api/collections/{desk}/tools", {"server": "sample", "tool": "echo"})
    assert reply.status == 201, reply.text
    listed = adam.api.get(f"/api/collections/{desk}").text
    assert '"echo"' in listed and "It can echo." in listed


def test_one_list_for_servers_and_one_for_agents(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/kit")
    adam.api.post(SERVERS, {"name": "Tools", "transport": "http", "url": "https://tools.example.org/mcp"})

    def names(query: str) -> list[str]:
        reply = adam.api.get(f"{SERVERS}?{query}").data
        assert reply["counts"]["all"] == len(reply["results"])
        return [row["name"] for row in reply["results"]]

    assert names("kind=agent") == ["Sample"] and names("kind=server") == ["Tools"]
    assert sorted(names("")) == ["Sample", "Tools"]
    assert adam.api.get(f"{SERVERS}?kind=agent&q=tools").data["results"] == []
    assert adam.api.get(f"{SERVERS}?kind=robot").status == 400


@pytest.mark.parametrize(
    ("field", "more"),
    [
        ("url", {"url": ""}),
        ("url", {"url": "ftp://agents.example.org"}),
        ("document", {"document": "{}"}),
        ("document_url", {"document_url": "not an address"}),
    ],
)
def test_fields_that_are_no_good(adam: Person, db: None, field: str, more: dict[str, Any]) -> None:
    body = {"name": "Sample", "transport": "a2a", "url": "https://agents.example.org", **more}
    reply = adam.api.post(SERVERS, body)
    assert reply.status == 400 and list(reply.data["fields"]) == [field]


def test_another_address_has_another_card(far: SampleAgents, adam: Person) -> None:
    added(adam, f"{far.url}/kit")
    adam.api.post(f"{SERVERS}/sample/test")
    assert ApiDocument.objects.count() == 1
    assert adam.api.patch(f"{SERVERS}/sample", {"timeout_ms": 5000}).status == 200
    assert ApiDocument.objects.count() == 1
    assert adam.api.patch(f"{SERVERS}/sample", {"url": f"{far.url}/old"}).status == 200
    assert not ApiDocument.objects.exists()
    assert adam.api.post(f"{SERVERS}/sample/test").data["protocol"] == "A2A 0.3"
