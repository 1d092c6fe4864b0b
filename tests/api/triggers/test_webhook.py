"""Webhooks: who may make one, proof, bodies, inputs, keys, limits, answers, deliveries and replays."""

from __future__ import annotations

import base64
import hmac
import json
import re
import time
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from backend.accounts.models import AuditEntry
from backend.files.models import File
from backend.runs.models import Run
from backend.runs.queue import leases
from backend.runs.queue.leases import Terms
from backend.runs.worker.loading import load
from backend.triggers.models import Delivery, Trigger
from backend.workflows.models import Workflow
from tests.api.runs.conftest import graph, node, until
from tests.api.triggers.conftest import deliveries, hook, inputs, make, published
from tests.people import Api, Person

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "the-shared-secret"


@pytest.fixture
def shared(adam: Person) -> str:
    assert adam.api.post("/api/secrets", {"name": "hook", "value": SECRET, "hosts": []}).status == 201
    return "hook"


def signature(payload: str | bytes) -> str:
    data = payload.encode() if isinstance(payload, str) else payload
    return hmac.new(SECRET.encode(), data, "sha256").hexdigest()


def test_an_admin_makes_one_and_sees_its_address_once(adam: Person, bob: Person, workflow: Workflow) -> None:
    body = {"kind": "webhook", "name": "GitHub", "config": {}}
    assert bob.api.post(f"/api/workflows/{workflow.pk}/triggers", body).status == 403
    created = make(adam, workflow, "webhook")
    token = created["url"].rpartition("/")[2]
    assert len(token) == 43 and created["config"]["verify"] == {"kind": "none"}
    row = Trigger.objects.get()
    assert token not in f"{row.token_hash}{row.config}" and row.token_end == token[-4:]
    shown = adam.api.get(f"/api/triggers/{created['id']}").data
    assert "url" not in shown and shown["address_end"] == token[-4:] and shown["acts_as"] == adam.user.email
    assert bob.api.patch(f"/api/triggers/{created['id']}", {"enabled": False}).status == 403
    assert token not in bob.api.get("/api/triggers").text
    assert AuditEntry.objects.filter(action="trigger.created", target_id=created["id"]).count() == 1


def test_a_call_starts_the_published_version(adam: Person, workflow: Workflow, nobody: Api) -> None:
    called = hook(adam, workflow)
    workflow.draft = "{}"
    workflow.save()
    answer = called.send({"name": "Vera", "other": 1})
    assert answer.status == 202, answer.text
    assert answer.data["url"].endswith(f"/runs/{answer.data['run']}")
    run = adam.api.get(f"/api/runs/{answer.data['run']}").data
    assert (run["trigger"], run["trigger_id"], run["version"]) == ("webhook", called.id, 1)
    assert (run["inputs"], run["started_by"]) == ({"name": "Vera"}, adam.user.email)
    kept = deliveries(adam, called.id)
    assert [(item["outcome"], item["status"], item["run"]) for item in kept] == [("started", 202, run["id"])]
    assert adam.api.get("/api/triggers").data["results"][0]["last"]["run"] == run["id"]


def test_only_the_first_call_reads_the_document(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow)
    read = []
    for name in ("x", "y"):
        with CaptureQueriesContext(connection) as queries:
            assert called.send({"name": name}).status == 202
        read.append(sum("workflows_version" in item["sql"] for item in queries))
    assert read == [1, 0]


def test_a_call_asks_and_writes_no_more_than_it_needs(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow)
    assert called.send({"name": "x"}).status == 202
    with CaptureQueriesContext(connection) as queries:
        assert called.send({"name": "y"}).status == 202
    rows = re.compile(
        r"\s*(?:\d+ times: )?(SELECT|INSERT|UPDATE|DELETE)\b.*?\b(?:FROM|INTO|UPDATE)\s+\"?(\w+)", re.DOTALL
    )
    matches = [" ".join(match.groups()) for item in queries if (match := rows.match(item["sql"]))]
    locks = ["SELECT files_blob"] if connection.vendor == "postgresql" else []
    reads = ["triggers_trigger", "runs_run", "triggers_delivery"]
    wrote = ["files_blob", "runs_run", "runs_logline", "triggers_delivery", "accounts_auditnote"]
    first, *others = (f"INSERT {table}" for table in wrote)
    assert matches == [*(f"SELECT {table}" for table in reads), first, *locks, *others]
    assert not any("SAVEPOINT" in item["sql"] for item in queries)


def test_a_new_address_ends_the_one_before_and_off_is_as_if_it_were_not(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow)
    url = adam.api.post(f"/api/triggers/{called.id}/rotate").data["url"]
    assert called.send({}).status == 404
    called.path = "/hooks/" + url.rpartition("/")[2]
    assert called.send({}).status == 202
    adam.api.patch(f"/api/triggers/{called.id}", {"enabled": False})
    assert called.send({}).status == 404
    schedule = make(adam, workflow, "schedule", every_s=60)
    refused = adam.api.post(f"/api/triggers/{schedule['id']}/rotate")
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT")


def test_other_methods_are_refused(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow, methods=["PUT", "GET"])
    refused = called.send({})
    assert (refused.status, refused.headers["Allow"]) == (405, "GET, PUT")
    assert called.send({"name": "Vera"}, "put").status == 202
    assert Delivery.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "kind", "given"),
    [
        ({"name": "Vera", "count": 3}, "application/json", {"name": "Vera", "count": 3}),
        ('{"name": "Vera"}', "application/cloudevents+json", {"name": "Vera"}),
        ("name=Vera&count=3", "application/x-www-form-urlencoded", {"name": "Vera", "count": 3}),
        ("plain", "text/plain; charset=latin-1", {}),
        ("", "", {}),
    ],
)
def test_bodies(adam: Person, workflow: Workflow, body: Any, kind: str, given: dict[str, Any]) -> None:
    answer = hook(adam, workflow).send(body, kind=kind)
    assert answer.status == 202, answer.text
    assert inputs(answer.data["run"]) == given


def form(*parts: str) -> tuple[str, str]:
    """(body, type) of a multipart form."""
    return "".join(f"--x\r\n{part}\r\n" for part in parts) + "--x--\r\n", "multipart/form-data; boundary=x"


def test_parts_of_a_form_become_files(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow, inputs={"name": "{{ request.body.name }}", "paper": "{{ request.files.doc }}"})
    file = 'Content-Disposition: form-data; name="doc"; filename="a.md"\r\nContent-Type: text/markdown\r\n\r\n# Hello'
    answer = called.send(*reversed_kind(form('Content-Disposition: form-data; name="name"\r\n\r\nVera', file)))
    assert answer.status == 202, answer.text
    kept = File.objects.get()
    expected = {"$file": kept.pk, "name": "a.md", "mime": "text/markdown", "size": 7}
    assert inputs(answer.data["run"]) == {"name": "Vera", "paper": expected}


def reversed_kind(text: tuple[str, str]) -> tuple[str, str, str]:
    """A form as `Hook.send` takes it."""
    return text[0], "post", text[1]


def test_bad_bodies_are_refused_and_told(adam: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch) -> None:
    called = hook(adam, workflow)
    part = 'Content-Disposition: form-data; name="a"\r\n\r\n1'
    for body, kind, status in (
        ("{not json", "application/json", 400),
        ('{"a": 1, "a": 2}', "application/json", 400),
        ("[" * 300 + "]" * 300, "application/json", 400),
        ("&".join("a=1" for _ in range(10_000)), "application/x-www-form-urlencoded", 400),
        (*form(*[part] * 10_000), 400),
        ("broken", "multipart/form-data", 400),
        (b"\xff\xfe", "text/plain; charset=utf-8", 400),
        (b"\x00", "application/zip", 415),
    ):
        answer = called.send(body, kind=kind)
        assert answer.status == status, (kind, answer.text)
        assert answer.data["fields"].keys() == ({"body"} if status == 400 else set())
    assert {item["outcome"] for item in deliveries(adam, called.id)} == {"refused"}
    assert not Run.objects.exists()
    monkeypatch.setattr(settings.PATCHBAY, "hook_mb", 0.001)
    assert called.send({"name": "x" * 2000}).status == 413
    assert Delivery.objects.count() == 8


def test_inputs_that_do_not_fit_are_named(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow, inputs={"name": "{{ request.body.who.name }}", "count": "{{ request.query.n }}"})
    missing = called.send({})
    assert (missing.status, missing.data["fields"].keys()) == (400, {"inputs.name", "inputs.count"})
    called.path += "?n=three"
    wrong = called.send({"who": {"name": "Vera"}})
    assert (wrong.status, wrong.data["fields"].keys()) == (400, {"inputs.count"})
    assert [item["error"]["code"] for item in deliveries(adam, called.id)] == ["VALIDATION_ERROR"] * 2


def test_expressions_never_see_credentials(adam: Person, workflow: Workflow) -> None:
    for expression in (
        "{{ request.headers.authorization }}",
        '{{ request.headers["Cookie"] }}',
        "{{ vars.x }}",
        "{{ x",
    ):
        body = {"kind": "webhook", "name": "h", "config": {"inputs": {"name": expression}}}
        refused = adam.api.post(f"/api/workflows/{workflow.pk}/triggers", body)
        assert (refused.status, refused.data["fields"].keys()) == (400, {"config.inputs.name"}), refused.text
    called = hook(adam, workflow, inputs={"name": "{{ request.headers | tojson }}"})
    run = called.send(
        {"a": 1}, Authorization="Bearer hush-hush", Cookie="session=hush-hush", X_Api_Key="hush-hush", X_Event="opened"
    ).data["run"]
    seen = inputs(run)["name"]
    assert "opened" in seen and "hush-hush" not in seen and "session=" not in seen and "api-key" not in seen.lower()
    assert "hush-hush" not in Delivery.objects.get().request


def test_what_is_shown_of_a_delivery_is_masked(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow)
    called.send({"name": "Vera", "password": "correct horse battery", "long": "x" * 30_000})
    called.send({"name": "Vera", "api_key": "sk-proj-aaaabbbbccccddddeeee1111", "note": "Bearer abcdefgh12345678"})
    small, large = deliveries(adam, called.id)
    assert (large["request"], large["size"] > 30_000) == (None, True)
    assert small["request"]["body"] == {"name": "Vera", "api_key": "•••", "note": "Bearer •••"}


def test_deliveries_are_exported_whole_masked_and_in_order(
    adam: Person, vera: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.triggers.exporting.CHUNK", 2)
    called = hook(adam, workflow)
    for number in range(4):
        called.send({"name": f"number {number}", "api_key": "sk-proj-aaaabbbbccccddddeeee1111"})
    called.send({"name": "Vera", "password": "correct horse battery", "long": "x" * 30_000})
    other = hook(adam, workflow)
    other.send({"name": "elsewhere"})
    reply = vera.api.get(f"/api/triggers/{called.id}/deliveries/export")
    assert reply.status == 200, reply.text
    assert reply.headers["Content-Type"].startswith("application/x-ndjson")
    assert reply.headers["Content-Disposition"] == f'attachment; filename="deliveries-{called.id}.jsonl"'
    lines = [json.loads(line) for line in reply.text.splitlines()]
    listed = deliveries(adam, called.id)
    assert [line["id"] for line in lines] == [item["id"] for item in listed]
    large, *small = [line["request"]["body"] for line in lines]
    assert large == {"name": "Vera", "password": "•••", "long": "x" * 30_000}
    assert [item["name"] for item in small] == ["number 3", "number 2", "number 1", "number 0"]
    assert {item["api_key"] for item in small} == {"•••"}
    assert {line["trigger"] for line in lines} == {called.id} and all(line["run"] for line in lines)


GITHUB = {"kind": "github", "secret": "hook"}
STRIPE = {"kind": "stripe", "secret": "hook"}
SLACK = {
    "kind": "hmac",
    "secret": "hook",
    "header": "X-Slack-Signature",
    "prefix": "v0=",
    "payload": "v0:{timestamp}:{body}",
    "timestamp_header": "X-Slack-Request-Timestamp",
}
BASE64 = {"kind": "hmac", "secret": "hook", "header": "X-Sign", "encoding": "base64"}


def proofs(body: str, at: int) -> list[tuple[dict[str, Any], dict[str, str]]]:
    """Each way to prove a body, with the headers that do it at a time."""
    plain = base64.b64encode(bytes.fromhex(signature(body))).decode()
    return [
        ({"kind": "header", "secret": "hook", "header": "X-Key"}, {"X_Key": SECRET}),
        (GITHUB, {"X_Hub_Signature_256": f"sha256={signature(body)}"}),
        (STRIPE, {"Stripe_Signature": f"t={at},v1={'0' * 64},v1={signature(f'{at}.{body}')}"}),
        (
            SLACK,
            {"X_Slack_Request_Timestamp": str(at), "X_Slack_Signature": f"v0={signature(f'v0:{at}:{body}')}"},
        ),
        (BASE64, {"X_Sign": plain}),
    ]


@pytest.mark.parametrize("number", range(5))
def test_proof(adam: Person, workflow: Workflow, shared: str, number: int) -> None:
    body = '{"name": "Véra"}'
    verify, headers = proofs(body, int(time.time()))[number]
    called = hook(adam, workflow, verify=verify)
    assert called.send(body, **headers).status == 202
    for wrong in (
        {name: value[:-1] + ("0" if value[-1] != "0" else "1") for name, value in headers.items()},
        dict.fromkeys(headers, "é"),
        {},
    ):
        refused = called.send(body, **wrong)
        assert (refused.status, refused.data["code"]) == (401, "SIGNATURE_INVALID"), refused.text
    if number:
        assert called.send(body + " ", **headers).status == 401
    assert Delivery.objects.count() == Run.objects.count() == 1, "nothing of a forged call is stored"
    assert SECRET not in Delivery.objects.get().request


@pytest.mark.parametrize("number", [2, 3])
def test_an_old_signature_is_refused_though_it_is_right(
    adam: Person, workflow: Workflow, shared: str, number: int
) -> None:
    body = "{}"
    for off in (-301, 400):
        verify, headers = proofs(body, int(time.time()) + off)[number]
        refused = hook(adam, workflow, verify=verify).send(body, **headers)
        assert refused.status == 401 and "300" in refused.data["message"], refused.text
    assert not Delivery.objects.exists()


def test_a_replayed_stripe_event_is_the_first_run(adam: Person, workflow: Workflow, shared: str) -> None:
    body = '{"id": "evt_1", "name": "Vera"}'
    verify, headers = proofs(body, int(time.time()))[2]
    called = hook(adam, workflow, verify=verify)
    first, second = called.send(body, **headers), called.send(body, **headers)
    assert first.data["run"] == second.data["run"] and Run.objects.count() == 1
    assert [item["outcome"] for item in deliveries(adam, called.id)] == ["same", "started"]


def test_a_secret_that_is_gone_lets_nobody_in(adam: Person, workflow: Workflow, shared: str) -> None:
    body = {"kind": "webhook", "name": "h", "config": {"verify": {"kind": "github", "secret": "other"}}}
    refused = adam.api.post(f"/api/workflows/{workflow.pk}/triggers", body)
    assert refused.data["fields"].keys() == {"config.verify.secret"}
    called = hook(adam, workflow, verify=GITHUB)
    adam.api.delete("/api/secrets/hook")
    refused = called.send("{}", X_Hub_Signature_256=f"sha256={hmac.new(b'', b'{}', 'sha256').hexdigest()}")
    assert (refused.status, refused.data["code"]) == (400, "SECRET_MISSING") and not Delivery.objects.exists()


@pytest.mark.parametrize("header", ["Idempotency_Key", "X_GitHub_Delivery"])
def test_the_same_key_is_the_same_run_whatever_the_body(adam: Person, workflow: Workflow, header: str) -> None:
    called, other = hook(adam, workflow), hook(adam, workflow)
    first = called.send({"name": "Vera"}, **{header: "one"})
    for body in ({"name": "Somebody else"}, "{no json"):
        again = called.send(body, **{header: "one"})
        assert (again.status, again.data["run"]) == (202, first.data["run"])
    assert called.send({"name": "Vera"}, **{header: "two"}).data["run"] != first.data["run"]
    assert other.send({"name": "Vera"}, **{header: "one"}).data["run"] != first.data["run"], (
        "a key is the trigger's own"
    )


def test_a_key_by_expression(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow, key="{{ request.body.id | default('') }}")
    runs = [called.send({"id": key}, Idempotency_Key=str(n)).data["run"] for n, key in enumerate([7, 7, 8, "", ""])]
    assert runs[0] == runs[1] and len(set(runs)) == 4


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.wide)])
def test_beyond_its_limit_nothing_is_stored(
    adam: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    called, limit = hook(adam, workflow), settings.PATCHBAY.hook_per_min
    monkeypatch.setattr(settings.PATCHBAY, "hook_queue", 0)
    client, began = Client(), time.monotonic()
    answers = [client.post(called.path, b'{"name": "Vera"}', content_type="application/json") for _ in range(count)]
    minutes = (time.monotonic() - began) / 60
    stored = [answer for answer in answers if answer.status_code == 202]
    refused = [answer for answer in answers if answer.status_code != 202]
    assert limit <= len(stored) <= limit * (2 + minutes)
    assert {(item.status_code, item.json()["code"]) for item in refused} == {(429, "RATE_LIMITED")}
    assert all(int(item.headers["Retry-After"]) > 0 for item in refused)
    assert Delivery.objects.count() == Run.objects.count() == len(stored)


def test_beyond_its_queue_nothing_is_stored(adam: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch) -> None:
    called = hook(adam, workflow)
    monkeypatch.setattr(settings.PATCHBAY, "hook_queue", 2)
    assert [called.send({}).status for _ in range(3)] == [202, 202, 429]
    assert "Retry-After" in called.send({}).headers and Delivery.objects.count() == 2


def test_a_workflow_that_cannot_run_is_the_workflows_fault(adam: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow)
    Workflow.objects.update(published_version=None)
    refused = called.send({})
    assert (refused.status, refused.data["code"], refused.data["detail"]) == (409, "NOT_PUBLISHED", None)
    assert [item["outcome"] for item in deliveries(adam, called.id)] == ["failed"]


def test_outputs_after_waiting(adam: Person, workflow: Workflow, worker: Any) -> None:
    answer = hook(adam, workflow, answer={"mode": "outputs"}).send({"name": "Vera"})
    assert (answer.status, answer.data) == (200, {"text": "Hello Vera"}), answer.text


def test_an_answer_of_expressions(adam: Person, workflow: Workflow, worker: Any) -> None:
    answer = {
        "mode": "custom",
        "status": 201,
        "headers": {"X-Run": "{{ run.run }}", "Content-Type": "text/html"},
        "body": "<b>{{ outputs.text }}</b>",
    }
    sent = hook(adam, workflow, answer=answer).send({"name": "Vera"})
    assert (sent.status, sent.text) == (201, "<b>Hello Vera</b>")
    assert sent.headers["X-Run"].startswith("run_") and "sandbox" in sent.headers["Content-Security-Policy"]
    wrong = hook(adam, workflow, answer={"mode": "custom", "body": "{{ outputs.nothing }}"}).send({"name": "Vera"})
    assert (wrong.status, wrong.data["code"]) == (500, "TEMPLATE_ERROR")
    for bad in ({"headers": {"Set-Cookie": "a=b"}}, {"status": 700}, {"body": "{{ request.body }}"}):
        body = {"kind": "webhook", "name": "h", "config": {"answer": {"mode": "custom", **bad}}}
        assert adam.api.post(f"/api/workflows/{workflow.pk}/triggers", body).status == 400


def test_a_run_that_fails_or_asks(adam: Person, worker: Any) -> None:
    start = node("start", "start", {"inputs": {"type": "object", "properties": {}}})
    asks = graph(
        [start, node("ok", "approval", {"title": "Go on?"}), node("end", "end", {"outputs": {"a": 1}})],
        "start -> ok",
        "ok:approved -> end",
    )
    called = hook(adam, published(adam, asks), answer={"mode": "outputs"})
    answer = called.send({})
    assert (answer.status, answer.data["state"]) == (202, "WAITING"), answer.text
    [delivered] = adam.api.get(f"/api/triggers/{called.id}/deliveries").data["results"]
    for told_of in (delivered, adam.api.get(f"/api/triggers/{called.id}").data["last"]):
        assert told_of["run_state"] == "WAITING"
        assert told_of["waits_for_person"] and not told_of["waits_for_client"]
    fails = graph([start, node("bad", "template", {"template": "{{ start.x.y }}"})], "start -> bad")
    answer = hook(adam, published(adam, fails), answer={"mode": "outputs"}).send({})
    assert (answer.status, answer.data["state"], answer.data["code"]) == (500, "ERROR", "TEMPLATE_ERROR"), answer.text


def test_a_replay_takes_a_new_key(adam: Person, bob: Person, vera: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow)
    first = called.send({"name": "Vera"}, Idempotency_Key="one").data["run"]
    path = f"/api/triggers/{called.id}/deliveries/{deliveries(bob, called.id)[0]['id']}/replay"
    assert vera.api.post(path).status == 403
    again = bob.api.post(path)
    assert again.status == 202 and again.data["id"] != first, again.text
    assert (again.data["inputs"], again.data["started_by"]) == ({"name": "Vera"}, adam.user.email)
    assert deliveries(bob, called.id)[0]["replay_of"] == deliveries(bob, called.id)[1]["id"]
    assert AuditEntry.objects.get(action="trigger.replayed").actor_id == bob.user.pk
    adam.api.patch(f"/api/triggers/{called.id}", {"enabled": False})
    assert bob.api.post(path).status == 409


def test_the_draft_is_tried_with_a_delivery(adam: Person, bob: Person, workflow: Workflow) -> None:
    called = hook(adam, workflow)
    called.send({"name": "Vera"})
    delivery = deliveries(bob, called.id)[0]["id"]
    path = f"/api/triggers/{called.id}/test"
    tried = bob.api.post(path, {"delivery": delivery})
    assert tried.status == 202, tried.text
    assert (tried.data["version"], tried.data["inputs"], tried.data["started_by"]) == (
        None,
        {"name": "Vera"},
        bob.user.email,
    )
    own = bob.api.post(path, {"request": {"body": {"name": "Bob"}}})
    assert own.data["inputs"] == {"name": "Bob"} and len(deliveries(bob, called.id)) == 1


def test_a_triggers_run_is_never_auto_executed(adam: Person, workflow: Workflow) -> None:
    adam.user.auto_execute = True
    adam.user.save()
    run = hook(adam, workflow).send({"name": "Vera"}).data["run"]
    mine = adam.api.post(f"/api/workflows/{workflow.pk}/runs", {"inputs": {"name": "Adam"}}).data["id"]
    terms = Terms("tests", 30, None)
    requests = {key: load(leases.claim(terms, key).taken[0]).info.auto_execute for key in (run, mine)}
    assert requests == {run: False, mine: True}


@pytest.mark.parametrize("how", ["role", "left", "gone"])
def test_it_goes_off_with_whoever_it_acts_as(alice: Person, adam: Person, workflow: Workflow, how: str) -> None:
    called = hook(adam, workflow)
    membership = adam.user.memberships.get()
    if how == "role":
        reply = alice.api.patch(f"/api/teams/members/{membership.pk}", {"role": "editor"})
        assert reply.status == 200, reply.text
    elif how == "left":
        membership.delete()
    else:
        adam.user.is_active = False
        adam.user.save()
    assert called.send({}).status == 404 and not Run.objects.exists()
    shown = alice.api.get(f"/api/triggers/{called.id}").data
    assert (shown["enabled"], shown["off_reason"]) == (False, "role" if how == "role" else "left")
    assert AuditEntry.objects.filter(action="trigger.went_off", target_id=called.id).count() == 1
    alice.api.patch(f"/api/triggers/{called.id}", {"enabled": True})
    assert called.send({}).status == 202 and Run.objects.get().started_by == alice.user


def test_twenty_failures_in_a_row_switch_it_off(
    adam: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = hook(adam, workflow)
    Workflow.objects.update(published_version=None)
    assert {called.send({}).status for _ in range(10)} == {409}
    Workflow.objects.update(published_version=1)
    run = called.send({}).data["run"]
    Run.objects.filter(pk=run).update(state="SUCCESS")
    Workflow.objects.update(published_version=None)
    assert [called.send({}).status for _ in range(21)] == [409] * 20 + [404], "a success begins the count anew"
    assert adam.api.get(f"/api/triggers/{called.id}").data["off_reason"] == "failures"


def test_its_runs_failures_switch_it_off_without_another_call(adam: Person, worker: Any) -> None:
    start = node("start", "start", {"inputs": {"type": "object", "properties": {}}})
    fails = graph([start, node("bad", "template", {"template": "{{ start.x.y }}"})], "start -> bad")
    called = hook(adam, published(adam, fails))
    for _ in range(20):
        assert called.send({}).status == 202
    until(lambda: not Trigger.objects.get(pk=called.id).enabled, 30)
    assert Trigger.objects.get(pk=called.id).off_reason == "failures"
