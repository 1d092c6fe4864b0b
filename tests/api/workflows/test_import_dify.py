"""Importing apps of Dify over the API: the report, choices, what is refused, and that nothing of it connects."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from backend.accounts.models import AuditEntry
from backend.nodes import node_types
from backend.registry.models import Server, Tool
from backend.registry.servers.examples import install_example_servers
from backend.workflows.models import Workflow
from tests.people import Person

APPS = Path(__file__).parents[2] / "dify_apps"
AT = "/api/workflows/import"


def app(name: str) -> str:
    return (APPS / f"{name}.yml").read_text(encoding="utf-8")


def lines_of(reply: Any) -> dict[str, dict[str, Any]]:
    return {line["title"]: line for line in reply.data["report"]["lines"]}


def a_tool(person: Person, name: str, **properties: dict[str, Any]) -> Server:
    """A server of the person's team that lists one tool; it is never reached."""
    server = Server.objects.create(
        team=person.team, name="Bing search", slug="bing-search", transport="http", url="https://bing.example/mcp"
    )
    schema = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    definition = {"name": name, "input_schema": schema}
    Tool.objects.create(
        server=server, name=name, definition=definition, pinned_definition=definition, listed_at=timezone.now()
    )
    return server


def a_model(person: Person, model: str = "gpt-4o") -> None:
    body = {"name": "Models", "base_url": "http://127.0.0.1:9/v1", "models": [{"id": model}]}
    assert person.api.post("/api/providers", body).status == 201


def test_a_dry_run_makes_nothing_and_says_line_by_line_what_comes_of_it(bob: Person) -> None:
    reply = bob.api.post(AT, {"text": app("customer_care"), "dry_run": True})
    assert reply.status == 200, reply.text
    report = reply.data["report"]
    assert (report["kind"], report["mode"], report["version"]) == ("dify", "chatflow", "0.3.1")
    assert (report["name"], report["nodes"], report["edges"]) == ("Customer care", 10, 9)
    assert sum(report["counts"].values()) == 10 and report["counts"]["choose"] == 1
    first = report["lines"][0]
    assert (first["title"], first["state"], first["becomes"]) == ("Web search", "choose", "placeholder")
    assert "workflow" not in reply.data and not Workflow.objects.exists()
    assert not AuditEntry.objects.filter(action="workflow.created").exists()


def test_an_import_makes_the_workflow_under_its_name(bob: Person) -> None:
    reply = bob.api.post(AT, {"text": app("customer_care")})
    assert reply.status == 201, reply.text
    workflow = reply.data["workflow"]
    assert (workflow["name"], workflow["slug"]) == ("Customer care", "customer-care")
    assert workflow["description"] == "Answers questions of customers and looks things up."
    assert workflow["draft"]["graph"]["nodes"][0]["type"] == "start"
    assert AuditEntry.objects.filter(action="workflow.created", target_id=workflow["id"]).exists()


def test_a_placeholder_keeps_what_it_was_and_keeps_a_run_from_starting(bob: Person) -> None:
    workflow = bob.api.post(AT, {"text": app("customer_care")}).data["workflow"]
    node = next(node for node in workflow["draft"]["graph"]["nodes"] if node["id"] == "web_search")
    assert node["disabled"] and node["config"]["origin"] == "dify" and node["config"]["type"] == "tool"
    assert node["config"]["data"]["tool_name"] == "google_search"
    ports = {edge["source_port"] for edge in workflow["draft"]["graph"]["edges"] if edge["source"] == "web_search"}
    assert ports == {"out", "error"}
    placeholders = {p["node"]: p for p in workflow["problems"] if p["code"] == "placeholder"}
    assert placeholders["web_search"]["severity"] == "error" and "(tool)" in placeholders["web_search"]["message"]
    run = bob.api.post(
        f"/api/workflows/{workflow['id']}/runs", {"version": "draft", "inputs": {"text": "hi", "city": "x"}}
    )
    assert run.status == 400 and run.data["code"] == "GRAPH_INVALID"
    assert "placeholder" in {problem["code"] for problem in run.data["detail"]["problems"]}


def test_a_chosen_tool_takes_the_place_of_all_alike(bob: Person) -> None:
    a_tool(bob, "search", q={"type": "string"}, count={"type": "integer"})
    request = bob.api.post(AT, {"text": app("customer_care"), "dry_run": True}).data["report"]["wants"]["tools"]
    [want] = request
    assert (want["key"], want["arguments"], want["nodes"]) == (
        "tool:google/google_search",
        ["query"],
        ["1700000000006"],
    )
    best = want["candidates"][0]
    assert (best["server"], best["tool"], best["arguments"]) == ("bing-search", "search", {"query": "q"})
    choices = {"tools": {want["key"]: {"server": "bing-search", "tool": "search"}}}
    reply = bob.api.post(AT, {"text": app("customer_care"), "choices": choices})
    line = lines_of(reply)["Web search"]
    assert (line["state"], line["becomes"]) == ("changed", "tool") and "query → q" in line["why"]
    node = next(node for node in reply.data["workflow"]["draft"]["graph"]["nodes"] if node["id"] == "web_search")
    assert node["config"] == {"server": "bing-search", "tool": "search", "arguments": {"q": "{{ user_input.text }}"}}
    assert reply.data["report"]["wants"]["tools"][0]["chosen"] == {"server": "bing-search", "tool": "search"}


def test_a_choice_for_one_node_goes_before_that_for_all_alike(bob: Person) -> None:
    a_tool(bob, "search", q={"type": "string"})
    choices = {
        "tools": {"tool:google/google_search": {"server": "bing-search", "tool": "search"}, "1700000000006": None}
    }
    line = lines_of(bob.api.post(AT, {"text": app("customer_care"), "choices": choices, "dry_run": True}))["Web search"]
    assert (line["state"], line["becomes"]) == ("left", "placeholder")


def test_models_are_matched_by_name_and_may_be_chosen(bob: Person, adam: Person) -> None:
    a_model(adam, "GPT-4o")
    wants = bob.api.post(AT, {"text": app("customer_care"), "dry_run": True}).data["report"]["wants"]
    assert wants["models"] == [{"name": "gpt-4o", "count": 2, "match": {"provider": "models", "model": "GPT-4o"}}]
    choices = {"models": {"gpt-4o": {"provider": "models", "model": "other"}}}
    graph = bob.api.post(AT, {"text": app("customer_care"), "choices": choices}).data["workflow"]["draft"]["graph"]
    used = {node["config"]["model"] for node in graph["nodes"] if "model" in node["config"]}
    assert used == {"other"}


def test_secrets_are_asked_for_by_name_and_their_values_never_kept(bob: Person, adam: Person) -> None:
    text = app("customer_care").replace("value: ''", "value: sk-very-secret", 1)
    assert "sk-very-secret" in text
    reply = bob.api.post(AT, {"text": text})
    assert reply.data["report"]["wants"]["secrets"] == [{"name": "weather_key", "match": "", "note": ""}]
    assert "sk-very-secret" not in Workflow.objects.get(pk=reply.data["workflow"]["id"]).draft
    assert adam.api.post("/api/secrets", {"name": "weather_key", "value": "a-value-of-mine"}).status == 201
    wants = bob.api.post(AT, {"text": text, "dry_run": True}).data["report"]["wants"]
    assert wants["secrets"] == [{"name": "weather_key", "match": "weather_key", "note": ""}]


def test_an_agent_brings_its_server_as_a_declaration_that_waits(bob: Person, adam: Person) -> None:
    reply = bob.api.post(AT, {"text": app("research")})
    graph = reply.data["workflow"]["draft"]["graph"]
    assert graph["mcp_servers"] == {
        "maps_example": {"transport": "sse", "url": "https://mcp.maps.example/sse?key=${secret:maps_example_key}"}
    }
    assert "0123456789abcdef" not in json.dumps(reply.data)
    [waiting] = adam.api.get("/api/mcp/declarations?state=waiting").data["results"]
    assert waiting["name"] == "maps_example"
    Server.objects.create(team=bob.team, name="Maps", slug="maps", transport="sse", url="https://mcp.maps.example/sse")
    report = bob.api.post(AT, {"text": app("research"), "dry_run": True}).data["report"]
    assert [(want["name"], want["match"]) for want in report["wants"]["servers"]] == [("maps.example", "maps")]


def test_the_report_speaks_the_readers_language(bob: Person) -> None:
    body = {"text": app("customer_care"), "dry_run": True}
    chinese = bob.api.post(AT, body, **{"accept-language": "zh-CN"})
    assert lines_of(chinese)["Web search"]["why"] == "没有同名的对应工具"
    assert lines_of(bob.api.post(AT, body))["Web search"]["why"] == "no counterpart by that name"


def test_a_document_of_ours_is_asked_about_in_the_same_way(bob: Person) -> None:
    install_example_servers(bob.team, bob.user)
    slug = Server.objects.filter(team=bob.team).values_list("slug", flat=True)[0]
    graph = {
        "schema": 1,
        "nodes": [
            {"id": "start", "type": "start", "v": 1, "config": {"inputs": {"type": "object"}}},
            {"id": "call", "type": "tool", "v": 1, "config": {"server": "elsewhere", "tool": "t", "arguments": {}}},
            {"id": "say", "type": "llm", "v": 1, "config": {"provider": "p", "model": "m", "messages": []}},
        ],
        "edges": [],
    }
    report = bob.api.post(AT, {"graph": graph, "dry_run": True}).data["report"]
    assert report["kind"] == "patchbay" and report["counts"]["changed"] == 2
    assert report["wants"]["servers"] == [{"name": "elsewhere", "match": "", "note": ""}]
    assert report["wants"]["models"] == [{"name": "m", "count": 1, "match": None}]
    choices = {"servers": {"elsewhere": slug}, "models": {"m": {"provider": "mine", "model": "n"}}}
    nodes = bob.api.post(AT, {"graph": graph, "choices": choices}).data["workflow"]["draft"]["graph"]["nodes"]
    assert nodes[1]["config"]["server"] == slug
    assert (nodes[2]["config"]["provider"], nodes[2]["config"]["model"]) == ("mine", "n")


def minimal(**changes: Any) -> dict[str, Any]:
    nodes = [
        {"id": "1", "data": {"type": "start", "title": "开始", "variables": []}},
        {
            "id": "2",
            "data": {
                "type": "end",
                "title": "结束",
                "outputs": [{"variable": "x", "value_selector": ["sys", "user_id"]}],
            },
        },
    ]
    graph = {"nodes": nodes, "edges": [{"source": "1", "target": "2", "sourceHandle": "source"}], **changes}
    return {
        "kind": "app",
        "app": {"mode": "workflow", "name": "Small"},
        "version": "0.3.0",
        "workflow": {"graph": graph},
    }


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({**minimal(), "app": {"mode": "agent-chat", "name": "x"}}, "no workflow"),
        ({**minimal(), "app": {"name": "x"}}, "workflow or a chatflow"),
        (minimal(nodes=[]), "no steps"),
        ({**minimal(), "workflow": {}}, "no steps"),
        ({**minimal(), "workflow": 7}, "no steps"),
        (minimal(nodes="none"), "no steps"),
        (minimal(nodes=[7]), "workflow.graph.nodes[0]"),
        (minimal(nodes=[{"id": "1", "data": {}}, {"id": "2"}]), "workflow.graph.nodes[1]"),
        (minimal(nodes=[{"id": str(i), "data": {"type": "answer"}} for i in range(2001)]), "2000"),
        ({"kind": "rag_pipeline", "workflow": {"graph": {}}}, "not a Patchbay workflow"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_the_field_and_what_to_do(bob: Person, value: Any, says: str) -> None:
    reply = bob.api.post(AT, {"text": json.dumps(value)})
    assert reply.status == 400 and reply.data["code"] == "VALIDATION_ERROR", reply.text
    assert says in reply.data["message"] and reply.data["hint"] and list(reply.data["fields"]) == ["text"]
    assert bob.api.post(AT, {"graph": value}).data["fields"].keys() == {"graph"}
    assert not Workflow.objects.exists()


@pytest.mark.parametrize("version", ["9.9.9", "2027-01", "", "⅘", "0.1", 0.6, None, {"a": 1}])
def test_an_unknown_version_is_read_like_the_newest_known(bob: Person, version: Any) -> None:
    reply = bob.api.post(AT, {"graph": {**minimal(), "version": version}})
    assert reply.status == 201, reply.text
    known = not version or isinstance(version, dict | float) or version == "0.1"
    assert (reply.data["report"]["notes"] == []) is known


def test_a_ring_of_nodes_is_a_problem_of_the_document(bob: Person) -> None:
    nodes = [{"id": str(i), "data": {"type": "answer", "title": f"Say {i}", "answer": "x"}} for i in (3, 4)]
    edges = [("1", "3"), ("3", "4"), ("4", "3")]
    value = minimal(
        nodes=[minimal()["workflow"]["graph"]["nodes"][0], *nodes],
        edges=[{"source": a, "target": b, "sourceHandle": "source"} for a, b in edges],
    )
    reply = bob.api.post(AT, {"graph": value})
    assert reply.status == 201
    assert "cycle" in {problem["code"] for problem in reply.data["workflow"]["problems"]}


def test_edges_whose_ends_are_missing_are_left_out(bob: Person) -> None:
    edges = [
        {"source": "1", "target": "2", "sourceHandle": "source"},
        {"source": "1", "target": "gone"},
        {"source": 7},
        3,
    ]
    reply = bob.api.post(AT, {"graph": minimal(edges=edges)})
    assert reply.status == 201 and len(reply.data["workflow"]["draft"]["graph"]["edges"]) == 1


def test_a_double_quoted_dump_reads_like_the_plain_one(bob: Person) -> None:
    from backend.workflows.yaml_text import from_yaml

    value = from_yaml(app("every_product"))
    dumped = json.dumps(value, ensure_ascii=True, indent=1)
    plain, quoted = (
        bob.api.post(AT, {"text": text, "format": "yaml", "dry_run": True}) for text in (app("every_product"), dumped)
    )
    assert quoted.status == 200, quoted.text
    assert quoted.data == plain.data and lines_of(quoted)["每个商品"]["becomes"] == "iteration"


def test_letters_that_a_dump_writes_in_halves_are_put_together(bob: Person) -> None:
    value = {**minimal(), "app": {"mode": "workflow", "name": "\ud83d\ude00 \ud83d"}}
    reply = bob.api.post(AT, json.dumps({"graph": value}))
    assert reply.status == 201 and reply.data["workflow"]["name"] == "\U0001f600 \ufffd"


def test_71_nodes_with_chinese_ids(bob: Person) -> None:
    nodes: list[Any] = [{"id": "开始", "data": {"type": "start", "title": "开始", "variables": []}}]
    nodes += [
        {"id": f"回复 {i}", "data": {"type": "answer", "title": "直接回复", "answer": f"{{{{#回复 {i - 1}.answer#}}}}"}}
        for i in range(70)
    ]
    edges = [{"source": a["id"], "target": b["id"], "sourceHandle": "source"} for a, b in pairwise(nodes)]
    reply = bob.api.post(AT, {"text": json.dumps(minimal(nodes=nodes, edges=edges), ensure_ascii=False)})
    assert reply.status == 201 and len(reply.data["workflow"]["draft"]["graph"]["nodes"]) == 71
    assert reply.data["workflow"]["draft"]["graph"]["nodes"][70]["config"]["text"] == "{{ answer_69.text }}"
    errors = [problem for problem in reply.data["workflow"]["problems"] if problem["severity"] == "error"]
    assert errors == []


@pytest.mark.parametrize(
    "choices",
    [
        {"tools": {"x": "y"}},
        {"tools": {"x": {"server": "s"}}},
        {"tools": 7},
        {"models": {"m": None}},
        {"models": {"m": {"provider": "p"}}},
        {"servers": {"s": 7.5, "t": {}}},
        {"secrets": {"s": "Not A Name"}},
        [],
    ],
)
def test_choices_of_another_shape_are_refused_by_name(bob: Person, choices: Any) -> None:
    reply = bob.api.post(AT, {"text": app("customer_care"), "choices": choices})
    assert reply.status == 400 and all(name.startswith("choices") for name in reply.data["fields"]), reply.text


def test_who_may_only_look_imports_nothing_not_even_a_report(vera: Person) -> None:
    assert vera.api.post(AT, {"text": app("customer_care"), "dry_run": True}).status == 403


def test_types_that_this_installation_has_are_used(bob: Person) -> None:
    """What becomes a placeholder is only what there is really no node type for."""
    for name in ("customer_care", "every_product", "count_up", "research"):
        for line in bob.api.post(AT, {"text": app(name), "dry_run": True}).data["report"]["lines"]:
            assert line["becomes"] in node_types(), line
            if line["state"] == "left":
                assert "no" in line["why"], line
