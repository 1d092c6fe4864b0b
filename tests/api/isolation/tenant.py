"""Two teams with an object of every kind each: what rows of the table name by their fields.

Every text that a team wrote holds the team's mark, so that an answer which tells one team of another is seen at once.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import connection
from django.test import Client
from django.test.client import ClientHandler
from django.utils import timezone

from backend.accounts.auth.tokens import hashed, issue_token
from backend.accounts.models import Allowance, Invitation, Membership, Role, Team, User
from backend.accounts.teams.services import BOUND_SCOPES
from backend.database.ids import new_id
from backend.engine.execution.ports import Entry
from backend.files.models import Blob, File
from backend.files.services import blob_store
from backend.providers.models import Provider
from backend.registry.models import ContentList, Declaration, Grant, ProgramApproval, Server, Tool
from backend.runs.log.batch import INSERT_LINE
from backend.runs.log.rows import line_of
from backend.runs.models import Conversation, Interaction, Run, RunState, Turn, WorkflowTest
from backend.runs.starting import restored
from backend.secrets.models import Credential, Secret
from backend.server_signin.models import SignIn
from backend.tool_collections.documents import document_of, reading_document
from backend.tool_collections.models import Collection, Content
from backend.tool_collections.models import Entry as InCollection
from backend.triggers.models import Delivery, Trigger
from backend.workflows.hidden import hidden_workflow
from backend.workflows.models import DraftRevision, Version, Workflow
from tests.api.runs.conftest import edge, node
from tests.authenticator import Authenticator as Device
from tests.people import Api, Person, person

TEXT = {"type": "string"}
NOWHERE = "http://10.0.0.1"
"""Where nothing of ours may go: what would connect there is refused at once."""
HANDLER = ClientHandler(enforce_csrf_checks=False)
"""All requests go through one: each would look through all static files when it begins."""
ROLES = ("viewer", "editor", "admin", "owner")
SCOPES = ("read", "run", "edit", "admin")


@dataclass
class Tenant:
    """A team, its people and the id of one object of every kind; `mark` stands in all its texts."""

    mark: str
    team: str
    people: dict[str, Person] = field(default_factory=dict)
    scoped: dict[str, Api] = field(default_factory=dict)
    scoped_tokens: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, Client] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> str:
        try:
            return str(self.__dict__["ids"][name])
        except KeyError:
            raise AttributeError(f"no object {name!r}: add it in tests/api/isolation/tenant.py") from None

    def graph(self, **more: Any) -> dict[str, Any]:
        """A small document that can run: a start node, one tool of the team's server, an end."""
        nodes = [
            node("start", "start", {"inputs": {"type": "object", "properties": {"q": TEXT, "text": TEXT}}}),
            node("say", "template", {"template": f"{self.mark} {{{{ start.q }}}}"}),
            node("end", "end", {"outputs": {"text": "{{ say.text }}"}}),
        ]
        edges = [edge("start -> say"), edge("say -> end")]
        return {"schema": 1, "language": "en", "nodes": nodes, "edges": edges, "annotations": [], **more}

    def secrets_of_the_team(self) -> set[str]:
        """What must stand in no answer to anybody else."""
        return {self.mark, *(item for item in self.ids.values() if len(item) > 20)}


def tenant(mark: str) -> Tenant:
    """A new team with everything."""
    row = Team.objects.create(name=f"Team {mark}", slug=mark)
    tenant = Tenant(mark=mark, team=row.pk)
    for role in ROLES:
        one = person(f"{role}.{mark}", row, Role(role))
        one.api.client.handler = HANDLER
        tenant.people[role] = one
        tenant.ids[f"{role}_id"] = one.user.pk
        tenant.sessions[role] = Client(headers={"accept-language": "en"})
        tenant.sessions[role].handler = HANDLER
        tenant.sessions[role].force_login(one.user)
    operator = User.objects.create_user(f"operator.{mark}@example.org", is_operator=True)
    tenant.sessions["operator"] = Client(headers={"accept-language": "en"})
    tenant.sessions["operator"].handler = HANDLER
    tenant.sessions["operator"].force_login(operator)
    owner = tenant.people["owner"]
    tenant.ids["member"] = Membership.objects.get(user=tenant.people["viewer"].user).pk
    for scope in SCOPES:
        token, text = issue_token(owner.user, row, f"only {scope} {mark}")
        token.scopes = [scope]
        token.save(update_fields=["scopes"])
        tenant.scoped[scope], tenant.scoped_tokens[scope] = Api(text), text
        tenant.scoped[scope].client.handler = HANDLER
    tenant.ids |= {"one": "1", "english": "en", "page": "start"}
    _accounts(tenant, row, owner)
    _registry(tenant, row, owner)
    _workflows(tenant, row, owner)
    _runs(tenant, row, owner)
    _triggers(tenant, row, owner)
    tenant.ids |= _collection(tenant, row, owner)
    return tenant


def _accounts(tenant_: Tenant, team: Team, owner: Person) -> None:
    token, _ = issue_token(owner.user, team, f"laptop {tenant_.mark}")
    invited = Invitation.objects.create(
        team=team,
        role="viewer",
        email=f"new.{tenant_.mark}@example.org",
        token_hash=hashed(f"invitation {tenant_.mark}"),
        created_by=owner.user,
        expires_at=timezone.now() + timedelta(days=1),
    )
    viewer = tenant_.people["viewer"].user
    key = tenant_.sessions["viewer"].session.session_key
    session = UserSession.objects.create(user=viewer, ip="127.0.0.1", session_key=key, user_agent=tenant_.mark)
    about = {"publicKey": {"user": {"id": "dQ"}, "rp": {"id": "localhost"}, "challenge": "AAAA"}}
    passkey = Authenticator.objects.create(
        user=viewer, type="webauthn", data={"name": tenant_.mark, "credential": Device().create(about)}
    )
    tenant_.ids["passkey"] = f"pk_{passkey.pk}"
    tenant_.ids |= {"team": team.pk, "token": token.pk, "invitation": invited.pk, "session": f"ses_{session.pk}"}


def _registry(tenant_: Tenant, team: Team, owner: Person) -> None:
    mark = tenant_.mark
    server = Server.objects.create(
        team=team,
        name=f"Server {mark}",
        slug=f"server-{mark}",
        transport="http",
        url=f"{NOWHERE}/{mark}",
        secrets={"api_key": f"key-of-{mark}"},
        created_by=owner.user,
    )
    definition = {"name": "look", "title": None, "description": mark, "input_schema": {"type": "object"}}
    definition |= {"output_schema": None, "annotations": {}}
    Tool.objects.create(
        server=server,
        name="look",
        definition=definition,
        definition_hash="b" * 64,
        pinned_definition={**definition, "description": f"before {mark}"},
        pinned_hash="a" * 64,
        listed_at=timezone.now(),
    )
    ContentList.objects.create(
        server=server,
        kind="prompts",
        accepted={},
        listed={"prompt:plan": {"name": "plan", "title": None, "description": mark, "arguments": []}},
        accepted_at=timezone.now(),
    )
    provider = Provider.objects.create(
        team=team,
        name=f"Provider {mark}",
        slug=f"provider-{mark}",
        base_url=f"{NOWHERE}/{mark}",
        secrets={"api_key": f"model-key-of-{mark}"},
        created_by=owner.user,
    )
    own_server = Server.objects.create(
        team=team,
        name=f"Own keys {mark}",
        slug=f"own-{mark}",
        transport="http",
        url=f"{NOWHERE}/{mark}",
        auth_type="bearer",
        credentials="user",
        created_by=owner.user,
    )
    own_provider = Provider.objects.create(
        team=team,
        name=f"Own keys {mark}",
        slug=f"own-{mark}",
        base_url=f"{NOWHERE}/{mark}",
        credentials="user",
        created_by=owner.user,
    )
    oauth_server = Server.objects.create(
        team=team,
        name=f"Signs in {mark}",
        slug=f"signs-in-{mark}",
        transport="http",
        url=f"{NOWHERE}/{mark}/mcp",
        auth_type="oauth",
        credentials="user",
        created_by=owner.user,
    )
    for item in tenant_.people.values():
        held: Any = {
            "access": f"access-of-{mark}",
            "refresh": f"refresh-of-{mark}",
            "client": {"id": mark, "secret": ""},
        }
        held["resource"] = oauth_server.url
        SignIn.objects.create(
            team=team,
            user=item.user,
            target=oauth_server.pk,
            state="good",
            held=held,
            version=1,
            stamp=f"sgn_{mark}",
            signed_in_as=f"account {mark}",
        )
    tenant_.ids |= {"own_server": own_server.pk, "own_provider": own_provider.pk, "oauth_server": oauth_server.pk}
    for target in (own_server.pk, own_provider.pk):
        for item in tenant_.people.values():
            values = {"api_key": f"own-key-of-{mark}"}
            Credential.objects.create(team=team, user=item.user, target=target, values=values, stamp=f"crd_{mark}")
    secret = Secret.objects.create(
        team=team, name=f"secret-{mark}", value=f"value-of-{mark}", hint=mark, hosts=["example.org"]
    )
    digest = hashed(f"declared {mark}")
    config: dict[str, Any] = {"transport": "http", "url": f"{NOWHERE}/{mark}"}
    Declaration.objects.create(team=team, hash=digest, name=f"declared-{mark}", config=config)
    agent = hashed(f"declared agent {mark}")
    config = {"transport": "a2a", "url": f"{NOWHERE}/{mark}/agent", "trust_annotations": None}
    Declaration.objects.create(team=team, hash=agent, name=f"agent-{mark}", config=config)
    program = ProgramApproval.objects.create(
        team=team,
        hash=hashed(f"program {mark}"),
        name=f"Program {mark}",
        config={"command": f"start-{mark}", "args": [], "env": [], "cwd": ""},
        asked_for="test",
        requested_by=owner.user,
    )
    tenant_.ids["program"] = program.pk
    tenant_.ids["allowance"] = Allowance.objects.create(kind="host", value=f"{mark}.internal.example.org").pk
    file = File.objects.create(
        team=team,
        blob=blob_store(team.pk, f"bytes of {mark}".encode()),
        name=f"{mark}.txt",
        mime="text/plain",
        created_by=owner.user,
    )
    grant = Grant.objects.create(
        team=team,
        server=server,
        tool="look",
        workflow=f"wf_{mark}",
        definition_hash="",
        server_revision=1,
        created_by=owner.user,
    )
    tenant_.ids |= {
        "grant": str(grant.pk),
        "server": server.pk,
        "server_slug": server.slug,
        "tool": "look",
        "provider": provider.pk,
        "provider_slug": provider.slug,
        "secret": secret.name,
        "declaration": digest,
        "declared_agent": agent,
        "file": file.pk,
        "blob": file.blob_id,
    }


def _workflows(tenant_: Tenant, team: Team, owner: Person) -> None:
    text = json.dumps(tenant_.graph())
    row = Workflow.objects.create(
        team=team,
        name=f"Workflow {tenant_.mark}",
        slug=f"workflow-{tenant_.mark}",
        draft=text,
        draft_by=owner.user,
        draft_at=timezone.now(),
        revision=2,
        published_version=1,
        servers=[tenant_.server_slug],
    )
    unused = Workflow.objects.create(
        team=team, name=f"Unused {tenant_.mark}", slug=f"unused-{tenant_.mark}", draft=text, draft_at=timezone.now()
    )
    rested = Workflow.objects.create(
        team=team,
        name=f"Rested {tenant_.mark}",
        slug=f"rested-{tenant_.mark}",
        draft=text,
        draft_by=owner.user,
        draft_at=timezone.now() - timedelta(hours=1),
        revision=2,
    )
    DraftRevision.objects.create(
        workflow=row, revision=1, graph=json.dumps(tenant_.graph(env={"OLD": "1"})), at=timezone.now(), by=owner.user
    )
    Version.objects.create(workflow=row, number=1, graph=text, published_by=owner.user, note=tenant_.mark)
    tenant_.ids |= {"workflow": row.pk, "workflow_slug": row.slug, "unused_workflow": unused.pk}
    fenced = Workflow.objects.create(
        team=team, name=f"Fenced {tenant_.mark}", slug=f"fenced-{tenant_.mark}", draft=text, draft_at=timezone.now()
    )
    tenant_.ids |= {"rested_workflow": rested.pk, "fenced_workflow": fenced.pk}


def _runs(tenant_: Tenant, team: Team, owner: Person) -> None:
    workflow = Workflow.objects.get(pk=tenant_.workflow)
    snapshot = blob_store(team.pk, workflow.draft.encode())

    def run(state: RunState, graph: Blob = snapshot, **columns: Any) -> Run:
        ended = {"finished_at": timezone.now()} if state in {"SUCCESS", "ERROR"} else {}
        row = Run.objects.create(
            team=team,
            workflow=workflow,
            version=1,
            started_by=owner.user,
            graph=graph,
            state=state,
            queued_at=timezone.now(),
            inputs=json.dumps({"q": tenant_.mark}),
            **ended,
            **columns,
        )
        entry = Entry(type="FLOW_QUEUED", data={"note": tenant_.mark})
        with connection.cursor() as cursor:
            cursor.execute(INSERT_LINE, line_of(row.pk, team.pk, 0, 1, entry, row.queued_at.timestamp(), 1).row)
        return row

    def agents_run() -> Run:
        agent = node("ask", "agent", {"provider": tenant_.provider, "model": "m", "query": tenant_.mark})
        text = json.dumps(tenant_.graph(nodes=[agent], edges=[]))
        return run(RunState.ERROR, graph=blob_store(team.pk, text.encode()))

    program: dict[str, Any] = {
        "caller": json.dumps({"kind": "token", "name": tenant_.mark, "program": None}),
        "caller_name": tenant_.mark,
    }
    ended = run(RunState.SUCCESS, last_seq=1, idempotency_key=f"key-{tenant_.mark}", **program)
    failed = run(RunState.ERROR, last_seq=1, error=json.dumps({"code": "CODE_ERROR", "params": {}, "node": "say"}))
    going, paused, waiting = run(RunState.RUNNING), run(RunState.PAUSED), run(RunState.WAITING)
    held = [{"kind": "pause", restored.FROM: "2026-11-22T05:00:00.000Z"}]
    restored_run = run(RunState.PAUSED, waiting=json.dumps(held))
    question = Interaction.objects.create(
        id=f"int_{tenant_.mark}".ljust(30, "0"),
        team=team,
        run=waiting,
        root_run=waiting,
        node="say",
        kind="form",
        title=f"Which? {tenant_.mark}",
        schema=json.dumps({"type": "object", "properties": {"paper": {"type": "object", "format": "file"}}}),
        created_at=timezone.now(),
    )
    about = {"run_id": ended.pk, "workflow": workflow.slug, "user": owner.user.email, "time": "2026-11-22T05:00:00Z"}
    saved = WorkflowTest.objects.create(
        team=team,
        workflow=workflow,
        run=ended,
        name=f"Test {tenant_.mark}",
        recorded=json.dumps({"format": 1, "about": {**about, "language": "en"}, "records": []}),
    )
    tenant_.ids |= {
        "run": ended.pk,
        "failed_run": failed.pk,
        "running_run": going.pk,
        "paused_run": paused.pk,
        "restored_run": restored_run.pk,
        "waiting_run": waiting.pk,
        "agent_run": agents_run().pk,
        "test": saved.pk,
        "interaction": question.pk,
    }


def _triggers(tenant_: Tenant, team: Team, owner: Person) -> None:
    workflow = Workflow.objects.get(pk=tenant_.workflow)
    on = {"team": team, "workflow": workflow, "enabled": True, "acts_as": owner.user, "created_by": owner.user}
    when = {"cron": None, "every_s": 3600, "at": None, "timezone": "UTC", "overlap": "allow", "missed": "last"}
    now = timezone.now()
    schedule = Trigger.objects.create(
        **on,
        kind="schedule",
        name=f"Every hour {tenant_.mark}",
        config=json.dumps({**when, "inputs": {"q": tenant_.mark}}),
        since=now.timestamp(),
        next_at=now.timestamp() + 3600,
    )
    call = {"methods": ["POST"], "verify": {"kind": "none"}, "inputs": None, "key": None}
    token = f"token-of-{tenant_.mark}".ljust(43, "0")
    hook = Trigger.objects.create(
        **on,
        kind="webhook",
        name=f"Called {tenant_.mark}",
        config=json.dumps({**call, "answer": {"mode": "accepted"}}),
        token_hash=hashed(token),
        token_end=token[-4:],
    )
    delivery = Delivery.objects.create(
        team=team,
        trigger=schedule,
        slot="2026-11-22T05:00:00.000Z",
        outcome="started",
        run=tenant_.run,
        request=json.dumps({"at": "2026-11-22T05:00:00.000Z", "note": tenant_.mark}),
        created_at=now,
    )
    chat = Trigger.objects.create(**{**on, "acts_as": None}, kind="chat", name=f"Ask {tenant_.mark}")
    tenant_.ids |= _conversation(tenant_, chat, owner)
    tenant_.ids |= _pages(tenant_, {**on, "kind": "page"}, owner)
    tenant_.ids |= {"trigger": schedule.pk, "webhook": hook.pk, "hook_token": token, "delivery": delivery.pk}


def _pages(tenant_: Tenant, on: dict[str, Any], owner: Person) -> dict[str, str]:
    """A page by a secret link with a run that was started through it, and one for members with a run of the owner's."""
    config: dict[str, Any] = {
        "show": "form",
        "title": f"Ask {tenant_.mark}",
        "text": "",
        "origins": [],
        "cost_per_day": None,
        "per_min": None,
    }
    link, visit = f"link-of-{tenant_.mark}".ljust(43, "0"), f"visit-of-{tenant_.mark}".ljust(43, "0")
    linked = Trigger.objects.create(
        **on,
        name=f"Form {tenant_.mark}",
        config=json.dumps({**config, "access": "link", "title": "Ask us"}),
        token_hash=hashed(link),
        token_end=link[-4:],
    )
    members = Trigger.objects.create(
        **{**on, "acts_as": None}, name=f"Inside {tenant_.mark}", config=json.dumps({**config, "access": "members"})
    )
    _talk(linked, visit, None)
    _talk(members, f"{owner.user.pk}:{visit}", owner)
    return {"link": link, "visit": visit, "talk": visit, "members_page": members.pk}


def _talk(page: Trigger, key: str, person: Person | None) -> None:
    now, digest = timezone.now(), hashlib.sha256(key.encode()).hexdigest()[:48]
    run = Run.objects.filter(workflow=page.workflow).exclude(conversation__gt="").order_by("pk").last()
    assert run is not None
    copy = Run.objects.get(pk=run.pk)
    copy.pk, copy.trigger, copy.trigger_id = new_id("run"), "page", page.pk
    copy.idempotency_key, copy.state, copy.outputs = f"{page.pk}:{digest}", RunState.SUCCESS, "{}"
    copy.save(force_insert=True)
    Conversation.objects.create(
        team=page.team,
        workflow=page.workflow,
        trigger_id=page.pk,
        person=person.user if person is not None else None,
        visitor=digest,
        title="On a page",
        created_at=now,
        updated_at=now,
    )


def _conversation(tenant_: Tenant, chat: Trigger, owner: Person) -> dict[str, str]:
    now = timezone.now()
    conversation = Conversation.objects.create(
        team=chat.team,
        workflow=chat.workflow,
        trigger_id=chat.pk,
        person=owner.user,
        title=f"About {tenant_.mark}",
        created_at=now,
        updated_at=now,
    )
    turn = Turn.objects.create(
        conversation=conversation,
        run=tenant_.run,
        text=f"Tell me of {tenant_.mark}",
        answer=json.dumps(f"It is {tenant_.mark}"),
        created_at=now,
    )
    Conversation.objects.filter(pk=conversation.pk).update(head=turn.pk)
    Run.objects.filter(pk=tenant_.run).update(conversation=conversation.pk)
    return {"chat": chat.pk, "conversation": conversation.pk, "turn": turn.pk}


def _collection(tenant_: Tenant, team: Team, owner: Person) -> dict[str, str]:
    row = Collection.objects.create(team=team, name=f"Desk {tenant_.mark}", slug=f"desk-{tenant_.mark}")
    hidden = hidden_workflow(
        owner.actor, f"ent_{tenant_.mark}", f"Look {tenant_.mark}", document_of(tenant_.server, "look")
    )
    about = {"name": "look", "description": f"Looks at {tenant_.mark}"}
    entry = InCollection.objects.create(collection=row, workflow=hidden, server_id=tenant_.server, tool="look", **about)
    reading = hidden_workflow(
        owner.actor, f"cnt_{tenant_.mark}", f"A {tenant_.mark}", reading_document(tenant_.server, "n://a")
    )
    original = json.dumps({"uri": "n://a", "name": f"a of {tenant_.mark}", "description": None})
    named = {"kind": "resource", "reference": "n://a", "name": f"a of {tenant_.mark}", "original": original}
    content = Content.objects.create(collection=row, workflow=reading, server_id=tenant_.server, **named)
    issue_token(owner.user, team, f"bot of {tenant_.mark}", scopes=["read"], collection=row.pk)
    return {"collection": row.pk, "entry": entry.pk, "content": content.pk}


def bound_to(tenant: Tenant, *workflows: str, role: str = "editor") -> str:
    """The text of a member's token that reaches these workflows of the tenant, with all scopes that it may have."""
    who = tenant.people[role]
    keys = [str(getattr(tenant, name)) for name in workflows]
    return issue_token(who.user, who.team, "bound", None, sorted(BOUND_SCOPES), keys)[1]
