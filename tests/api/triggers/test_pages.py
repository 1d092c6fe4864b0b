"""Pages: who makes one, what strangers see and never see, in whose name it runs, limits, frames, chats, members."""

from __future__ import annotations

import base64
import json
import re
import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from backend.accounts.models import AuditEntry, Membership
from backend.files.models import File
from backend.runs.models import Conversation, Interaction, Run, RunState, Turn
from backend.triggers.models import Delivery, Trigger
from backend.workflows.models import Workflow
from tests.api.runs.conftest import graph, node, until
from tests.api.runs.sweeping import swept
from tests.api.triggers.conftest import TEXT, deliveries, inputs, make, published
from tests.people import Person, Reply

pytestmark = pytest.mark.django_db(transaction=True)

ASKS = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"name": TEXT}}}),
        node("ok", "approval", {"title": "Pay the secret bonus?", "proposal": {"to": "{{ start.name }}"}}),
        node("end", "end", {"outputs": {"text": "paid to {{ ok.values.to }}"}}),
    ],
    "start -> ok",
    "ok:approved -> end",
    "ok:declined -> end",
)
FAILS = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"name": TEXT}}}),
        node("inner_node", "template", {"template": "{{ start.name.nothing.here }}"}),
        node("end", "end", {"outputs": {"text": "{{ inner_node.text }}"}}),
    ],
    "start -> inner_node",
    "inner_node -> end",
)
SAYS = graph(
    [
        node(
            "start",
            "start",
            {"inputs": {"type": "object", "properties": {"text": TEXT, "history": {"type": "array"}}}},
        ),
        node("say", "answer", {"text": "{{ start.text }}, after {{ start.history | length }}"}),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> say",
    "say -> end",
)

SAYS_THEN_ASKS = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"text": TEXT}}}),
        node("say", "answer", {"text": "First: {{ start.text }}"}),
        node("ok", "approval", {"title": "Go on?", "proposal": {}}),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> say",
    "say -> ok",
    "ok:approved -> end",
    "ok:declined -> end",
)


def new_key() -> str:
    return secrets.token_urlsafe(32)


class Stranger:
    """A browser that nobody signed in with, on a page by its link."""

    def __init__(self, link: str, language: str = "en") -> None:
        self.link = link
        self.client = Client(enforce_csrf_checks=True, headers={"accept-language": language})

    def get(self, path: str = "") -> Reply:
        return self._reply(self.client.get(f"/p/{self.link}{path}"))

    def send(self, body: Any, kind: str = "application/json") -> Reply:
        text = body if isinstance(body, str) else json.dumps(body)
        return self._reply(self.client.post(f"/p/{self.link}/runs", text, content_type=kind))

    def fill(self, key: str | None = None, **values: Any) -> tuple[str, Reply]:
        key = key or new_key()
        return key, self.send({"key": key, "inputs": values})

    def delete(self, path: str) -> Reply:
        return self._reply(self.client.delete(f"/p/{self.link}{path}"))

    def say(self, talk: str, text: str) -> Reply:
        return self.send({"key": new_key(), "conversation": talk, "text": text})

    def ended(self, key: str) -> dict[str, Any]:
        """What became of it, once that is known."""
        seen: dict[str, Any] = until(lambda: (data := self.get(f"/runs/{key}").data)["state"] != "working" and data)
        return seen

    @staticmethod
    def _reply(answer: Any) -> Reply:
        text = answer.content.decode()
        parsed = json.loads(text) if "json" in answer.headers.get("Content-Type", "") else None
        return Reply(answer.status_code, parsed, answer.headers, text)


def page(person: Person, workflow: Workflow, **config: Any) -> tuple[str, Stranger]:
    """(id, a stranger on it) of a page by a secret link that is on."""
    created = make(person, workflow, "page", **config)
    return created["id"], Stranger(created["url"].rpartition("/p/")[2])


def test_an_admin_makes_one_and_sees_its_link_once(adam: Person, bob: Person, workflow: Workflow) -> None:
    body = {"kind": "page", "name": "Questions", "config": {}}
    assert bob.api.post(f"/api/workflows/{workflow.pk}/triggers", body).status == 403
    created = make(adam, workflow, "page")
    token = created["url"].rpartition("/p/")[2]
    row = Trigger.objects.get()
    assert len(token) == 43 and token not in f"{row.token_hash}{row.config}" and row.token_end == token[-4:]
    assert token not in bob.api.get("/api/triggers").text and created["acts_as"] == adam.user.email
    for change in ({"enabled": False}, {"config": {"title": "Mine"}}):
        assert bob.api.patch(f"/api/triggers/{created['id']}", change).status == 403
    assert bob.api.post(f"/api/triggers/{created['id']}/rotate").status == 403


def test_a_new_link_ends_the_one_before_and_off_is_as_if_it_were_not(adam: Person, workflow: Workflow) -> None:
    key, old = page(adam, workflow)
    new = Stranger(adam.api.post(f"/api/triggers/{key}/rotate").data["url"].rpartition("/p/")[2])
    assert (old.get("/about").status, new.get("/about").status) == (404, 200)
    adam.api.patch(f"/api/triggers/{key}", {"enabled": False})
    assert new.get("/about").status == new.fill(name="Vera")[1].status == 404
    assert not Run.objects.exists()


def test_a_stranger_starts_a_run_and_sees_only_what_is_declared(
    adam: Person, bob: Person, workflow: Workflow, worker: Any
) -> None:
    trigger, stranger = page(adam, workflow, title="Ask us", text="We answer.")
    about = stranger.get("/about")
    assert (about.data["title"], about.data["text"], about.data["show"]) == ("Ask us", "We answer.", "form")
    assert set(about.data["inputs"]["properties"]) == {"name", "count", "paper"}
    key, sent = stranger.fill(name="Vera")
    assert sent.status == 202, sent.text
    seen = stranger.ended(key)
    assert seen == {"state": "done", "answers": [], "outputs": {"text": "Hello Vera"}}
    row = Run.objects.get()
    run = bob.api.get(f"/api/runs/{row.pk}").data
    assert (run["trigger"], run["trigger_id"], run["started_by"], run["version"]) == (
        "page",
        trigger,
        adam.user.email,
        1,
    )
    text = about.text + sent.text + stranger.get(f"/runs/{key}").text + stranger.get().text
    for secret in (trigger, row.pk, workflow.pk, adam.team.pk, adam.user.email, adam.user.pk, "greet"):
        assert str(secret) not in text, secret
    kept = deliveries(adam, trigger)
    assert [(item["outcome"], item["run"], item["request"]) for item in kept] == [
        ("started", row.pk, {"inputs": {"name": "Vera"}})
    ]


def test_the_same_key_is_the_same_run_and_only_it_leads_to_the_answer(adam: Person, workflow: Workflow) -> None:
    _, stranger = page(adam, workflow)
    _, other = page(adam, workflow)
    key, first = stranger.fill(name="Vera")
    assert stranger.fill(key, name="Somebody else")[1].status == first.status == 202
    assert Run.objects.count() == Delivery.objects.count() == 1
    assert stranger.get(f"/runs/{new_key()}").status == other.get(f"/runs/{key}").status == 404
    for weak in ("short", "x" * 42, "é" * 43, 7, None):
        refused = stranger.send({"key": weak, "inputs": {}})
        assert (refused.status, set(refused.data["fields"])) == (400, {"key"}), refused.text


def test_what_a_person_has_to_decide_is_said_and_never_shown(adam: Person, worker: Any) -> None:
    trigger, stranger = page(adam, published(adam, ASKS))
    key, _ = stranger.fill(name="Vera")
    seen = stranger.ended(key)
    assert seen == {"state": "waiting", "answers": [], "outputs": None}
    question = Interaction.objects.get()
    text = stranger.get(f"/runs/{key}").text
    assert question.pk not in text and "bonus" not in text
    for path in (f"/api/interactions/{question.pk}/answer", f"/api/interactions/{question.pk}"):
        assert stranger.client.post(path, "{}", content_type="application/json").status_code in (401, 403, 404, 405)
    assert adam.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept"}).status in (200, 202)
    until(lambda: stranger.get(f"/runs/{key}").data["state"] == "done")
    assert deliveries(adam, trigger)[0]["run_state"] == "SUCCESS"


def test_a_failure_tells_nothing_of_the_workflow(adam: Person, worker: Any) -> None:
    _, stranger = page(adam, published(adam, FAILS))
    key, _ = stranger.fill(name="Vera")
    assert stranger.ended(key) == {"state": "failed", "answers": [], "outputs": None}
    assert "inner_node" not in stranger.get(f"/runs/{key}").text


def test_what_is_the_teams_matter_is_not_told(adam: Person, workflow: Workflow) -> None:
    trigger, stranger = page(adam, workflow)
    Workflow.objects.update(published_version=None)
    for refused in (stranger.get("/about"), stranger.fill(name="Vera")[1]):
        assert (refused.status, refused.data["code"], refused.data["detail"]) == (409, "CONFLICT", None)
        assert "publish" not in refused.text.lower()
    assert [item["error"]["code"] for item in deliveries(adam, trigger)] == ["NOT_PUBLISHED"]


def test_inputs_are_checked_and_may_hold_no_file_of_the_team(adam: Person, workflow: Workflow) -> None:
    _, stranger = page(adam, workflow)
    wrong = stranger.fill(count="many")[1]
    assert (wrong.status, set(wrong.data["fields"])) == (400, {"inputs.count"})
    for paper in ({"$file": "file_01m80fcekd7ek5fhg8s677rhbr"}, [{"x": [{"$file": "f"}]}]):
        refused = stranger.fill(paper=paper)[1]
        assert refused.status == 400 and next(iter(refused.data["fields"])).startswith("inputs.paper")
    assert not Run.objects.exists()


def upload(data: bytes = b"hello", name: str = "note.txt", mime: str = "text/plain") -> dict[str, Any]:
    return {"$upload": {"name": name, "mime": mime, "base64": base64.b64encode(data).decode()}}


def test_a_form_brings_files_which_are_stored_with_its_run(adam: Person, workflow: Workflow, members: str) -> None:
    trigger, stranger = page(adam, workflow)
    key, sent = stranger.fill(name="Vera", paper=upload())
    assert sent.status == 202, sent.text
    value = inputs(Run.objects.get().pk)["paper"]
    assert (value["name"], value["mime"], value["size"]) == ("note.txt", "text/plain", 5)
    assert adam.api.get(f"/api/files/{value['$file']}").text == "hello"
    first = deliveries(adam, trigger)[0]["id"]
    again = adam.api.post(f"/api/triggers/{trigger}/deliveries/{first}/replay").data["id"]
    assert inputs(again)["paper"] == value
    assert stranger.fill(key, name="Vera", paper=upload())[1].status == 202 and File.objects.count() == 1
    body = {"key": new_key(), "inputs": {"name": "Adam", "paper": upload(b"of a member")}}
    assert adam.api.post(f"/api/triggers/{members}/page/runs", body).status == 202
    assert File.objects.count() == 2


def test_files_of_a_form_that_is_refused_are_not_kept(
    adam: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger, stranger = page(adam, workflow)
    refused = stranger.fill(count="many", paper=upload(b"secret"))[1]
    assert (refused.status, set(refused.data["fields"])) == (400, {"inputs.count"})
    kept = deliveries(adam, trigger)[0]["request"]
    assert kept["inputs"]["paper"] == {"name": "note.txt", "mime": "text/plain", "size": 6}
    for wrong in (
        {"$upload": {"name": "x", "base64": "not base64!"}},
        {"$upload": {"name": "", "base64": ""}},
        {"$upload": {"name": "a\0b", "base64": ""}},
        {"$upload": "x"},
        {**upload(), "more": 1},
    ):
        refused = stranger.fill(paper=wrong)[1]
        assert refused.status == 400 and next(iter(refused.data["fields"])).startswith("inputs.paper"), refused.text
    assert stranger.fill(paper=[upload()] * 21)[1].status == 400
    monkeypatch.setattr(settings.PATCHBAY, "page_mb", 0.001)
    assert stranger.fill(paper=upload(b"x" * 2000))[1].data["code"] == "TOO_LARGE"
    assert not File.objects.exists() and not Run.objects.exists()


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("key=1", "application/x-www-form-urlencoded", 415),
        ('{"key": "x"}', "text/plain", 415),
        ("{not json", "application/json", 400),
        ("[]", "application/json", 400),
        (json.dumps({"inputs": "x" * 8 * 1024 * 1024}), "application/json", 413),
    ],
)
def test_only_json_that_says_so_is_taken(adam: Person, workflow: Workflow, body: str, kind: str, status: int) -> None:
    assert page(adam, workflow)[1].send(body, kind).status == status
    assert not Delivery.objects.exists()


def test_beyond_its_runs_a_minute_nothing_is_stored(adam: Person, workflow: Workflow) -> None:
    trigger, stranger = page(adam, workflow, per_min=2)
    statuses = [stranger.fill(name=str(n))[1].status for n in range(4)]
    assert statuses == [202, 202, 429, 429]
    refused = stranger.fill(name="Vera")[1]
    assert refused.data["code"] == "RATE_LIMITED" and int(refused.headers["Retry-After"]) > 0
    assert "PATCHBAY_" not in refused.text and Run.objects.count() == Delivery.objects.count() == 2
    adam.api.patch(f"/api/triggers/{trigger}", {"config": {"per_min": None}})
    assert stranger.fill(name="Vera")[1].status == 202, "the installation's limit is larger"


def test_one_address_does_not_use_up_what_all_may_send(
    adam: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "page_per_address", 2)
    _, stranger = page(adam, workflow)
    assert [stranger.fill(name="Vera")[1].status for _ in range(3)] == [202, 202, 429]
    refused = stranger.fill(name="Vera")[1]
    assert refused.data["code"] == "RATE_LIMITED" and int(refused.headers["Retry-After"]) > 0
    stranger.client.defaults["REMOTE_ADDR"] = "192.0.2.7"
    assert stranger.fill(name="Vera")[1].status == 202
    assert Run.objects.count() == Delivery.objects.count() == 3


def test_beyond_its_queue_nothing_is_stored(adam: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "page_queue", 1)
    _, stranger = page(adam, workflow)
    assert [stranger.fill(name="Vera")[1].status for _ in range(2)] == [202, 429]
    assert Run.objects.count() == 1


def test_beyond_its_money_of_the_day_nothing_is_stored(
    adam: Person, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger, stranger = page(adam, workflow, cost_per_day=2)
    other = page(adam, workflow)[1]
    assert stranger.fill(name="Vera")[1].status == 202
    run = Run.objects.get()
    spent = {"input_tokens": 5, "output_tokens": 5, "cost": 1.5}
    Run.objects.filter(pk=run.pk).update(usage=json.dumps(spent), state=RunState.SUCCESS)
    assert stranger.fill(name="Vera")[1].status == 202, "something is left"
    below = Run.objects.exclude(pk=run.pk).get()
    Run.objects.filter(pk=below.pk).update(depth=1, trigger="workflow", usage=json.dumps({**spent, "cost": 0.5}))
    refused = stranger.fill(name="Vera")[1]
    assert (refused.status, refused.data["code"]) == (429, "RATE_LIMITED"), "what goes on below counts too"
    assert 0 < int(refused.headers["Retry-After"]) <= 86_401 and Run.objects.count() == 2
    monkeypatch.setattr(settings.PATCHBAY, "page_cost_per_day", 1.0)
    adam.api.patch(f"/api/triggers/{trigger}", {"config": {"cost_per_day": None}})
    assert stranger.fill(name="Vera")[1].status == 429, "without a limit of its own it has the installation's"
    assert other.fill(name="Vera")[1].status == 202, "each page has its own"
    monkeypatch.setattr(settings.PATCHBAY, "page_cost_per_day", 0.0)
    assert stranger.fill(name="Vera")[1].status == 202


def spend(run: str, cost: float) -> None:
    """The run has ended and cost this much."""
    usage = json.dumps({"input_tokens": 5, "output_tokens": 5, "cost": cost})
    Run.objects.filter(pk=run).update(usage=usage, state=RunState.SUCCESS)


def test_a_page_without_a_limit_has_the_teams(adam: Person, workflow: Workflow) -> None:
    own = page(adam, workflow, cost_per_day=100)[1]
    _, stranger = page(adam, workflow)
    assert stranger.fill(name="Vera")[1].status == own.fill(name="Vera")[1].status == 202
    for run in Run.objects.all():
        spend(run.pk, 1.5)
    adam.api.patch("/api/teams/current", {"budget": {"page_cost_per_day": 1.5}})
    assert stranger.fill(name="Vera")[1].data["code"] == "RATE_LIMITED"
    assert own.fill(name="Vera")[1].status == 202, "one of its own goes before"
    adam.api.patch("/api/teams/current", {"budget": {"page_cost_per_day": 1.6}})
    assert stranger.fill(name="Vera")[1].status == 202
    adam.api.patch("/api/teams/current", {"budget": {"page_cost_per_day": 0}})
    assert stranger.fill(name="Vera")[1].status == 429, "nothing may be spent"
    adam.api.patch("/api/teams/current", {"budget": {"page_cost_per_day": None}})
    assert stranger.fill(name="Vera")[1].status == 202


def test_what_is_deleted_was_spent_all_the_same(adam: Person, workflow: Workflow) -> None:
    _, stranger = page(adam, workflow, cost_per_day=2)
    for _ in range(2):
        assert stranger.fill(name="Vera")[1].status == 202
    for run in Run.objects.all():
        spend(run.pk, 1.0)
        assert adam.api.delete(f"/api/runs/{run.pk}").status in (200, 204)
    assert stranger.fill(name="Vera")[1].data["code"] == "RATE_LIMITED" and not Run.objects.exists()


@pytest.mark.parametrize("how", ["role", "left", "gone"])
def test_it_goes_off_with_the_person_it_acts_as(adam: Person, alice: Person, workflow: Workflow, how: str) -> None:
    trigger, stranger = page(adam, workflow)
    member = Membership.objects.get(user=adam.user)
    if how == "role":
        member.role = "editor"
        member.save()
    elif how == "left":
        member.delete()
    else:
        adam.user.is_active = False
        adam.user.save()
    assert stranger.fill(name="Vera")[1].status == stranger.get("/about").status == 404
    shown = alice.api.get(f"/api/triggers/{trigger}").data
    assert (shown["enabled"], shown["off_reason"]) == (False, "role" if how == "role" else "left")
    assert AuditEntry.objects.filter(action="trigger.went_off", target_id=trigger).count() == 1
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"origins": ["https://www.example.org/path"]}, "config.origins"),
        ({"origins": ["*"]}, "config.origins"),
        ({"origins": ["https://*.example.org"]}, "config.origins"),
        ({"origins": ["https://a.example.org; script-src *"]}, "config.origins"),
        ({"origins": ["javascript:alert(1)"]}, "config.origins"),
        ({"origins": ["https://example.org:99999"]}, "config.origins"),
        ({"origins": ["https://example.org\n"] * 21}, "config.origins"),
        ({"cost_per_day": "nan"}, "config.cost_per_day"),
        ({"cost_per_day": -1}, "config.cost_per_day"),
        ({"per_min": 0}, "config.per_min"),
        ({"access": "everybody"}, "config.access"),
        ({"show": "door"}, "config.show"),
        ({"verify": {"kind": "none"}}, "config.verify"),
    ],
)
def test_settings_that_cannot_be(adam: Person, workflow: Workflow, config: dict[str, Any], field: str) -> None:
    body = {"kind": "page", "name": "Page", "config": config}
    refused = adam.api.post(f"/api/workflows/{workflow.pk}/triggers", body)
    assert refused.status == 400 and next(iter(refused.data["fields"])).startswith(field), refused.text


def policy(answer: Reply) -> dict[str, str]:
    """The directives of a page's policy."""
    parts = [part.strip().partition(" ") for part in answer.headers["Content-Security-Policy"].split(";")]
    return {name: value for name, _, value in parts}


def test_only_the_sites_named_may_show_it_in_a_frame(adam: Person, workflow: Workflow) -> None:
    origins = ["https://www.example.org/", "HTTPS://shop.example.org:443", "http://localhost:8080"]
    trigger, stranger = page(adam, workflow, origins=origins)
    shown = stranger.get()
    kept = "https://www.example.org https://shop.example.org http://localhost:8080"
    assert policy(shown)["frame-ancestors"] == kept and "X-Frame-Options" not in shown.headers
    for answer in (page(adam, workflow)[1].get(), Stranger("x" * 43).get()):
        assert policy(answer)["frame-ancestors"] == "'none'" and answer.headers["X-Frame-Options"] == "DENY"
    adam.api.patch(f"/api/triggers/{trigger}", {"enabled": False})
    assert policy(stranger.get())["frame-ancestors"] == kept, "one that is off says so in its frame"


def test_its_document_is_strict_and_needs_no_cookie(adam: Person, workflow: Workflow) -> None:
    _, stranger = page(adam, workflow)
    shown = stranger.get()
    nonce = re.search(r'name="csp-nonce" content="([^"]+)"', shown.text)
    assert (
        nonce
        and policy(shown)["script-src"] == f"'self' 'nonce-{nonce.group(1)}'"
        and "unsafe" not in str(policy(shown))
    )
    stranger.get("/about")
    stranger.fill(name="Vera")
    assert not stranger.client.cookies
    assert stranger.client.put(f"/p/{stranger.link}/about", "{}", content_type="application/json").status_code == 405
    for answer in (shown, stranger.get("/about"), stranger.get("/runs/nothing")):
        assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
        assert answer.headers["Referrer-Policy"] == "no-referrer" and answer.headers["Cache-Control"] == "no-store"
    assert Stranger("x" * 43).get().status in (404, 503)


def test_people_talk_on_a_page_that_is_a_chat(adam: Person, bob: Person, worker: Any) -> None:
    trigger, stranger = page(adam, published(adam, SAYS), show="chat")
    assert stranger.get("/about").data["inputs"] is None
    talk, others = new_key(), new_key()
    for text in ("One", "Two"):
        sent = stranger.say(talk, text)
        assert (sent.status, sent.data["state"]) == (202, "working"), sent.text
    assert stranger.say(others, "Elsewhere").status == 202

    def turns(key: str) -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = stranger.get(f"/conversations/{key}").data["turns"]
        return seen

    until(lambda: [turn["state"] for turn in turns(talk) + turns(others)] == ["done"] * 3)
    assert turns(talk) == [
        {"text": "One", "state": "done", "answer": "One, after 0"},
        {"text": "Two", "state": "done", "answer": "Two, after 2"},
    ]
    assert [turn["answer"] for turn in turns(others)] == ["Elsewhere, after 0"]
    assert stranger.get(f"/conversations/{new_key()}").status == 404
    assert adam.api.get("/api/conversations").data["results"] == [], "it is nobody's in the team"
    assert {row.person for row in Conversation.objects.all()} == {None}
    assert "One" not in adam.api.get(f"/api/triggers/{trigger}/deliveries").text
    spend(Run.objects.get(conversation=Conversation.objects.order_by("created_at")[1].pk).pk, 0.25)
    listed = adam.api.get(f"/api/triggers/{trigger}/conversations")
    assert [(row["messages"], row["going"], row["cost"]) for row in listed.data["results"]] == [
        (1, False, 0.25),
        (2, False, 0),
    ]
    assert not any(word in listed.text for word in ("One", "Two", "Elsewhere", talk, others))
    assert bob.api.get(f"/api/triggers/{trigger}/conversations").status == 403
    assert {run.started_by_id for run in Run.objects.all()} == {adam.user.pk}


def test_whoever_has_the_key_takes_a_conversation_along_and_deletes_it(adam: Person, worker: Any) -> None:
    _, stranger = page(adam, published(adam, SAYS), show="chat", title="Desk")
    talk, others = new_key(), new_key()
    assert [stranger.say(key, "Hello").status for key in (talk, others)] == [202, 202]
    for key in (talk, others):
        until(lambda: stranger.get(f"/conversations/{key}").data["turns"][0]["state"] == "done")  # noqa: B023 - called within this round
    export = stranger.get(f"/conversations/{talk}/export")
    assert "attachment" in export.headers["Content-Disposition"] and export.data["title"] == "Desk"
    (turn,) = export.data["turns"]
    assert turn.pop("created_at") and turn == {"text": "Hello", "state": "done", "answer": "Hello, after 0"}
    assert stranger.delete(f"/conversations/{new_key()}").status == 404
    assert stranger.delete(f"/conversations/{talk}").status == 204
    assert stranger.get(f"/conversations/{talk}").status == stranger.get(f"/conversations/{talk}/export").status == 404
    assert stranger.get(f"/conversations/{others}").status == 200
    assert Run.objects.count() == Delivery.objects.count() == Conversation.objects.count() == 1
    note = AuditEntry.objects.get(action="conversation.deleted")
    assert (note.actor_id, note.team_id) == (None, adam.team.pk), "nobody of the team did it"


def test_a_conversation_that_goes_on_is_not_deleted(adam: Person) -> None:
    _, stranger = page(adam, published(adam, SAYS), show="chat")
    talk = new_key()
    stranger.say(talk, "Hello")
    refused = stranger.delete(f"/conversations/{talk}")
    assert (refused.status, refused.data["code"], refused.data["detail"]) == (409, "CONFLICT", None)
    assert stranger.get(f"/conversations/{talk}").data["turns"][0]["state"] == "working"


def test_what_was_said_is_seen_before_it_has_ended(adam: Person, worker: Any) -> None:
    _, form = page(adam, published(adam, SAYS_THEN_ASKS))
    key, _ = form.fill(text="Hello")
    seen = form.ended(key)
    assert seen == {"state": "waiting", "answers": ["First: Hello"], "outputs": None}
    _, chat = page(adam, published(adam, SAYS_THEN_ASKS), show="chat")
    talk = new_key()
    chat.say(talk, "Hello")
    until(lambda: chat.get(f"/conversations/{talk}").data["turns"][0]["state"] == "waiting")
    (turn,) = chat.get(f"/conversations/{talk}").data["turns"]
    assert turn == {"text": "Hello", "state": "waiting", "answer": "First: Hello"}


def test_what_has_ended_has_its_answer(adam: Person) -> None:
    """Whenever the run ends while the page is read: who is told that it is done asks no more."""
    _, stranger = page(adam, published(adam, SAYS), show="chat")
    talk = new_key()
    stranger.say(talk, "Hello")
    states = set()
    for after in range(1, 30):
        queries: list[str] = []
        Run.objects.update(state=RunState.QUEUED)
        Turn.objects.update(answer="")

        def end(execute: Any, sql: str, *rest: Any, queries: list[str] = queries, after: int = after) -> Any:
            result = execute(sql, *rest)
            queries.append(sql)
            if len(queries) == after:
                Turn.objects.update(answer='"Late"')
                Run.objects.update(state=RunState.SUCCESS)
            return result

        with connection.execute_wrapper(end):
            (turn,) = stranger.get(f"/conversations/{talk}").data["turns"]
        assert turn["state"] == "working" or turn["answer"] == "Late", (after, queries)
        states.add(turn["state"])
    assert states == {"working", "done"}


def test_conversations_of_strangers_go_with_their_last_run(adam: Person, worker: Any) -> None:
    _, stranger = page(adam, published(adam, SAYS), show="chat")
    talk = new_key()
    stranger.say(talk, "Hello")
    until(lambda: stranger.get(f"/conversations/{talk}").data["turns"][0]["state"] == "done")
    long_ago = timezone.now() - timedelta(days=400)
    Run.objects.update(finished_at=long_ago)
    swept(30)
    assert stranger.get(f"/conversations/{talk}").status == 404
    assert not Conversation.objects.exists() and not Delivery.objects.exists()


def test_a_chat_says_what_is_wrong_and_no_more(adam: Person, workflow: Workflow) -> None:
    _, stranger = page(adam, published(adam, SAYS), show="chat")
    for body, field in (
        ({"key": new_key(), "conversation": new_key(), "text": "  "}, "text"),
        ({"key": new_key(), "conversation": new_key(), "text": "x" * 20_001}, "text"),
        ({"key": new_key(), "conversation": "weak", "text": "Hello"}, "conversation"),
    ):
        refused = stranger.send(body)
        assert (refused.status, set(refused.data["fields"])) == (400, {field})
    _, deaf = page(adam, workflow, show="chat")
    assert deaf.get("/about").status == deaf.say(new_key(), "Hello").status == 409


def test_the_persons_own_limits_do_not_hold_for_a_page(adam: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "token_run_starts_per_min", 1)
    monkeypatch.setattr(settings.PATCHBAY, "run_starts_per_15s", 1)
    _, stranger = page(adam, published(adam, SAYS), show="chat")
    assert [stranger.say(new_key(), "Hello").status for _ in range(3)] == [202] * 3


@pytest.fixture
def members(adam: Person, workflow: Workflow) -> str:
    created = make(adam, workflow, "page", access="members", title="Ask", origins=["https://www.example.org"])
    assert created["url"] is None and created["acts_as"] is None
    key: str = created["id"]
    return key


def test_members_run_it_in_their_own_name(
    adam: Person, bob: Person, vera: Person, charlie: Person, members: str, worker: Any
) -> None:
    assert bob.api.get(f"/api/triggers/{members}/page").data["title"] == "Ask"
    key = new_key()
    body = {"key": key, "inputs": {"name": "Bob"}}
    assert vera.api.post(f"/api/triggers/{members}/page/runs", body).status == 403
    assert charlie.api.post(f"/api/triggers/{members}/page/runs", body).status == 404
    assert Client().post(f"/api/triggers/{members}/page/runs", body, content_type="application/json").status_code == 401
    sent = bob.api.post(f"/api/triggers/{members}/page/runs", body)
    assert sent.status == 202, sent.text
    path = f"/api/triggers/{members}/page/runs/{key}"
    seen = until(lambda: (data := bob.api.get(path).data)["state"] == "done" and data)
    assert seen["outputs"] == {"text": "Hello Bob"}
    assert Run.objects.get().started_by == bob.user and inputs(Run.objects.get().pk) == {"name": "Bob"}
    assert adam.api.get(path).status == 404, "a key is the member's alone"


def test_a_members_page_is_no_link_and_a_link_is_no_members_page(
    adam: Person, workflow: Workflow, members: str
) -> None:
    linked, _ = page(adam, workflow)
    assert Stranger(members).get("/about").status == 404
    assert adam.api.get(f"/api/triggers/{linked}/page").data["code"] == "CONFLICT"
    assert adam.api.post(f"/api/triggers/{members}/rotate").status == 409
    changed = adam.api.patch(f"/api/triggers/{members}", {"config": {"access": "link"}})
    assert (changed.status, set(changed.data["fields"])) == (400, {"config.access"})
    replayed = make(adam, workflow, "page", access="members")["id"]
    assert adam.api.patch(f"/api/triggers/{replayed}", {"enabled": False}).status == 200
    assert adam.api.get(f"/api/triggers/{replayed}/page").status == 409


def test_members_prove_themselves_with_the_sessions_token(adam: Person, members: str) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(adam.user)
    shown = browser.get(f"/p/{members}")
    assert adam.team.pk in shown.content.decode() and adam.team.pk not in Client().get(f"/p/{members}").content.decode()
    assert "frame-ancestors https://www.example.org" in shown.headers["Content-Security-Policy"]
    path, body = f"/api/triggers/{members}/page/runs", {"key": new_key(), "inputs": {}}
    assert browser.post(path, body, content_type="application/json").status_code == 403
    token = browser.cookies[settings.CSRF_COOKIE_NAME].value
    sent = browser.post(path, body, content_type="application/json", headers={"X-CSRFToken": token})
    assert sent.status_code == 202, sent.content


def test_members_talk_and_keep_it_to_themselves(adam: Person, bob: Person, worker: Any) -> None:
    created = make(adam, published(adam, SAYS), "page", access="members", show="chat")["id"]
    talk = new_key()
    body = {"key": new_key(), "conversation": talk, "text": "Hello"}
    assert bob.api.post(f"/api/triggers/{created}/page/runs", body).status == 202
    path = f"/api/triggers/{created}/page/conversations/{talk}"
    until(lambda: bob.api.get(path).data["turns"][0]["answer"] == "Hello, after 0")
    assert adam.api.get(path).status == adam.api.get(f"{path}/export").status == adam.api.delete(path).status == 404
    assert Conversation.objects.get().person == bob.user
    assert bob.api.get(f"{path}/export").data["turns"][0]["answer"] == "Hello, after 0"
    assert bob.api.delete(path).status == 204 and not Conversation.objects.exists() and not Run.objects.exists()
    assert AuditEntry.objects.get(action="conversation.deleted").actor_id == bob.user.pk


def test_a_form_is_delivered_again_and_a_page_of_others_is_not(
    adam: Person, bob: Person, workflow: Workflow, members: str
) -> None:
    trigger, stranger = page(adam, workflow)
    stranger.fill(name="Vera")
    first = deliveries(adam, trigger)[0]
    again = adam.api.post(f"/api/triggers/{trigger}/deliveries/{first['id']}/replay")
    assert again.status == 202 and inputs(again.data["id"]) == {"name": "Vera"}
    tried = adam.api.post(f"/api/triggers/{trigger}/test", {"delivery": first["id"]})
    assert tried.status == 202 and tried.data["version"] is None and inputs(tried.data["id"]) == {"name": "Vera"}
    bob.api.post(f"/api/triggers/{members}/page/runs", {"key": new_key(), "inputs": {}})
    theirs = deliveries(adam, members)[0]["id"]
    refused = adam.api.post(f"/api/triggers/{members}/deliveries/{theirs}/replay")
    assert refused.status == 409 and adam.api.get(f"/api/triggers/{members}").data["enabled"]
