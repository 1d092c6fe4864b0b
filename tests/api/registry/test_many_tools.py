"""Two thousand tools cost what is shown of them: pages, searches and tests carry a part, never all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backend.registry.models import Server
from backend.registry.tools.listing import record_listing
from backend.tools.loop import LOOP
from backend.tools.types import ToolSpec
from tests.live.servers.conftest import PROGRAMS
from tests.people import Person

COUNT = 2000


def spec(number: int, **more: Any) -> ToolSpec:
    properties = {f"argument_{n}": {"type": "string", "description": "what it is for"} for n in range(6)}
    body = {"description": f"Does the {number}th thing.", "input_schema": {"type": "object", "properties": properties}}
    return ToolSpec(server="many", name=f"tool_{number:04}", **{**body, **more})


@pytest.fixture
def many(transactional_db: None, adam: Person) -> Iterator[Server]:
    """A program with 2,000 tools, registered and listed once."""
    body = {
        "name": "many",
        "transport": "stdio",
        "command": sys.executable,
        "args": [str(PROGRAMS / "stdio_server.py"), "many"],
    }
    created = adam.api.post("/api/mcp/servers", body)
    assert created.status == 201, created.text
    server = Server.objects.get(id=created.data["id"])
    record_listing(server.id, server.revision, [spec(number) for number in range(COUNT)])
    yield server
    LOOP.stop()


def test_a_page_carries_its_own_tools_alone_and_pages_carry_all_once(many: Server, bob: Person) -> None:
    at = f"/api/mcp/servers/{many.id}/tools"
    whole = bob.api.get(at)
    assert len(whole.data["results"]) == COUNT and whole.data["next"] is None
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page = bob.api.get(f"{at}?limit=50")
    assert len(page.data["results"]) == 50 and page.data["total"] == COUNT
    assert len(page.text) * 30 < len(whole.text)
    assert len(queries) < 12
    names, cursor = [tool["name"] for tool in page.data["results"]], page.data["next"]
    while cursor:
        more = bob.api.get(f"{at}?limit=500&cursor={cursor}").data
        names += [tool["name"] for tool in more["results"]]
        cursor = more["next"]
    assert names == [tool["name"] for tool in whole.data["results"]]


def test_what_is_chosen_from_carries_names_and_no_schemas(many: Server, bob: Person) -> None:
    at = f"/api/mcp/servers/{many.id}"
    whole = bob.api.get(f"{at}/tools")
    names = bob.api.get(f"{at}/tool-names")
    assert [result["name"] for result in names.data["results"]] == [result["name"] for result in whole.data["results"]]
    assert len(names.text) * 3 < len(whole.text) and "what it is for" not in names.text
    first = names.data["results"][0]
    assert sum(tool["tokens"] for tool in names.data["results"]) == whole.data["tokens"]
    assert first["parameters"] == 6 and first["risk"] == whole.data["results"][0]["risk"]
    wire = bob.api.client.get(f"{at}/tool-names", headers={"accept-encoding": "gzip"})
    assert wire["Content-Encoding"] == "gzip" and len(wire.content) < 40_000, "what the palette loads of 2,000 tools"
    named = bob.api.get(f"{at}/tools?name=tool_0003&name=tool_1999&name=none").data["results"]
    assert [tool["name"] for tool in named] == ["tool_0003", "tool_1999"]


def test_a_search_is_made_where_the_tools_are(many: Server, bob: Person) -> None:
    at = f"/api/mcp/servers/{many.id}/tools"
    result = bob.api.get(f"{at}?limit=50&q=TOOL_0042").data
    assert [tool["name"] for tool in result["results"]] == ["tool_0042"] and result["total"] == 1
    assert bob.api.get(f"{at}?limit=5&q=the 1999th").data["results"][0]["name"] == "tool_1999"
    assert bob.api.get(f"{at}?limit=5&q=%25").data["total"] == 0
    assert bob.api.get(f"{at}?limit=5&cursor=nonsense").status == 400
    named = bob.api.get("/api/mcp/servers?q=tool_0042").data["results"]
    assert [server["slug"] for server in named] == ["many"]
    assert bob.api.get("/api/mcp/servers?q=no_such_tool_anywhere").data["results"] == []


def test_changed_tools_come_first(many: Server, bob: Person) -> None:
    specs = [spec(number) for number in range(COUNT)]
    specs[1500] = spec(1500, description="Now something else.")
    record_listing(many.id, many.revision, specs)
    page = bob.api.get(f"/api/mcp/servers/{many.id}/tools?limit=10").data
    first, second = page["results"][:2]
    assert (first["name"], first["changed"], second["name"]) == ("tool_1500", True, "tool_0000")
    assert page["changed"] == 1 and page["results"][0]["pinned"]["description"] == "Does the 1500th thing."


def test_one_tool_can_be_read_alone(many: Server, bob: Person) -> None:
    one = bob.api.get(f"/api/mcp/servers/{many.id}/tools/tool_0007").data
    assert one["name"] == "tool_0007" and "argument_5" in one["input_schema"]["properties"]
    assert bob.api.get(f"/api/mcp/servers/{many.id}/tools/none").status == 404


def test_a_test_reads_and_carries_no_definition_that_did_not_change(many: Server, bob: Person) -> None:
    at = f"/api/mcp/servers/{many.id}/test"
    whole = bob.api.post(at)
    assert len(whole.data["tools"]) == COUNT == whole.data["tool_count"]
    with CaptureQueriesContext(connection) as queries:
        lean = bob.api.post(f"{at}?tools=0")
    assert lean.data["ok"] and lean.data["tools"] == [] and lean.data["tool_count"] == COUNT
    assert len(lean.text) * 3 < len(whole.text)
    about = [item["sql"] for item in queries if "registry_tool" in item["sql"]]
    assert about
    assert not any('"registry_tool"."definition"' in sql or '"pinned_definition"' in sql for sql in about)
    assert not any(sql.startswith(("INSERT", "UPDATE")) for sql in about)


def test_what_cannot_be_called_is_listed_with_its_reason(transactional_db: None, adam: Person) -> None:
    try:
        for mode in ("misshapen", "names"):
            command = [str(PROGRAMS / "diagnosis_stdio.py"), mode]
            body = {"name": mode, "transport": "stdio", "command": sys.executable, "args": command}
            at = f"/api/mcp/servers/{adam.api.post('/api/mcp/servers', body).data['id']}"
            assert adam.api.post(f"{at}/test").data["ok"]
            listed = adam.api.get(f"{at}/tools").data
            problems = {tool["name"]: tool["problem"] for tool in listed["results"]}
            assert problems["fine"] is None
            again = adam.api.get(f"{at}/tools?refresh=1").data
            assert again["left_out"] == listed["left_out"]
            if mode == "misshapen":
                assert "has no input schema" in problems["no_schema"]["message"] and problems["no_schema"]["hint"]
                assert [item["tool"] for item in listed["left_out"]] == ["10", "11"]
            else:
                texts = [item["message"] for item in listed["left_out"]]
                assert len(texts) == 4 and "longer than 255" in texts[1] and "two tools named fine" in texts[2]
    finally:
        LOOP.stop()


def test_a_tool_costs_what_its_definition_says_and_a_gone_one_nothing(many: Server, bob: Person) -> None:
    def cost() -> int:
        tokens: int = bob.api.get(f"/api/mcp/servers/{many.id}/tools?limit=1").data["tokens"]
        return tokens

    short, long = spec(0), spec(1, description="word " * 150)
    record_listing(many.id, many.revision, [short])
    one = cost()
    record_listing(many.id, many.revision, [short, long])
    assert 0 < one < 200 < cost() - one


def test_tools_that_were_listed_before_are_counted_by_the_migration(many: Server) -> None:
    counted = dict(many.tools.values_list("name", "tokens"))
    many.tools.update(tokens=0)
    import_module("backend.registry.migrations.0015_tool_tokens").count_tokens(apps, None)
    assert dict(many.tools.values_list("name", "tokens")) == counted


def test_the_names_of_several_servers_come_at_once(many: Server, bob: Person, adam: Person) -> None:
    body = {"name": "few", "transport": "http", "url": "https://few.example.org/mcp"}
    few = Server.objects.get(id=adam.api.post("/api/mcp/servers", body).data["id"])
    record_listing(few.id, few.revision, [spec(3)])
    text = f"/api/mcp/tool-names?server=few&server={many.id}&server=nowhere"
    for _ in range(2):  # the second time nothing but what changed is read
        with CaptureQueriesContext(connection) as queries:
            matches = {row["slug"]: row["results"] for row in bob.api.get(text).data["results"]}
        assert matches["many"] == bob.api.get(f"/api/mcp/servers/{many.id}/tool-names").data["results"]
        assert [tool["name"] for tool in matches["few"]] == ["tool_0003"] and matches.keys() == {"few", "many"}
    assert len(queries) < 6
    record_listing(few.id, few.revision, [spec(3, description="Now something else.")])
    [row] = bob.api.get("/api/mcp/tool-names?server=few").data["results"]
    assert row["results"][0]["changed"] and row["results"][0]["description"] == "Now something else."
    assert adam.api.patch("/api/mcp/servers/few/tools/tool_0003", {"policy": "deny"}).status == 200
    [row] = bob.api.get("/api/mcp/tool-names?server=few").data["results"]
    assert row["results"][0]["policy"] == "deny"
    assert bob.api.get("/api/mcp/tool-names").data["results"] == []
    many_asked = "&".join(["server=few"] * 201)
    refused = bob.api.get(f"/api/mcp/tool-names?{many_asked}")
    assert refused.status == 400 and "server" in refused.data["fields"]
