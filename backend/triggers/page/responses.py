"""What a page shows: its words, the inputs that are declared, and of a run its state, its answers and its outputs.

Nothing else of a run goes out: no error, no log, no name of a node or a tool, no question, no id.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from django.conf import settings

from backend.accounts.actor import Actor
from backend.accounts.described import Help, Timestamp
from backend.json_types import JsonObject, JsonValue
from backend.runs.conversations.past import path_to, stored_value
from backend.runs.conversations.turn_ends import spoken_in
from backend.runs.log.encoding import decode
from backend.runs.models import Conversation, Run, RunState, Turn
from backend.runs.responses import moment
from backend.runs.waits import waits_for_person
from backend.triggers.models import Trigger
from backend.triggers.page.chatting import require_text
from backend.triggers.starting import schema_of
from backend.triggers.webhook.answering import outputs_of

SHOWN = 50
"""So many of a conversation's turns are shown."""
_OF_FILES = ("name", "mime", "size")

VisitState = Literal["working", "waiting", "done", "failed"]


class PageJson(TypedDict):
    """What a page says before anything is sent."""

    title: str
    text: str
    show: Literal["form", "chat"]
    inputs: Annotated[dict[str, Any] | None, Help("The schema of the form; of a chat null.")]
    files_mb: Annotated[float, Help("The files of a form together may have so many MB.")]


class VisitJson(TypedDict):
    """How it goes with what was sent."""

    state: Annotated[VisitState, Help("`waiting` = somebody in the team has to look at it first.")]
    answers: Annotated[list[str], Help("What the workflow has said until now, as Markdown, in its order.")]
    outputs: Annotated[dict[str, Any] | None, Help("Once it is done; of a chat null.")]


class VisitTurnJson(TypedDict):
    """A message and what was answered."""

    text: str
    state: VisitState
    answer: Annotated[str | None, Help("As far as it is known.")]


class VisitConversationJson(TypedDict):
    """A conversation: the last 50 messages."""

    turns: list[VisitTurnJson]


class KeptVisitTurnJson(VisitTurnJson):
    """A message and what was answered, with its moment."""

    created_at: Timestamp


class VisitConversationExportJson(TypedDict):
    """A conversation to take along: all its messages."""

    title: Annotated[str, Help("Of the page.")]
    turns: list[KeptVisitTurnJson]


def page_shape(trigger: Trigger, actor: Actor) -> PageJson:
    """The page. Raises Conflict (a chat that cannot be written to) and what `schema_of` does."""
    config: Any = decode(trigger.config)
    schema = schema_of(trigger, actor)
    chat = config["show"] == "chat"
    if chat:
        require_text(schema)
    inputs: Any = None if chat else without_ids(schema)
    return {
        "title": config["title"],
        "text": config["text"],
        "show": config["show"],
        "inputs": inputs,
        "files_mb": float(settings.PATCHBAY.page_mb),
    }


def visit_shape(run: Run) -> VisitJson:
    """How it goes with a form that was sent."""
    state = state_of(run)
    outputs: Any = without_ids(outputs_of(run)) if state == "done" else None
    return {"state": state, "answers": spoken_in(run) if state != "failed" else [], "outputs": outputs}


def state_of(run: Run) -> VisitState:
    """What is told of a run's state."""
    if run.state == RunState.SUCCESS:
        return "done"
    if run.state in (RunState.ERROR, RunState.CANCELLED):
        return "failed"
    if run.state == RunState.WAITING and waits_for_person(run):
        return "waiting"
    return "working"


def conversation_shape(row: Conversation) -> VisitConversationJson:
    """A conversation as its stranger sees it."""
    return {"turns": [_turn(turn, run) for turn, run in _turns(path_to(row.pk, row.head)[-SHOWN:])]}


def conversation_export(trigger: Trigger, row: Conversation) -> VisitConversationExportJson:
    """All of a conversation, for whoever has its key."""
    turns = _turns(path_to(row.pk, row.head))
    kept: list[KeptVisitTurnJson] = [{**_turn(turn, run), "created_at": moment(turn.created_at)} for turn, run in turns]
    config: Any = decode(trigger.config)
    return {"title": config["title"], "turns": kept}


def _turns(keys: list[str]) -> list[tuple[Turn, Run | None]]:
    """These turns with their runs, without those whose words went with the run."""
    named = Turn.objects.filter(pk__in=keys, run__gt="").values_list("run", flat=True)
    runs = Run.objects.only("pk", "state", "waiting", "graph_id").in_bulk(list(named))
    turns = Turn.objects.in_bulk(keys)  # after the runs: one that has ended has its answer
    return [(turns[key], runs.get(turns[key].run)) for key in keys if key in turns and turns[key].run]


def _turn(turn: Turn, run: Run | None) -> VisitTurnJson:
    state: VisitState = state_of(run) if run is not None else "failed"
    return {"text": turn.text, "state": state, "answer": _answer(turn, run, state)}


def _answer(turn: Turn, run: Run | None, state: VisitState) -> str | None:
    """What was answered, or has been until now."""
    if state == "done":
        answer: str | None = stored_value(turn.answer, "answer", turn.refs) if turn.answer else None
        return answer
    if state == "failed" or run is None:
        return None
    return "\n\n".join(spoken_in(run)) or None


def without_ids(value: JsonValue) -> JsonValue:
    """The value with what its files are called, and without the ids by which the team knows them."""
    if isinstance(value, dict):
        if "$file" in value:
            named: JsonObject = {name: value[name] for name in _OF_FILES if name in value}
            return named
        return {name: without_ids(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [without_ids(inner) for inner in value]
    return value
