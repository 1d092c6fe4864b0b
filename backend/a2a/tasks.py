"""A run as a task: its state, what it asks, what it gave, what was said in it."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from a2a.types import Artifact, Message, Part, Role, Task, TaskState, TaskStatus
from django.conf import settings
from django.db.models import Max, Q
from django.db.models.functions import Coalesce
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value

from backend.a2a import models
from backend.a2a.caller import Caller
from backend.a2a.drafts import Drafts, Piece, Script, script_of
from backend.a2a.wording import word
from backend.errors import NotFound
from backend.files.services import file_of
from backend.json_types import JsonObject, JsonValue
from backend.runs import selectors
from backend.runs.conversations.lines import Line, transcript_between
from backend.runs.graphs import stored_graph
from backend.runs.interactions.responses import InteractionJson, interaction_shape
from backend.runs.log.encoding import decode
from backend.runs.models import TERMINAL, Interaction, Run, RunState
from backend.runs.responses import run_whole
from backend.web.lookup import storable

INSIDE = frozenset({"form", "params", "elicitation"})
"""Kinds of question that the next message may answer. All others a person decides who is signed in."""
ANSWER_ARTIFACT = "answer"
"""The name of artifacts that are what an answer node said."""
OUTPUTS = "outputs"
"""The name of the artifact that is what a run gave."""
DRAFT = "draft"
"""The member of an artifact's metadata that says: text of a model that no answer took over."""
MOST_BYTES = 4 * 1024 * 1024
"""Of files that one task carries; those beyond are told by their address."""
_STATES = {
    RunState.QUEUED: TaskState.TASK_STATE_SUBMITTED,
    RunState.RUNNING: TaskState.TASK_STATE_WORKING,
    RunState.WAITING: TaskState.TASK_STATE_WORKING,
    RunState.PAUSED: TaskState.TASK_STATE_WORKING,
    RunState.SUCCESS: TaskState.TASK_STATE_COMPLETED,
    RunState.ERROR: TaskState.TASK_STATE_FAILED,
    RunState.CANCELLED: TaskState.TASK_STATE_CANCELED,
}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a task stands: its run as the database has it, and what that asks now."""

    run: Run
    context: str
    questions: tuple[Interaction, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return self.run.state in TERMINAL

    @property
    def question(self) -> Interaction | None:
        """What is told: the oldest question that a message may answer, else the oldest."""
        inside = [question for question in self.questions if question.kind in INSIDE]
        return next(iter([*inside, *self.questions]), None)

    @property
    def state(self) -> TaskState:
        """The task's state."""
        question = self.question
        if question is None:
            return _STATES[RunState(self.run.state)]
        if question.kind in INSIDE:
            return TaskState.TASK_STATE_INPUT_REQUIRED
        return TaskState.TASK_STATE_AUTH_REQUIRED

    @property
    def stands(self) -> bool:
        """Whether nothing happens until somebody does something."""
        return self.over or self.question is not None

    @property
    def by_person(self) -> bool:
        """Whether a person decides what happens next, and no message can."""
        return self.state == TaskState.TASK_STATE_AUTH_REQUIRED

    @property
    def mark(self) -> tuple[TaskState, str, str]:
        """Differs where there is something else to tell of the status."""
        question = self.question
        return self.state, question.pk if question is not None else "", str(self.run.state == RunState.PAUSED)


def open_questions(run: Run) -> tuple[Interaction, ...]:
    """What a run that waits asks, or one below it, and nobody has answered, the oldest first."""
    rows = Interaction.objects.filter(Q(run=run) | Q(root_run=run), state=Interaction.State.OPEN)
    known = ("run__workflow", "root_run__workflow", "root_run__started_by")
    return tuple(rows.select_related(*known).order_by("created_at", "pk"))


def task_row(caller: Caller, key: str) -> models.Task:
    """The caller's own task of this agent. Raises NotFound."""
    rows = models.Task.objects.filter(team=caller.actor.team, person=caller.actor.user, workflow=caller.agent.workflow)
    row = rows.filter(pk=key).first() if storable(key) else None
    if row is None:
        raise NotFound
    return row


def standing_for(caller: Caller, key: str) -> Standing:
    """Where the caller's task stands. Raises NotFound."""
    row = task_row(caller, key)
    return standing_of(selectors.run_for(caller.actor, row.pk), row.context)


def standing_of(run: Run, context: str) -> Standing:
    """Where a run stands, whose row was just read."""
    return Standing(run, context, open_questions(run) if run.state == RunState.WAITING else ())


# -- in the words of the protocol -------------------------------------------------------------------------------------


def task_of(
    standing: Standing,
    language: str,
    history: int | None = None,
    *,
    artifacts: bool = True,
    drafts: Drafts | None = None,
) -> Task:
    """The task. `history` = so many of the latest messages, None = all; `drafts` = what it said, where that is known.
    Touches the database."""
    task = Task(id=standing.run.pk, context_id=standing.context, status=status_of(standing, language))
    if artifacts:
        task.artifacts.extend(artifacts_of(standing.run, language, drafts))
    if history != 0:
        task.history.extend(messages_of(standing.run.pk, history))
    return task


def status_of(standing: Standing, language: str) -> TaskStatus:
    """The task's status, with what a client is to know or to ask. Touches the database."""
    status = TaskStatus(state=standing.state)
    status.timestamp.FromDatetime(changed_at(standing))
    message = _message(standing, language)
    if message is not None:
        status.message.CopyFrom(message)
    return status


def changed_at(standing: Standing) -> datetime:
    """When the task came to stand as it does, as lists sort by it (`listing`). Touches the database."""
    run = standing.run
    if run.finished_at is not None:
        return run.finished_at
    if run.started_at is None:
        return run.queued_at
    rows = Interaction.objects.filter(Q(run=run) | Q(root_run=run))
    newest = rows.aggregate(newest=Max(Coalesce("answered_at", "created_at")))["newest"]
    return run.started_at if newest is None else max(run.started_at, newest)


def _message(standing: Standing, language: str) -> Message | None:
    run, question = standing.run, standing.question
    if question is not None:
        return _question_message(standing, interaction_shape(question, language), language)
    if run.state == RunState.PAUSED:
        return agent_message(standing, f"{run.pk}-paused", [word("paused", language, url=run_url(run.pk))])
    if run.state == RunState.ERROR:
        error = run_whole(run, language)["error"]
        if error is None:
            return None
        text = f"{error['message']} {error['hint']}".strip()
        facts: JsonObject = {"code": error["code"], "node": error["node"], "url": run_url(run.pk)}
        return agent_message(standing, f"{run.pk}-failed", [text], facts)
    return None


def _question_message(standing: Standing, shape: InteractionJson, language: str) -> Message:
    """A question: one that a message answers, with its schema; any other with the page where a person decides."""
    url = f"{settings.PUBLIC_URL}/inbox/{shape['id']}"
    lines = [shape["title"], shape["message"]]
    facts: JsonObject = {"question": shape["id"], "kind": shape["kind"], "url": url}
    if shape["kind"] in INSIDE:
        lines.append(word("answer_here", language, url=url))
        schema: Any = shape["schema"]
        facts["schema"] = schema
    else:
        lines.append(word("person", language, url=url))
    return agent_message(standing, shape["id"], ["\n".join(line for line in lines if line)], facts)


def agent_message(standing: Standing, key: str, texts: Sequence[str], facts: JsonObject | None = None) -> Message:
    """A message of the agent."""
    parts = [Part(text=text) for text in texts]
    if facts is not None:
        parts.append(data_part(facts))
    return Message(
        message_id=key, context_id=standing.context, task_id=standing.run.pk, role=Role.ROLE_AGENT, parts=parts
    )


def data_part(value: JsonValue) -> Part:
    """A part of data."""
    part = Part(media_type="application/json")
    part.data.CopyFrom(ParseDict(value, Value()))
    return part


def run_url(run: str) -> str:
    """The run's page, for members."""
    return f"{settings.PUBLIC_URL}/runs/{run}"


@lru_cache(maxsize=64)
def script_for(blob: str) -> Script:
    """What of a run's snapshot is told as it is written. Touches the database."""
    return script_of({**stored_graph(blob)[0]})


def lines_of(run: Run, after: int, until: int) -> list[Line]:
    """The lines after an event that say something, up to another. Touches the database."""
    script = script_for(run.graph_id)
    if not (script.speakers.answers or script.models):
        return []
    return transcript_between(run.pk, after, until, sorted(script.speakers.answers), sorted(script.models))


def drafts_of(run: Run) -> Drafts:
    """What a run has said by the time at which its row was read. Touches the database."""
    drafts = Drafts(script_for(run.graph_id))
    for line in lines_of(run, 0, run.last_seq):
        drafts.line(line)
    return drafts


def artifacts_of(run: Run, language: str, drafts: Drafts | None = None) -> list[Artifact]:
    """What a run has given so far: what it said, and in the end its outputs. Touches the database."""
    outputs = outputs_artifact(run, language) if run.state == RunState.SUCCESS else None
    if outputs is not None and not script_for(run.graph_id).speakers.answers:
        return [outputs]
    pieces = (drafts_of(run) if drafts is None else drafts).artifacts(over=run.state in TERMINAL)
    artifacts = [written(run.pk, piece) for piece in pieces]
    return artifacts if outputs is None else [*artifacts, outputs]


def written(run: str, piece: Piece) -> Artifact:
    """A piece of what an answer says, or of a text among the outputs."""
    part = Part(text=piece.text, media_type="text/plain")
    if piece.name:
        artifact = Artifact(artifact_id=f"{run}-said-{piece.name}", name=ANSWER_ARTIFACT, parts=[part])
    else:
        artifact = Artifact(artifact_id=f"{run}-{OUTPUTS}", name=OUTPUTS, parts=[_named(part, piece.output)])
    if piece.draft:
        artifact.metadata.update({DRAFT: True})
    return artifact


def outputs_artifact(run: Run, language: str) -> Artifact | None:
    """The outputs of a run that ended well; None where it has none. Each text and file is a part, the rest data."""
    outputs = run_whole(run, language)["outputs"]
    if not outputs:
        return None
    parts: list[Part] = []
    rest: JsonObject = {}
    room = MOST_BYTES
    for name, value in outputs.items():
        if isinstance(value, str):
            parts.append(_named(Part(text=value, media_type="text/plain"), name))
            continue
        if not _is_file(value):
            rest[name] = value
        for file in _files_in(value):
            part, used = _file_part(run, file, room)
            room -= used
            parts.append(_named(part, name))
    if rest:
        parts.append(data_part(rest))
    return Artifact(artifact_id=f"{run.pk}-{OUTPUTS}", name=OUTPUTS, parts=parts)


def rest_of(outputs: Artifact, output: str, text: str) -> Artifact | None:
    """What is still to be told of the outputs, of whose output `output` the beginning was; None where they begin
    otherwise."""
    first = outputs.parts[0]
    named = "output" in first.metadata and first.metadata["output"] == output
    if not (named and first.HasField("text") and first.text.startswith(text)):
        return None
    rest = Artifact()
    rest.CopyFrom(outputs)
    if first.text != text or len(outputs.parts) == 1:
        rest.parts[0].text = first.text[len(text) :]
    else:
        del rest.parts[0]
    return rest


def _named(part: Part, name: str) -> Part:
    part.metadata.update({"output": name})
    return part


def _is_file(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("$file"), str)


def _files_in(value: Any) -> Iterable[dict[str, Any]]:
    """The files that an output is, or holds."""
    if _is_file(value):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _files_in(item)


def _file_part(run: Run, file: dict[str, Any], room: int) -> tuple[Part, int]:
    """(a file with its bytes while there is room, else with its address; the bytes that it took)."""
    key, size = str(file["$file"]), file.get("size")
    name, mime = str(file.get("name") or key), str(file.get("mime") or "application/octet-stream")
    if isinstance(size, int) and size <= room:
        try:
            raw = file_of(run.team_id, key)[0]
        except NotFound:
            raw = None
        if raw is not None and len(raw) <= room:
            return Part(raw=raw, filename=name, media_type=mime), len(raw)
    return Part(url=file_url(key), filename=name, media_type=mime), 0


def file_url(key: str) -> str:
    """Where a file is to be had with a token that may read."""
    return f"{settings.PUBLIC_URL}/api/files/{key}"


def messages_of(run: str, most: int | None) -> list[Message]:
    """The messages that clients sent in a task, oldest first; the `most` latest of them."""
    rows = models.Message.objects.filter(task=run).order_by("-id").values_list("body", flat=True)
    bodies = list(rows if most is None else rows[:most])
    return [messages_in(body) for body in reversed(bodies)]


def messages_in(body: str) -> Message:
    """A message as it is kept."""
    message: Message = ParseDict(decode(body), Message(), ignore_unknown_fields=True)
    return message


def page_token(moment: datetime, key: str) -> str:
    """Where a page ended."""
    return base64.urlsafe_b64encode(f"{moment.isoformat()}|{key}".encode()).decode()


def page_place(token: str) -> tuple[datetime, str]:
    """Where the page before ended. Raises ValueError for a token that is none of ours."""
    moment, _, key = base64.urlsafe_b64decode(token.encode()).decode().partition("|")
    place = datetime.fromisoformat(moment)
    if place.tzinfo is None or not storable(key):
        raise ValueError(token)
    return place, key
