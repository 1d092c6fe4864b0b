"""Http nodes against a real server: what is sent, what comes back, who is asked, what a crash or cancel leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from backend.accounts.models import AuditEntry
from backend.runs.models import Interaction, LogLine, RunFile
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.deciding import answer, waiting_of
from tests.api.runs.reruns import ended
from tests.people import Person
from tests.web_server import PNG, WebServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """The server, on the one loopback address that the operator opened."""
    monkeypatch.setattr(settings.PATCHBAY, "outbound_allow", ["127.0.0.1"])
    server = WebServer().start()
    yield server
    LOOP.stop()
    server.stop()


def asks(config: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A document that sends one request and gives all of its outputs."""
    outputs = {name: f"{{{{ get.{name} }}}}" for name in ("status", "headers", "body", "text")}
    return graph(
        [node("start", "start"), node("get", "http", config, **more), node("end", "end", {"outputs": outputs})],
        "start -> get",
        "get -> end",
    )


def got(person: Person, config: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    """The outputs of a request that is answered."""
    run = ended(person, asks(config), **inputs)
    assert run["state"] == "SUCCESS", run["error"]
    return dict(run["outputs"])


def failed(person: Person, config: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    """The error of a request that fails."""
    run = ended(person, asks(config, retry={"max": 0}), **inputs)
    assert run["state"] == "ERROR"
    return dict(run["error"])


def secret(adam: Person, name: str, value: str, hosts: list[str]) -> None:
    assert adam.api.post("/api/secrets", {"name": name, "value": value, "hosts": hosts}).status == 201


def whole_log(run: str) -> str:
    """All that is stored of a run's log, and what readers get of it."""
    lines = LogLine.objects.filter(run=run)
    return json.dumps([[str(line.data), str(line.value)] for line in lines])


def test_an_answer_that_is_json_is_parsed(worker: Worker, bob: Person, web: WebServer) -> None:
    out = got(bob, {"url": f"{web.url}/json", "query": {"q": "{{ start.name }}", "tags": ["a", "b"], "none": None}})
    assert out["status"] == 200 and out["headers"]["content-type"] == "application/json"
    assert out["body"]["items"][0] == {"name": "pear", "price": 3} and json.loads(out["text"]) == out["body"]
    came = web.last()
    assert (came.method, came.query) == ("GET", {"q": "Ada", "tags": "b"})
    assert "idempotency-key" not in came.headers and came.headers["user-agent"].startswith("Patchbay/")


def test_other_answers(worker: Worker, bob: Person, web: WebServer) -> None:
    assert got(bob, {"url": f"{web.url}/text"})["body"] == "grüezi"
    assert got(bob, {"url": f"{web.url}/empty"})["status"] == 204
    head = got(bob, {"url": f"{web.url}/json", "method": "HEAD"})
    assert (head["status"], head["body"], head["text"]) == (200, "", "")
    assert got(bob, {"url": f"{web.url}/there"})["body"]["n"] == 1.5, "within its origin a redirect is followed"
    away = got(bob, {"url": f"{web.url}/away"})
    assert (away["status"], away["headers"]["location"]) == (302, "http://elsewhere.example/")


@pytest.mark.parametrize(("path", "size", "mime"), [("png", len(PNG), "image/png"), ("big", 2 * 1024**2, "text/plain")])
def test_what_is_no_text_or_large_is_a_file_of_the_run(
    worker: Worker, bob: Person, web: WebServer, path: str, size: int, mime: str
) -> None:
    run = ended(bob, asks({"url": f"{web.url}/{path}"}))
    file = run["outputs"]["body"]
    assert (file["size"], file["mime"]) == (size, mime) and run["outputs"]["text"] == ""
    assert file["name"] == ("chart.png" if path == "png" else "big.txt")
    assert RunFile.objects.filter(run=run["id"], file=file["$file"]).exists()
    assert bob.api.get(f"/api/files/{file['$file']}").status == 200
    assert "eHh4" not in whole_log(run["id"]), "no bytes in the log"


@pytest.mark.parametrize(
    ("config", "kind", "body"),
    [
        ({"body": {"n": "{{ start.name }}"}}, "application/json", '{"n": "Ada"}'),
        ({"body": '{"n": "{{ start.name }}"}'}, "application/json", '{"n": "Ada"}'),
        (
            {"body_type": "form", "body": {"a": "x y", "b": [1, True]}},
            "application/x-www-form-urlencoded",
            "a=x+y&b=1&b=true",
        ),
        ({"body_type": "text", "body": "hi {{ start.name }}"}, "text/plain; charset=utf-8", "hi Ada"),
        ({"body": {}, "headers": {"content-type": "application/vnd.api+json"}}, "application/vnd.api+json", "{}"),
    ],
)
def test_bodies(worker: Worker, bob: Person, web: WebServer, config: dict[str, Any], kind: str, body: str) -> None:
    came = got(bob, {"url": f"{web.url}/echo", "method": "POST", **config})["body"]
    assert (came["headers"]["content-type"], came["body"]) == (kind, body)
    assert came["headers"]["idempotency-key"]


def test_files_are_sent(worker: Worker, bob: Person, web: WebServer) -> None:
    file = ended(bob, asks({"url": f"{web.url}/png"}))["outputs"]["body"]
    plain = {"url": f"{web.url}/echo", "method": "PUT", "body_type": "file", "body": file}
    assert got(bob, plain)["body"]["headers"]["content-type"] == "image/png"
    assert web.last().body == PNG
    parts = {"note": "two words", "file": file, "more": [1, file]}
    got(bob, {"url": f"{web.url}/echo", "method": "POST", "body_type": "multipart", "body": parts})
    came = web.last()
    assert came.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert came.body.count(PNG) == 2 and b'name="note"\r\n\r\ntwo words\r\n' in came.body
    assert b'filename="chart.png"' in came.body


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"url": "ftp://a.example/"}, "url"),
        ({"url": "http://ann:pass@a.example/"}, "url"),
        ({"url": "http://a.example/", "headers": {"X\nY": "1"}}, "headers.X\nY"),
        ({"url": "http://a.example/", "headers": {"X": "a\r\nHost: b"}}, "headers.X"),
        ({"url": "http://a.example/", "headers": {"Host": "b"}}, "headers.Host"),
        ({"url": "http://a.example/", "headers": {"X": "你"}}, "headers.X"),
        ({"url": "http://a.example/", "body": "no json"}, "body"),
        ({"url": "http://a.example/", "body_type": "form", "body": [1]}, "body"),
        ({"url": "http://a.example/", "body_type": "file", "body": "x"}, "body"),
        ({"url": "{{ start.missing | default(3) }}"}, "url"),
    ],
)
def test_what_cannot_be_sent_names_its_field(
    worker: Worker, bob: Person, web: WebServer, config: dict[str, Any], field: str
) -> None:
    error = failed(bob, config)
    assert error["code"] == "VALIDATION_ERROR" and web.came == []
    if field != "url":
        assert field in error["message"]


def test_statuses_from_400_on_are_errors_unless_they_are_accepted(worker: Worker, bob: Person, web: WebServer) -> None:
    error = failed(bob, {"url": f"{web.url}/status/404"})
    assert error["code"] == "HTTP_ERROR" and "404" in error["message"]
    assert error["detail"]["body"] == '{"why": "no"}'
    out = got(bob, {"url": f"{web.url}/status/404", "accept_status": [404, 409]})
    assert (out["status"], out["body"]) == (404, {"why": "no"})


@pytest.mark.parametrize("status", [429, 503])
def test_a_retry_waits_as_long_as_the_answer_asks(worker: Worker, bob: Person, web: WebServer, status: int) -> None:
    run = ended(bob, asks({"url": f"{web.url}/status/{status}"}, retry={"max": 1, "delay_s": 0.01}))
    assert run["outputs"]["body"] == {"after": 1}
    (retry,) = [line for line in events(bob, run["id"]) if line["type"] == "STEP_RETRY"]
    assert retry["data"]["code"] == "HTTP_ERROR" and retry["data"]["delay_ms"] == 1000


def test_a_secret_goes_to_its_hosts_and_comes_back_from_nowhere(
    worker: Worker, bob: Person, adam: Person, web: WebServer
) -> None:
    secret(adam, "key", "s3cr3t-value", ["127.0.0.1"])
    auth = {
        "auth": {"kind": "bearer", "secret": "key"},
        "headers": {"X-Copy": "${secret:key}"},
        "query": {"k": "${secret:key}"},
    }
    run = ended(bob, asks({"url": f"{web.url}/echo", **auth}))
    came = web.last()
    assert came.headers["authorization"] == "Bearer s3cr3t-value" and came.headers["x-copy"] == "s3cr3t-value"
    assert came.query == {"k": "s3cr3t-value"}
    assert run["outputs"]["body"]["headers"]["authorization"] == "Bearer ••••••"
    assert "s3cr3t" not in whole_log(run["id"]) and "s3cr3t" not in json.dumps(events(bob, run["id"]))
    sent = next(line["data"] for line in events(bob, run["id"]) if line["type"] == "TOOL_REQUEST")
    assert (sent["server"], sent["tool"]) == ("http", "GET") and sent["arguments"]["headers"] == {
        "X-Copy": "${secret:key}"
    }

    basic = {"auth": {"kind": "basic", "user": "ann", "secret": "key"}}
    out = got(bob, {"url": f"{web.url}/echo", **basic})
    assert web.last().headers["authorization"] == "Basic YW5uOnMzY3IzdC12YWx1ZQ=="
    assert "YW5uOnMzY3IzdC12YWx1ZQ" not in json.dumps(out)
    own = {"auth": {"kind": "header", "header": "X-Token", "secret": "key"}}
    got(bob, {"url": f"{web.url}/echo", **own})
    assert web.last().headers["x-token"] == "s3cr3t-value"


def test_a_secret_goes_to_no_other_host(worker: Worker, bob: Person, adam: Person, web: WebServer) -> None:
    secret(adam, "key", "s3cr3t-value", ["api.example.org"])
    error = failed(bob, {"url": f"{web.url}/echo", "auth": {"kind": "bearer", "secret": "key"}})
    assert error["code"] == "SECRET_MISSING" and web.came == []


def test_what_an_expression_gives_names_no_secret(worker: Worker, bob: Person, adam: Person, web: WebServer) -> None:
    secret(adam, "key", "s3cr3t-value", ["*"])
    config = {"url": f"{web.url}/echo", "headers": {"X": "{{ start.name }}", "Y": "${secret:key}"}}
    out = got(bob, config, name="${secret:key}")
    assert (web.last().headers["x"], web.last().headers["y"]) == ("${secret:key}", "s3cr3t-value")
    assert out["body"]["headers"]["x"] == "${secret:key}"
    whole = {"url": f"{web.url}/echo", "headers": "{{ start.headers }}"}
    got(bob, whole, headers={"X": "${secret:key}"})
    assert web.last().headers["x"] == "${secret:key}"


def test_a_secret_and_an_expression_share_no_text(bob: Person) -> None:
    document = asks({"url": "https://a.example/", "headers": {"X": "${secret:key} {{ start.name }}"}})
    document["nodes"].append(node("t", "template", {"template": "${secret:key}"}))
    created = bob.api.post("/api/workflows", {"name": "x", "graph": document}).data
    problems = bob.api.post(f"/api/workflows/{created['id']}/validate").data["problems"]
    matches = {(problem["code"], problem["path"]) for problem in problems if problem["severity"] == "error"}
    assert ("secret_mixed", "/nodes/1/config/headers/X") in matches


def test_a_host_out_of_an_expression_is_asked_for(worker: Worker, bob: Person, web: WebServer) -> None:
    config = {"url": "http://{{ start.host }}/echo", "method": "POST", "body": {"n": 1}}
    workflow = make_workflow(bob, asks(config))
    body = {"inputs": {"host": f"127.0.0.1:{web.port}"}, "wait": 20}
    run, question = waiting_of(start(bob, workflow, body))
    [shown] = bob.api.get(f"/api/interactions?id={question}").data["results"]
    assert shown["kind"] == "approval" and shown["title"] == f"POST http://127.0.0.1:{web.port}/echo"
    assert shown["tool"] == {"server": "http", "name": "POST"} and shown["risk"]["level"] == "MEDIUM"
    assert "127.0.0.1" in str(shown["risk"]["reasons"]) and web.came == []
    assert answer(bob, question).status == 200
    until(lambda: state(run) == "SUCCESS")
    assert web.last().body == b'{"n": 1}'

    run, question = waiting_of(start(bob, workflow, body))
    assert answer(bob, question, "decline", reason="no").status == 200
    until(lambda: state(run) == "ERROR")
    assert bob.api.get(f"/api/runs/{run}").data["error"]["code"] == "MCP_POLICY_DENIED" and len(web.came) == 1


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://127.0.0.1:{port}/{{{{ start.path }}}}", False),
        ("http://127.0.0.1:{port}?q={{{{ start.path }}}}", False),
        ("http://127.0.0.1:{{{{ start.port }}}}/echo", True),
        ("http://127.0.0.{{{{ start.one }}}}:{port}/echo", True),
        ("{{{{ start.scheme }}}}://127.0.0.1:{port}/echo", True),
        ("http://127.0.0.1:{port}{{{{ start.rest }}}}", True),
        ("{{{{ env.base }}}}/echo", True),
    ],
)
def test_only_a_host_that_stands_in_the_document_is_the_documents(
    worker: Worker, bob: Person, web: WebServer, url: str, asked: bool
) -> None:
    document = asks({"url": url.format(port=web.port), "accept_status": [404]})
    document["env"] = {"base": web.url}
    inputs = {"path": "echo", "port": str(web.port), "one": "1", "scheme": "http", "rest": "/echo"}
    run = start(bob, make_workflow(bob, document), {"inputs": inputs, "wait": 20}).data
    assert run["state"] == ("WAITING" if asked else "SUCCESS"), run["error"]


def test_a_host_that_the_team_lists_is_not_asked_for(worker: Worker, bob: Person, adam: Person, web: WebServer) -> None:
    refused = adam.api.patch("/api/teams/current", {"request_hosts": ["ok.example", "http://a/"]})
    assert refused.status == 400 and "request_hosts.1" in refused.data["fields"]
    assert bob.api.patch("/api/teams/current", {"request_hosts": ["127.0.0.1"]}).status == 403
    reply = adam.api.patch("/api/teams/current", {"request_hosts": ["127.0.0.1", "*.Example.org", "127.0.0.1"]})
    assert reply.data["request_hosts"] == ["127.0.0.1", "*.example.org"]
    entry = AuditEntry.objects.filter(action="team.updated").latest("pk")
    assert entry.content is not None and entry.content["changes"]["request_hosts"] == [
        [],
        ["127.0.0.1", "*.example.org"],
    ]
    assert got(bob, {"url": "http://{{ start.host }}/echo"}, host=f"127.0.0.1:{web.port}")["status"] == 200


def test_an_approval_may_last_for_the_run(worker: Worker, bob: Person, web: WebServer) -> None:
    document = graph(
        [
            node("start", "start"),
            node("each", "iteration", {"items": [1, 2, 3], "output": "{{ get.body.query.n }}"}),
            node("get", "http", {"url": "http://{{ start.host }}/echo", "query": {"n": "{{ item }}"}}, parent="each"),
            node("end", "end", {"outputs": {"all": "{{ each.items }}"}}),
        ],
        "start -> each",
        "each -> end",
    )
    body = {"inputs": {"host": f"127.0.0.1:{web.port}"}, "wait": 20}
    run, question = waiting_of(start(bob, make_workflow(bob, document), body))
    assert answer(bob, question, remember="run").status == 200
    until(lambda: state(run) == "SUCCESS")
    assert Interaction.objects.filter(run=run).count() == 1
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"all": ["1", "2", "3"]}


FORBIDDEN = [
    *("http://127.0.0.1:9/", "http://localhost:9/", "http://2130706433:9/", "http://0x7f000001:9/", "http://0x7f.1:9/"),
    *("http://127.1:9/", "http://0177.0.0.1:9/", "http://0.0.0.0:9/", "http://[::1]:9/", "http://[::]:9/"),
    *("http://[::ffff:127.0.0.1]:9/", "http://[::ffff:7f00:1]:9/", "http://[64:ff9b::7f00:1]:9/"),
    *("http://[2002:7f00:1::]:9/", "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/"),
    *("http://192.168.0.1/", "http://100.64.0.1/", "http://[fd00:ec2::254]/", "http://LOCALHOST.:9/"),
]


def test_no_forbidden_address_is_reached_however_it_is_spelt(worker: Worker, bob: Person) -> None:
    document = graph(
        [
            node("start", "start"),
            *(node(f"n{i}", "http", {"url": url}, on_error="continue") for i, url in enumerate(FORBIDDEN)),
            node("end", "end"),
        ],
        *(edge for i in range(len(FORBIDDEN)) for edge in (f"start -> n{i}", f"n{i} -> end")),
    )
    run = ended(bob, document)
    codes = {line["node"]: line["data"]["code"] for line in events(bob, run["id"]) if line["type"] == "STEP_ERROR"}
    refused = [codes.get(f"n{i}") for i in range(len(FORBIDDEN))]
    allowed = [
        ["VALIDATION_ERROR"]  # no spelling of an address that a URL may have
        if "0177" in url
        else ["NETWORK_BLOCKED", "HTTP_UNREACHABLE"]  # not every resolver knows a name with a dot at its end
        if "LOCALHOST." in url
        else ["NETWORK_BLOCKED"]
        for url in FORBIDDEN
    ]
    assert all(code in codes for code, codes in zip(refused, allowed, strict=True)), refused


def test_our_own_port_is_not_reached(
    worker: Worker, bob: Person, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "port", web.port)
    assert failed(bob, {"url": f"{web.url}/json"})["code"] == "NETWORK_BLOCKED" and web.came == []


def test_hosts_that_are_not_there(worker: Worker, bob: Person, web: WebServer) -> None:
    web.stop()
    gone = failed(bob, {"url": f"{web.url}/json"})
    assert gone["code"] == "HTTP_UNREACHABLE" and "127.0.0.1" in gone["message"]
    assert failed(bob, {"url": "http://no-such-host.invalid/"})["code"] == "HTTP_UNREACHABLE"


def test_a_write_without_an_answer_may_have_happened(worker: Worker, bob: Person, web: WebServer) -> None:
    run = ended(bob, asks({"url": f"{web.url}/drop", "method": "POST"}, retry={"max": 3, "delay_s": 0.01}))
    assert run["error"]["code"] == "HTTP_UNREACHABLE" and len(web.came) == 1, "it is not sent again unasked"
    preview = bob.api.post(f"/api/runs/{run['id']}/retry", {"dry_run": True}).data
    assert [(write["node"], write["tool"], write["outcome"]) for write in preview["writes"]] == [
        ("get", "POST", "unknown")
    ]


def test_a_read_without_an_answer_is_tried_again(worker: Worker, bob: Person, web: WebServer) -> None:
    ended(bob, asks({"url": f"{web.url}/drop"}, retry={"max": 2, "delay_s": 0.01}))
    assert len(web.came) == 3


def test_a_request_that_takes_too_long(worker: Worker, bob: Person, web: WebServer) -> None:
    error = failed(bob, {"url": f"{web.url}/slow", "timeout_s": 0.3})
    assert error["code"] == "HTTP_TIMEOUT" and "0.3" in error["message"]
    assert web.gone.wait(15)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_cancel_ends_the_request(worker: Worker, bob: Person, web: WebServer, method: str) -> None:
    workflow = make_workflow(bob, asks({"url": f"{web.url}/slow", "method": method}))
    run = start(bob, workflow, {}).data["id"]
    web.wait_for("/slow")
    assert bob.api.post(f"/api/runs/{run}/cancel").status == 202
    until(lambda: state(run) == "CANCELLED")
    assert web.gone.wait(15), "the connection is closed"


def test_a_saved_test_plays_it_without_the_network(worker: Worker, bob: Person, web: WebServer) -> None:
    workflow = make_workflow(bob, asks({"url": f"{web.url}/json"}))
    run = start(bob, workflow, {"wait": 20}).data["id"]
    created = bob.api.post(f"/api/workflows/{workflow.id}/tests", {"run": run, "name": "fruit"})
    assert created.status == 201, created.text
    result = bob.api.post(f"/api/workflows/{workflow.id}/tests/{created.data['id']}/run").data
    assert result["ok"] is True, result
    assert len(web.came) == 1
