"""What is deleted is gone everywhere: a mark is written into every place, then looked for in every row and file.

Runs on either database: rows are read table by table. SQLite's own file is searched too, byte by byte; on Postgres
what is dead waits for its vacuum.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from backend.a2a.models import Message, Task
from backend.accounts.audit.trail import audit
from backend.accounts.auth.tokens import hashed
from backend.accounts.models import AuditEntry, Invitation, Membership, Team
from backend.engine.execution.ports import Entry
from backend.files.models import Blob, File
from backend.files.services import blob_store
from backend.registry.models import Declaration, Grant, RunGrant, Server
from backend.runs.log.batch import INSERT_LINE
from backend.runs.log.rows import line_of
from backend.runs.models import (
    Conversation,
    InboxMessage,
    Interaction,
    Run,
    RunBlob,
    RunFile,
    RunState,
    Turn,
    WorkflowTest,
)
from backend.secrets.models import Credential
from backend.triggers.models import Delivery, Trigger
from backend.workflows.models import DraftRevision, Version, Workflow
from tests.api.isolation.tenant import tenant
from tests.api.runs.conftest import graph, make_workflow, node
from tests.people import Person, person

pytestmark = pytest.mark.django_db(transaction=True)

MARK = "zinnober"
"""A word that nothing else says."""


def rows_that_say(mark: str) -> list[str]:
    """Every row of every table in which a text or bytes hold the mark."""
    matches = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            columns = [item[0] for item in cursor.description]
            for row in cursor.fetchall():
                values = zip(columns, row, strict=True)
                matches += [f"{table}.{name}: {_text(value)[:200]}" for name, value in values if mark in _text(value)]
    return matches


def _text(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("utf-8", "replace")
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def files_that_say(mark: str) -> list[str]:
    """Files of the data directory with the mark in their names or bytes; the database's among them."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    matches = []
    for path in settings.PATCHBAY.data.rglob("*"):
        if path.is_file() and (mark in str(path) or mark.encode() in path.read_bytes()):
            matches.append(str(path))
    return matches


def nowhere(mark: str = MARK) -> None:
    assert rows_that_say(mark) == []
    assert files_that_say(mark) == []


def everywhere(*tables: str, mark: str = MARK) -> None:
    """The mark is where a test says that it wrote it; else finding nothing would mean nothing."""
    texts = {item.partition(".")[0] for item in rows_that_say(mark)}
    assert set(tables) <= texts, f"not written: {set(tables) - texts}"
    assert files_that_say(mark) or connection.vendor != "sqlite"


def make_file(owner: Person, name: str) -> File:
    blob = blob_store(owner.team.pk, f"bytes of {name}".encode())
    return File.objects.create(team=owner.team, blob=blob, name=name, mime="text/plain", created_by=owner.user)


def make_run(owner: Person, workflow: Workflow, **columns: Any) -> Run:
    """An ended run with the mark in everything that it keeps."""
    mark = f"{MARK} of a run"
    kept = {
        "state": RunState.SUCCESS,
        "inputs": json.dumps({"q": mark}),
        "outputs": json.dumps({"text": mark}),
        "error": json.dumps({"code": "CODE_ERROR", "params": {"text": mark}, "node": "say"}),
        "finished_at": timezone.now(),
        **columns,
    }
    run = Run.objects.create(
        team=owner.team,
        workflow=workflow,
        started_by=owner.user,
        queued_at=timezone.now(),
        graph=blob_store(owner.team.pk, workflow.draft.encode()),
        **kept,
    )
    lines = [
        Entry(type="FLOW_START", data={"inputs": {"q": mark}}),
        Entry(type="TOOL_RESPONSE", data={"content": mark}, value={"text": mark}, record="end", key="call", node="say"),
    ]
    with connection.cursor() as cursor:
        for at, entry in enumerate(lines):
            cursor.execute(INSERT_LINE, line_of(run.pk, run.team_id, 0, at, entry, 1.0, at + 1).row)
    RunBlob.objects.create(run=run, blob=blob_store(owner.team.pk, f"large {mark}".encode()))
    RunFile.objects.create(run=run, file=make_file(owner, f"{MARK}-{run.pk}.txt"))
    InboxMessage.objects.create(run=run, kind="answer", value=json.dumps({"values": mark}))
    question = Interaction.objects.create(
        id=f"int_{run.pk}"[:40],
        team=owner.team,
        run=run,
        root_run=run.root_run or run,
        kind="approval",
        title=mark,
        message=mark,
        proposal=json.dumps({"to": mark}),
        answer=json.dumps({"reason": mark}),
        state="answered",
        created_at=timezone.now(),
    )
    audit(owner.actor, "interaction.answered", "interaction", question.pk, content={"arguments": mark}, run=run.pk)
    WorkflowTest.objects.create(
        team=owner.team, workflow=workflow, run=run, name=f"{MARK} {run.pk}", recorded=json.dumps({"text": mark})
    )
    return run


def deliver(trigger: Trigger, text: str) -> None:
    """Something came for a trigger."""
    message = json.dumps({"q": text})
    Delivery.objects.create(
        team=trigger.team, trigger=trigger, outcome="skipped", request=message, created_at=timezone.now()
    )


def talked(one: Person, workflow: Workflow, run: str, text: str) -> None:
    """Somebody wrote in a chat, and the run answered."""
    now = timezone.now()
    about = Conversation.objects.create(
        team=one.team, workflow=workflow, trigger_id="trg", person=one.user, title=text, created_at=now, updated_at=now
    )
    message = json.dumps(text)
    Turn.objects.create(
        conversation=about, run=run, text=text, answer=message, calls=message, variables=message, created_at=now
    )


def sent(one: Person, workflow: Workflow, run: str, text: str) -> None:
    """A client sent a message to the workflow as an agent."""
    about = {"workflow": workflow, "person": one.user, "created_at": timezone.now()}
    task = Task.objects.create(run=run, team=one.team, context=text, **about)
    Message.objects.create(task=task, message_id=text, body=json.dumps(text), **about)


def granted(owner: Person, workflow: str) -> None:
    server = Server.objects.create(team=owner.team, name="kb", slug=f"kb-{workflow}", transport="http", url="http://x")
    Grant.objects.create(
        team=owner.team, server=server, tool=MARK, workflow=workflow, definition_hash="", server_revision=1
    )


def test_a_run_goes_with_what_is_below_it_and_what_took_over_from_it(bob: Person) -> None:
    workflow = make_workflow(bob)
    run = make_run(bob, workflow)
    child = make_run(bob, workflow, parent_run=run, root_run=run, depth=1)
    fork = make_run(bob, workflow, origin_run=child)
    again = make_run(bob, workflow, origin_run=fork)
    other = Run.objects.create(
        team=bob.team, workflow=workflow, queued_at=timezone.now(), graph=run.graph, state=RunState.RUNNING
    )
    shared = blob_store(bob.team.pk, b"said by two")
    for value in (run, other):
        RunBlob.objects.create(run=value, blob=shared)
    granted(bob, run.pk)
    RunGrant.objects.create(run=run.pk, source="kb", tool=MARK)
    talked(bob, workflow, run.pk, MARK)
    sent(bob, workflow, run.pk, MARK)
    everywhere(
        "a2a_task",
        "a2a_message",
        "runs_conversation",
        "runs_turn",
        "runs_run",
        "runs_logline",
        "runs_interaction",
        "runs_inboxmessage",
        "runs_workflowtest",
        "files_blob",
        "files_file",
        "accounts_auditentry",
        "registry_grant",
    )
    part = bob.api.delete(f"/api/runs/{child.pk}")
    assert (part.status, part.data["detail"]) == (409, {"run": run.pk})

    Run.objects.filter(pk=again.pk).update(state=RunState.WAITING)
    kept = bob.api.delete(f"/api/runs/{run.pk}")
    assert (kept.status, kept.data["detail"]) == (409, {"run": again.pk})
    Run.objects.filter(pk=again.pk).update(state=RunState.CANCELLED)
    assert bob.api.delete(f"/api/runs/{run.pk}").status == 204

    nowhere()
    assert list(Run.objects.all()) == [other]
    assert set(Blob.objects.values_list("pk", flat=True)) == {shared.pk, run.graph_id}
    deed = AuditEntry.objects.get(action="run.deleted")
    assert (deed.target_id, deed.data["runs"], deed.data["forks"]) == (run.pk, 4, 2)
    answered = AuditEntry.objects.filter(action="interaction.answered")
    assert [(row.content, row.actor_id) for row in answered] == [(None, bob.user.pk)] * 4
    assert bob.api.delete(f"/api/runs/{run.pk}").status == 404
    assert bob.api.delete(f"/api/runs/{other.pk}").status == 409


def test_a_workflow_goes_with_its_documents_and_runs(bob: Person) -> None:
    declared = {"transport": "http", "url": f"https://{MARK}.example.org/mcp"}
    document = graph([node("start", "start", {"inputs": {"title": MARK}})], mcp_servers={"kb": declared})
    workflow = Workflow.objects.get(pk=bob.api.post("/api/workflows", {"name": "flow", "graph": document}).data["id"])
    bob.api.patch(f"/api/workflows/{workflow.pk}", {"description": f"for {MARK}"})
    named = make_file(bob, f"{MARK}.txt")
    text = json.dumps(graph([node("start", "start", {"file": {"$file": named.pk}, "note": MARK})]))
    DraftRevision.objects.create(workflow=workflow, revision=7, graph=text, at=timezone.now())
    Version.objects.create(workflow=workflow, number=1, graph=text, note=MARK)
    other = make_workflow(bob, name="other")
    make_run(bob, workflow)
    make_run(bob, other, origin_run=make_run(bob, workflow))
    granted(bob, workflow.pk)
    when = {"every_s": 3600, "inputs": {"q": MARK}}
    body = {"kind": "schedule", "name": "hourly", "config": when}
    trigger = Trigger.objects.get(pk=bob.api.post(f"/api/workflows/{workflow.pk}/triggers", body).data["id"])
    deliver(trigger, MARK)
    talked(bob, workflow, "", MARK)
    sent(bob, workflow, "run_gone", MARK)
    everywhere(
        "a2a_task",
        "a2a_message",
        "runs_conversation",
        "runs_turn",
        "triggers_trigger",
        "triggers_delivery",
        "workflows_workflow",
        "workflows_draftrevision",
        "workflows_version",
        "registry_declaration",
        "registry_grant",
        "accounts_auditentry",
    )
    assert bob.api.delete(f"/api/workflows/{workflow.pk}").status == 204
    nowhere()
    assert Workflow.objects.get() == other and not Run.objects.exists()
    assert AuditEntry.objects.get(action="workflow.deleted").data == {"name": "flow", "slug": "flow"}


def test_a_declaration_that_another_document_has_stays(bob: Person) -> None:
    document = graph([], mcp_servers={"kb": {"transport": "http", "url": "https://kb.example.org/mcp"}})
    first, second = (bob.api.post("/api/workflows", {"name": name, "graph": document}).data for name in ("a", "b"))
    assert bob.api.delete(f"/api/workflows/{first['id']}").status == 204
    assert Declaration.objects.get().workflow == ""
    assert bob.api.delete(f"/api/workflows/{second['id']}").status == 204


def test_a_server_goes_with_its_tools_credentials_and_home(adam: Person, bob: Person) -> None:
    body = {"name": "kb", "transport": "http", "url": f"https://{MARK}.example.org", "headers": {"X-Note": MARK}}
    created = adam.api.post("/api/mcp/servers", body).data
    adam.api.patch(f"/api/mcp/servers/{created['id']}", {"description": f"about {MARK}"})
    server = Server.objects.get(pk=created["id"])
    server.status = {"state": "error", "params": {"text": MARK}}
    server.save()
    definition = {"name": MARK, "description": MARK, "input_schema": {}}
    server.tools.create(
        name=MARK, definition=definition, pinned_definition=definition, listed_at=timezone.now(), policy="ask"
    )
    Credential.objects.create(team=adam.team, user=bob.user, target=server.pk, stamp=MARK, status={"text": MARK})
    audit(bob.actor, "tool.called", "server", server.pk, content={"arguments": MARK})
    homes = [home(adam.team, server.pk), home(adam.team, server.pk, bob.user.pk)]
    everywhere("registry_server", "registry_tool", "secrets_credential", "accounts_auditentry")
    assert adam.api.delete(f"/api/mcp/servers/{server.pk}").status == 204
    nowhere()
    assert not any(path.exists() for path in homes)


def home(*ids: Any) -> Path:
    """A program's private directory with the mark in a file."""
    name = "-".join(item.pk if isinstance(item, Team) else item for item in ids)
    path = settings.PATCHBAY.data / "homes" / name
    path.mkdir(parents=True)
    (path / "notes.txt").write_text(MARK)
    return path


def test_providers_and_secrets(adam: Person) -> None:
    body = {"name": "ours", "base_url": f"https://{MARK}.example.org/v1", "headers": {"X-Note": MARK}}
    provider = adam.api.post("/api/providers", body).data["id"]
    adam.api.patch(f"/api/providers/{provider}", {"models": [{"id": MARK}]})
    adam.api.post("/api/secrets", {"name": "key", "value": f"{MARK}-1", "hosts": [f"{MARK}.example.org"]})
    everywhere("providers_provider", "secrets_secret", "accounts_auditentry")
    assert adam.api.delete(f"/api/providers/{provider}").status == 204
    assert adam.api.delete("/api/secrets/key").status == 204
    nowhere()


@pytest.fixture
def leaver(alice: Person) -> Iterator[Person]:
    """An admin whose name and e-mail are the mark, with everything that a person has."""
    one = person(MARK, alice.team, "admin")  # type: ignore[arg-type]
    user = one.user
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    Authenticator.objects.create(user=user, type="totp", data={"secret": MARK})
    UserSession.objects.create(user=user, ip="127.0.0.1", session_key="k" * 32, user_agent=MARK)
    Invitation.objects.create(
        team=alice.team, role="admin", email=user.email, token_hash=hashed("x"), expires_at=timezone.now()
    )
    server = Server.objects.create(
        team=alice.team, name=MARK, slug=MARK, transport="http", visibility="private", created_by=user
    )
    home(alice.team, server.pk, user.pk)
    shared = Server.objects.create(team=alice.team, name="kb", slug="kb", transport="http", credentials="user")
    home(alice.team, shared.pk, user.pk)
    Credential.objects.create(team=alice.team, user=user, target=shared.pk, stamp=MARK, status={"text": MARK})
    audit(alice.actor, "member.changed", "member", "mem_1", email=user.email, changes={"name": [user.name, "x"]})
    workflow = make_workflow(one)
    run = Run.objects.create(
        team=alice.team,
        workflow=workflow,
        started_by=user,
        queued_at=timezone.now(),
        state=RunState.SUCCESS,
        inputs=json.dumps({"from": user.email}),
        graph=blob_store(alice.team.pk, workflow.draft.encode()),
    )
    entry = Entry(type="STEP_INPUT", data={"input": {"by": user.email}}, value={"user": user.email}, record="end")
    with connection.cursor() as cursor:
        cursor.execute(INSERT_LINE, line_of(run.pk, run.team_id, 0, 0, entry, 1.0, 1).row)
    about = json.dumps({"about": {"user": user.email}})
    WorkflowTest.objects.create(team=alice.team, workflow=workflow, run=run, name="t", recorded=about)
    Interaction.objects.create(
        id="int_1",
        team=alice.team,
        run=run,
        root_run=run,
        kind="approval",
        title="?",
        assignees=json.dumps([user.email, "bob@example.org"]),
        created_at=timezone.now(),
    )
    trigger = Trigger.objects.create(
        team=alice.team, workflow=workflow, kind="schedule", name="hourly", acts_as=user, created_by=user, enabled=True
    )
    deliver(trigger, user.email)
    talked(one, workflow, "", user.email)
    yield one


def test_a_person_leaves_an_id(leaver: Person, alice: Person) -> None:
    everywhere(
        *("accounts_user", "account_emailaddress", "mfa_authenticator", "usersessions_usersession"),
        *("accounts_invitation", "registry_server", "secrets_credential", "accounts_auditentry"),
        *("runs_run", "runs_logline", "runs_workflowtest", "runs_interaction", "triggers_delivery"),
        *("runs_conversation", "runs_turn"),
    )
    browser = Client()
    browser.force_login(leaver.user)
    body = {"email": leaver.user.email, "password": "correct horse battery"}
    key = leaver.user.pk
    assert browser.post("/api/me/end", body, content_type="application/json").status_code == 204
    nowhere()
    run = Run.objects.get()
    assert json.loads(run.inputs) == {"from": key}
    assert json.loads(Interaction.objects.get().assignees) == [key, "bob@example.org"]
    trigger = Trigger.objects.get()
    assert (trigger.enabled, trigger.off_reason, trigger.acts_as) == (False, "left", None)
    assert AuditEntry.objects.get(action="member.changed").data == {"email": key}
    assert AuditEntry.objects.get(action="member.left").actor_id == key
    assert [result["email"] for result in alice.api.get("/api/teams/members").data["results"]] == ["alice@example.org"]


def test_a_team_goes_with_everything(alice: Person) -> None:
    kept = tenant("amber")
    created = tenant(MARK)
    owner = created.people["owner"]
    Membership.objects.create(team=alice.team, user=owner.user, role="viewer")  # people stay
    make_run(owner, Workflow.objects.get(pk=created.workflow))
    audit(owner.actor, "workflow.created", "workflow", created.workflow, name=MARK)
    home(Team.objects.get(pk=created.team), created.server)
    everywhere("accounts_team", "workflows_workflow", "runs_run", "files_blob", "registry_server", "secrets_secret")
    answer = owner.api.delete(f"/api/teams/current?name=Team {MARK}")
    assert answer.status == 204, answer.text
    people = {"accounts_user", "account_emailaddress", "usersessions_usersession", "mfa_authenticator"}
    people |= {"accounts_allowance"}  # of the installation
    assert {item.partition(".")[0] for item in rows_that_say(MARK)} <= people
    assert Team.objects.filter(pk=kept.team).exists() and Run.objects.filter(pk=kept.run).exists()
    trail = AuditEntry.objects.filter(team_id=created.team).exclude(action="session.begun").order_by("-at", "-pk")
    assert [(row.action, row.actor_id, row.data) for row in trail] == [
        ("team.deleted", owner.user.pk, {}),
        ("workflow.created", owner.user.pk, {}),
        ("interaction.answered", owner.user.pk, {}),
    ]
