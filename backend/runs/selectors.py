"""Reads of runs, their events and questions. Every look-up of an id takes the actor; a foreign id does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model, Q, QuerySet

from backend.accounts.actor import Actor
from backend.accounts.models import Team, User
from backend.database.listing import Conditions, ListedRows
from backend.errors import NotFound
from backend.files.models import File
from backend.runs.log.rows import event_text
from backend.runs.models import TERMINAL, Interaction, Run, RunBlob, RunFile
from backend.runs.waits import waits_of
from backend.web.lookup import storable

M = TypeVar("M", bound=Model)
_EVENT = (
    "SELECT seq, ts, type, node, path, step, data FROM runs_logline WHERE run_id = %s AND seq > %s "
    "ORDER BY seq LIMIT %s"
)
_EVENT_OF_ROUND = _EVENT.replace("ORDER BY", "AND substr(path, 1, %s) = %s ORDER BY")


def running_of(team: Team, user: User) -> int:
    """How many runs that a member started have not ended; they go on when the member goes."""
    return Run.objects.filter(team=team, started_by=user).exclude(state__in=TERMINAL).count()


_LISTED = (
    *("id", "workflow_id", "version", "draft_revision", "state", "inputs", "outputs", "error", "usage", "waiting"),
    *("trigger", "trigger_id", "conversation", "started_by_id", "parent_run_id", "root_run_id"),
    *("origin_run_id", "origin_step", "origin_node", "copied_seq"),
    *("queued_at", "started_at", "finished_at", "last_seq", "traceparent", "caller"),
)
LISTED = ListedRows(
    Run,
    _LISTED,
    beside={"in_workflow": "w.name", "of_example": "w.example", "starter": "u.email"},
    joins="JOIN workflows_workflow w ON w.id = runs_run.workflow_id "
    "LEFT JOIN accounts_user u ON u.id = runs_run.started_by_id",
)
"""What lists show of a run, and of its workflow and who started it (`responses.beside`): for each row objects of those
two, and of all other columns, would take as long as the rest of the page."""


def _runs_of(actor: Actor) -> QuerySet[Run]:
    """The team's runs; of a collection's token those that came through its address."""
    rows = Run.objects.filter(team=actor.team).select_related("started_by", "workflow").defer("workflow__draft")
    return rows.filter(trigger_id=actor.collection, depth=0) if actor.collection else rows


def _within(actor: Actor, rows: QuerySet[M], workflow: str) -> QuerySet[M]:
    """`rows` whose column `workflow` is one that the token acted with is bound to."""
    return rows if actor.workflows is None else rows.filter(**{f"{workflow}__in": actor.workflows})


def runs_on_top(actor: Actor) -> QuerySet[Run]:
    """The team's runs that no other run started."""
    return _within(actor, _runs_of(actor), "workflow_id").filter(depth=0)


def runs_of_workflow(actor: Actor, workflow: str) -> QuerySet[Run]:
    """The team's runs of a workflow."""
    return _within(actor, _runs_of(actor), "workflow_id").filter(workflow_id=workflow)


def matching_runs(
    actor: Actor,
    workflow: str | None = None,
    state: str | None = None,
    parent: str | None = None,
    caller: str | None = None,
) -> Conditions:
    """The team's runs: of one workflow, in one state, started by one run or by a program of this name; none below
    another run unless one of these but the state is given. To be `LISTED`."""
    conditions = Conditions().add("runs_run.team_id = %s", actor.team.pk)
    if actor.collection:
        conditions.add("runs_run.trigger_id = %s", actor.collection)
    if actor.workflows is not None:
        conditions.among("runs_run.workflow_id", actor.workflows)
    named = {"workflow_id": workflow, "state": state, "parent_run_id": parent, "caller_name": caller}
    for column, value in named.items():
        if value and storable(value):
            conditions.add(f"runs_run.{column} = %s", value)
        elif value:
            conditions.add("1 = 0")
    if caller:
        conditions.add("runs_run.caller > ''")  # the index's own condition
    # of a collection, and where nothing narrows them, only those that no run started
    return (
        conditions if (workflow or parent or caller) and not actor.collection else conditions.add("runs_run.depth = 0")
    )


_FIRST_CALLER = """SELECT r.caller_name FROM runs_run r
    WHERE r.team_id = %s AND r.caller > '' AND r.caller_name > {} ORDER BY r.caller_name LIMIT 1"""
_CALLERS = f"""
WITH RECURSIVE named(name) AS (
    SELECT * FROM ({_FIRST_CALLER.format("%s")}) AS earliest
    UNION ALL SELECT ({_FIRST_CALLER.format("named.name")}) FROM named WHERE named.name IS NOT NULL
) SELECT name FROM named WHERE name IS NOT NULL AND LOWER(name) LIKE LOWER(%s) ESCAPE '!' LIMIT %s"""  # noqa: S608 - our own
"""From each name to the next one: a step in an index for each, however many runs it started."""


def caller_names(actor: Actor, words: str, after: str, limit: int) -> list[str]:
    """Of the programs that started runs of the team, in order: names that hold `words` and come after `after`."""
    if not storable(words + after):
        return []
    like = "".join(f"!{letter}" if letter in "!%_" else letter for letter in words)
    with connection.cursor() as cursor:
        cursor.execute(_CALLERS, [actor.team.id, after, actor.team.id, f"%{like}%", limit])
        return [name for (name,) in cursor.fetchall()]


_NEWEST = """
SELECT r.workflow_id, r.id, r.state, r.queued_at, r.waiting FROM workflows_workflow w JOIN runs_run r ON r.id = (
    SELECT n.id FROM runs_run n WHERE n.workflow_id = w.id ORDER BY n.queued_at DESC, n.id DESC LIMIT 1
) WHERE w.id IN ({})"""
"""As SQL, for putting it together costs the ORM more than the database's work."""


def _moment(stored: datetime | str) -> datetime:
    """A time as a cursor reads it: SQLite gives it without a zone, in UTC."""
    moment = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def newest_of(workflows: list[str]) -> dict[str, dict[str, Any]]:
    """What lists of workflows show of the newest run of each: one step in an index for each of them."""
    if not workflows:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST.format(", ".join(["%s"] * len(workflows))), workflows)
        rows = cursor.fetchall()
    return {
        workflow: {
            "id": key,
            "state": state,
            "queued_at": _moment(queued_at),
            **waits_of(waiting),
        }
        for workflow, key, state, queued_at, waiting in rows
    }


def run_for(actor: Actor, key: str) -> Run:
    """One run of the actor's team. Raises NotFound, Forbidden (for a token bound to other workflows)."""
    run = _runs_of(actor).filter(pk=key).first() if storable(key) else None
    if run is None:
        raise NotFound
    actor.require_workflow(run.workflow_id)
    return run


def runs_below(run: Run) -> QuerySet[Run]:
    """The runs that a run started, newest first. The caller has checked who asks."""
    return run.children.select_related("workflow").defer("workflow__draft").order_by("-queued_at", "-pk")


def interactions(
    actor: Actor, state: str | None = None, run: str | None = None, key: str | None = None
) -> QuerySet[Interaction]:
    """The team's questions; of one run those of the runs below it too."""
    rows = _within(actor, Interaction.objects.filter(team=actor.team), "run__workflow_id")
    workflows = ("run__workflow", "root_run__workflow")
    questions = rows.select_related("answered_by", "root_run__started_by", *workflows).defer(
        *(f"{workflow}__draft" for workflow in workflows)
    )
    if state:
        questions = questions.filter(state=state)
    if run:
        questions = questions.filter(Q(run_id=run) | Q(root_run_id=run)) if storable(run) else questions.none()
    if key:
        questions = questions.filter(pk=key) if storable(key) else questions.none()
    return questions


_ASKED = (
    *(field.attname for field in Interaction._meta.concrete_fields),
    *("answered_by__email", "run__workflow_id", "run__graph_id", "run__approvers"),
    *("run__workflow__name", "run__workflow__example", "root_run__workflow__name", "root_run__workflow__example"),
    *("root_run__trigger", "root_run__queued_at", "root_run__started_by__email"),
)


def questions(actor: Actor, state: str | None, run: str | None, key: str | None) -> QuerySet[Interaction]:
    """`interactions` with what lists show of them: all columns of six tables cost more than the database's work."""
    return interactions(actor, state, run, key).defer(None).only(*_ASKED)


def interaction_for(actor: Actor, key: str) -> Interaction:
    """One question of the actor's team, or of the workflows that its token is bound to. Raises NotFound."""
    question = interactions(actor).filter(pk=key).first() if storable(key) else None
    if question is None:
        raise NotFound
    return question


def event_texts(run: str, after: int, limit: int, language: str = "en") -> list[tuple[int, str]]:
    """(seq, JSON text) of a run's events after `after`, in order. The caller has checked who asks."""
    with connection.cursor() as cursor:
        cursor.execute(_EVENT, [run, after, limit])
        rows = cursor.fetchall()
    return [
        (seq, event_text(run, seq, ts, type_, node, path, step, data, language))
        for seq, ts, type_, node, path, step, data in rows
    ]


def round_texts(run: str, path: str, after: int, limit: int, language: str = "en") -> list[tuple[int, str]]:
    """As `event_texts`, of the lines whose stored path begins so: those of one round, and of rounds inside it."""
    with connection.cursor() as cursor:
        cursor.execute(_EVENT_OF_ROUND, [run, after, len(path), path, limit])
        rows = cursor.fetchall()
    return [
        (seq, event_text(run, seq, ts, type_, node, place, step, data, language))
        for seq, ts, type_, node, place, step, data in rows
    ]


def last_seqs(keys: Iterable[str]) -> dict[str, int]:
    """The last durable seq of each run."""
    return dict(Run.objects.filter(pk__in=list(keys)).values_list("pk", "last_seq"))


def file_reached(actor: Actor, key: str) -> bool:
    """Whether a token bound to workflows comes to a file or blob: through a run of them, or it is its person's own."""
    bound = actor.workflows
    if bound is None or File.objects.filter(team=actor.team, pk=key, created_by=actor.user).exists():
        return True
    files = RunFile.objects.filter(file=key, run__workflow__in=bound)
    return files.exists() or RunBlob.objects.filter(blob=key, run__workflow__in=bound).exists()
