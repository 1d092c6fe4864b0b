"""The audit trail: what leaves a row, who reads it, filters and exports, and that nothing of it ever changes."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from backend.accounts.audit.erasing import delete_old, erase, erase_person
from backend.accounts.audit.trail import BLOT, audit, changed
from backend.accounts.models import ApiToken, AuditEntry, Membership
from tests.api.accounts.trail import entries, exported
from tests.people import Person

PASSWORD = "correct horse battery"


def actions(person: Person, query: str = "") -> list[str]:
    return [action["action"] for action in entries(person, query)]


def sign_in(client: Client, email: str, password: str) -> int:
    body = {"email": email, "password": password}
    return client.post("/_allauth/browser/v1/auth/login", body, content_type="application/json").status_code


def test_signing_in_and_out_and_what_was_refused(alice: Person, bob: Person) -> None:
    client = Client(headers={"user-agent": "Firefox"})
    assert sign_in(client, "bob@example.org", "wrong") == 400
    assert sign_in(client, "nobody@example.org", "wrong") == 400
    assert sign_in(client, "bob@example.org", PASSWORD) == 200
    client.delete("/_allauth/browser/v1/auth/session")

    ended, begun, refused = entries(alice, "?action=session")
    assert (begun["action"], begun["actor"]["email"], begun["target"]) == (
        "session.begun",
        "bob@example.org",
        bob.user.pk,
    )
    assert begun["data"] == {"address": "127.0.0.1", "agent": "Firefox"}
    assert (ended["action"], ended["actor"]["id"]) == ("session.ended", bob.user.pk)
    assert (refused["action"], refused["actor"], refused["target"]) == ("session.refused", None, bob.user.pk)
    assert "nobody@" not in json.dumps([ended, begun, refused])


def test_a_sign_in_stands_in_the_trail_of_every_team_of_the_person(alice: Person, bob: Person, charlie: Person) -> None:
    Membership.objects.create(team=charlie.team, user=bob.user, role="viewer")
    Client().force_login(bob.user)
    assert actions(alice) == ["session.begun"] and actions(charlie) == ["session.begun"]


def test_before_and_after_without_secrets() -> None:
    assert changed({"env": {}}, {"env": {"A": "1"}}) == {"env.A": [None, "1"]}
    before = {"name": "a", "headers": {"Accept": "x", "X-Old": "1"}, "api_key": "sk-1", "url": "u" * 600, "same": [1]}
    after = {"name": "b", "headers": {"Accept": "y"}, "api_key": "sk-2", "url": "u", "same": [1], "new": None}
    reply = changed(before, after)
    assert reply == {
        "name": ["a", "b"],
        "headers.Accept": ["x", "y"],
        "headers.X-Old": ["1", None],
        "api_key": [BLOT, BLOT],
        "url": ["u" * 500 + "… (600)", "u"],
    }


def test_a_deed_with_a_token_names_it(bob: Person, alice: Person) -> None:
    bob.api.post("/api/workflows", {"name": "Invoices"})
    (entry,) = entries(alice, "?action=workflow.created")
    assert (entry["token"]["name"], entry["actor"]["name"], entry["kind"]) == ("tests", "Bob", "workflow")
    assert entry["data"] == {"name": "Invoices", "slug": "invoices"}
    ApiToken.objects.filter(user=bob.user).delete()
    (entry,) = entries(alice, "?action=workflow.created")
    assert entry["token"]["id"].startswith("tok_") and entry["token"]["name"] is None


def test_filters(alice: Person, adam: Person, bob: Person) -> None:
    created = bob.api.post("/api/workflows", {"name": "Rechnungen für März"}).data
    bob.api.patch(f"/api/workflows/{created['id']}", {"description": "quarterly"})
    adam.api.post("/api/secrets", {"name": "key", "value": "hidden", "hosts": []})
    token = ApiToken.objects.get(user=bob.user).pk
    soon = (timezone.now() + timedelta(minutes=1)).isoformat().replace("+", "%2B")

    assert actions(alice, f"?actor={bob.user.pk}") == ["workflow.changed", "workflow.created"]
    assert actions(alice, "?action=secret") == actions(alice, "?action=secret.created") == ["secret.created"]
    assert actions(alice, "?action=sec") == [] and actions(alice, "?kind=secret") == ["secret.created"]
    assert actions(alice, f"?target={created['id']}&action=workflow.changed") == ["workflow.changed"]
    assert actions(alice, f"?token={token}") == ["workflow.changed", "workflow.created"]
    assert len(actions(alice, f"?to={soon}")) == 3 and actions(alice, f"?from={soon}") == []
    assert actions(alice, "?q=quarterly") == ["workflow.changed"]
    assert actions(alice, "?q=für März") == ["workflow.changed", "workflow.created"]
    assert actions(alice, "?q=ADAM@") == ["secret.created"]
    assert alice.api.get("/api/audit?from=yesterday").status == 400
    assert entries(alice, "?q=quarterly")[0]["changes"] == {"description": ["", "quarterly"]}


def test_pages(alice: Person) -> None:
    for number in range(7):
        audit(alice.actor, "run.started", "run", f"run_{number}")
    seen: list[str] = []
    query = "?limit=3"
    while True:
        answer = alice.api.get(f"/api/audit{query}").data
        seen += [result["target"] for result in answer["results"]]
        if answer["next"] is None:
            break
        query = f"?limit=3&cursor={answer['next']}"
    assert seen == [f"run_{number}" for number in reversed(range(7))]


@pytest.mark.django_db(transaction=True)
def test_exports_hold_everything_and_are_noted_themselves(
    alice: Person, vera: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.accounts.audit.reading.CHUNK", 2)
    for number in range(5):
        audit(alice.actor, "run.started", "run", f"run_{number}", changes={"a": [1, 2]}, name='=HYPERLINK("x")')
    rows = list(csv.DictReader(io.StringIO(exported(alice, "?format=csv&action=run"))))
    assert [row["target"] for row in rows] == [f"run_{number}" for number in reversed(range(5))]
    assert rows[0]["actor"] == "alice@example.org" and json.loads(rows[0]["content"]) == {"changes": {"a": [1, 2]}}
    lines = [json.loads(line) for line in exported(alice, "?format=jsonl").splitlines()]
    assert [line["action"] for line in lines] == ["audit.exported"] * 2 + ["run.started"] * 5
    assert lines[1]["data"] == {"format": "csv", "filters": {"action": "run"}}
    assert alice.api.get("/api/audit/export?format=xml").status == 400
    assert vera.api.get("/api/audit/export").status == 403


def test_a_cell_is_no_formula(alice: Person) -> None:
    from backend.accounts.audit.reading import _cell

    assert [_cell(text) for text in ("=1+1", "@x", "plain", None, 7)] == ["'=1+1", "'@x", "plain", "", "7"]


def test_nothing_changes_a_row(alice: Person) -> None:
    audit(alice.actor, "run.started", "run", "run_1")
    with pytest.raises(TypeError):
        AuditEntry.objects.update(action="nothing")
    with pytest.raises(TypeError):
        AuditEntry.objects.filter(action="run.started").delete()
    for method in ("post", "put", "patch", "delete"):
        assert getattr(alice.api, method)("/api/audit").status == 405


def test_what_was_written_goes_with_the_thing_and_the_deed_stays(alice: Person) -> None:
    audit(
        alice.actor, "interaction.answered", "interaction", "int_1", content={"arguments": {"to": "x"}}, answer="accept"
    )
    audit(alice.actor, "interaction.answered", "interaction", "int_2", content={"arguments": {"to": "y"}})
    erase("interaction", ["int_1"])
    other, gone = entries(alice)
    assert (gone["erased"], gone["content"], gone["data"]) == (True, {}, {"answer": "accept"})
    assert (other["erased"], other["content"]) == (False, {"arguments": {"to": "y"}})


def test_a_person_who_goes_leaves_an_id(alice: Person, bob: Person) -> None:
    audit(alice.actor, "member.changed", "member", "mem_1", email="bob@example.org", note="from Bob@example.org")
    audit(alice.actor, "user.renamed", "user", bob.user.pk, changes={"name": ["Bob", "Bob 陈"]})
    audit(alice.actor, "server.created", "server", "srv_1", name="Bob")
    erase_person(bob.user.pk, "bob@example.org", "Bob")
    server, user, member = entries(alice)
    assert member["data"] == {"email": bob.user.pk, "note": f"from {bob.user.pk}"}
    assert user["changes"] == {"name": [bob.user.pk, "Bob 陈"]}
    assert server["data"] == {"name": "Bob"}  # a server's name is the server's


def test_rows_end_by_age_alone(alice: Person) -> None:
    from django.db.models import QuerySet

    for number in range(3):
        audit(alice.actor, "run.started", "run", f"run_{number}")
    QuerySet(AuditEntry).filter(target_id="run_0").update(at=timezone.now() - timedelta(days=400))
    assert delete_old(0) == 0 and delete_old(365) == 1 and delete_old(365) == 0
    assert len(entries(alice)) == 2
