"""A run says which program started it, by whichever door it came, also when that program's token is gone."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from backend.accounts.auth.tokens import issue_token
from backend.accounts.models import ApiToken
from backend.runs.models import Run
from backend.runs.worker.worker import Worker
from tests.api.a2a.sending import agent, send, task_of
from tests.api.agui.documents import COUNTING
from tests.api.agui.speaking import body, front, path_of, sent, user_message
from tests.api.mcp_server.asking import call_as, mcp_call
from tests.api.mcp_server.collection_client import CollectionClient
from tests.api.mcp_server.offering import offered
from tests.api.oauth.program import signed_in
from tests.api.runs.asking import PATIENT, start
from tests.api.runs.conftest import ONE_NODE, make_workflow
from tests.api.triggers.conftest import hook, published
from tests.people import Api, Person

pytestmark = pytest.mark.django_db(transaction=True)


def caller(person: Person, run: str = "") -> Any:
    """What the API says of who called: of this run, or of the only one."""
    key = run or Run.objects.get().pk
    shown = person.api.get(f"/api/runs/{key}").data["caller"]
    [listed] = [row["caller"] for row in person.api.get("/api/runs").data["results"] if row["id"] == key]
    assert shown == listed
    return shown


def of_token(name: str, program: str | None = None) -> dict[str, Any]:
    return {"kind": "token", "name": name, "program": program}


def test_a_token_is_named_also_when_it_is_deleted(bob: Person) -> None:
    row, text = issue_token(bob.user, bob.team, "Nightly CI")
    api = Api(text).post(f"/api/workflows/{make_workflow(bob).pk}/runs", {"version": "draft", "inputs": {}})
    assert api.status == 202 and api.data["caller"] == of_token("Nightly CI")
    ApiToken.objects.filter(pk=row.pk).delete()
    assert caller(bob) == of_token("Nightly CI")
    stored = Run.objects.get().caller
    assert text not in stored and row.token_hash not in stored and row.pk not in stored


def test_nobody_is_named_where_a_person_pressed_the_button(bob: Person) -> None:
    page = Client()
    page.force_login(bob.user)
    path = f"/api/workflows/{make_workflow(bob).pk}/runs"
    answer = page.post(path, {"version": "draft", "inputs": {}}, content_type="application/json")
    assert answer.status_code == 202 and answer.json()["caller"] is None
    assert caller(bob) is None


def test_a_retry_says_who_asked_for_it(bob: Person) -> None:
    first = start(bob, make_workflow(bob, PATIENT)).data["id"]
    assert bob.api.post(f"/api/runs/{first}/cancel").status == 202
    Run.objects.filter(pk=first).update(state="CANCELLED")
    _, text = issue_token(bob.user, bob.team, "Repairs")
    again = Api(text).post(f"/api/runs/{first}/retry", {"whole": True})
    assert again.status == 201, again.text
    assert caller(bob, again.data["id"]) == of_token("Repairs") and caller(bob, first) == of_token("tests")


def test_a_client_of_mcp_says_what_it_calls_itself(bob: Person, worker: Worker) -> None:
    tool = offered(bob, ONE_NODE).slug
    assert "result" in mcp_call(bob.token, "tools/call", {}, name=tool, arguments={"name": "x"})
    assert caller(bob) == of_token("tests", "bare")


def test_a_client_whose_call_becomes_a_task_says_it_too(bob: Person, worker: Worker) -> None:
    tool = offered(bob, ONE_NODE).slug
    assert "result" in mcp_call(bob.token, "tools/call", name=tool, arguments={"name": "x"})
    assert caller(bob) == of_token("tests", "bare")


def test_a_client_of_oauth_is_named_as_it_registered(bob: Person, worker: Worker) -> None:
    tool = offered(bob, ONE_NODE).slug
    _, value = signed_in(bob)
    assert "result" in mcp_call(value["access_token"], "tools/call", {}, name=tool, arguments={"name": "x"})
    assert caller(bob) == {"kind": "oauth", "name": "Claude", "program": "bare"}


def test_a_client_of_a_collection(bob: Person, worker: Worker) -> None:
    collection = CollectionClient(bob)
    collection.add(workflow=offered(bob, ONE_NODE).slug, name="greet")
    collection.call("greet", name="x")
    assert caller(bob) == of_token("bot", "bare")


def test_an_agent_of_others(bob: Person, worker: Worker) -> None:
    assert task_of(send(bob, agent(bob, ONE_NODE), {"data": {"name": "x"}}))
    assert caller(bob) == of_token("tests")


def test_a_front_end(bob: Person, worker: Worker) -> None:
    assert sent(bob.token, path_of(front(bob, COUNTING)), body(user_message("Hello"))).status_code == 200
    assert caller(bob) == of_token("tests")


def test_a_webhook_is_named_also_when_it_is_deleted(adam: Person) -> None:
    called = hook(adam, published(adam))
    assert called.send({"name": "Vera"}).status == 202
    assert adam.api.delete(f"/api/triggers/{called.id}").status == 204
    assert caller(adam) == {"kind": "trigger", "name": "A webhook", "program": None}


def test_a_name_that_no_text_may_hold_is_mended(bob: Person, worker: Worker) -> None:
    """Whoever wrote the client chose it: it is short, of one line, and can be stored."""
    tool, odd = offered(bob, ONE_NODE).slug, "a\x00b\n" + "c" * 500
    assert "result" in call_as(odd, bob.token, "tools/call", name=tool, arguments={"name": "x"})
    told_as = caller(bob)["program"]
    assert told_as.startswith("a b ccc") and len(told_as) == 100


def test_a_stranger_reads_no_name(bob: Person, charlie: Person, adam: Person) -> None:
    run = start(bob, make_workflow(bob)).data["id"]
    assert charlie.api.get(f"/api/runs/{run}").status == 404
    assert run not in charlie.api.get("/api/runs").text
    assert caller(adam, run) == of_token("tests")


def test_runs_are_found_by_the_program_that_started_them(bob: Person, adam: Person, charlie: Person) -> None:
    workflow, other = make_workflow(bob), make_workflow(bob)
    runs = {}
    for name, row in (("Nightly CI", workflow), ("Shop", workflow), ("Shop", other)):
        _, text = issue_token(bob.user, bob.team, name)
        api = Api(text).post(f"/api/workflows/{row.pk}/runs", {"version": "draft", "inputs": {}})
        runs[name, row.pk] = api.data["id"]

    def search(person: Person, query: str) -> list[str]:
        return [run["id"] for run in person.api.get(f"/api/runs?{query}").data["results"]]

    both = [runs["Shop", other.pk], runs["Shop", workflow.pk]]
    assert search(adam, "caller=Shop") == both
    assert search(adam, f"caller=Shop&workflow={workflow.pk}") == both[1:]
    assert search(adam, "caller=Shop&state=QUEUED") == both and search(adam, "caller=Shop&state=ERROR") == []
    first = adam.api.get("/api/runs?caller=Shop&limit=1").data
    assert [run["id"] for run in first["results"]] == both[:1]
    assert search(adam, f"caller=Shop&limit=1&cursor={first['next']}") == both[1:]
    assert search(adam, "caller=shop") == search(adam, "caller=%00") == search(charlie, "caller=Shop") == []


def test_the_programs_that_started_runs_are_listed_once_each(bob: Person, adam: Person, charlie: Person) -> None:
    workflow = make_workflow(bob)
    for name in ("b%", "a", "c", "a", "B!"):
        _, text = issue_token(bob.user, bob.team, name)
        assert Api(text).post(f"/api/workflows/{workflow.pk}/runs", {"version": "draft", "inputs": {}}).status == 202

    def names(person: Person, query: str = "") -> list[str]:
        return [row["name"] for row in person.api.get(f"/api/run-callers?{query}").data["results"]]

    assert sorted(names(adam)) == ["B!", "a", "b%", "c"] and names(charlie) == []
    assert (
        sorted(names(adam, "q=b")) == ["B!", "b%"] and names(adam, "q=%25") == ["b%"] and names(adam, "q=!") == ["B!"]
    )
    first = adam.api.get("/api/run-callers?limit=3").data
    assert first["next"] == first["results"][-1]["name"]
    rest = adam.api.get(f"/api/run-callers?limit=3&cursor={first['next']}").data
    assert (len(rest["results"]), rest["next"]) == (1, None)
    assert names(adam, "q=%00") == names(adam, "cursor=%00") == []
    assert adam.api.get("/api/run-callers?limit=0").status == 400
    _, bound = issue_token(bob.user, bob.team, "bound", workflows=[workflow.pk])
    assert Api(bound).get("/api/run-callers").status == 403
