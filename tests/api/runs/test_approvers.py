"""Approvals that take other people than who started the run, or two of them: settings of tool, workflow and node."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from backend.accounts.auth.tokens import issue_token
from backend.accounts.models import AuditEntry
from backend.registry.models import Grant, Server, Tool
from backend.runs.interactions import questions
from backend.runs.models import Interaction, Run
from backend.runs.worker.worker import Worker
from tests.api.registry.conftest import programs as programs
from tests.api.runs.asking import start, state
from tests.api.runs.children import published
from tests.api.runs.conftest import graph, make_worker, make_workflow, node, until
from tests.api.runs.deciding import Waiting, answer, at_screen, shown, waiting_of
from tests.people import Api, Person

pytestmark = pytest.mark.django_db(transaction=True)


def asking(rule: str | None = None, workflow: str | None = None) -> dict[str, Any]:
    """A document with an approval node."""
    more = {} if rule is None else {"approvers": rule}
    return graph(
        [
            node("start", "start"),
            node("ok", "approval", {"title": "Send it?", "proposal": {"to": "team"}, **more}),
            node("end", "end", {"outputs": {"ok": "{{ ok.approved }}", "to": "{{ ok.values.to }}"}}),
        ],
        "start -> ok",
        "ok:approved -> end",
        "ok:declined -> end",
        **({} if workflow is None else {"approvers": workflow}),
    )


def calling(**more: Any) -> dict[str, Any]:
    """A document whose tool asks."""
    config = {"server": "demo", "tool": "delete_record", "arguments": {"record": "A-1"}}
    nodes = [node("start", "start"), node("del", "tool", config), node("end", "end")]
    return graph(nodes, "start -> del", "del -> end", **more)


def waiting(person: Person, document: dict[str, Any]) -> Waiting:
    """(run, question) of a run that waits for its first question."""
    return waiting_of(start(person, make_workflow(person, document), {"wait": 20}))


def outputs(person: Person, run: str) -> Any:
    until(lambda: state(run) == "SUCCESS")
    return person.api.get(f"/api/runs/{run}").data["outputs"]


def test_whoever_started_the_run_may_not_approve_it(worker: Worker, bob: Person, alice: Person, vera: Person) -> None:
    run, question = waiting(bob, asking("not_starter"))
    result = shown(bob, question)
    assert result == {"rule": "not_starter", "needed": 1, "given": [], "able": ["alice@example.org"]}, (
        "no viewer either"
    )
    refused = answer(bob, question)
    assert (refused.status, refused.data["code"]) == (403, "APPROVAL_NEEDS_OTHERS")
    assert "You started this run" in refused.data["message"] and "alice@example.org" in refused.data["hint"]
    assert refused.data["detail"] == {"rule": "not_starter", "able": ["alice@example.org"]}
    assert state(run) == "WAITING" and Interaction.objects.get().state == "open"
    assert answer(alice, question).status == 200
    assert outputs(bob, run) == {"ok": True, "to": "team"}


def test_whoever_started_it_may_say_no(worker: Worker, bob: Person, alice: Person) -> None:
    run, question = waiting(bob, asking("not_starter"))
    assert answer(bob, question, "decline", reason="No.").status == 200
    assert outputs(bob, run)["ok"] is False


def test_a_run_of_a_token_is_its_persons(worker: Worker, bob: Person, alice: Person) -> None:
    program = replace(bob, api=Api(issue_token(bob.user, bob.team, "ci", None, ["read", "run"])[1]))
    _, question = waiting(program, asking("not_starter"))
    assert answer(bob, question).status == 403
    assert answer(alice, question).status == 200


def test_a_run_that_nobody_started_may_be_approved_by_anyone(worker: Worker, bob: Person) -> None:
    run, question = waiting(bob, asking("not_starter"))
    Run.objects.filter(pk=run).update(started_by=None)
    assert answer(bob, question).status == 200


def test_two_people_approve_and_the_first_yes_is_shown(worker: Worker, bob: Person, alice: Person) -> None:
    run, question = waiting(bob, asking("two_people"))
    first = answer(bob, question)
    assert (first.status, first.data["state"], first.data["answer"]) == (200, "open", None)
    result = shown(alice, question)
    [body] = result["given"]
    assert (result["needed"], body["by"], body["changed"], result["able"]) == (
        2,
        "bob@example.org",
        False,
        ["alice@example.org"],
    )
    assert body["at"] and state(run) == "WAITING"
    again = answer(bob, question)
    assert (again.status, again.data["code"]) == (403, "APPROVAL_NEEDS_OTHERS")
    assert "already approved this" in again.data["message"]
    second = answer(alice, question)
    assert (second.status, second.data["state"]) == (200, "answered")
    assert [item["by"] for item in second.data["approval"]["given"]] == ["bob@example.org", "alice@example.org"]
    assert outputs(bob, run)["ok"] is True
    trail = AuditEntry.objects.filter(action__startswith="interaction.").order_by("id")
    assert [(row.action, row.actor_id) for row in trail] == [
        ("interaction.approved", bob.user.id),
        ("interaction.answered", alice.user.id),
    ]


def test_one_no_refuses_also_after_a_yes(worker: Worker, bob: Person, alice: Person) -> None:
    run, question = waiting(bob, asking("two_people"))
    assert answer(alice, question).status == 200
    assert answer(bob, question, "decline").status == 200
    assert outputs(bob, run)["ok"] is False


def test_two_people_who_are_not_the_one_who_started_it(
    worker: Worker, bob: Person, alice: Person, adam: Person
) -> None:
    run, question = waiting(bob, asking("two_others"))
    assert answer(bob, question).status == 403
    assert answer(alice, question).data["state"] == "open"
    assert answer(bob, question).status == 403
    assert answer(adam, question).data["state"] == "answered"
    assert outputs(bob, run)["ok"] is True


def test_two_people_agree_to_the_same_values(worker: Worker, bob: Person, alice: Person, adam: Person) -> None:
    run, question = waiting(bob, asking("two_people"))
    assert answer(bob, question, values={"to": "all"}).data["state"] == "open"
    assert shown(alice, question)["given"][0]["values"] == {"to": "all"}
    assert answer(alice, question).data["state"] == "open", "hers is for what was proposed: it begins anew"
    assert [item["by"] for item in shown(bob, question)["given"]] == ["alice@example.org"]
    assert answer(adam, question, values={"to": True}).data["state"] == "open"
    assert answer(alice, question, values={"to": 1}).data["state"] == "open", "1 is not true"
    assert answer(bob, question, values={"to": 1}).data["state"] == "answered"
    assert outputs(bob, run)["to"] == 1


def test_no_token_counts_as_one_of_them(worker: Worker, bob: Person, alice: Person) -> None:
    _, question = waiting(bob, asking("two_people"))
    for scopes in ((), ("read", "run", "answer")):
        program = Api(issue_token(alice.user, alice.team, "program", None, scopes)[1])
        refused = program.post(f"/api/interactions/{question}/answer", {"action": "accept"})
        assert (refused.status, refused.data["code"]) == (403, "FORBIDDEN")
    kept = alice.api.post(f"/api/interactions/{question}/answer", {"action": "accept"})
    assert kept.status == 403, "nor one of before that may still approve other things"
    assert shown(bob, question)["given"] == []


def test_the_yes_of_somebody_who_left_does_not_count(worker: Worker, bob: Person, alice: Person, adam: Person) -> None:
    _, question = waiting(alice, asking("two_people"))
    assert answer(bob, question).status == 200
    [member] = [
        result for result in alice.api.get("/api/teams/members").data["results"] if result["email"] == "bob@example.org"
    ]
    assert at_screen(alice).delete(f"/api/teams/members/{member['id']}").status in {200, 204}
    assert answer(alice, question).data["state"] == "open"
    assert [item["by"] for item in shown(alice, question)["given"]] == ["alice@example.org"]
    assert answer(adam, question).data["state"] == "answered"


@pytest.mark.parametrize(
    ("of_node", "of_workflow", "rule"),
    [
        (None, "two_people", "two_people"),
        ("not_starter", "two_people", "two_others"),
        ("two_people", "not_starter", "two_others"),
        ("two_others", "anyone", "two_others"),
        (None, None, "anyone"),
    ],
)
def test_the_stricter_of_workflow_and_node_holds(
    worker: Worker, bob: Person, of_node: str | None, of_workflow: str | None, rule: str
) -> None:
    _, question = waiting(bob, asking(of_node, of_workflow))
    assert shown(bob, question)["rule"] == rule


def test_a_workflow_below_keeps_the_rule_of_the_one_above(worker: Worker, bob: Person, alice: Person) -> None:
    published(bob, asking(), "below")
    above = graph(
        [node("start", "start"), node("sub", "workflow", {"workflow": "below"}), node("end", "end")],
        "start -> sub",
        "sub -> end",
        approvers="not_starter",
    )
    reply = start(bob, make_workflow(bob, above))
    question = until(lambda: Interaction.objects.filter(root_run=reply.data["id"]).first())
    assert question.run_id != question.root_run_id
    assert answer(bob, question.pk).status == 403
    assert answer(alice, question.pk).status == 200
    until(lambda: state(reply.data["id"]) == "SUCCESS")


def test_a_crash_between_the_two_loses_nothing(transactional_db: None, bob: Person, alice: Person) -> None:
    first = make_worker()
    first.start()
    run, question = waiting(bob, asking("two_people"))
    assert answer(bob, question).status == 200
    first.stop(0)
    second = make_worker()
    second.start()
    try:
        assert [item["by"] for item in shown(alice, question)["given"]] == ["bob@example.org"]
        assert answer(alice, question).data["state"] == "answered"
        assert outputs(bob, run)["ok"] is True
    finally:
        second.stop(5)
        connection.close()


def test_time_goes_on_between_the_two(worker: Worker, bob: Person) -> None:
    run, question = waiting(bob, asking("two_people"))
    assert answer(bob, question).status == 200
    Interaction.objects.filter(pk=question).update(expires_at=1.0, on_expire="decline")
    assert questions.expire() == 1
    assert outputs(bob, run)["ok"] is False


def test_of_two_yes_at_once_both_count(worker: Worker, bob: Person, alice: Person) -> None:
    run, question = waiting(bob, asking("two_people"))

    def attempt(person: Person) -> str:
        try:
            return str(answer(person, question).data["state"])
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        both = [threads.submit(attempt, person) for person in (bob, alice)]
        assert sorted(item.result() for item in both) == ["answered", "open"]
    assert outputs(bob, run)["ok"] is True


def test_a_tool_asks_for_others_in_any_workflow(
    programs: dict[str, Server], worker: Worker, adam: Person, bob: Person, alice: Person
) -> None:
    listed(adam)
    tool = "/api/mcp/servers/demo/tools/delete_record"
    assert bob.api.patch(tool, {"approvers": "two_others"}).status == 403
    done = adam.api.patch(tool, {"approvers": "two_others"})
    assert (done.status, done.data["approvers"]) == (200, "two_others"), done.text
    assert adam.api.patch(tool, {"approvers": "somebody"}).status == 400
    changes = AuditEntry.objects.filter(action="tool.changed").latest("id")
    assert "two_others" in str(changes.content)
    run, question = waiting(bob, calling())
    assert shown(bob, question)["rule"] == "two_others"
    assert answer(bob, question).status == 403
    assert answer(adam, question).data["state"] == "open"
    assert answer(alice, question).data["state"] == "answered"
    until(lambda: state(run) == "SUCCESS")


def listed(adam: Person) -> None:
    """The server's tools as it lists them now."""
    assert adam.api.get("/api/mcp/servers/demo/tools?refresh=1").status == 200


def test_a_grant_takes_the_same_people(
    programs: dict[str, Server], worker: Worker, adam: Person, bob: Person, alice: Person
) -> None:
    listed(adam)
    flow = make_workflow(bob, calling())
    _, question = waiting_of(start(bob, flow, {"wait": 20}))
    assert answer(adam, question, remember="tool").status == 200
    until(lambda: Grant.objects.count() == 1)
    assert start(bob, flow, {"wait": 20}).data["state"] == "SUCCESS", "one person allowed it, and one is enough"
    Tool.objects.filter(name="delete_record").update(approvers="two_people")
    _, question = waiting_of(start(bob, flow, {"wait": 20}))
    assert answer(adam, question, remember="tool").data["state"] == "open"
    assert answer(alice, question).data["state"] == "answered", "she allowed it once"
    until(lambda: all(run.state == "SUCCESS" for run in Run.objects.all()))
    assert Grant.objects.count() == 1
    _, question = waiting_of(start(bob, flow, {"wait": 20}))
    assert answer(adam, question, remember="tool").data["state"] == "open"
    assert answer(alice, question, remember="tool").data["state"] == "answered"
    until(lambda: Grant.objects.count() == 2)
    assert start(bob, flow, {"wait": 20}).data["state"] == "SUCCESS", "two people allowed it"
    Tool.objects.filter(name="delete_record").update(approvers="two_others")
    assert start(bob, flow, {"wait": 20}).data["state"] == "SUCCESS"
    assert start(adam, flow, {"wait": 20}).data["state"] == "WAITING", "of his own run, he is one of them no more"


def test_a_rule_that_came_while_people_thought_asks_anew(
    programs: dict[str, Server], worker: Worker, adam: Person, bob: Person, alice: Person
) -> None:
    listed(adam)
    run, question = waiting(bob, calling())
    assert adam.api.patch("/api/mcp/servers/demo/tools/delete_record", {"approvers": "two_people"}).status == 200
    assert answer(bob, question).data["state"] == "answered"
    open_question = until(lambda: Interaction.objects.filter(run_id=run, state="open").first())
    assert shown(bob, open_question.pk)["rule"] == "two_people"
    assert answer(bob, open_question.pk).data["state"] == "open"
    assert answer(alice, open_question.pk).data["state"] == "answered"
    until(lambda: state(run) == "SUCCESS")


def test_nobody_calls_such_a_tool_directly(programs: dict[str, Server], adam: Person, bob: Person) -> None:
    listed(adam)
    body = {"server": "demo", "tool": "delete_record", "arguments": {"record": "A-1"}}
    assert at_screen(bob).post("/api/mcp/tools/call", {**body, "confirm": True}).status == 200
    Tool.objects.filter(name="delete_record").update(approvers="not_starter")
    for more in ({}, {"confirm": True}):
        refused = at_screen(bob).post("/api/mcp/tools/call", {**body, **more})
        assert (refused.status, refused.data["code"]) == (403, "APPROVAL_NEEDS_OTHERS"), refused.text


def test_a_team_of_one_is_told(programs: dict[str, Server], worker: Worker, adam: Person, vera: Person) -> None:
    listed(adam)
    refused = adam.api.patch("/api/mcp/servers/demo/tools/delete_record", {"approvers": "not_starter"})
    assert (refused.status, refused.data["code"]) == (409, "CONFLICT")
    assert "2 members" in refused.data["message"]
    assert Tool.objects.get(name="delete_record").approvers == ""
    document = asking("two_people", "not_starter")
    checked = adam.api.post(f"/api/workflows/{make_workflow(adam).pk}/validate", {"graph": document})
    matches = {(problem["code"], problem["severity"], problem["path"]) for problem in checked.data["problems"]}
    assert {
        ("approvers_few", "warning", "/approvers"),
        ("approvers_few", "warning", "/nodes/1/config/approvers"),
    } <= matches
    _, question = waiting(adam, document)
    assert shown(adam, question)["able"] == []
    refused = answer(adam, question)
    assert refused.status == 403 and "nobody else on the team can" in refused.data["message"]
    assert answer(adam, question, "decline").status == 200


def test_a_document_names_a_rule_that_there_is(bob: Person) -> None:
    document = asking(workflow="three")
    checked = bob.api.post(f"/api/workflows/{make_workflow(bob).pk}/validate", {"graph": document})
    assert ("config_choice", "/approvers") in {
        (problem["code"], problem["path"]) for problem in checked.data["problems"]
    }
