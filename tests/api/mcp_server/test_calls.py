"""What calls, tasks and questions at `/mcp` come to, with the worker in this process."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.conf import settings
from mcp_types.jsonrpc import HEADER_MISMATCH

from backend.accounts.models import AuditEntry
from backend.runs.models import Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.mcp_server.asking import FORMS, TASKS, call_at, call_at_once, mcp_call
from tests.api.mcp_server.offering import APPROVAL, offered
from tests.api.runs.asking import events
from tests.api.runs.conftest import ONE_NODE, graph, node
from tests.instance import until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
NESTED = {"type": "object", "properties": {"who": {"type": "object", "properties": {"name": {"type": "string"}}}}}


def form(schema: dict[str, Any]) -> dict[str, Any]:
    """A document that asks for this."""
    asks = node("ask", "form", {"title": "Who?", "message": "Say it", "schema": schema})
    end = node("end", "end", {"outputs": {"text": "{{ ask.name }}"}})
    return graph([node("start", "start"), asks, end], "start -> ask", "ask -> end")


RESTS = graph(
    [node("start", "start"), node("rest", "wait", {"seconds": 3600}), node("end", "end", {"outputs": {}})],
    "start -> rest",
    "rest -> end",
)


def call(person: Person, row: Workflow, declared: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
    """The result of a call."""
    body = {"arguments": {}, **params}
    result: dict[str, Any] = mcp_call(person.token, "tools/call", declared or {}, name=row.slug, **body)["result"]
    return result


def task(person: Person, method: str, key: str, **params: Any) -> dict[str, Any]:
    """The answer to a request about a task."""
    return mcp_call(person.token, method, {**TASKS, **FORMS}, taskId=key, **params)


def test_a_call_gives_the_outputs(bob: Person, worker: Worker) -> None:
    result = call(bob, offered(bob, ONE_NODE), arguments={"name": "Ada"})
    assert (result["content"][0]["text"], result["structuredContent"]) == ("Hello Ada", {"text": "Hello Ada"})
    run = Run.objects.get()
    assert (run.trigger, run.state) == ("mcp", RunState.SUCCESS)


def test_arguments_in_headers_are_those_of_the_body(bob: Person, worker: Worker) -> None:
    name = {"type": "string", "x-mcp-header": "Name"}
    greets = graph(
        [
            node("start", "start", {"inputs": {"type": "object", "properties": {"name": name}}}),
            node("end", "end", {"outputs": {"text": "{{ start.name }}"}}),
        ],
        "start -> end",
    )
    row = offered(bob, greets)

    def call_with_headers(headers: dict[str, str]) -> dict[str, Any]:
        arguments = {"name": "Ada"}
        return call_at("/mcp", bob.token, "tools/call", {}, headers, name=row.slug, arguments=arguments)

    for wrong in ({}, {"mcp-param-name": "Bob"}):
        assert call_with_headers(wrong)["error"]["code"] == HEADER_MISMATCH
    assert not Run.objects.exists()
    assert call_with_headers({"mcp-param-name": "Ada"})["result"]["structuredContent"] == {"text": "Ada"}


def test_what_takes_longer_goes_on(bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 0.1)
    result = call(bob, offered(bob, RESTS))
    run = Run.objects.get()
    assert result["structuredContent"]["run"] == run.pk
    assert result["structuredContent"]["answer_at"] == []
    assert "get_run" in result["content"][0]["text"]
    assert run.state not in {RunState.CANCELLED, RunState.ERROR}


def test_in_chinese_for_who_reads_chinese(bob: Person, worker: Worker) -> None:
    bob.user.language = "zh"
    bob.user.save()
    assert "请在此处理" in call(bob, offered(bob, APPROVAL))["content"][0]["text"]


def test_a_form_is_asked_and_the_same_run_goes_on(bob: Person, worker: Worker) -> None:
    row = offered(bob, form(SCHEMA))
    first = call(bob, row, FORMS)
    assert first["resultType"] == "input_required"
    ((key, request),) = first["inputRequests"].items()
    assert request["params"]["requestedSchema"]["required"] == ["name"]
    answers = {key: {"action": "accept", "content": {"name": "Bo"}}}
    again = call(bob, row, FORMS, requestState=first["requestState"], inputResponses=answers)
    assert again["structuredContent"] == {"text": "Bo"}
    assert Run.objects.count() == 1
    assert Interaction.objects.get().answered_by == bob.user
    once_more = call(bob, row, FORMS, requestState=first["requestState"], inputResponses=answers)
    assert (once_more["structuredContent"], Run.objects.count()) == ({"text": "Bo"}, 1), "what is over is dropped"
    assert recorded_clients(bob) == [(bob.user.pk, "bare", bob.user.email, "bare")]


def recorded_clients(person: Person) -> list[tuple[str, str | None, str, str | None]]:
    """Who answered the run's questions and in which client: by its log, and by the audit trail."""
    log = [event["data"] for event in events(person, Run.objects.get().pk) if event["type"] == "STEP_ANSWERED"]
    trail = AuditEntry.objects.filter(action="interaction.answered").select_related("actor")
    return [
        (reply["by"], reply.get("client"), row.actor.email, row.data.get("client"))
        for reply, row in zip(log, trail, strict=True)
        if row.actor is not None
    ]


def test_an_answer_on_a_page_names_no_client(bob: Person, worker: Worker) -> None:
    call(bob, offered(bob, form(SCHEMA)))
    question = Interaction.objects.get().pk
    body = {"action": "accept", "values": {"name": "Bo"}}
    assert bob.api.post(f"/api/interactions/{question}/answer", body).status == 200
    until(lambda: Run.objects.get().state == RunState.SUCCESS)
    assert recorded_clients(bob) == [(bob.user.pk, None, bob.user.email, None)]


def test_a_form_that_a_client_cannot_draw_is_left_to_the_inbox(bob: Person, worker: Worker) -> None:
    result = call(bob, offered(bob, form(NESTED)), FORMS)
    key = Interaction.objects.get().pk
    assert result["structuredContent"]["answer_at"] == [f"{settings.PUBLIC_URL}/inbox/{key}"]


def test_put_off_or_answered_wrongly_a_form_stays_open(bob: Person, worker: Worker) -> None:
    row = offered(bob, form(SCHEMA))
    first = call(bob, row, FORMS)
    (key,) = first["inputRequests"]
    state = first["requestState"]
    wrong = {key: {"action": "accept", "content": {"name": 7}}}
    refused = call(bob, row, FORMS, requestState=state, inputResponses=wrong)
    assert refused["isError"] is True
    later = call(bob, row, FORMS, requestState=state, inputResponses={key: {"action": "cancel"}})
    assert later["structuredContent"]["answer_at"] != []
    assert Interaction.objects.get().state == Interaction.State.OPEN


def test_a_task_is_polled_answered_and_completed(bob: Person, worker: Worker) -> None:
    handle = call(bob, offered(bob, form(SCHEMA)), TASKS)
    assert (handle["resultType"], handle["status"]) == ("task", "working")
    assert handle["ttlMs"] == settings.PATCHBAY.retention_days * 24 * 3600 * 1000 > 0
    key = handle["taskId"]
    until(lambda: task(bob, "tasks/get", key)["result"]["status"] == "input_required")
    (question,) = task(bob, "tasks/get", key)["result"]["inputRequests"]
    answers = {question: {"action": "accept", "content": {"name": "Cleo"}}}
    assert "result" in task(bob, "tasks/update", key, inputResponses=answers)
    until(lambda: task(bob, "tasks/get", key)["result"]["status"] == "completed")
    assert task(bob, "tasks/get", key)["result"]["result"]["structuredContent"] == {"text": "Cleo"}
    assert recorded_clients(bob) == [(bob.user.pk, "bare", bob.user.email, "bare")]


def test_an_approval_is_a_link_and_nobodys_answer(bob: Person, worker: Worker) -> None:
    key = call(bob, offered(bob, APPROVAL), TASKS)["taskId"]
    until(lambda: task(bob, "tasks/get", key)["result"]["status"] == "input_required")
    ((question, request),) = task(bob, "tasks/get", key)["result"]["inputRequests"].items()
    assert request["params"] == {
        "mode": "url",
        "message": "Go on?",
        "url": f"{settings.PUBLIC_URL}/inbox/{question}",
        "elicitationId": question,
    }
    task(bob, "tasks/update", key, inputResponses={question: {"action": "accept", "content": {}}})
    assert Interaction.objects.get().state == Interaction.State.OPEN
    assert mcp_call(bob.token, "tasks/get", TASKS, taskId=key)["result"]["status"] == "working"


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        *[(kind, "form") for kind in ("form", "params", "elicitation")],
        *[(kind, "url") for kind in ("approval", "recovery", "mismatch", "budget", "server")],
    ],
)
def test_what_asks_for_facts_is_a_form_and_everything_else_a_link(
    bob: Person, worker: Worker, kind: str, mode: str
) -> None:
    key = call(bob, offered(bob, form(SCHEMA)), TASKS)["taskId"]
    until(lambda: Run.objects.get().state == RunState.WAITING)
    Interaction.objects.update(kind=kind)
    ((question, request),) = task(bob, "tasks/get", key)["result"]["inputRequests"].items()
    assert request["params"]["mode"] == mode
    assert ("requestedSchema" in request["params"], "url" in request["params"]) == (mode == "form", mode == "url")
    answers = {question: {"action": "accept", "content": {"name": "Bo"}}}
    task(bob, "tasks/update", key, inputResponses=answers)
    assert Interaction.objects.get().state == ("answered" if mode == "form" else "open")


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.wide)])
def test_calls_at_once_beyond_what_one_token_may_have_open_start_nothing(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    most, row = 20, offered(bob, RESTS)
    for name in ("rate_person_per_min", "rate_token_per_min", "rate_team_per_min"):
        monkeypatch.setattr(settings.PATCHBAY, name, 0)
    monkeypatch.setattr(settings.PATCHBAY, "waiting_per_token", most)
    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 600.0)

    def cancel() -> None:
        until(lambda: Run.objects.count() == most)
        for run in Run.objects.values_list("pk", flat=True):
            bob.api.post(f"/api/runs/{run}/cancel")

    answers = call_at_once(count, most, cancel, bob.token, "tools/call", {}, name=row.slug, arguments={})
    messages = Counter(answer["result"]["content"][0]["text"].partition(":")[0] for answer in answers)
    assert messages == {"RATE_LIMITED": count - most, "CANCELLED": most}
    assert Run.objects.count() == most
    assert "result" in mcp_call(bob.token, "tools/list"), "and nothing is left open"


def test_a_call_waits_for_the_person_who_was_sent_to_the_page(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = offered(bob, APPROVAL)
    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 600.0)
    first = call(bob, row, FORMS)
    ((key, request),) = first["inputRequests"].items()
    link = f"{settings.PUBLIC_URL}/inbox/{key}"
    assert request["params"] == {"mode": "url", "message": "Go on?", "url": link}

    again = {"name": row.slug, "arguments": {}, "requestState": first["requestState"]}
    opened = {key: {"action": "accept", "content": {}}}

    def approve() -> None:
        assert Interaction.objects.get().state == Interaction.State.OPEN, "a program answers nothing"
        assert bob.api.post(f"/api/interactions/{key}/answer", {"action": "accept"}).status == 200

    answers = call_at_once(1, 1, approve, bob.token, "tools/call", FORMS, **again, inputResponses=opened)
    assert [answer["result"]["structuredContent"] for answer in answers] == [{"a": 1, "b": [2]}]
    assert Run.objects.count() == 1


def test_who_does_not_go_to_the_page_gets_the_link_and_nobody_is_sent_there_twice(
    bob: Person, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = offered(bob, APPROVAL)
    first = call(bob, row, FORMS)
    (key,) = first["inputRequests"]
    link = f"{settings.PUBLIC_URL}/inbox/{key}"

    def again(action: str) -> Any:
        responses = {key: {"action": action}}
        return call(bob, row, FORMS, requestState=first["requestState"], inputResponses=responses)["structuredContent"]

    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 600.0)
    for action in ("decline", "cancel"):
        assert again(action)["answer_at"] == [link], "without waiting"
    monkeypatch.setattr(settings.PATCHBAY, "mcp_wait_s", 0.1)
    assert again("accept")["answer_at"] == [link]
    assert Interaction.objects.get().state == Interaction.State.OPEN


def test_a_cancelled_task_is_over(bob: Person, worker: Worker) -> None:
    key = call(bob, offered(bob, RESTS), TASKS)["taskId"]
    for _ in range(2):
        assert "result" in task(bob, "tasks/cancel", key)
        until(lambda: task(bob, "tasks/get", key)["result"]["status"] == "cancelled")


def test_tasks_are_for_who_declares_them(bob: Person) -> None:
    error = mcp_call(bob.token, "tasks/get", {}, taskId="run_1")["error"]
    assert error["code"] == -32021
    assert error["data"]["requiredCapabilities"] == TASKS
    assert mcp_call(bob.token, "tasks/get", TASKS, taskId="run_1")["error"]["code"] == -32602


def test_lists_and_resources(bob: Person, worker: Worker) -> None:
    row = offered(bob, ONE_NODE)
    tool = next(tool for tool in mcp_call(bob.token, "tools/list")["result"]["tools"] if tool["name"] == row.slug)
    assert (tool["description"], tool["annotations"]["readOnlyHint"]) == ("About it.", True)
    assert [each["uri"] for each in mcp_call(bob.token, "resources/list")["result"]["resources"]] == [
        f"workflow://{row.slug}"
    ]
    assert len(mcp_call(bob.token, "resources/templates/list")["result"]["resourceTemplates"]) == 3
    assert "error" in mcp_call(bob.token, "resources/read", uri="workflow://other")
    call(bob, row, arguments={"name": "Ada"})
    status = mcp_call(bob.token, "resources/read", uri=f"workflow://{row.slug}/status")["result"]["contents"][0]
    assert "Hello Ada" in status["text"]


def test_tools_that_are_always_there(bob: Person, worker: Worker) -> None:
    row = offered(bob, ONE_NODE)

    def tool(name: str, **arguments: Any) -> dict[str, Any]:
        result: dict[str, Any] = mcp_call(bob.token, "tools/call", {}, name=name, arguments=arguments)["result"]
        return result

    assert [each["name"] for each in tool("list_workflows")["structuredContent"]["workflows"]] == [row.slug]
    ran = tool("run_workflow", workflow=row.slug, inputs={"name": "Bo"})["structuredContent"]
    assert ran["outputs"] == {"text": "Hello Bo"}
    assert tool("get_run", run=ran["run"])["structuredContent"]["state"] == "SUCCESS"
    for name, arguments in (
        ("run_workflow", {"workflow": "none"}),
        ("run_workflow", {"workflow": row.slug, "inputs": 7}),
        ("run_workflow", {}),
        ("get_run", {"run": "none"}),
        ("cancel_run", {"run": ran["run"]}),
        ("list_workflows", {"query": 7}),
    ):
        assert tool(name, **arguments)["isError"] is True, (name, arguments)


def test_what_shows_the_page_that_shares_it(bob: Person, worker: Worker) -> None:
    row = offered(bob, APPROVAL)
    call(bob, row)
    answer = bob.api.get(f"/api/workflows/{row.pk}/offer").data
    assert (answer["offered"], answer["runnable"], answer["asks_person"]) == (True, True, True)
    ((by, waits),) = [(each["by"], each["waits_for_person"]) for each in answer["calls"]]
    assert (by, waits) == (bob.user.email, True)
