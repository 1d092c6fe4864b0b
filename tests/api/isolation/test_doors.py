"""Every address with every role, with a stranger, signed out, with each scope: made from the table and Django's own."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.client import ClientHandler

from backend.accounts.auth.tokens import issue_token
from backend.accounts.models import Team, User
from tests.api.isolation.matrix import ROWS
from tests.api.isolation.sending import Answer, every, exchange, leaks, send
from tests.api.isolation.table import ANYONE, MEMBERS, OPERATOR, PERSON, SAFE, Row, Smuggled, doors
from tests.api.isolation.tenant import HANDLER, SCOPES, Tenant
from tests.people import Api

pytestmark = pytest.mark.django_db

NOBODY, WRONG = Client(), Client(headers={"authorization": "Bearer pb_wrong"})
NOBODY.handler = WRONG.handler = HANDLER
FOREIGN = ClientHandler(enforce_csrf_checks=True)

FILE = "tests/api/isolation/matrix.py"
SENT = "this-document-was-sent"
TEAMS = [row for row in ROWS if row.who in MEMBERS]
SMUGGLED = [(row, item) for row in ROWS for item in row.smuggled]


def test_every_door_has_a_row() -> None:
    rows = {(row.method, row.path) for row in ROWS}
    matches = set(doors())
    new = [
        f'Row("{method}", "{path}", <least role>, …)' for method, path in sorted(matches - rows, key=lambda row: row[1])
    ]
    assert new == [], f"addresses without a row: write one for each in {FILE}"
    assert sorted(rows - matches) == [], f"rows for addresses that are gone: take them out of {FILE}"


def test_what_may_write_is_audited_or_says_why_not() -> None:
    open_ = [row.name for row in ROWS if row.method not in SAFE and not row.audit and not row.silent]
    assert open_ == [], f"name the audit action, or the reason in `silent`, in {FILE}"


def without_csrf(tenant: Tenant, who: str = "owner") -> Client:
    """The browser of the owner (or somebody else), sent by a page that is not ours."""
    client = Client()
    client.handler = FOREIGN
    client.cookies = tenant.sessions[who].cookies
    return client


@every(TEAMS)
def test_roles(row: Row, ours: Tenant) -> None:
    """Each role; and who may leaves in the audit trail what the row says."""
    for role in MEMBERS:
        answer = send(ours.people[role].api.client, row, ours)
        if MEMBERS.index(role) < MEMBERS.index(row.who):
            code = "FORBIDDEN" if row.lacking == 403 else "NOT_FOUND"
            assert (answer.status, answer.code) == (row.lacking, code), f"{role}: {answer.text[:500]}"
        else:
            assert answer.status in row.passes and answer.code != "FORBIDDEN", f"{role}: {answer.text[:500]}"
            if row.audit and role == row.by:
                assert row.audit in answer.audited, f"{answer.status}: {answer.audited}"


@every(TEAMS)
def test_tokens_with_one_scope(row: Row, ours: Tenant) -> None:
    """The owner's own tokens: each does what its one scope names and nothing else."""
    for scope in SCOPES:
        answer = send(ours.scoped[scope].client, row, ours)
        if scope == row.needs:
            assert answer.status in row.passes and answer.code != "FORBIDDEN", f"{scope}: {answer.text[:500]}"
        else:
            assert (answer.status, answer.code) == (403, "FORBIDDEN"), f"{scope}: {answer.text[:500]}"
            assert row.needs in answer.text, "the sentence names the scope"


def written(client: Client, row: Row, tenant: Tenant, body: dict[str, object]) -> tuple[Answer, list[str]]:
    """The answer to a row's request with more in its body, and the statements that wrote the sent document."""
    matches: list[str] = []

    def look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        values = [bytes(param) if isinstance(param, memoryview) else str(param).encode() for param in params or ()]
        if sql.startswith(("INSERT", "UPDATE")) and any(SENT.encode() in item for item in values):
            matches.append(sql[:200])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        payload = {**(row.body(tenant) if row.body else {}), **body}
        return exchange(client, row.method, row.address(tenant), payload), matches


@every([row for row in TEAMS if row.method not in SAFE and not row.upload])
def test_no_token_without_edit_sends_a_document_through_any_door(row: Row, ours: Tenant) -> None:
    """A token that may run, read or administer runs what is there, nothing that it brings."""
    graph = ours.graph(annotations=[{"id": "a", "text": SENT, "position": {"x": 0, "y": 0}}])
    for name in ("graph", "document", "definition", "draft"):
        for scope in SCOPES:
            if scope == "edit" or scope != row.needs:
                continue  # who lacks the door's own scope is refused there
            answer, texts = written(ours.scoped[scope].client, row, ours, {name: graph})
            assert not texts, f"{scope} wrote the document it sent as {name}: {answer.status}"


def test_a_fork_with_a_document_needs_run_and_edit(ours: Tenant) -> None:
    row = next(row for row in ROWS if row.path == "/api/runs/{key}/fork")
    graph = ours.graph(annotations=[{"id": "a", "text": SENT, "position": {"x": 0, "y": 0}}])
    for body in (graph, ours.graph()):
        refused, _ = written(ours.scoped["run"].client, row, ours, {"graph": body})
        assert (refused.status, refused.code) == (403, "FORBIDDEN") and "edit" in refused.text
    done, texts = written(ours.people["editor"].api.client, row, ours, {"graph": graph})
    assert done.status == 201 and texts, "who may edit forks with another document, and it is seen to be written"


@every(TEAMS)
def test_the_signed_out(row: Row, ours: Tenant) -> None:
    for client in (NOBODY, WRONG) if row.method in SAFE else (NOBODY,):
        answer = send(client, row, ours)
        assert (answer.status, answer.code) == (401, "UNAUTHENTICATED"), answer.text[:500]
        assert leaks(answer, ours, "") == []


@every(TEAMS)
def test_strangers(row: Row, ours: Tenant, theirs: Tenant) -> None:
    """Whoever owns another team: with our ids nothing exists; without ids nothing of ours is told."""
    stranger = theirs.people["owner"]
    if [name for name in row.parameters if len(str(getattr(ours, row.ids.get(name, name)))) > 4]:
        answer = send(stranger.api.client, row, ours)
        assert (answer.status, answer.code) == (404, "NOT_FOUND"), answer.text[:500]
    else:
        answer = send(stranger.api.client, row, theirs)
        assert answer.status in row.passes, answer.text[:500]
    assert leaks(answer, ours, row.address(ours)) == []


@every(TEAMS)
def test_sessions_stay_in_their_teams(row: Row, ours: Tenant, theirs: Tenant) -> None:
    """A browser that names a team whose member it is not, and one that another page sent."""
    session = theirs.sessions["owner"]
    answer = exchange(
        session, row.method, row.address(ours), row.body and row.body(ours), {"X-Patchbay-Team": ours.team}, row.upload
    )
    assert (answer.status, answer.code) == (404, "NOT_FOUND"), answer.text[:500]
    assert leaks(answer, ours, row.address(ours)) == []
    if row.method not in SAFE:
        answer = send(without_csrf(ours), row, ours)
        assert (answer.status, answer.code) == (403, "FORBIDDEN"), answer.text[:500]


@every(SMUGGLED, lambda case: f"{case[0].name}: {case[1].what}")
def test_ids_of_others_in_bodies(case: tuple[Row, Smuggled], ours: Tenant, theirs: Tenant) -> None:
    row, one = case
    answer = send(theirs.people["owner"].api.client, row, theirs, one, ours)
    assert answer.status == one.status, answer.text[:500]
    text = f"{one.body and one.body(theirs, ours)}{one.query and one.query(ours)}{one.headers and one.headers(ours)}"
    assert leaks(answer, ours, text) == []


@every([row for row in ROWS if row.who == PERSON])
def test_ones_own_account(row: Row, ours: Tenant, theirs: Tenant) -> None:
    """A session of anybody, nobody without one, and never a program."""
    answer = send(ours.sessions["viewer"], row, ours)
    assert answer.status == row.ok, answer.text[:500]
    assert not row.audit or row.audit in answer.audited, answer.audited
    assert send(NOBODY, row, ours).status == row.nobody
    for program in (ours.people["owner"].api.client, WRONG):
        assert send(program, row, ours).status in {401, 403}
    if row.method not in SAFE:
        assert send(without_csrf(ours), row, ours).status == 403
    stranger = theirs.sessions["owner"]
    if row.parameters:
        answer = send(stranger, row, ours)
        assert (answer.status, answer.code) == (404, "NOT_FOUND"), answer.text[:500]
    else:
        answer = send(stranger, row, theirs)
        assert answer.status in row.passes, answer.text[:500]
    assert leaks(answer, ours, "") == []


@every([row for row in ROWS if row.who == OPERATOR])
def test_the_operators_doors(row: Row, ours: Tenant, theirs: Tenant) -> None:
    """An operator's session and nothing else: no role in a team, no token whatever its scope, no page of others."""
    answer = send(ours.sessions["operator"], row, ours)
    assert answer.status == row.ok, answer.text[:500]
    assert not row.audit or row.audit in answer.audited, answer.audited
    assert send(NOBODY, row, ours).status == row.nobody
    people = [ours.sessions[role] for role in MEMBERS] + [theirs.sessions[role] for role in MEMBERS]
    programs = [
        *(person.api.client for person in ours.people.values()),
        *(item.client for item in ours.scoped.values()),
    ]
    operator, team = User.objects.get(email=f"operator.{ours.mark}@example.org"), Team.objects.get(pk=ours.team)
    programs.append(Api(issue_token(operator, team, "an operator's token is no operator")[1]).client)
    for client in [*people, *programs]:
        refused = send(client, row, ours)
        assert (refused.status, refused.code) == (403, "FORBIDDEN"), refused.text[:500]
        assert leaks(refused, ours, "") == []
    if row.method not in SAFE:
        assert send(without_csrf(ours, "operator"), row, ours).status == 403


@every(TEAMS)
def test_an_operator_reads_no_teams_content(row: Row, ours: Tenant) -> None:
    """The role opens the operators' own doors; a team's stay shut to who is no member of it."""
    operator = ours.sessions["operator"]
    assert send(operator, row, ours).status == 401
    body = row.body and row.body(ours)
    answer = exchange(operator, row.method, row.address(ours), body, {"X-Patchbay-Team": ours.team}, row.upload)
    assert (answer.status, answer.code) == (404, "NOT_FOUND"), answer.text[:300]
    assert leaks(answer, ours, row.address(ours)) == []


@every([row for row in ROWS if row.who == ANYONE])
def test_open_doors(row: Row, ours: Tenant) -> None:
    """Nobody signs in for these, and they tell nothing of any team; what is only read takes no other method."""
    answer = send(NOBODY, row, ours)
    assert answer.status == row.ok, answer.text[:500]
    assert leaks(answer, ours, "") == []
    if row.method == "*":
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert exchange(NOBODY, method, row.address(ours)).status in {404, 405}
