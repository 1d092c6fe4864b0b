"""Every address with tokens that are bound to workflows: to the one it is about, and to another one of the team."""

from __future__ import annotations

import pytest

from tests.api.isolation.matrix import ROWS
from tests.api.isolation.sending import every, leaks, send
from tests.api.isolation.table import ANYONE, MEMBERS, OPERATOR, PERSON, Row
from tests.api.isolation.tenant import HANDLER, Tenant, bound_to
from tests.people import Api

pytestmark = pytest.mark.django_db
TEAMS = [row for row in ROWS if row.who in MEMBERS]


def api(text: str) -> Api:
    program = Api(text)
    program.client.handler = HANDLER
    return program


@every(TEAMS)
def test_another_workflow_does_not_open(row: Row, ours: Tenant) -> None:
    program = api(bound_to(ours, "fenced_workflow"))
    answer = send(program.client, row, ours)
    if row.bound == "all":
        assert answer.status in row.passes, answer.text[:500]
        sent = f"{row.address(ours)} {row.body and row.body(ours)}"
        messages = set(leaks(answer, ours, sent)) - {ours.fenced_workflow, ours.mark, ours.team, ours.editor_id}
        assert messages == set(), "what is listed is of the token's own workflows"
    else:
        assert (answer.status, answer.code) in {(403, "FORBIDDEN"), (404, "NOT_FOUND")}, answer.text[:500]
        assert not answer.audited, answer.audited


@every(TEAMS)
def test_its_own_workflow_opens_where_the_table_says(row: Row, ours: Tenant) -> None:
    answer = send(api(bound_to(ours, "workflow")).client, row, ours)
    if row.bound:
        assert answer.status in row.passes and answer.code != "FORBIDDEN", answer.text[:500]
    else:
        assert (answer.status, answer.code) in {(403, "FORBIDDEN"), (404, "NOT_FOUND")}, answer.text[:500]


@every(TEAMS)
def test_the_owners_bound_token_is_no_way_around(row: Row, ours: Tenant) -> None:
    """The member's role opens nothing that the bound shuts."""
    answer = send(api(bound_to(ours, "fenced_workflow", role="owner")).client, row, ours)
    if row.bound != "all":
        assert answer.status in {403, 404} or (row.path, row.ids) in OWN_FILES, answer.text[:500]


OWN_FILES = [("/api/files/{key}", {"key": "file"}), ("/api/files", {})]
"""What the token's own person uploaded is theirs with a bound token too: it is what a run is given."""


@every([row for row in ROWS if row.who in {PERSON, OPERATOR, ANYONE}])
def test_doors_of_people_stay_shut(row: Row, ours: Tenant) -> None:
    answer = send(api(bound_to(ours, "workflow", role="owner")).client, row, ours)
    assert row.who == ANYONE or answer.status in {401, 403}
