"""Cards and answers of agents: what they become, and that nothing they hold is a failure of ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from a2a.types.a2a_pb2 import Task

from backend.errors import McpProtocolError, PatchbayError
from backend.json_types import JsonObject
from backend.tools.a2a.cards import agent_of, card_address, tidied
from backend.tools.a2a.messages import message_of, message_text, result_of, state_of
from backend.tools.a2a.wire import Peer
from tests.sample_agents import card

URL = "https://agents.example.org/travel"


def deep(levels: int) -> Any:
    return "x" if levels == 0 else {"a": deep(levels - 1)}


ODD = [None, 0, 1.5, 1e400, True, "", "\ud800", "\0", [], {}, [None], {"a": 1}, "https://[::1", 10**30, deep(200)]
TASK: JsonObject = {
    "id": "t1",
    "contextId": "c1",
    "status": {
        "state": "TASK_STATE_COMPLETED",
        "timestamp": "2026-01-01T00:00:00Z",
        "message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "x"}]},
    },
    "artifacts": [
        {
            "artifactId": "a",
            "parts": [{"text": "x"}, {"raw": "aGk=", "mediaType": "image/png"}, {"url": URL}, {"data": {"a": [1]}}],
        }
    ],
}
OLD_TASK: JsonObject = {
    "kind": "task",
    "id": "t1",
    "contextId": "c1",
    "status": {
        "state": "completed",
        "timestamp": "2026-01-01T00:00:00Z",
        "message": {"kind": "message", "messageId": "m", "role": "agent", "parts": [{"kind": "text", "text": "x"}]},
    },
    "artifacts": [
        {
            "artifactId": "a",
            "parts": [
                {"kind": "text", "text": "x"},
                {"kind": "file", "file": {"bytes": "aGk=", "mimeType": "image/png"}},
                {"kind": "file", "file": {"uri": URL}},
                {"kind": "data", "data": {"a": [1]}},
            ],
        }
    ],
}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*at, key))


def spoiled(value: Any) -> Iterator[Any]:
    """The value with something odd at each of its places in turn."""
    for at in places(value):
        for odd in ODD:
            changed = copy.deepcopy(value)
            if not at:
                yield odd
                continue
            holder = changed
            for key in at[:-1]:
                holder = holder[key]
            holder[at[-1]] = odd
            yield changed


@pytest.mark.parametrize("old", [False, True])
def test_no_card_is_a_failure_of_ours(old: bool) -> None:
    whole = card(URL, old=old, securitySchemes={"key": {"type": "apiKey", "in": "header", "name": "X-Key"}})
    whole["skills"] = whole["skills"][:1]
    for body in spoiled(whole):
        try:
            specs = agent_of(body, URL).specs("far")
        except PatchbayError:
            continue
        assert all(spec.name for spec in specs)


@pytest.mark.parametrize("old", [False, True])
def test_no_answer_is_a_failure_of_ours(old: bool) -> None:
    for body in spoiled(OLD_TASK if old else TASK):
        try:
            task = Peer._old_answer(body) if old else Peer._parsed(body, Task())
            if isinstance(task, Task):
                assert isinstance(state_of(task) + message_text(task), str)
            json.dumps(result_of(task, 1_000_000, 1.0).as_json())
        except PatchbayError:
            continue


@pytest.mark.parametrize("old", [False, True])
def test_a_task_as_a_result(old: bool) -> None:
    task = Peer._old_answer(OLD_TASK) if old else Peer._parsed(TASK, Task())
    result = result_of(task, 1_000_000, 1.0)
    assert [block["type"] for block in result.content] == ["text", "image", "resource_link", "text", "text"]
    assert result.structured == {"data": {"a": [1]}, "context_id": "c1", "task_id": "t1", "state": "completed"}
    assert result.text == 'x\n{"a": [1]}' and not result.is_error


def test_where_a_card_is_read() -> None:
    usual = "/.well-known/agent-card.json"
    assert card_address("https://a.example.org") == f"https://a.example.org{usual}"
    assert card_address("https://a.example.org/travel/") == f"https://a.example.org/travel{usual}"
    assert card_address("https://a.example.org/cards/travel.json") == "https://a.example.org/cards/travel.json"
    assert (
        card_address("https://a.example.org/rpc?k=1", "https://b.example.org/x.json") == "https://b.example.org/x.json"
    )
    assert card_address("https://a.example.org/rpc", "https://b.example.org") == f"https://b.example.org{usual}"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/travel",
        "http://agents.example.org/travel",
        "https://agents.example.org:8443/travel",
        "https://agents.example.org.evil.example/travel",
        "https://agents.example.org@evil.example/travel",
        "file:///etc/passwd",
        "https://[::1",
    ],
)
def test_messages_go_to_the_host_that_was_entered(address: str) -> None:
    with pytest.raises(PatchbayError):
        agent_of(card(address), URL)
    both = card(address)
    both["supportedInterfaces"].append({"url": f"{URL}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"})
    assert agent_of(both, URL).url == f"{URL}/rpc"


def test_the_newer_of_two_versions_is_spoken() -> None:
    both = card(URL)
    older = {"url": f"{URL}/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3.0"}
    both["supportedInterfaces"].insert(0, older)
    assert (agent_of(both, URL).dialect, agent_of(both, URL).url) == ("1.0", URL)
    both["supportedInterfaces"].pop()
    assert agent_of(both, URL).dialect == "0.3"
    both["supportedInterfaces"] = [{**older, "protocolVersion": "10"}]
    with pytest.raises(McpProtocolError):
        agent_of(both, URL)


def test_names_of_skills_are_names_of_tools() -> None:
    body = card(URL)
    body["skills"] = [
        {"id": name, "name": "n", "description": "d", "tags": []}
        for name in ("book", "book", "预订", "a b/c", "x" * 99)
    ]
    names = [skill.name for skill in agent_of(body, URL).skills]
    assert names == ["book", "book_2", "skill", "a_b_c", "x" * 60]
    body["skills"] = []
    (only,) = agent_of(body, URL).skills
    assert (only.name, only.id, only.description) == ("message", "", body["description"])


async def test_a_message_says_which_skill_and_is_the_same_again() -> None:
    skill = agent_of(card(URL), URL).by_name["echo"]
    arguments: JsonObject = {"message": "hi \ud800", "data": {"n": 1}, "context_id": "c1"}
    first, second = [await message_of(arguments, skill, "run/step/call", None) for _ in range(2)]
    assert first == second and first.context_id == "c1" and first.metadata["skillId"] == "echo"
    assert [part.WhichOneof("content") for part in first.parts] == ["text", "data"]
    assert (await message_of(arguments, skill, "another", None)).message_id != first.message_id


def test_tidied_keeps_what_is_good() -> None:
    assert tidied({"a": [1, 2.5, "é", None, True]}) == {"a": [1, 2.5, "é", None, True]}
