"""Runs belong to the trace of whoever starts them, and what they call belongs to theirs."""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.api.runs.conftest import graph, node
from tests.instance import until
from tests.live.servers.conftest import PROGRAMS, started
from tests.live.telemetry.conftest import INTERNAL, SERVER, Traced, named
from tests.otlp_receiver import OtlpReceiver, Span, otlp_receiver

META = str(Path(__file__).with_name("meta_server.py"))
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CALLER = f"00-{TRACE}-{SPAN}-01"
OFFERED = ("expose_as_tool", "expose_as_agent", "expose_as_agui")
PLAIN = graph([node("start", "start", {"inputs": {"type": "object"}}), node("end", "end")], "start -> end")


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Traced]:
    """One installation: each test looks at spans of its own runs and traces."""
    with otlp_receiver() as collector:
        traced = Traced(tmp_path_factory.mktemp("callers"), collector)
        try:
            yield traced
        finally:
            traced.instance.kill()


@pytest.fixture
def untouched(tmp_path: Path, collector: OtlpReceiver) -> Iterator[Traced]:
    """An installation that nobody else asked anything."""
    created = Traced(tmp_path, collector)
    try:
        yield created
    finally:
        created.instance.kill()


def posted(traced: Traced, path: str, body: Any, **headers: str) -> Any:
    own = {"content-type": "application/json", "authorization": f"Bearer {traced.token}", **headers}
    request = urllib.request.Request(traced.instance.url + path, json.dumps(body).encode(), own, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def published(traced: Traced, document: dict[str, Any], name: str) -> str:
    workflow = str(traced.post("/api/workflows", {"name": name, "graph": document})["id"])
    traced.post(f"/api/workflows/{workflow}/publish")
    return workflow


def called_over_mcp(traced: Traced, tool: str, traceparent: str) -> str:
    """The run of a call whose `_meta` names its trace."""

    async def go() -> Any:
        headers = {"authorization": f"Bearer {traced.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=60)) as http:
            transport = streamable_http_client(f"{traced.instance.url}/mcp", http_client=http)
            async with Client(transport, mode="2026-07-28") as client:
                meta: Any = {"traceparent": traceparent}  # a member that the SDK's type has not
                return await client.session.call_tool(tool, {}, meta=meta)

    answer = asyncio.run(go())
    assert not answer.is_error, answer
    return str(next(run["id"] for run in traced.get("/api/runs")["results"] if run["trigger"] == "mcp"))


def sent_as_an_agent(traced: Traced, address: str) -> str:
    """The run of a message that another agent sends with its trace."""
    message = {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"data": {}}]}
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    answer = posted(traced, address, body, traceparent=CALLER, **{"a2a-version": "1.0"})
    return str(answer["result"]["task"]["id"])


def run_of_front_end(traced: Traced, address: str) -> str:
    """The run of a front end's request, whose stream is read to its end."""
    payload = {"threadId": "t-1", "runId": "r-1", "state": {}, "messages": [], "tools": [], "context": []}
    headers = {"content-type": "application/json", "authorization": f"Bearer {traced.token}", "traceparent": CALLER}
    body = json.dumps({**payload, "forwardedProps": {}}).encode()
    request = urllib.request.Request(traced.instance.url + address, body, headers, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert b"RUN_FINISHED" in answer.read()
    return str(next(run["id"] for run in traced.get("/api/runs")["results"] if run["trigger"] == "agui"))


def run_and_request(traced: Traced, run: str) -> tuple[Span, Span]:
    """The span of a run, and that of the request that started it."""
    whole = named(traced.spans_of(run), "invoke_workflow offered")

    def came() -> Span | None:
        return next((span for span in traced.collector.spans(whole.trace) if span.id == whole.parent), None)

    request: Span = until(came)
    return whole, request


def test_runs_belong_to_the_trace_of_whoever_started_them(traced: Traced) -> None:
    workflow = published(traced, PLAIN, "Offered")
    started = posted(traced, f"/api/workflows/{workflow}/runs", {}, traceparent=CALLER)
    assert started["trace"] == TRACE
    hook = traced.post(f"/api/workflows/{workflow}/triggers", {"kind": "webhook", "name": "Hook", "enabled": True})
    path = "/hooks/" + hook["url"].rpartition("/")[2]
    hooked = posted(traced, path, {}, traceparent=CALLER)["run"]
    status, answer = traced.instance.request(
        "PATCH", f"/api/workflows/{workflow}", dict.fromkeys(OFFERED, True), traced.token
    )
    assert status == 200, answer
    offered = called_over_mcp(traced, "offered", CALLER)
    agents = urlsplit(traced.get(f"/api/workflows/{workflow}/agent")["url"]).path
    front_ends = urlsplit(traced.get(f"/api/workflows/{workflow}/agui")["url"]).path
    others = [sent_as_an_agent(traced, agents), run_of_front_end(traced, front_ends)]
    routes = [
        ("/api/workflows/{workflow}/runs", started["id"]),
        ("/hooks/{token}", hooked),
        ("/mcp", offered),
        ("/a2a/{team}/{workflow}", others[0]),
        ("/agui/{team}/{workflow}", others[1]),
    ]
    for route, run in routes:
        assert traced.get(f"/api/runs/{run}")["trace"] == TRACE
        whole, request = run_and_request(traced, run)
        assert (whole.trace, whole.kind) == (TRACE, INTERNAL)
        assert (request.name, request.parent, request.kind) == (f"POST {route}", SPAN, SERVER)
        assert request.attributes["http.route"] == route
        assert 200 <= request.attributes["http.response.status_code"] < 300
        assert (request.attributes["http.request.method"], request.attributes["url.scheme"]) == ("POST", "http")
    assert path not in str(traced.collector.spans()), "the address of a webhook is a secret"
    own = posted(traced, f"/api/workflows/{workflow}/runs", {}, traceparent="nonsense")
    whole, request = run_and_request(traced, own["id"])
    assert whole.trace == own["trace"] == request.trace != TRACE and (request.parent, request.kind) == ("", SERVER)


def test_of_requests_that_start_nothing_by_strangers_there_is_no_span(untouched: Traced) -> None:
    workflow = published(untouched, PLAIN, "Offered")
    for path in ("/mcp", "/a2a/team/flow", "/agui/team/flow", "/hooks/nobodys", f"/api/workflows/{workflow}/runs"):
        assert untouched.instance.request("POST", path, {}, "pb_nobody")[0] in {401, 404}
    refused = untouched.instance.request("POST", f"/api/workflows/{workflow}/runs", {"inputs": 1}, untouched.token)
    assert refused[0] == 400
    run_and_request(untouched, posted(untouched, f"/api/workflows/{workflow}/runs", {})["id"])
    requests = [span for span in untouched.collector.spans() if span.kind == SERVER]
    assert sorted(span.attributes["http.response.status_code"] for span in requests) == [202, 400]


@pytest.mark.wide
def test_a_caller_that_keeps_no_trace_gets_none_kept(traced: Traced) -> None:
    workflow, trace = published(traced, PLAIN, "Unkept"), TRACE[::-1]
    unkept = posted(traced, f"/api/workflows/{workflow}/runs", {}, traceparent=f"00-{trace}-{SPAN}-00")
    kept = posted(traced, f"/api/workflows/{workflow}/runs", {})
    traced.spans_of(kept["id"])
    traced.ended(unkept["id"])
    again = posted(traced, f"/api/workflows/{workflow}/runs", {})
    traced.spans_of(again["id"])
    assert not traced.collector.spans(trace)


def test_servers_and_runs_below_are_told_of_the_trace(traced: Traced) -> None:
    body = {"name": "Meta", "slug": "meta", "transport": "stdio", "command": sys.executable, "args": [META]}
    server = traced.post("/api/mcp/servers", {**body, "trust_annotations": True})
    traced.get(f"/api/mcp/servers/{server['id']}/tools?refresh=1")
    start = node("start", "start", {"inputs": {"type": "object"}})
    tells = graph(
        [
            start,
            node("ask", "tool", {"server": "meta", "tool": "told", "arguments": {}}),
            node("end", "end", {"outputs": {"told": "{{ ask.result }}"}}),
        ],
        "start -> ask",
        "ask -> end",
    )
    published(traced, tells, "Below")
    outer = graph(
        [
            start,
            node("sub", "workflow", {"workflow": "below", "inputs": {}}),
            node("end", "end", {"outputs": {"told": "{{ sub.told }}"}}),
        ],
        "start -> sub",
        "sub -> end",
    )
    run = traced.run(outer, name="Above")
    reply = traced.ended(run)["outputs"]["told"]
    above = traced.spans_of(run)
    child = traced.get(f"/api/runs/{run}")["children"][0]["id"]
    below = traced.spans_of(child)
    call = named(below, "tools/call told")
    assert reply == f"00-{call.trace}-{call.id}-01"
    assert {span.trace for span in (*above, *below)} == {traced.get(f"/api/runs/{run}")["trace"]}
    assert named(below, "invoke_workflow below").parent == named(above, "workflow sub").id


def remote(traced: Traced, name: str, url: str) -> None:
    """An MCP server by its address, in the registry."""
    body = {"name": name, "transport": "http", "url": f"{url}/mcp", "trust_annotations": True, "policy": "allow"}
    traced.post("/api/mcp/servers", body)


def requests_at(base: str, path: str) -> Any:
    """What a server kept of what reached it."""
    return json.loads(httpx2.get(f"{base}/{path}", timeout=60).read())


@pytest.fixture
def notes() -> Iterator[str]:
    for port in started(str(PROGRAMS / "contents_server.py"), "modern"):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def far() -> Iterator[str]:
    for port in started(str(PROGRAMS / "task_server.py")):
        yield f"http://127.0.0.1:{port}"


@pytest.mark.wide
def test_resources_prompts_and_completions_are_told_of_the_trace(traced: Traced, notes: str) -> None:
    remote(traced, "Notes", notes)
    nodes = [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("read", "resource", {"server": "notes", "uri": "notes://a"}),
        node("plan", "prompt", {"server": "notes", "prompt": "plan", "arguments": {"city": "Ulm"}}),
        node("end", "end", {"outputs": {}}),
    ]
    run = traced.run(graph(nodes, "start -> read", "read -> plan", "plan -> end"))
    traced.ended(run)
    spans = traced.spans_of(run)
    read, plan = named(spans, "resources/read"), named(spans, "prompts/get")
    body = {"prompt": "plan", "argument": "city", "value": "U"}
    posted(traced, "/api/mcp/servers/notes/complete", body, traceparent=CALLER)
    lists = urllib.request.Request(
        f"{traced.instance.url}/api/mcp/servers/notes/tools?refresh=1",
        headers={"authorization": f"Bearer {traced.token}", "traceparent": CALLER},
    )
    urllib.request.urlopen(lists, timeout=60).close()
    log = requests_at(notes, "traced")
    assert [method for method, trace in log if trace == CALLER] == ["completion/complete"], "it asked for nothing else"
    reply = dict(log)
    assert reply["resources/read"] == f"00-{read.trace}-{read.id}-01"
    assert reply["prompts/get"] == f"00-{plan.trace}-{plan.id}-01"
    assert reply["completion/complete"] == CALLER, "what is done for a request alone belongs to its caller's trace"


@pytest.mark.wide
def test_every_look_at_a_task_its_answer_and_its_end_are_told_of_the_trace(traced: Traced, far: str) -> None:
    remote(traced, "Far", far)
    traced.get("/api/mcp/servers/far/tools?refresh=1")
    status, answer = traced.instance.request(
        "PATCH", "/api/mcp/servers/far/tools/look", {"policy": "allow"}, traced.token
    )
    assert status == 200, answer
    params = {"mode": "form", "message": "Well?", "requestedSchema": {"type": "object", "properties": {}}}
    asks = {"status": "input_required", "inputRequests": {"q": {"method": "elicitation/create", "params": params}}}
    arguments = {"script": [asks, {"status": "working"}]}
    nodes = [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("call", "tool", {"server": "far", "tool": "look", "arguments": arguments}),
        node("end", "end", {"outputs": {}}),
    ]
    run = traced.run(graph(nodes, "start -> call", "call -> end"))
    question = until(lambda: traced.get(f"/api/interactions?run={run}")["results"])[0]
    traced.post(f"/api/interactions/{question['id']}/answer", {"action": "accept", "values": {}})
    until(lambda: any(entry["what"] == "update" for entry in requests_at(far, "log")))
    traced.post(f"/api/runs/{run}/cancel")
    traced.ended(run, "CANCELLED")
    log = until(lambda: (kept := requests_at(far, "log")) and any(entry["what"] == "cancel" for entry in kept) and kept)
    trace = traced.get(f"/api/runs/{run}")["trace"]
    assert {entry["what"] for entry in log} == {"call", "get", "update", "cancel"}
    assert {(entry["trace"] or "")[3:35] for entry in log} == {trace}
