"""Deleting what people delete: runs with everything of theirs, at once and everywhere, and what goes with a workflow,
a team or a person.

Everything happens in the caller's transaction: either nothing of it is left, or nothing happened. (Old runs go in
small batches, without anybody asking: `retention`.) With a run go the runs below it, those that took over its records
(retries and forks), tests saved from them, their questions, files and blobs that nothing else names, and what the
audit trail kept of what people wrote. Numbers of usage, and who did what and when, stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet

from backend.accounts.actor import Actor
from backend.accounts.audit import erasing
from backend.accounts.audit.trail import audit, audit_in_team
from backend.accounts.models import Team, User
from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.errors import Conflict, NotFound
from backend.files.models import Blob, File
from backend.notifications.clients import notify_clients, notify_team
from backend.runs.conversations.forgetting import erase_conversations, goes_on_in
from backend.runs.lifecycle.retention import clear_before_runs_go, named_files, unnamed_blobs
from backend.runs.models import (
    TERMINAL,
    Conversation,
    InboxMessage,
    Interaction,
    LogLine,
    Run,
    RunBlob,
    RunClientTools,
    RunFile,
    RunServer,
    RunState,
    Spending,
    StoredChange,
    Usage,
    WorkflowTest,
)
from backend.runs.queue import inbox
from backend.runs.starting.given_files import files_in
from backend.workflows.models import Workflow

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Erased:
    """What went: all runs, and of these the ones that took over from others."""

    runs: int
    forks: int
    tests: int


def run_delete(actor: Actor, run: Run) -> Erased:
    """Delete an ended run with everything of it. Raises Forbidden, Conflict: it, or one made of it, goes on; it is a
    part of another run."""
    actor.require("editor")
    if run.parent_run_id:
        raise Conflict(params={"reason": "run_is_part"}, detail={"run": run.root_run_id})
    with sqlite_write_lock(), transaction.atomic():
        state = Run.objects.select_for_update().filter(pk=run.pk).values_list("state", flat=True).first()
        if state is None:
            raise NotFound
        keys = _with_all_of_it([run.pk])
        _refuse_going(keys, "run_kin_goes_on" if state in TERMINAL else "run_goes_on")
        erased = erase(keys)
        facts: dict[str, Any] = {
            "name": run.workflow.name,
            "workflow": run.workflow_id,
            "runs": erased.runs,
            "forks": erased.forks,
        }
        audit(actor, "run.deleted", "run", run.pk, **facts)
        for key in keys:
            notify_team(run.team_id, "run", key, "deleted")
    return erased


def conversation_delete(actor: Actor | None, conversation: Conversation) -> Erased:
    """Delete a conversation with its runs and all that is theirs; `actor` None = who has its key, and no account.

    Raises Forbidden, Conflict: one of the runs goes on.
    """
    if actor is not None:
        actor.require("editor")
    with sqlite_write_lock(), transaction.atomic():
        runs = Run.objects.filter(conversation=conversation.pk, conversation__gt="").order_by("pk")
        keys = _with_all_of_it(runs.select_for_update().values_list("pk", flat=True))
        _refuse_going(keys, "conversation_going")
        erased = erase(keys)
        erase_conversations([conversation.pk])
        facts: dict[str, Any] = {"workflow": conversation.workflow_id, "runs": erased.runs}
        if actor is not None:
            audit(actor, "conversation.deleted", "conversation", conversation.pk, **facts)
        else:
            audit_in_team(conversation.team_id, None, "conversation.deleted", "conversation", conversation.pk, **facts)
        for key in keys:
            notify_team(conversation.team_id, "run", key, "deleted")
        notify_clients(f"conversation:{conversation.pk}", {"kind": "conversation", "id": "", "change": "deleted"})
    return erased


def _refuse_going(keys: list[str], reason: str) -> None:
    for part in _parts(keys):
        going = Run.objects.filter(pk__in=part).exclude(state__in=TERMINAL).values_list("pk", flat=True).first()
        if going := going or goes_on_in(part):
            raise Conflict(params={"reason": reason}, detail={"run": going})


def _with_all_of_it(roots: Iterable[str]) -> list[str]:
    """These runs, the ones below them, the ones that took over from any of them, and so on."""
    keys = dict.fromkeys(roots)
    new = list(keys)
    while new:
        rows: set[str] = set()
        for part in _parts(new):
            near = Q(parent_run__in=part) | Q(root_run__in=part) | Q(origin_run__in=part)
            rows |= set(Run.objects.filter(near).values_list("pk", flat=True))
        new = sorted(rows - keys.keys())
        keys |= dict.fromkeys(new)
    return list(keys)


def erase(keys: list[str]) -> Erased:
    """Delete exactly these runs with all that is theirs alone. The caller holds a transaction and has checked."""
    blobs: set[str] = set()
    files: set[str] = set()
    forks = tests = 0
    for part in _parts(keys):
        runs = Run.objects.filter(pk__in=part)
        forks += runs.exclude(origin_run=None).count()
        blobs |= set(runs.values_list("graph_id", flat=True))
        blobs |= set(RunBlob.objects.filter(run__in=part).values_list("blob_id", flat=True))
        files |= set(RunFile.objects.filter(run__in=part).values_list("file_id", flat=True))
        tests += _erase_tests(WorkflowTest.objects.filter(run__in=part))
        questions = Interaction.objects.filter(Q(run__in=part) | Q(root_run__in=part))
        erasing.erase("interaction", questions.values_list("pk", flat=True))
        erasing.erase("run", part)
        questions.delete()
        clear_before_runs_go(part)
        for rows in _hanging_on(part):
            _drop(rows)
    for part in _parts(keys):
        Run.objects.filter(parent_run__in=part).update(parent_run=None)  # deleted below, in whatever order
        Run.objects.filter(root_run__in=part).update(root_run=None)
        Run.objects.filter(origin_run__in=part).update(origin_run=None)
    for part in _parts(keys):
        _drop(Run.objects.filter(pk__in=part))
    _erase_files(files, blobs)
    return Erased(len(keys), forks, tests)


def _hanging_on(runs: Any) -> list[QuerySet[Any]]:
    """The rows of these runs on which nothing hangs in turn."""
    tables = (InboxMessage, RunBlob, RunClientTools, RunFile, RunServer, LogLine)
    return [table._default_manager.filter(run__in=runs) for table in tables]


def _drop(rows: QuerySet[Any]) -> None:
    """One statement: nothing refers to these rows any more, so Django need not read them first."""
    rows._raw_delete(rows.db)


def _erase_tests(tests: QuerySet[WorkflowTest]) -> int:
    keys = list(tests.values_list("pk", flat=True))
    erasing.erase("workflow_test", keys)
    tests.delete()
    return len(keys)


def _erase_files(files: set[str], blobs: set[str]) -> None:
    """Delete those of the files that no run was given and no workflow names, then those of the blobs and of the files'
    that nothing names."""
    loose = File.objects.filter(pk__in=files).exclude(pk__in=RunFile.objects.filter(file__in=files).values("file"))
    for team in set(loose.values_list("team", flat=True)):
        named = named_files(team)
        keys = [key for key in loose.filter(team=team).values_list("pk", flat=True) if key not in named]
        blobs |= set(File.objects.filter(pk__in=keys).values_list("blob_id", flat=True))
        erasing.erase("file", keys)
        File.objects.filter(pk__in=keys).delete()
    for part in _parts(sorted(blobs)):
        rows = Blob.objects.filter(pk__in=part).only("pk")
        if connection.vendor == "postgresql":  # whoever names one now waits, and finds it gone
            rows = rows.select_for_update(skip_locked=True)
        unnamed = unnamed_blobs(Blob.objects.filter(pk__in=[row.pk for row in rows]))
        Blob.objects.filter(pk__in=list(unnamed.values_list("pk", flat=True))).delete()


def erase_workflow(workflow: Workflow) -> None:
    """Delete all runs of a workflow that is being deleted, its tests, and files that only its documents name.

    Raises Conflict while one of the runs, or one that took over from them elsewhere, goes on.
    """
    keys = _with_all_of_it(workflow.runs.values_list("pk", flat=True))
    _refuse_going(keys, "runs_going")
    erase_conversations(Conversation.objects.filter(workflow=workflow).values_list("pk", flat=True))
    texts = [workflow.draft]
    texts += workflow.draft_revisions.filter(graph__contains="$file").values_list("graph", flat=True)
    texts += workflow.versions.filter(graph__contains="$file").values_list("graph", flat=True)
    texts += WorkflowTest.objects.filter(workflow=workflow, inputs__contains="$file").values_list("inputs", flat=True)
    erase(keys)
    _erase_tests(WorkflowTest.objects.filter(workflow=workflow))
    files = {key for text in texts for key in files_in(text)}
    workflow.draft_revisions.all().delete()
    workflow.versions.all().delete()
    Workflow.objects.filter(pk=workflow.pk).update(draft="{}")
    _erase_files(set(File.objects.filter(team=workflow.team_id, pk__in=files).values_list("pk", flat=True)), set())


def erase_team(team: Team) -> None:
    """Delete everything of a team's runs, files and blobs before the team itself goes; runs that go on end with it.

    Their rows are locked first, in the journal's order: no line is added to what is deleted. Whoever has one of them is
    told to look, and finds it gone.
    """
    runs = Run.objects.filter(team=team)
    going = runs.exclude(state__in=TERMINAL).order_by("pk").select_for_update().values_list("pk", "state")
    inbox.wake_owner([key for key, state in going if state == RunState.RUNNING])
    for rows in _hanging_on(runs):
        _drop(rows)
    WorkflowTest.objects.filter(team=team).delete()
    erase_conversations(Conversation.objects.filter(team=team).values_list("pk", flat=True))
    Interaction.objects.filter(team=team).delete()
    runs.update(parent_run=None, root_run=None, origin_run=None)
    _drop(runs)
    StoredChange.objects.filter(team_id=team.pk).delete()
    File.objects.filter(team=team).delete()
    Blob.objects.filter(team=team).delete()
    Spending.objects.filter(team=team).delete()
    Usage.objects.filter(team=team).delete()


def erase_person(user: User) -> None:
    """Put the person's id in the place of the e-mail in ended runs that they started and tests saved from them, and
    among those whom questions are for.

    The runs belong to the team and stay; those that go on keep what they were begun with, for their records are held
    against it.
    """
    mail, key = user.email, user.pk
    ended = Run.objects.filter(started_by=user, state__in=TERMINAL).values_list("pk", flat=True)
    for part in _parts(ended):
        for column in ("data", "value"):
            _replace(LogLine, column, "run_id", part, mail, key)
        for column in ("inputs", "outputs", "error"):
            _replace(Run, column, "id", part, mail, key)
    tests = WorkflowTest.objects.filter(run__started_by=user).values_list("pk", flat=True)
    for part in _parts(tests):
        for column in ("inputs", "recorded", "expected", "result"):
            _replace(WorkflowTest, column, "id", part, mail, key)
    questions = Interaction.objects.filter(assignees__icontains=mail).values_list("pk", flat=True)
    for part in _parts(questions):
        _replace(Interaction, "assignees", "id", part, mail, key)


def _replace(table: type[Model], column: str, by: str, keys: list[str], old: str, new: str) -> None:
    marks = ",".join(["%s"] * len(keys))
    name = table._meta.db_table
    sql = f"UPDATE {name} SET {column} = REPLACE({column}, %s, %s) WHERE {by} IN ({marks}) AND {column} LIKE %s"  # noqa: S608 - our own names
    with connection.cursor() as cursor:
        cursor.execute(sql, [old, new, *keys, f"%{old}%"])


def _parts(keys: Iterable[str]) -> Iterable[list[str]]:
    known = list(keys)
    for start in range(0, len(known), AT_ONCE):
        yield known[start : start + AT_ONCE]
