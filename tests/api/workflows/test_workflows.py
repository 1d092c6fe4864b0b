"""Workflows over the API: drafts with revisions, versions, comparison, import and export, and who may what."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.utils import timezone

from backend.accounts.models import AuditEntry
from backend.errors import Forbidden, GraphInvalid, NotFound, NotPublished, ServerNotApproved, ValidationFailed
from backend.files.services import blob_store
from backend.registry.models import Declaration, Server, Tool
from backend.registry.servers.examples import install_example_servers
from backend.runs.models import Run
from backend.workflows.examples import install_example_workflows
from backend.workflows.models import Workflow
from backend.workflows.selectors import runnable_graph
from backend.workflows.services import REVISIONS_KEPT
from tests.api.isolation.plans import plan, statements
from tests.api.workflows.documents import EMPTY, create_workflow, line, node
from tests.people import Api, Person


def codes(reply: Any) -> dict[str, str]:
    """{code: severity} of the problems in an answer."""
    return {problem["code"]: problem["severity"] for problem in reply.data["problems"]}


def test_a_name_suffices(bob: Person, vera: Person) -> None:
    reply = bob.api.post("/api/workflows", {"name": "What time is it?"})
    assert reply.status == 201
    workflow = reply.data
    assert workflow["draft"]["revision"] == 1 and workflow["draft"]["graph"]["nodes"] == []
    assert workflow["slug"] == "what-time-is-it" and workflow["published_version"] is None
    listed = vera.api.get("/api/workflows").data["results"]
    assert [item["id"] for item in listed] == [workflow["id"]] and "graph" not in listed[0]["draft"]
    assert vera.api.get(f"/api/workflows/{workflow['id']}").data == workflow
    assert AuditEntry.objects.filter(action="workflow.created").exists()


def test_viewers_read_and_strangers_see_nothing(bob: Person, vera: Person, charlie: Person, nobody: Api) -> None:
    at = create_workflow(bob, line())
    bob.api.post(f"{at}/publish")
    writes = [
        ("post", "", {"name": "x"}),
        ("patch", at, {"name": "x"}),
        ("delete", at, None),
        ("put", f"{at}/draft", {"revision": 1, "graph": EMPTY}),
        ("post", f"{at}/publish", {}),
        ("post", f"{at}/duplicate", {}),
        ("post", f"{at}/drafts/1/restore", {}),
    ]
    for method, path, body in writes:
        args = () if body is None else (body,)
        assert getattr(vera.api, method)(path or "/api/workflows", *args).status == 403, path
        if path:
            assert getattr(charlie.api, method)(path, *args).status == 404, path
    for path in ("", "/drafts", "/drafts/1", "/versions", "/versions/1", "/compare?from=1", "/export"):
        assert vera.api.get(at + path).status == 200, path
        assert charlie.api.get(at + path).status == 404, path
        assert nobody.get(at + path).status == 401, path
    assert vera.api.post(f"{at}/validate").status == 200 and charlie.api.post(f"{at}/validate").status == 404
    assert charlie.api.get("/api/workflows").data["results"] == []


def test_a_draft_is_saved_with_its_revision(bob: Person, adam: Person) -> None:
    at = create_workflow(bob)
    first = bob.api.put(f"{at}/draft", {"revision": 1, "graph": line()})
    assert first.status == 200 and first.data["revision"] == 2
    stale = adam.api.put(f"{at}/draft", {"revision": 1, "graph": EMPTY})
    assert stale.status == 409 and stale.data["code"] == "STALE_DRAFT"
    assert stale.data["detail"]["revision"] == 2 and stale.data["detail"]["by"] == "bob@example.org"
    assert stale.data["detail"]["at"]
    assert adam.api.get(at).data["draft"]["graph"] == line()


def test_a_stale_save_of_the_same_graph_is_no_conflict(bob: Person) -> None:
    at = create_workflow(bob)
    graph = line()
    bob.api.put(f"{at}/draft", {"revision": 1, "graph": graph})
    again = bob.api.put(f"{at}/draft", {"revision": 1, "graph": dict(reversed(graph.items()))})
    assert again.status == 200 and again.data["revision"] == 2
    assert bob.api.put(f"{at}/draft", {"revision": 2, "graph": graph}).data["revision"] == 2
    other = json.loads(json.dumps(graph))
    other["nodes"][0]["disabled"] = False
    third = bob.api.put(f"{at}/draft", {"revision": 2, "graph": other}).data["revision"]
    other["nodes"][0]["disabled"] = 0
    assert third == 3 and bob.api.put(f"{at}/draft", {"revision": 1, "graph": other}).status == 409


def test_an_invalid_draft_is_saved_with_its_problems(bob: Person) -> None:
    at = create_workflow(bob)
    reply = bob.api.put(f"{at}/draft", {"revision": 1, "graph": {**EMPTY, "nodes": [node("a", "no_such_type")]}})
    assert reply.status == 200 and reply.data["problems"]
    problem = reply.data["problems"][0]
    assert problem["severity"] == "error" and problem["message"] and problem["hint"]
    assert bob.api.get("/api/workflows").data["results"][0]["problem_count"] >= 1
    refused = bob.api.post(f"{at}/publish")
    assert refused.status == 400 and refused.data["code"] == "GRAPH_INVALID" and refused.data["detail"]["problems"]
    chinese = bob.api.post(f"{at}/publish", **{"accept-language": "zh"}).data["detail"]["problems"]
    assert [item["code"] for item in chinese] == [problem["code"] for problem in refused.data["detail"]["problems"]]
    assert chinese[0]["message"] != refused.data["detail"]["problems"][0]["message"]
    assert bob.api.get("/api/workflows/%00").status == 404 and bob.api.get("/api/mcp/servers/%00").status == 404


@pytest.mark.parametrize(
    ("graph", "field"),
    [
        ([], "graph"),
        ("text", "graph"),
        (None, "graph"),
        (3, "graph"),
        ({}, "graph.schema"),
        ({"schema": 2}, "graph.schema"),
        ({"schema": "1"}, "graph.schema"),
        ({"schema": True}, "graph.schema"),
    ],
)
def test_what_is_no_document_is_refused(bob: Person, graph: Any, field: str) -> None:
    at = create_workflow(bob)
    reply = bob.api.put(f"{at}/draft", {"revision": 1, "graph": graph})
    assert reply.status == 400 and field in reply.data["fields"], reply.text


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('{"revision": 1, "graph": {"schema": 1, "schema": 1}}', "twice"),
        ('{"revision": 1, "graph": {"schema": 1, "x": NaN}}', "NaN"),
        ('{"revision": 1, "graph": {"schema": 1, "x": -Infinity}}', "Infinity"),
        ('{"revision": 1, "graph": {"schema": 1, "x": 1e999}}', "too large"),
        ('{"revision": 1, "graph": {"schema": 1, "x": ' + "9" * 5000 + "}}", "acceptable"),
        ('{"revision": 1, "graph": {"schema": 1, "x": ' + "[" * 300 + "]" * 300 + "}}", "deep"),
        ('{"revision": 1, "graph": {"schema": 1, "x": ' + "[" * 100_000 + "]" * 100_000 + "}}", "deep"),
        ('{"revision": 1, "graph": ', "acceptable"),
        (b'{"revision": 1, "graph": {"schema": 1, "x": "\xff"}}', "UTF-8"),
    ],
)
def test_bad_json_is_refused_with_the_reason(bob: Person, body: str | bytes, says: str) -> None:
    at = create_workflow(bob)
    reply = bob.api.put(f"{at}/draft", body)
    assert reply.status == 400 and says in json.dumps(reply.data["fields"]), reply.text
    assert bob.api.get(at).data["draft"]["revision"] == 1


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "3",
        "null",
        '"x"',
        "{}",
        '{"revision": 1}',
        '{"graph": {"schema": 1}}',
        '{"revision": "x", "graph": {"schema": 1}}',
        '{"revision": -1, "graph": {"schema": 1}}',
    ],
)
def test_a_save_needs_revision_and_graph(bob: Person, body: str) -> None:
    assert bob.api.put(f"{create_workflow(bob)}/draft", body).status == 400


def test_a_document_above_the_limit_is_413(bob: Person, settings: Any) -> None:
    at = create_workflow(bob)
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update={"max_graph_mb": 0.1})
    below = {**EMPTY, "annotations": [{"id": "a", "kind": "note", "text": "x" * 90_000}]}
    assert bob.api.put(f"{at}/draft", {"revision": 1, "graph": below}).status == 200
    chinese = {**EMPTY, "annotations": [{"id": "a", "kind": "note", "text": "字" * 30_000}]}
    assert bob.api.put(f"{at}/draft", {"revision": 2, "graph": chinese}).status == 200
    above = {**EMPTY, "annotations": [{"id": "a", "kind": "note", "text": "x" * 110_000}]}
    for reply in (
        bob.api.put(f"{at}/draft", {"revision": 3, "graph": above}),
        bob.api.post("/api/workflows", {"name": "x", "graph": above}),
        bob.api.post("/api/workflows/import", {"graph": above}),
        bob.api.put(f"{at}/draft", json.dumps({"revision": 3, "graph": EMPTY}) + " " * 300_000),
    ):
        assert reply.status == 413 and reply.data["code"] == "TOO_LARGE"


@pytest.mark.wide
def test_five_megabytes_are_saved_and_read_back(bob: Person) -> None:
    at = create_workflow(bob)
    graph = line(*(node(f"n{i}", "template", template="x" * 2000) for i in range(2400)))
    saved = bob.api.put(f"{at}/draft", {"revision": 1, "graph": graph})
    assert saved.status == 200 and saved.data["revision"] == 2
    assert bob.api.get(at).data["draft"]["graph"] == graph


STRANGE = {"nul": "a\x00b", "half": "\ud800", "other \udfff": ["😀", "\u2028"], "n": [0.1, 1e300, 10**30, -0.0, 1.0]}


def test_what_json_can_say_is_given_back_as_it_came(bob: Person) -> None:
    at = create_workflow(bob)
    graph = {**line(), "strange": STRANGE}
    text = json.dumps(graph)
    saved = bob.api.put(f"{at}/draft", f'{{"revision": 1, "graph": {text}}}')
    assert saved.status == 200
    shown = bob.api.get(at)
    assert shown.status == 200 and json.dumps(shown.data["draft"]["graph"]) == text
    assert bob.api.post(f"{at}/publish").status == 201
    assert json.dumps(bob.api.get(f"{at}/versions/1").data["graph"]) == text
    assert json.dumps(json.loads(bob.api.get(f"{at}/export").text)) == text
    assert bob.api.post(f"{at}/validate", f'{{"graph": {text}}}').status == 200
    assert bob.api.get(f"{at}/compare?from=1").status == 200


@pytest.mark.parametrize("name", ["", " ", "\x00", "\ud800", "x" * 201, None, [], {}])
def test_names_must_be_storable(bob: Person, name: Any) -> None:
    for reply in (bob.api.post("/api/workflows", {"name": name}), bob.api.patch(create_workflow(bob), {"name": name})):
        assert reply.status == 400 and "name" in reply.data["fields"]


def test_strange_ids_in_nodes_are_problems_and_no_crash(bob: Person) -> None:
    at = create_workflow(bob)
    graph = {
        **EMPTY,
        "nodes": [
            node("\ud800", "tool", server="\x00", tool="\ud800", arguments={"\x00": "\ud800"}),
            node("b", "tool", server={"transport": "http", "url": "\ud800"}, tool="x"),
            {"id": 3},
            None,
            [],
            "x",
            {"id": "c", "type": "tool", "config": None},
            node("d", "tool", server=["x"], tool={}),
            node("e", "agent", tools={"servers": [{"server": 3}, {"server": "nowhere"}, None]}),
        ],
        "edges": [None, {}, {"id": "\x00", "source": "b", "target": "\ud800"}],
        "mcp_servers": {"x\x00": {"transport": "http", "url": "https://a.example/\ud800"}, "y": 3, "z": None},
    }
    saved = bob.api.put(f"{at}/draft", json.dumps({"revision": 1, "graph": graph}))
    assert saved.status == 200 and saved.data["problems"], saved.text
    assert bob.api.get("/api/workflows").status == 200


def test_earlier_drafts_are_kept_and_restored(bob: Person) -> None:
    at = create_workflow(bob, line())
    for number in range(2, 5):
        bob.api.put(f"{at}/draft", {"revision": number - 1, "graph": {**EMPTY, "n": number}})
    listed = bob.api.get(f"{at}/drafts").data["results"]
    assert [(item["revision"], item["current"]) for item in listed] == [(4, True), (3, False), (2, False), (1, False)]
    assert bob.api.get(f"{at}/drafts/1").data["graph"] == line()
    assert bob.api.get(f"{at}/drafts/4").data["graph"]["n"] == 4
    restored = bob.api.post(f"{at}/drafts/1/restore")
    assert restored.status == 200 and restored.data["revision"] == 5
    assert bob.api.get(at).data["draft"]["graph"] == line()
    assert [result["revision"] for result in bob.api.get(f"{at}/drafts").data["results"]] == [5, 4, 3, 2, 1]
    assert bob.api.post(f"{at}/drafts/99/restore").status == 404
    assert bob.api.get(f"{at}/drafts/99999999999999999999").status == 404


def test_only_the_latest_drafts_are_kept(bob: Person) -> None:
    at = create_workflow(bob)
    for number in range(1, REVISIONS_KEPT + 10):
        assert bob.api.put(f"{at}/draft", {"revision": number, "graph": {**EMPTY, "n": number}}).status == 200
    kept = bob.api.get(f"{at}/drafts").data["results"]
    assert len(kept) == REVISIONS_KEPT + 1 and kept[0]["revision"] == REVISIONS_KEPT + 10


def test_versions_are_published_and_compared(bob: Person) -> None:
    at = create_workflow(bob, line(node("a", "template", template="one")))
    first = bob.api.post(f"{at}/publish", {"note": "the first"})
    assert first.status == 201 and first.data["version"] == 1 and first.data["note"] == "the first"
    changed = line(node("a", "template", template="two"), node("b", "template", template="new"), language="zh")
    changed["nodes"][0]["position"] = {"x": 9, "y": 9}
    bob.api.put(f"{at}/draft", {"revision": 1, "graph": changed})
    assert bob.api.post(f"{at}/publish").data["version"] == 2
    assert bob.api.get(at).data["published_version"] == 2
    assert [result["version"] for result in bob.api.get(f"{at}/versions").data["results"]] == [2, 1]
    diff = bob.api.get(f"{at}/compare?from=1&to=2").data
    assert [item["id"] for item in diff["nodes"]["added"]] == ["b"] and diff["nodes"]["removed"] == []
    assert [(item["id"], item["fields"]) for item in diff["nodes"]["changed"]] == [("a", ["config"])]
    assert diff["nodes"]["moved"] == ["start"] and diff["document"] == ["language"]
    assert {item["id"] for item in diff["edges"]["added"]} == {"a_b", "b_end"}
    same = bob.api.get(f"{at}/compare?from=2").data
    assert same["nodes"] == {"added": [], "removed": [], "changed": [], "moved": []}


@pytest.mark.parametrize("query", ["", "?from=x", "?from=1&to=x", "?from=1.5", "?from=¹"])
def test_comparing_needs_versions(bob: Person, query: str) -> None:
    at = create_workflow(bob, line())
    bob.api.post(f"{at}/publish")
    assert bob.api.get(f"{at}/compare{query}").status == 400
    assert bob.api.get(f"{at}/compare?from=7").status == 404 and bob.api.get(f"{at}/versions/7").status == 404


def test_export_and_import_in_both_formats(bob: Person) -> None:
    graph = {**line(node("a", "template", template="line one\nline two\n")), "strange": {"true": "true", "n": "1"}}
    graph["nodes"][1]["title"] = "是: # 不是注释"
    at = create_workflow(bob, graph)
    for form in ("yaml", "json"):
        exported = bob.api.get(f"{at}/export?format={form}")
        assert "是: # 不是注释" in exported.text
        assert exported.status == 200 and f'filename="one.{form}"' in exported.headers["Content-Disposition"]
        back = bob.api.post("/api/workflows/import", {"name": f"From {form}", "text": exported.text})
        assert back.status == 201 and back.data["workflow"]["draft"]["graph"] == graph
        assert back.data["workflow"]["problems"] is not None and back.data["report"]["kind"] == "patchbay"
    assert bob.api.get(f"{at}/export?format=xml").status == 400
    assert bob.api.get(f"{at}/export?version=3").status == 404


def test_a_document_itself_may_be_imported(bob: Person) -> None:
    assert bob.api.post("/api/workflows/import", line()).data["workflow"]["name"] == "Imported workflow"
    yaml = bob.api.client.post(
        "/api/workflows/import?name=Mine", data="schema: 1\nnodes: []\n", content_type="application/yaml"
    )
    assert yaml.status_code == 201 and yaml.json()["workflow"]["name"] == "Mine"


def test_in_yaml_true_and_false_are_ports(bob: Person) -> None:
    text = "schema: 1\nnodes: []\nedges:\n- {id: e1, source: a, source_port: true, target: b, target_port: in}\n"
    edges = bob.api.post("/api/workflows/import", {"text": text}).data["workflow"]["draft"]["graph"]["edges"]
    assert edges[0]["source_port"] == "true"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\na: 2", "twice"),
        ("!!python/object/apply:os.system ['true']", "tag"),
        ("a: !!str 1", "tag"),
        ("a: .nan", "JSON"),
        ("a: *b", "b"),
        ("{", "JSON"),
        ("a: [", "YAML"),
        ("- 1\n---\n- 2", "one document"),
        ("? [1, 2]\n: 3", "key"),
        ("a: " + "[" * 300 + "]" * 300, "deep"),
        (
            "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
            + "".join(
                f"{chr(98 + i)}: &{chr(98 + i)} [" + ",".join([f"*{chr(97 + i)}"] * 10) + "]\n" for i in range(9)
            ),
            "values",
        ),
        ('{"a": 1, "a": 2}', "twice"),
        ("\x00", "ull"),
        ("x" * 3_000_000, "MB"),
    ],
)
def test_hostile_yaml_is_refused(bob: Person, text: str, says: str) -> None:
    reply = bob.api.post("/api/workflows/import", json.dumps({"text": text}))
    assert reply.status == 400 and says in json.dumps(reply.data["fields"]), reply.text
    assert not Workflow.objects.exists()


@pytest.mark.parametrize("body", [{}, {"text": ""}, {"text": "3"}, {"graph": []}, {"text": "[]"}, {"format": "xml"}])
def test_an_import_needs_a_document(bob: Person, body: dict[str, Any]) -> None:
    assert bob.api.post("/api/workflows/import", body).status == 400


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"name": "x", "nodes": [{"type": "n8n-nodes-base.set"}], "connections": {}}', "n8n"),
        ('{"mcpServers": {"time": {"command": "uvx"}}}', "MCP servers"),
        ('Please build me a flow: it reads mail, then\n answers. "Yes": thanks', "plain text"),
        ("Read my mail and answer it.", "plain text"),
        ('{"hello": 1}', "not a Patchbay workflow"),
    ],
)
def test_an_import_of_what_is_not_ours_says_what_it_is_and_what_to_do(bob: Person, text: str, says: str) -> None:
    reply = bob.api.post("/api/workflows/import", {"text": text})
    assert reply.status == 400 and says in reply.data["message"] and reply.data["hint"], reply.text
    assert reply.data["fields"] == {"text": [reply.data["message"]]}
    assert not Workflow.objects.exists()


def test_null_removes_what_a_workflow_can_do_without(bob: Person) -> None:
    at = create_workflow(bob)
    bob.api.patch(at, {"description": "Long.", "expose_as_tool": True})
    changed = bob.api.patch(at, {"description": None, "expose_as_tool": None})
    assert changed.status == 200, changed.text
    assert (changed.data["description"], changed.data["expose_as_tool"]) == ("", False)
    assert list(bob.api.patch(at, {"name": None}).data["fields"]) == ["name"]


def test_a_form_whose_schema_refers_elsewhere_is_a_problem(bob: Person) -> None:
    inputs = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/schema.json"}}}
    graph = {
        "schema": 1,
        "nodes": [{"id": "start", "type": "start", "v": 1, "config": {"inputs": inputs}}],
        "edges": [],
    }
    checked = bob.api.post(f"{create_workflow(bob)}/validate", {"graph": graph}).data
    assert [problem["path"] for problem in checked["problems"]] == ["/nodes/0/config/inputs"] and not checked["ok"]


def test_rename_duplicate_delete(bob: Person) -> None:
    at = create_workflow(bob, line())
    renamed = bob.api.patch(at, {"name": "Two", "description": "d", "expose_as_tool": True}).data
    assert (renamed["name"], renamed["slug"], renamed["expose_as_tool"]) == ("Two", "one", True)
    copy = bob.api.post(f"{at}/duplicate", {"name": "Copy"})
    assert copy.status == 201 and copy.data["draft"]["graph"] == line() and copy.data["slug"] == "copy"
    assert bob.api.post(f"{at}/duplicate").data["name"] == "Two (2)"
    assert bob.api.delete(at).status == 204 and bob.api.get(at).status == 404


def test_a_workflow_whose_runs_go_on_is_not_deleted(bob: Person) -> None:
    at = create_workflow(bob)
    workflow = Workflow.objects.get()
    graph = blob_store(bob.team.id, workflow.draft.encode())
    run = Run.objects.create(team=bob.team, workflow=workflow, graph=graph, state="WAITING", queued_at=timezone.now())
    refused = bob.api.delete(at)
    assert refused.status == 409 and refused.data["code"] == "CONFLICT"
    Run.objects.filter(id=run.id).update(state="SUCCESS")
    assert bob.api.delete(at).status == 204


# -- what the registry knows -------------------------------------------------------------------------------------------


@pytest.fixture
def clock(adam: Person) -> Server:
    """A server whose tool was listed; nothing runs."""
    adam.api.post("/api/mcp/servers", {"name": "Clock", "transport": "http", "url": "https://example.org/mcp"})
    server = Server.objects.get()
    schema = {
        "type": "object",
        "properties": {"timezone": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["timezone"],
        "additionalProperties": False,
    }
    about = {"name": "now", "title": "", "description": "", "input_schema": schema}
    Tool.objects.create(
        server=server,
        name="now",
        definition=about,
        pinned_definition=about,
        definition_hash="x",
        pinned_hash="x",
        listed_at=timezone.now(),
    )
    return server


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"server": "clock", "tool": "now", "arguments": {"timezone": "UTC"}}, {}),
        ({"server": "nowhere", "tool": "now", "arguments": {}}, {"server_unknown": "error"}),
        ({"server": "clock", "tool": "later", "arguments": {}}, {"tool_unknown": "warning"}),
        ({"server": "clock", "tool": "now", "arguments": {}}, {"argument_missing": "error"}),
        ({"server": "clock", "tool": "now"}, {"argument_missing": "error"}),
        ({"server": "clock", "tool": "now", "arguments": {"timezone": 3}}, {"arguments": "warning"}),
        ({"server": "clock", "tool": "now", "arguments": {"timezone": "UTC", "x": 1}}, {"arguments": "warning"}),
        ({"server": "clock", "tool": "now", "arguments": {"timezone": "{{ start.n }}", "n": "{{ start.n }}"}}, {}),
        ({"server": "clock", "tool": "now", "arguments": {"n": "{{ start.n }}"}}, {"argument_missing": "error"}),
        (
            {"server": "clock", "tool": "now", "arguments": {"timezone": 3, "n": "{{ start.n }}"}},
            {"arguments": "warning"},
        ),
    ],
)
def test_problems_that_the_registry_knows(
    bob: Person, clock: Server, config: dict[str, Any], expected: dict[str, str]
) -> None:
    graph = line(node("ask", "tool", **config))
    graph["nodes"][0]["config"]["inputs"]["properties"] = {"n": {"type": "integer"}}
    at = create_workflow(bob, graph)
    reply = bob.api.post(f"{at}/validate")
    assert codes(reply) == expected, reply.data
    assert reply.data["ok"] is ("error" not in expected.values())
    assert all(
        problem["node"] == "ask" and problem["path"].startswith("/nodes/1/") for problem in reply.data["problems"]
    )


def test_an_empty_required_argument_blocks_like_any_other_problem(bob: Person, clock: Server) -> None:
    graph = line(node("ask", "tool", server="clock", tool="now", arguments={"n": 1}))
    at = create_workflow(bob, graph)
    matches = {problem["code"]: problem for problem in bob.api.post(f"{at}/validate").data["problems"]}
    missing = matches["argument_missing"]
    assert missing["path"] == "/nodes/1/config/arguments/timezone"
    assert missing["message"] == "“timezone” is empty, and “now” requires it."
    for path, body in ((f"{at}/runs", {"version": "draft", "inputs": {}}), (f"{at}/publish", {})):
        reply = bob.api.post(path, body)
        assert (reply.status, reply.data["code"]) == (400, "GRAPH_INVALID"), reply.text
    graph["nodes"][1]["disabled"] = True
    off = create_workflow(bob, graph, "Off")
    assert bob.api.post(f"{off}/validate").data["ok"]


def test_a_problem_of_a_field_speaks_of_its_label(bob: Person) -> None:
    at = create_workflow(bob, line(node("ask", "approval", message="Go on?")))
    matches = {problem["code"]: problem for problem in bob.api.post(f"{at}/validate").data["problems"]}
    assert matches["config_missing"]["message"] == "“Title” is empty."


def test_a_server_that_is_switched_off_is_a_warning(bob: Person, adam: Person, clock: Server) -> None:
    at = create_workflow(bob, line(node("ask", "tool", server="clock", tool="now", arguments={"timezone": "UTC"})))
    adam.api.patch("/api/mcp/servers/clock", {"enabled": False})
    assert codes(bob.api.post(f"{at}/validate")) == {"server_off": "warning"}


def test_servers_say_which_workflows_use_them(bob: Person, clock: Server) -> None:
    at = create_workflow(bob, line(node("ask", "tool", server="clock", tool="now", arguments={"timezone": "UTC"})))
    create_workflow(bob, line(node("ask", "tool", server=clock.id, tool="now", arguments={"timezone": "UTC"})), "By id")
    create_workflow(bob, line(), "Without")
    assert bob.api.get("/api/mcp/servers/clock").data["workflows"] == 2
    using = bob.api.get("/api/mcp/servers/clock/workflows").data["results"]
    assert [item["name"] for item in using] == ["By id", "One"]
    bob.api.put(f"{at}/draft", {"revision": 1, "graph": line()})
    assert bob.api.get("/api/mcp/servers").data["results"][0]["workflows"] == 1


DECLARED = {"kb": {"transport": "stdio", "command": "python", "args": ["-m", "kb_server"]}}


def test_a_declared_server_waits_for_an_admin(bob: Person, adam: Person, charlie: Person) -> None:
    graph = line(node("ask", "tool", server="kb", tool="find", arguments={}), mcp_servers=DECLARED)
    at = create_workflow(bob, graph)
    assert codes(bob.api.post(f"{at}/validate")) == {"server_not_approved": "warning"}
    waiting = bob.api.get("/api/mcp/declarations?state=waiting").data["results"]
    assert [(item["name"], item["config"]["command"], item["state"]) for item in waiting] == [
        ("kb", "python", "waiting")
    ]
    with pytest.raises(ServerNotApproved):
        runnable_graph(bob.actor, Workflow.objects.get(), "draft")
    door = f"/api/mcp/declarations/{waiting[0]['hash']}"
    assert bob.api.post(f"{door}/approve").status == 403 and charlie.api.post(f"{door}/approve").status == 404
    approved = adam.api.post(f"{door}/approve")
    assert approved.status == 200 and approved.data["decided_by"] == "adam@example.org"
    assert codes(bob.api.post(f"{at}/validate")) == {}
    assert runnable_graph(bob.actor, Workflow.objects.get(), "draft")[2] == 1
    changed = json.loads(json.dumps(graph))
    changed["mcp_servers"]["kb"]["args"].append("--more")
    bob.api.put(f"{at}/draft", {"revision": 1, "graph": changed})
    assert codes(bob.api.post(f"{at}/validate")) == {"server_not_approved": "warning"}
    assert adam.api.post(f"{door}/reject").data["state"] == "rejected"
    assert Declaration.objects.count() == 2 and adam.api.get("/api/mcp/declarations?state=x").status == 400


def test_a_secret_in_the_open_is_a_warning(bob: Person) -> None:
    headers = {"Authorization": "Bearer abcdefgh", "X-Trace": "on", "X-Api-Key": "${secret:kb}"}
    declared = {"kb": {"url": "https://a.example/mcp", "headers": headers}}
    at = create_workflow(bob, line(node("ask", "tool", server="kb", tool="find", arguments={}), mcp_servers=declared))
    problems = bob.api.post(f"{at}/validate").data["problems"]
    assert [(problem["code"], problem["params"].get("name"), problem.get("node")) for problem in problems] == [
        ("server_plain_secret", "Authorization", None),
        ("server_not_approved", None, "ask"),
    ]


def test_an_inline_server_waits_too_and_a_bad_one_is_a_problem(bob: Person) -> None:
    inline = {"transport": "http", "url": "https://a.example/mcp", "headers": {"A": "${secret:kb}"}}
    at = create_workflow(bob, line(node("ask", "tool", server=inline, tool="x", arguments={})))
    assert "server_not_approved" in codes(bob.api.post(f"{at}/validate"))
    for bad in ({"transport": "http", "url": "ftp://a"}, {"command": "x", "env": {"A": "{{ start.x }}"}}, {"bogus": 1}):
        graph = line(node("ask", "tool", server="kb", tool="x", arguments={}), mcp_servers={"kb": bad})
        reply = bob.api.post(f"{at}/validate", {"graph": graph})
        assert codes(reply)["server_bad"] == "error", reply.data


def test_what_a_run_takes(bob: Person, vera: Person, charlie: Person) -> None:
    at = create_workflow(bob, line())
    workflow = Workflow.objects.get()
    with pytest.raises(NotPublished):
        runnable_graph(bob.actor, workflow, None)
    text, version, revision = runnable_graph(bob.actor, workflow.id, "draft")
    assert (json.loads(text), version, revision) == (line(), None, 1)
    bob.api.post(f"{at}/publish")
    workflow.refresh_from_db()
    assert runnable_graph(vera.actor, workflow, None)[1:] == (1, None)
    assert runnable_graph(vera.actor, workflow, 1)[1] == 1
    with pytest.raises(Forbidden):
        runnable_graph(vera.actor, workflow, "draft")
    for wrong, error in ((7, NotFound), ("x", ValidationFailed), (True, ValidationFailed)):
        with pytest.raises(error):
            runnable_graph(bob.actor, workflow, wrong)
    with pytest.raises(NotFound):
        runnable_graph(charlie.actor, workflow.id, "draft")
    bob.api.put(f"{at}/draft", {"revision": 1, "graph": EMPTY})
    workflow.refresh_from_db()
    with pytest.raises(GraphInvalid) as caught:
        runnable_graph(bob.actor, workflow, "draft")
    assert caught.value.detail["problems"]


def test_node_types_and_the_documents_schema(vera: Person) -> None:
    types = vera.api.get("/api/node-types").data["results"]
    assert {"start", "end", "tool", "if", "merge"} <= {type_["type"] for type_ in types}
    assert vera.api.get("/api/node-types", **{"accept-language": "zh"}).data["results"] != types
    schema = vera.api.get("/api/graph-schema").data
    assert schema["properties"]["schema"] == {"const": 1}


def test_the_examples_are_clean_and_published(alice: Person, bob: Person) -> None:
    for _ in range(2):
        install_example_servers(alice.team, alice.user)
        install_example_workflows(alice.team, alice.user)
    listed = bob.api.get("/api/workflows").data["results"]
    assert {item["slug"]: item["published_version"] for item in listed} == {"what-time-is-it-there": 1, "a-tour": 1}
    for item in listed:
        assert bob.api.post(f"/api/workflows/{item['id']}/validate").data == {"ok": True, "problems": []}
        check_layout(bob.api.get(f"/api/workflows/{item['id']}").data["draft"]["graph"])


def test_the_examples_speak_chinese_to_an_owner_who_does(alice: Person) -> None:
    alice.user.language = "zh"
    alice.user.save()
    install_example_servers(alice.team, alice.user)
    install_example_workflows(alice.team, alice.user)
    for slug in ("what-time-is-it-there", "a-tour"):
        workflow = alice.api.get(f"/api/workflows/{slug}").data
        assert alice.api.post(f"/api/workflows/{slug}/validate").data == {"ok": True, "problems": []}
        graph = workflow["draft"]["graph"]
        titles = [node["title"] for node in graph["nodes"]] + [note["text"] for note in graph["annotations"]]
        assert graph["language"] == "zh" and all(any("\u4e00" <= c <= "\u9fff" for c in title) for title in titles)


def check_layout(graph: dict[str, Any]) -> None:
    """No card lies on another; between neighbours there is at least the gap of 28."""
    boxes: list[tuple[float, float, float, float]] = []
    for item in graph["nodes"]:
        small = item["type"] in {"start", "end"}
        width, height = (120, 44) if small else (200, 64)
        x, y = item["position"]["x"], item["position"]["y"]
        for left, top, right, bottom in boxes:
            apart = max(left - (x + width), x - right, top - (y + height), y - bottom)
            assert apart >= 28, item["id"]
        boxes.append((x, y, x + width, y + height))


def test_more_workflows_than_a_page_holds_are_searched_and_named_by_the_server(bob: Person, charlie: Person) -> None:
    now = timezone.now()
    rows = [Workflow(team=bob.team, name=f"Flow {n}", slug=f"flow-{n}", draft="{}", draft_at=now) for n in range(250)]
    for n in (7, 249):
        rows[n].published_version = 1
    Workflow.objects.bulk_create(rows)

    def search(query: str, person: Person = bob) -> list[str]:
        reply = person.api.get(f"/api/workflows?limit=200&{query}")
        assert reply.status == 200, reply.text
        return sorted(row["name"] for row in reply.data["results"])

    assert len(search("")) == 200
    assert search("q=flow 249") == ["Flow 249"]
    assert search("published=true") == ["Flow 249", "Flow 7"]
    assert search("published=true&q=249") == ["Flow 249"]
    named = f"id={rows[0].pk}&id={rows[249].pk}&id=wf_nowhere&id=%00"
    assert search(named) == ["Flow 0", "Flow 249"]
    assert search(named, charlie) == search("published=true", charlie) == []
    refused = bob.api.get("/api/workflows?" + "&".join(f"id=wf_{n}" for n in range(201)))
    assert (refused.status, list(refused.data["fields"])) == (400, ["id"])


def test_words_are_searched_as_they_are_written_and_page_by_page(bob: Person) -> None:
    now = timezone.now()
    names = ["Off 50%", "Off 500", "A_b", "Axb", r"Back\slash", *(f"Flow {n:03}" for n in range(7))]
    rows = [Workflow(team=bob.team, name=name, slug=f"s-{n}-x", draft="{}") for n, name in enumerate(names)]
    for n, row in enumerate(rows):
        row.draft_at = now
        row.description = "Says hello" if n == 3 else ""
    Workflow.objects.bulk_create(rows)

    def search(**question: str) -> list[str]:
        query = urlencode({"limit": "3", **question})
        page = bob.api.get(f"/api/workflows?{query}").data
        shown = [row["name"] for row in page["results"]]
        return shown + (search(**{**question, "cursor": page["next"]}) if page["next"] else [])

    assert search(q="50%") == ["Off 50%"] and search(q="%") == ["Off 50%"]
    assert search(q="a_B") == ["A_b"] and search(q="\\") == [r"Back\slash"]
    assert search(q="says HELLO") == ["Axb"]
    assert search(q="S-2-") == ["A_b"] and search(q="s-2- ") == ["A_b"] and search(q="s 2") == []
    newest = [row.name for row in Workflow.objects.filter(name__startswith="Flow").order_by("-updated_at", "-pk")]
    assert search(q="flow") == newest and len(newest) == 7


def test_a_search_reads_an_index_and_no_draft(bob: Person) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("the index is SQLite's")
    create_workflow(bob, EMPTY)
    with statements() as seen:
        assert bob.api.get("/api/workflows?q=nowhere").status == 200
    plans = [plan(sql, values) for sql, values in seen if "LIKE" in sql]
    assert len(plans) == 1 and "COVERING INDEX workflow_words" in plans[0][0], plans
