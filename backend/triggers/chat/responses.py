"""What the API answers about conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.runs.conversations.past import stored_value
from backend.runs.conversations.turn_ends import ChatCallJson
from backend.runs.interactions.responses import InteractionJson, interaction_shape
from backend.runs.log.encoding import decode
from backend.runs.models import Conversation, Interaction, Run, RunState, Turn
from backend.runs.responses import RunErrorJson, UsageJson, child_shape, moment
from backend.runs.waits import GONE, Standing, WaitsJson, standings
from backend.workflows.example_words import workflow_text

SHOWN = 50
"""So many turns are shown at once."""


class ChatFileJson(TypedDict):
    """A file that went with a message."""

    id: str
    name: str
    mime: str
    size: int


class TurnRunJson(TypedDict):
    """The run of a turn."""

    id: str
    version: int | None
    state: Annotated[str, Choices(RunState.choices)]
    error: RunErrorJson | None
    usage: UsageJson
    queued_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None


class TurnJson(TypedDict):
    """What a person wrote and what was answered."""

    id: str
    text: Annotated[str, Help("Empty where the run was deleted.")]
    files: list[ChatFileJson]
    versions: Annotated[list[str], Help("The turns that are versions of this message, oldest first; this one too.")]
    answer: Annotated[str | None, Help("Markdown; null before the end of the run.")]
    calls: Annotated[list[ChatCallJson], Help("Tools that the run called, once it has ended.")]
    questions: Annotated[list[InteractionJson], Help("What the run, or one below it, asked, oldest first.")]
    run: Annotated[TurnRunJson | None, Help("null where it was deleted.")]
    created_at: Timestamp


class ConversationJson(WaitsJson):
    """A conversation of the person who asks; its latest run's state and whose answer that waits for."""

    id: str
    trigger: str
    workflow: str
    workflow_name: str
    title: str
    draft: Annotated[bool, Help("Its runs take the workflow's draft.")]
    state: Annotated[Annotated[str, Choices(RunState.choices)] | None, Help("Of its latest run.")]
    created_at: Timestamp
    updated_at: Timestamp


class ConversationDetailJson(ConversationJson):
    """A conversation as opened."""

    turns: Annotated[list[TurnJson], Help("The last 50 of those that are shown, or the 50 before `before`.")]
    earlier: Annotated[str | None, Help("`before` of the ones before these; null at the beginning.")]


class KeptTurnJson(TypedDict):
    """A turn as it is exported. `parent` = the turn that it goes on from."""

    id: str
    parent: str | None
    text: str
    files: list[ChatFileJson]
    answer: str | None
    calls: list[ChatCallJson]
    run: str | None
    created_at: Timestamp


class ConversationExportJson(ConversationJson):
    """All of a conversation, every version of every message too, oldest first."""

    turns: list[KeptTurnJson]


class ConversationListJson(TypedDict):
    """One page of conversations, the latest first."""

    results: list[ConversationJson]
    next: str | None


def conversation_shapes(rows: Sequence[Conversation], language: str) -> list[ConversationJson]:
    """Conversations as lists show them."""
    heads = Turn.objects.filter(pk__in=[row.head for row in rows if row.head]).values_list("conversation", "run")
    runs = dict(heads)
    standing = standings(runs.values())
    return [_conversation(row, standing.get(runs.get(row.pk, ""), GONE), language) for row in rows]


def _conversation(row: Conversation, run: Standing, language: str) -> ConversationJson:
    return {
        "id": row.pk,
        "trigger": row.trigger_id,
        "workflow": row.workflow_id,
        "workflow_name": workflow_text(row.workflow.name, row.workflow.example, language),
        "title": row.title,
        "draft": row.draft,
        "state": run.state,
        **run.waits,
        "created_at": moment(row.created_at),
        "updated_at": moment(row.updated_at),
    }


def conversation_detail(row: Conversation, before: str | None, language: str) -> ConversationDetailJson:
    """A conversation with the turns up to the one that it shows last, or those before `before`."""
    order = Turn.objects.filter(conversation=row).order_by("created_at", "pk").values_list("pk", "parent")
    parents: dict[str, str | None] = dict(order)
    versions: dict[str | None, list[str]] = {}
    for key, parent in parents.items():
        versions.setdefault(parent, []).append(key)
    path = _path(parents, row.head if before is None else parents.get(before))
    shown = path[-SHOWN:]
    earlier = shown[0] if len(path) > SHOWN else None
    turns = turn_shapes(shown, {key: versions[parents[key]] for key in shown}, language)
    return {**conversation_shapes([row], language)[0], "turns": turns, "earlier": earlier}


def conversation_export(row: Conversation, language: str) -> ConversationExportJson:
    """All of a conversation."""
    turns = [_kept(turn) for turn in Turn.objects.filter(conversation=row).order_by("created_at", "pk")]
    return {**conversation_shapes([row], language)[0], "turns": turns}


def _kept(row: Turn) -> KeptTurnJson:
    files: list[Any] = decode(row.files)
    return {
        "id": row.pk,
        "parent": row.parent_id,
        "text": row.text,
        "files": [_file(item) for item in files],
        "answer": stored_value(row.answer, "answer", row.refs) if row.answer else None,
        "calls": stored_value(row.calls, "calls", row.refs) or [],
        "run": row.run or None,
        "created_at": moment(row.created_at),
    }


def _path(parents: dict[str, str | None], last: str | None) -> list[str]:
    path: list[str] = []
    while last is not None and last in parents:
        path.append(last)
        last = parents[last]
    return path[::-1]


def turn_shapes(keys: list[str], versions: dict[str, list[str]], language: str) -> list[TurnJson]:
    """These turns, with their runs and what those asked."""
    rows = Turn.objects.in_bulk(keys)
    rows_of_runs = Run.objects.select_related("workflow").defer("workflow__draft", "inputs", "outputs")
    runs = rows_of_runs.in_bulk([row.run for row in rows.values() if row.run])
    questions = _questions_of(list(runs), language)
    return [
        _turn(rows[key], versions[key], runs.get(rows[key].run), questions, language) for key in keys if key in rows
    ]


def _questions_of(runs: list[str], language: str) -> dict[str, list[InteractionJson]]:
    rows = Interaction.objects.filter(root_run__in=runs).order_by("created_at", "pk")
    workflows = ("run__workflow", "root_run__workflow")
    rows = rows.select_related("answered_by", "root_run__started_by", *workflows)
    known: dict[str, Any] = {}
    questions: dict[str, list[InteractionJson]] = {}
    for row in rows.defer(*(f"{name}__draft" for name in workflows)):
        questions.setdefault(row.root_run_id, []).append(interaction_shape(row, language, known))
    return questions


def _turn(
    row: Turn, versions: list[str], run: Run | None, questions: dict[str, list[InteractionJson]], language: str
) -> TurnJson:
    files: list[Any] = decode(row.files)
    return {
        "id": row.pk,
        "text": row.text,
        "files": [_file(item) for item in files],
        "versions": versions,
        "answer": stored_value(row.answer, "answer", row.refs) if row.answer else None,
        "calls": stored_value(row.calls, "calls", row.refs) or [],
        "questions": questions.get(row.run, []),
        "run": _run(run, language) if run is not None else None,
        "created_at": moment(row.created_at),
    }


def _file(value: Any) -> ChatFileJson:
    return {"id": value["$file"], "name": value["name"], "mime": value["mime"], "size": value["size"]}


def _run(run: Run, language: str) -> TurnRunJson:
    whole = child_shape(run, language)
    return {
        "id": whole["id"],
        "version": whole["version"],
        "state": whole["state"],
        "error": whole["error"],
        "usage": whole["usage"],
        "queued_at": whole["queued_at"],
        "started_at": whole["started_at"],
        "finished_at": whole["finished_at"],
    }
