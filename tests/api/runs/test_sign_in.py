"""A run that meets a sign-in which is missing or over waits for the person, and goes on when they are back."""

from __future__ import annotations

from typing import Any

import pytest

from backend.runs.interactions import sign_ins
from backend.runs.models import InboxMessage, Interaction, LogLine, RunState
from backend.runs.worker.worker import Worker
from backend.server_signin.models import SignIn
from tests.api.registry.signing_in import add, at_screen, sign_in
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import edge, graph, make_worker, make_workflow, node, until
from tests.llm_server import Call, LlmServer, has_result
from tests.oauth_mcp_server import OAuthServer
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

WAIT = {"wait": 30}


def one_call(tool: str = "write") -> dict[str, Any]:
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("call", "tool", {"server": "octo", "tool": tool, "arguments": {}}),
            node("end", "end", {"outputs": {"said": "{{ call.result }}"}}),
        ],
        "start -> call",
        "call -> end",
    )


def allowed(person: Person, at: str) -> str:
    """The server at this address, whose tools run without a question once it has been listed."""
    for tool in ("write", "echo"):
        reply = person.api.patch(f"{at}/tools/{tool}", {"policy": "allow"})
        assert reply.status == 200, reply.text
    return at


def parked(person: Person, run: str) -> dict[str, Any]:
    """The question of a run that has come to rest at it."""
    until(lambda: state(run) == RunState.WAITING)
    [question] = person.api.get(f"/api/interactions?state=open&run={run}").data["results"]
    return dict(question)


def answer(person: Person, question: dict[str, Any], action: str) -> Any:
    body = {"action": action, **({"values": {}} if question.get("kind") == "form" else {})}
    return person.api.post(f"/api/interactions/{question['id']}/answer", body)


def test_a_run_waits_until_the_team_is_signed_in_again(worker: Worker, remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert anna.api.post(f"{at}/test").data["ok"] is True
    allowed(anna, at)
    flow = make_workflow(anna, one_call())
    assert start(anna, flow, WAIT).data["state"] == "SUCCESS"
    remote.end_sign_ins()
    runs = [start(anna, flow).data["id"] for _ in range(2)]
    questions = [parked(anna, run) for run in runs]
    assert remote.facts()["called"] == ["write"], "nothing was called"
    for question in questions:
        assert (question["kind"], question["title"], question["assignees"]) == ("server", "octo", [])
        assert question["sign_in"] == {"server": "octo", "shared": True, "person": None}
        assert question["message"].startswith("The team's sign-in at the server octo is missing or has ended")
    chinese = anna.api.get(f"/api/interactions?state=open&run={runs[0]}", **{"accept-language": "zh"}).data
    assert "团队在服务器 octo 的登录" in chinese["results"][0]["message"]
    sign_in(anna, at, remote)
    for run in runs:
        until(lambda: state(run) == RunState.SUCCESS)  # noqa: B023 - called within this round
    assert remote.facts()["called"] == ["write"] * 3, "each was called once"
    closed = Interaction.objects.filter(kind="server")
    assert {(item.state, item.answered_by_id) for item in closed} == {("answered", anna.user.pk)}
    assert not Interaction.objects.filter(kind="recovery").exists()
    log = events(anna, runs[0])
    assert [line["type"] for line in log if line["type"].startswith("TOOL_R")][-2:] == ["TOOL_REQUEST", "TOOL_RESPONSE"]
    assert "acc-" not in str(log) and "ref-" not in str(log)


def test_a_token_that_ends_in_the_middle_of_a_run_parks_it_there(
    worker: Worker, remote: OAuthServer, anna: Person
) -> None:
    """The connection is there and its tools are known, so the call itself is what finds that the sign-in is over."""
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert anna.api.post(f"{at}/test").data["ok"] is True
    allowed(anna, at)
    form = node("form", "form", {"title": "Go on?", "schema": {"type": "object", "properties": {}}})
    document = one_call()
    document["nodes"].insert(1, node("first", "tool", {"server": "octo", "tool": "echo", "arguments": {}}))
    document["nodes"].insert(2, form)
    document["edges"] = [edge(text) for text in ("start -> first", "first -> form", "form -> call", "call -> end")]
    run = start(anna, make_workflow(anna, document)).data["id"]
    question = parked(anna, run)
    assert question["kind"] == "form"
    remote.end_sign_ins()
    assert answer(anna, question, "accept").status == 200
    until(lambda: Interaction.objects.filter(run_id=run, kind="server", state="open").exists())
    assert remote.facts()["called"] == ["echo"]
    sign_in(anna, at, remote)
    until(lambda: state(run) == RunState.SUCCESS)
    assert remote.facts()["called"] == ["echo", "write"]
    assert not Interaction.objects.filter(kind="recovery").exists()


def test_each_member_is_waited_for_on_their_own(worker: Worker, remote: OAuthServer, anna: Person, bob: Person) -> None:
    at = add(anna, remote, credentials="user")
    sign_in(anna, at, remote)
    flow, bob = make_workflow(anna, one_call("echo")), at_screen(bob)
    assert start(anna, flow, WAIT).data["state"] == "SUCCESS"
    run = start(bob, flow).data["id"]
    question = parked(bob, run)
    assert question["assignees"] == [bob.user.pk]
    assert question["sign_in"] == {"server": "octo", "shared": False, "person": bob.user.email}
    assert "personal sign-in at the server octo" in question["message"]
    sign_in(anna, at, remote)
    assert sign_ins.go_on() == 0 and state(run) == RunState.WAITING, "hers is not his"
    sign_in(bob, at, remote)
    until(lambda: state(run) == RunState.SUCCESS)


def test_who_may_let_it_fail_and_what_an_agents_model_gets_to_know(
    worker: Worker, remote: OAuthServer, anna: Person, bob: Person, charlie: Person, provider: None, llm: LlmServer
) -> None:
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert anna.api.post(f"{at}/test").data["ok"] is True
    allowed(anna, at)
    llm.reply(text="I call.", calls=[Call("octo__echo", {})])
    config = {"provider": "llm", "model": "m", "query": "Say it", "tools": {"servers": [{"server": "octo"}]}}
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("form", "form", {"title": "Go on?", "schema": {"type": "object", "properties": {}}}),
            node("ask", "agent", config),
            node("end", "end", {"outputs": {"said": "{{ ask.text }}"}}),
        ],
        "start -> form",
        "form -> ask",
        "ask -> end",
    )
    bob = at_screen(bob)
    run = start(bob, make_workflow(anna, document)).data["id"]
    interrupt = parked(bob, run)
    remote.end_sign_ins()
    assert answer(bob, interrupt, "accept").status == 200
    question = until(lambda: Interaction.objects.filter(run_id=run, kind="server", state="open").first())
    shown = {"id": question.pk}
    assert len(llm.requests) == 0, "what the server lists is not known yet"
    assert answer(at_screen(charlie), shown, "decline").status == 404
    assert charlie.api.get("/api/interactions?state=open").data["results"] == []
    assert answer(bob, shown, "decline").status == 403, "they are not his to decide about"
    assert answer(anna, shown, "decline").status == 200
    until(lambda: state(run) == RunState.ERROR)
    failed = anna.api.get(f"/api/runs/{run}").data["error"]
    assert (failed["code"], failed["node"]) == ("MCP_AUTH_FAILED", "ask")
    assert len(llm.requests) == 0


def test_a_model_is_not_told_of_a_sign_in_that_is_over(
    worker: Worker, remote: OAuthServer, anna: Person, provider: None, llm: LlmServer
) -> None:
    """The sign-in ended before its call was made: what it reads is the answer of the call that was made later."""
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert anna.api.post(f"{at}/test").data["ok"] is True
    assert anna.api.patch(f"{at}/tools/echo", {"policy": "ask"}).status == 200
    for _ in range(2):
        llm.reply(text="I call.", calls=[Call("octo__echo", {"n": 1})])
    llm.say("Done.", when=has_result("echo: I was given"))
    config = {"provider": "llm", "model": "m", "query": "Say it", "tools": {"servers": [{"server": "octo"}]}}
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("ask", "agent", config),
            node("end", "end", {"outputs": {"said": "{{ ask.text }}"}}),
        ],
        "start -> ask",
        "ask -> end",
    )
    flow = make_workflow(anna, document)
    run, given_up = start(anna, flow).data["id"], start(anna, flow).data["id"]
    approvals = [parked(anna, item) for item in (run, given_up)]
    assert {question["kind"] for question in approvals} == {"approval"}
    remote.end_sign_ins()
    for approval in approvals:
        assert answer(anna, approval, "accept").status == 200
    waiting = Interaction.objects.filter(kind="server", state="open")
    until(lambda: waiting.count() == 2)
    assert answer(anna, {"id": waiting.get(run_id=given_up).pk}, "decline").status == 200
    until(lambda: state(given_up) == RunState.ERROR)
    assert anna.api.get(f"/api/runs/{given_up}").data["error"]["code"] == "MCP_AUTH_FAILED"
    assert len(llm.requests) == 2, "the model was not asked again"
    sign_in(anna, at, remote)
    until(lambda: state(run) == RunState.SUCCESS)
    assert remote.facts()["called"] == ["echo"] and len(llm.requests) == 3
    assert "sign" not in str(llm.requests[2].messages).lower()
    assert Interaction.objects.filter(run_id=run, kind="approval").count() == 1, "nobody is asked twice"


def test_a_cancel_ends_the_wait_and_nothing_is_called_later(worker: Worker, remote: OAuthServer, anna: Person) -> None:
    at = add(anna, remote)
    run = start(anna, make_workflow(anna, one_call("echo"))).data["id"]
    parked(anna, run)
    assert anna.api.post(f"/api/runs/{run}/cancel").status in (200, 202)
    until(lambda: state(run) == RunState.CANCELLED)
    sign_in(anna, at, remote)
    assert state(run) == RunState.CANCELLED and remote.facts()["called"] == []


def test_a_run_that_was_parked_goes_on_under_another_worker(remote: OAuthServer, anna: Person) -> None:
    """The hint of the sign-in reached nobody, and the process is another: the reaper finds that somebody signed in."""
    at = add(anna, remote)
    sign_in(anna, at, remote)
    assert anna.api.post(f"{at}/test").data["ok"] is True
    allowed(anna, at)
    remote.end_sign_ins()
    first = make_worker()
    first.start()
    run = start(anna, make_workflow(anna, one_call())).data["id"]
    question = parked(anna, run)
    first.stop(5)
    SignIn.objects.update(state="good")  # as it was: not the sign-in that it waits for
    assert sign_ins.go_on() == 0
    SignIn.objects.update(state="ended")
    sign_in(anna, at, remote)
    Interaction.objects.filter(pk=question["id"]).update(state="open", answer="null", answered_by=None)
    InboxMessage.objects.filter(run_id=run).delete()
    second = make_worker()
    second.start()
    until(lambda: state(run) == RunState.SUCCESS)
    second.stop(5)
    assert remote.facts()["called"] == ["write"]
    assert LogLine.objects.filter(run_id=run, record="answer").count() == 1


MACHINE = {"oauth_grant": "client_credentials", "oauth_client_id": "robot", "oauth_client_secret": "robot: secret"}


def test_a_run_needs_nobody_where_patchbay_signs_in_itself(worker: Worker, remote: OAuthServer, anna: Person) -> None:
    """Nor when the token ends between two calls, or more rights are wanted than it has."""
    at = add(anna, remote, **MACHINE)
    assert anna.api.post(f"{at}/test").data["ok"] is True
    allowed(anna, at)
    assert anna.api.patch(f"{at}/tools/admin", {"policy": "allow"}).status == 200
    assert start(anna, make_workflow(anna, one_call()), WAIT).data["state"] == "SUCCESS"
    remote.age()
    assert start(anna, make_workflow(anna, one_call("admin")), WAIT).data["state"] == "SUCCESS"
    assert remote.facts()["called"] == ["write", "admin"]
    assert not Interaction.objects.exists()


@pytest.mark.parametrize("mended", ["another secret", "another try"])
def test_credentials_that_are_refused_park_the_run_for_the_admins(
    worker: Worker, remote: OAuthServer, anna: Person, bob: Person, mended: str
) -> None:
    at = add(anna, remote, **MACHINE)
    assert anna.api.post(f"{at}/test").data["ok"] is True
    allowed(anna, at)
    flow = make_workflow(anna, one_call())
    remote.does(secret="rotated: secret")
    remote.end_sign_ins()
    bob = at_screen(bob)
    runs = [start(bob, flow).data["id"] for _ in range(2)]
    for run in runs:
        question = parked(bob, run)
        assert (question["kind"], question["title"], question["assignees"]) == ("server", "octo", [])
        assert "refuses the credentials with which Patchbay signs in" in question["message"]
        assert answer(bob, question, "decline").status == 403, "they are not his to decide about"
    chinese = anna.api.get(f"/api/interactions?state=open&run={runs[0]}", **{"accept-language": "zh"}).data
    assert "授权服务器拒绝了 Patchbay 登录服务器 octo" in chinese["results"][0]["message"]
    refusals = len(remote.facts()["machines"])
    assert sign_ins.go_on() == 0 and len(remote.facts()["machines"]) == refusals, "they are not offered again"
    if mended == "another secret":
        assert anna.api.patch(at, {"oauth_client_secret": "rotated: secret"}).status == 200
    else:
        assert anna.api.post(f"{at}/sign-in").status == 502
        for run in runs:
            parked(anna, run)
        remote.does()
        assert anna.api.post(f"{at}/sign-in").status == 200
    for run in runs:
        until(lambda: state(run) == RunState.SUCCESS)  # noqa: B023 - called within this round
    assert remote.facts()["called"] == ["write"] * 2, "each was called once"
    assert not Interaction.objects.filter(kind="recovery").exists()


def test_each_of_two_members_gets_a_question_of_their_own_and_goes_on_only_for_it(
    worker: Worker, remote: OAuthServer, anna: Person, bob: Person
) -> None:
    """Both personal sign-ins at the server are over, and both start a run at the same moment."""
    at, bob = add(anna, remote, credentials="user"), at_screen(bob)
    for person in (anna, bob):
        sign_in(person, at, remote)
    flow = make_workflow(anna, one_call("echo"))
    remote.end_sign_ins()
    runs = {person.user.pk: start(person, flow).data["id"] for person in (anna, bob)}
    for person in (anna, bob):
        question = parked(person, runs[person.user.pk])
        assert question["assignees"] == [person.user.pk]
        assert question["sign_in"]["person"] == person.user.email
    assert Interaction.objects.filter(kind="server", state="open").count() == 2
    for person, other in ((bob, anna), (anna, bob)):
        sign_in(person, at, remote)
        until(lambda: state(runs[person.user.pk]) == RunState.SUCCESS)  # noqa: B023 - called within this round
        assert sign_ins.go_on() == 0
        if person is bob:
            assert state(runs[other.user.pk]) == RunState.WAITING, "his is not hers"
    answered = Interaction.objects.filter(kind="server").values_list("run_id", "answered_by_id")
    assert set(answered) == {(run, user) for user, run in runs.items()}, "each answered their own"
