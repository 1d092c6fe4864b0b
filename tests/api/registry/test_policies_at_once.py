"""Policies of many tools in one step: which tools are meant, who may, what the trail keeps of it."""

from __future__ import annotations

from typing import Any

import pytest

from backend.accounts.models import AuditEntry
from backend.json_types import JsonObject
from backend.registry.models import Server
from backend.registry.tools.listing import record_listing
from backend.tools.types import ToolSpec
from tests.looking import inside
from tests.people import Person

AT = "/api/mcp/servers"
READS: JsonObject = {"readOnlyHint": True}
TOOLS: dict[str, JsonObject] = {
    "look": READS,
    "get_token": READS,
    "look.closer": READS,
    "write": {},
    "again": {"idempotentHint": True},
    "delete": {"destructiveHint": True},
}


def specs(**changed: str) -> list[ToolSpec]:
    return [
        ToolSpec("shop", name, changed.get(name, ""), input_schema={"type": "object"}, annotations=annotations)
        for name, annotations in TOOLS.items()
    ]


@pytest.fixture
def shop(adam: Person) -> str:
    """The id of a trusted server that lists `TOOLS`."""
    body = {"transport": "http", "url": "https://example.org/mcp", "name": "shop", "trust_annotations": True}
    created = adam.api.post(AT, body)
    assert created.status == 201, created.text
    server = Server.objects.get(id=created.data["id"])
    assert record_listing(server.id, server.revision, specs())
    return server.id


def policies(person: Person, server: str) -> dict[str, str]:
    listed = person.api.get(f"{AT}/{server}/tool-names").data["results"]
    return {tool["name"]: tool["policy"] for tool in listed if tool["policy"] != "auto"}


def put(person: Person, server: str, which: Any, policy: Any) -> Any:
    return person.api.patch(f"{AT}/{server}/tools", {"which": which, "policy": policy})


@pytest.mark.parametrize(
    ("which", "meant"),
    [
        ("read", {"look", "get_token", "look.closer"}),
        ("write", {"write", "again", "delete"}),
        ("high_risk", {"delete"}),
    ],
)
def test_all_tools_of_a_kind_and_no_others(shop: str, adam: Person, which: str, meant: set[str]) -> None:
    done = put(adam, shop, which, "deny")
    assert (done.status, done.data) == (200, {"total": len(meant), "changed": len(meant)})
    assert policies(adam, shop) == dict.fromkeys(meant, "deny")
    assert put(adam, shop, which, "deny").data == {"total": len(meant), "changed": 0}
    assert put(adam, shop, which, "auto").data == {"total": len(meant), "changed": len(meant)}
    assert policies(adam, shop) == {}


def test_what_admins_set_of_a_tool_says_what_it_is(shop: str, adam: Person) -> None:
    assert adam.api.patch(f"{AT}/{shop}/tools/look", {"effect": "write", "risk": "HIGH"}).status == 200
    assert put(adam, shop, "read", "allow").data["total"] == 2
    assert put(adam, shop, "high_risk", "ask").data["total"] == 2
    assert policies(adam, shop) == {"get_token": "allow", "look.closer": "allow", "delete": "ask", "look": "ask"}


def test_hints_that_nobody_trusts_make_no_tool_one_that_reads(shop: str, adam: Person) -> None:
    assert adam.api.patch(f"{AT}/{shop}", {"trust_annotations": False}).status == 200
    assert put(adam, shop, "read", "allow").data == {"total": 0, "changed": 0}
    assert put(adam, shop, "write", "ask").data["total"] == len(TOOLS)


def test_a_changed_tool_is_what_the_more_careful_definition_says(shop: str, adam: Person) -> None:
    server = Server.objects.get(id=shop)
    changed = [ToolSpec("shop", "write", input_schema={"type": "object"}, annotations=READS), *specs()[:3]]
    assert record_listing(shop, server.revision, changed)
    put(adam, shop, "read", "allow")
    assert "write" not in policies(adam, shop)


def test_it_is_one_deed_in_the_trail_with_each_policy_before(shop: str, adam: Person) -> None:
    assert adam.api.patch(f"{AT}/{shop}/tools/look", {"policy": "ask"}).status == 200
    put(adam, shop, "read", "allow")
    put(adam, shop, "read", "allow")
    deed = AuditEntry.objects.get(action="tools.changed")
    assert deed.target_id == shop
    assert deed.data == {"which": "read", "policy": "allow", "count": 3}
    assert inside(deed.content)["changes"] == {
        "look": ["ask", "allow"],
        "get_token": ["auto", "allow"],
        "look.closer": ["auto", "allow"],
    }


def test_only_admins_who_see_the_server(shop: str, adam: Person, bob: Person, charlie: Person) -> None:
    assert put(bob, shop, "read", "allow").status == 403
    assert put(charlie, shop, "read", "allow").status == 404
    assert policies(adam, shop) == {}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"which": "all", "policy": "deny"}, "which"),
        ({"policy": "deny"}, "which"),
        ({"which": "read", "policy": "maybe"}, "policy"),
        ({"which": "read"}, "policy"),
        ({"which": ["read"], "policy": "deny"}, "which"),
        ({"which": "read", "policy": None}, "policy"),
    ],
)
def test_other_kinds_and_policies_are_refused(shop: str, adam: Person, body: dict[str, Any], field: str) -> None:
    refused = adam.api.patch(f"{AT}/{shop}/tools", body)
    assert refused.status == 400 and field in refused.data["fields"], refused.text
    assert policies(adam, shop) == {}
