"""What a start asks of the database, statement by statement: one more is one more on the way of every run."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backend.workflows.models import Workflow
from tests.api.runs.asking import start
from tests.api.runs.conftest import make_workflow
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = re.compile(r'\s*(?:\d+ times: )?(SELECT|INSERT|UPDATE|DELETE)\b.*?\b(?:FROM|INTO|UPDATE)\s+"?(\w+)', re.DOTALL)


def writes() -> list[str]:
    """The document's snapshot, which many runs share, the run, the first line of its log, the audit trail's note.

    Where others write meanwhile, the snapshot is locked too, lest a clean-up takes it.
    """
    locks = ["SELECT files_blob"] if connection.vendor == "postgresql" else []
    return ["INSERT files_blob", *locks, "INSERT runs_run", "INSERT runs_logline", "INSERT accounts_auditnote"]


def statements_of(person: Person, workflow: Workflow, body: dict[str, Any] | None = None, **headers: str) -> list[str]:
    """`VERB table` of each statement of a start, after one that fills what is kept in memory."""
    assert start(person, workflow, body).status == 202
    with CaptureQueriesContext(connection) as queries:
        assert start(person, workflow, body, **headers).status == 202
    matches = (ROWS.match(query["sql"]) for query in queries.captured_queries)
    return [f"{verb} {table}" for verb, table in (match.groups() for match in matches if match)]


def test_a_start_reads_the_token_and_the_workflow_and_writes_four_rows(bob: Person) -> None:
    assert statements_of(bob, make_workflow(bob)) == [
        "SELECT accounts_apitoken",
        "SELECT workflows_workflow",
        *writes(),
    ]


def test_a_published_version_is_read_by_its_first_start_alone(bob: Person) -> None:
    workflow = make_workflow(bob)
    assert bob.api.post(f"/api/workflows/{workflow.pk}/publish", {}).status == 201
    with CaptureQueriesContext(connection) as queries:
        assert start(bob, workflow, {"version": 1}).status == 202
    assert sum("workflows_version" in query["sql"] for query in queries.captured_queries) == 1
    reads = ["SELECT accounts_apitoken", "SELECT workflows_workflow"]
    assert statements_of(bob, workflow, {"version": 1}) == [*reads, *writes()]


def test_a_key_is_one_more_to_look_for(bob: Person) -> None:
    reads = ["SELECT accounts_apitoken", "SELECT workflows_workflow", "SELECT runs_run"]
    assert statements_of(bob, make_workflow(bob), idempotency_key="once") == [*reads, *writes()]
