"""The fast path of a start leaves what its specification leaves: the same rows, events, hints and errors.

`start_run` keeps what does not change, writes rows by statements put together once, and notes what the audit trail is
to have; `start_plainly` does every step with the ORM and keeps nothing. Each example makes a small world and starts one
run in it, once on each way, and undoes both.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import transaction
from django.test import TestCase
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.accounts.actor import Actor
from backend.accounts.audit.batches import write_notes
from backend.accounts.auth.rate_limits import RATES
from backend.accounts.models import ApiToken, AuditEntry
from backend.errors import PatchbayError
from backend.files.models import Blob
from backend.notifications import clients, workers
from backend.runs.models import InboxMessage, LogLine, Run, RunBlob, RunFile, RunServer
from backend.runs.starting.plainly import start_plainly
from backend.runs.starting.services import start_run
from backend.workflows.models import Version, Workflow
from backend.workflows.selectors import workflow_to_run
from tests.api.runs.conftest import ONE_NODE, graph, node
from tests.exhaustive import few
from tests.people import Person

pytestmark = pytest.mark.django_db

HINTS: list[tuple[str, Any]] = []
clients.listen(lambda topic, hint: HINTS.append((topic, dict(hint))))
MOMENTS = {"id", "queued_at", "turn", "ts", "at", "created_at", "retry_after"}
"""What differs between two starts of the same."""
ROWS = (Run, LogLine, AuditEntry, Blob, RunBlob, RunFile, RunServer, InboxMessage)


def typed(**more: Any) -> dict[str, Any]:
    """A document that asks for a number, a unit that has a default, and a file where one is sent."""
    fields: dict[str, Any] = {"n": {"type": "integer"}, "unit": {"type": "string", "default": "km"}}
    fields["doc"] = {"type": "object", "format": "file"}
    asks = {"type": "object", "properties": fields, "required": ["n"]}
    nodes = [node("start", "start", {"inputs": asks}), node("end", "end", {"outputs": {"n": "{{ start.n }}"}})]
    return graph(nodes, "start -> end", **more)


RESTING = json.loads(json.dumps(ONE_NODE))
RESTING["nodes"][1]["disabled"] = True
DOCUMENTS: dict[str, dict[str, Any]] = {
    "one": ONE_NODE,
    "typed": typed(),
    "disabled node": RESTING,
    "one at a time": typed(concurrency={"limit": 1, "when_busy": "queue"}),
    "refused when busy": typed(concurrency={"limit": 1, "key": "{{ inputs.unit }}", "when_busy": "refuse"}),
    "two agree": typed(approvers="two_others"),
    "unknown node": graph([node("start", "start"), node("x", "no_such_type")], "start -> x"),
    "unknown server": graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("call", "tool", {"server": "nowhere", "tool": "ring", "arguments": {}}),
        ],
        "start -> call",
    ),
    "no document": {},
}
INPUTS = st.sampled_from(
    [
        *({"n": 1}, {"n": 1}, {"n": 1, "unit": "mi"}, {"name": "Vera", "n": 2}, {"n": 3, "note": "a\x00b\ud800"}),
        *({}, {"n": "1"}, {"n": 1.5}, {"n": None}, {"n": 1, "doc": {"$file": "file_none"}}, {"n": 1, "doc": "x"}),
    ]
)


@dataclass(frozen=True)
class Start:
    """What is asked for."""

    inputs: dict[str, Any]
    version: int | str | None
    revision: int | None
    key: str | None


def mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """The usual, and in one of three examples something else."""
    return st.sampled_from([*[usual] * (2 * len(others)), *others])


STARTS = st.builds(Start, INPUTS, mostly(None, "draft", 1, 2), mostly(None, 1, 2), mostly(None, "once"))
WHO = st.sampled_from([*["browser", "token"] * 4, "bound token", "viewer", "stranger"])


@dataclass(frozen=True)
class World:
    """What is there before: the documents, starts that went before, and what stands against one."""

    draft: str
    published: str | None
    before: list[Start]
    deleted: bool
    limited: bool


RUNNABLE = st.sampled_from(["typed", "refused when busy", "one at a time", "two agree", "one", "disabled node"])
WORLDS = st.builds(
    World,
    st.one_of(RUNNABLE, RUNNABLE, st.sampled_from(sorted(DOCUMENTS))),
    st.one_of(RUNNABLE, RUNNABLE, RUNNABLE, st.sampled_from([None, *sorted(DOCUMENTS)])),
    st.lists(STARTS, max_size=2),
    st.sampled_from([False] * 9 + [True]),
    mostly(False, True),
)


def actor_of(who: str, people: dict[str, Person]) -> Actor:
    if who in {"browser", "token", "bound token"}:
        token = ApiToken.objects.filter(user=people["bob"].user).get()
        if who == "bound token":
            token.workflows = ["wf_of_others"]
        return replace(people["bob"].actor, token=None if who == "browser" else token)
    return people[{"viewer": "vera", "stranger": "charlie"}[who]].actor


def fast(actor: Actor, key: str, start: Start) -> tuple[Run, bool]:
    workflow = workflow_to_run(actor, key)
    return start_run(actor, workflow, start.inputs, start.version, start.revision, start.key)


def plain(actor: Actor, key: str, start: Start) -> tuple[Run, bool]:
    return start_plainly(actor, key, start.inputs, start.version, start.revision, start.key)


def as_seen(error: PatchbayError) -> dict[str, Any]:
    return {"code": error.code, "params": error.params, "fields": error.fields, "detail": error.detail}


def rows() -> dict[str, list[Any]]:
    """All that is stored of runs, as it reads."""
    write_notes()
    return {table.__name__: [_columns(row) for row in table.objects.all()] for table in ROWS}


def _columns(row: Any) -> dict[str, Any]:
    matches = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    matches["data"] = bytes(matches["data"]) if isinstance(row, Blob) else matches.get("data")
    return matches


def outcome(
    way: Callable[[Actor, str, Start], tuple[Run, bool]], actor: Actor, key: str, start: Start, before: list[Start]
) -> Any:
    """What a way leaves after the same starts before: its answer or its error, all rows, events and hints."""
    RATES.clear()
    woken: list[str] = []
    workers.deliver_by(woken.append)
    try:
        with transaction.atomic():
            for earlier in before:
                try:
                    with transaction.atomic():
                        fast(actor, key, earlier)
                except PatchbayError:
                    continue
            HINTS.clear()
            known = set(Run.objects.values_list("pk", flat=True))
            answer: Any
            try:
                with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
                    run, new = way(actor, key, start)
                answer = {"new": new, "state": str(run.state), "known": run.pk in known}
            except PatchbayError as error:
                answer = as_seen(error)
            created = set(Run.objects.values_list("pk", flat=True)) - known
            assert len(created) <= 1
            # in the order of their starts: keys of one millisecond are in none
            started = LogLine.objects.filter(run__in=known, position=1).order_by("pk").values_list("run", flat=True)
            names = {key: f"run before {number}" for number, key in enumerate(started)}
            left = (answer, rows(), list(HINTS), woken)
            transaction.set_rollback(True)
    finally:
        workers.deliver_by(None)
    for name, word in [*names.items(), *((key, "the run") for key in created)]:
        left = _renamed(left, name, word)
    reply, tables, hints, woke = _timeless(left)
    return reply, {table: sorted(result, key=repr) for table, result in tables.items()}, hints, woke


def _renamed(value: Any, name: str, word: str) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(item, name, word) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(item, name, word) for item in value]
    return word if value == name else value


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _timeless(item) for key, item in value.items() if key not in MOMENTS or str(item).startswith("the run")
        }
    if isinstance(value, list | tuple):
        return [_timeless(item) for item in value]
    return value


@pytest.fixture
def people(bob: Person, vera: Person, charlie: Person) -> dict[str, Person]:
    return {"bob": bob, "vera": vera, "charlie": charlie}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=few(400))
@given(world=WORLDS, start=STARTS, who=WHO)
def test_both_ways_leave_the_same(people: dict[str, Person], world: World, start: Start, who: str) -> None:
    with transaction.atomic(), pytest.MonkeyPatch.context() as patch:
        bob = people["bob"]
        patch.setattr(django_settings.PATCHBAY, "run_starts_per_15s", 1 if world.limited else 0)
        patch.setattr(django_settings.PATCHBAY, "token_run_starts_per_min", 1 if world.limited else 0)
        row = Workflow.objects.create(
            team=bob.team,
            name="flow",
            slug="flow",
            draft=json.dumps(DOCUMENTS[world.draft]),
            draft_at=timezone.now(),
            draft_by=bob.user,
            published_version=1 if world.published else None,
        )
        if world.published:
            Version.objects.create(workflow=row, number=1, graph=json.dumps(DOCUMENTS[world.published]))
        key = row.pk
        if world.deleted:
            row.delete()
        actor = actor_of(who, people)
        assert outcome(fast, actor, key, start, world.before) == outcome(plain, actor, key, start, world.before)
        transaction.set_rollback(True)
