"""Text that is told before it is stored: sooner or later than the log, a client puts the same artifacts together."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from a2a.server.tasks.task_manager import append_artifact_to_task
from a2a.types import Artifact, Part, Task, TaskArtifactUpdateEvent

from backend.a2a.drafts import Drafts, Piece, script_of
from backend.a2a.tasks import data_part, rest_of, written
from backend.runs.conversations.lines import Line
from backend.runs.log.events import TextPreviewJson

STEP = "st_1"
Told = tuple[str, str, dict[str, Any]]


def node(key: str, type_: str, **config: Any) -> dict[str, Any]:
    return {"id": key, "type": type_, "config": config}


def document(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {"nodes": [node("start", "start"), node("agent", "agent"), node("other", "llm"), *nodes]}


ANSWERS = document(node("say", "answer", text="So: {{ agent.text }}!"), node("end", "end", outputs={}))
ENDS = document(node("end", "end", outputs={"n": 1, "text": "{{ agent.text }}"}))


def text(call: str, offset: int, added: str) -> Told:
    return "TEXT_ADD", "agent", {"call": call, "channel": "text", "offset": offset, "text": added}


def asks(call: str) -> Told:
    return "LLM_REQUEST", "agent", {"call": call}


WRITES = (
    asks("turn:1"),
    text("turn:1", 0, "I count."),
    asks("turn:2"),
    text("turn:2", 0, "It is"),
    text("turn:2", 5, " 42."),
)
SAYS: Told = ("STEP_OUTPUT", "say", {"output": {"text": "So: It is 42.!"}})
PREVIEWS = (("turn:1", 0, "I co"), ("turn:1", 4, "unt."), ("turn:2", 0, "It"), ("turn:2", 2, " is 42."))


def lines(value: Iterable[Told], after: int = 0) -> Iterator[Line]:
    for seq, (type_, at, data) in enumerate(value, after + 1):
        yield Line(seq, type_, at, (), STEP, 1, data)


def preview(call: str, offset: int, delta: str) -> TextPreviewJson:
    return {"step": STEP, "call": call, "attempt": 1, "channel": "text", "offset": offset, "delta": delta}


def assembled(pieces: Iterable[Piece], task: Task | None = None) -> Task:
    """The task as the SDK puts it together."""
    task = task or Task(id="run")
    for piece in pieces:
        event = TaskArtifactUpdateEvent(
            task_id="run", artifact=written("run", piece), append=piece.append, last_chunk=piece.last
        )
        append_artifact_to_task(task, event)
    return task


def texts(task: Task) -> dict[str, str]:
    return {
        artifact.artifact_id: "".join(part.text for part in artifact.parts if part.HasField("text"))
        for artifact in task.artifacts
    }


@pytest.mark.parametrize("lost", [set[int](), {0}, {1}, {2}, {0, 2}, {1, 3}], ids=str)
def test_previews_that_outrun_the_log_or_come_late_change_nothing(lost: set[int]) -> None:
    log = (*WRITES, SAYS)
    sent = [preview(*piece) for index, piece in enumerate(PREVIEWS) if index not in lost]
    for places in itertools.combinations_with_replacement(range(len(log) + 1), len(sent)):
        drafts, pieces = Drafts(script_of(ANSWERS)), list[Piece]()
        for index, line in enumerate([*lines(log), None]):
            for place, item in zip(places, sent, strict=True):
                pieces += drafts.preview(item) if place == index else []
            pieces += drafts.line(line) if line is not None else []
        assert texts(assembled(pieces)) == {"run-said-agent": "So: It is 42.!"}, places
        assert [piece.last for piece in pieces].count(True) == 1 and pieces[-1].last
        assert [(piece.name, piece.text) for piece in drafts.artifacts()] == [("agent", "So: It is 42.!")]
        assert not drafts.left()


def test_what_comes_in_time_is_told_at_once_and_never_twice() -> None:
    drafts, pieces = Drafts(script_of(ANSWERS)), list[Piece]()
    request, first, *_ = lines([asks("turn:1"), text("turn:1", 0, "Hello")])
    pieces += drafts.line(request)
    for item in (preview("turn:1", 0, "He"), preview("turn:1", 2, "ll"), preview("turn:1", 2, "ll")):
        pieces += drafts.preview(item)
    pieces += drafts.line(first)
    assert [(piece.text, piece.append) for piece in pieces] == [("So: He", False), ("ll", True), ("o", True)]


@pytest.mark.parametrize("place", range(len(WRITES) + 2))
def test_who_subscribes_again_gets_the_rest_and_nothing_twice(place: int) -> None:
    """The state at any line is a task, and what follows goes on from there."""
    log = [*lines((*WRITES, SAYS))]
    drafts = Drafts(script_of(ANSWERS))
    for line in log[:place]:
        drafts.line(line)
    before = assembled(drafts.artifacts())
    late = [piece for item in PREVIEWS for piece in drafts.preview(preview(*item))]
    rest = [piece for line in log[place:] for piece in drafts.line(line)]
    assert texts(assembled([*late, *rest], before)) == {"run-said-agent": "So: It is 42.!"}


def test_what_a_process_wrote_that_died_is_written_anew() -> None:
    drafts = Drafts(script_of(ANSWERS))
    log = [*lines([asks("turn:1"), text("turn:1", 0, "Hello the")])]
    again = [
        Line(3, "FLOW_RESUME", "", (), "", 0, {}),
        *lines([asks("turn:1"), text("turn:1", 0, "Hi"), text("turn:1", 2, " there")], 3),
    ]
    pieces = [piece for line in log for piece in drafts.line(line)]
    pieces += drafts.preview(preview("turn:1", 9, "re, on"))
    pieces += drafts.line(again[0])
    pieces += drafts.preview(preview("turn:1", 9, "re, only told"))
    for line in again[1:]:
        pieces += drafts.line(line)
        assert texts(assembled(pieces)) == {"run-said-agent": drafts.artifacts()[0].text}
    assert texts(assembled(pieces)) == {"run-said-agent": "So: Hi there"}


def test_what_is_stored_corrects_what_was_told() -> None:
    drafts = Drafts(script_of(ANSWERS))
    request, stored = lines([asks("turn:1"), text("turn:1", 0, "Hello there")])
    pieces = [*drafts.line(request), *drafts.preview(preview("turn:1", 0, "Help"))]
    assert not drafts.preview(preview("turn:1", 0, "Hello")), "two previews that differ: the log will say"
    pieces += drafts.line(stored)
    assert texts(assembled(pieces)) == {"run-said-agent": "So: Hello there"}


def test_two_answers_that_say_the_same_text_are_two_artifacts() -> None:
    says = [node("one", "answer", text="{{ agent.text }}"), node("two", "answer", text="Again: {{ agent.text }}")]
    drafts = Drafts(script_of(document(*says)))
    log: list[Told] = [asks("turn:1"), text("turn:1", 0, "A")]
    log += [("STEP_OUTPUT", key, {"output": {"text": reply}}) for key, reply in (("one", "A"), ("two", "Again: A"))]
    pieces = [piece for line in lines(log) for piece in drafts.line(line)]
    assert texts(assembled(pieces)) == {"run-said-agent": "A", "run-said-two": "Again: A"}


@pytest.mark.parametrize(
    "said", ["{{ start.text }} {{ agent.text }}", "{{ upper(agent.text) }}", "{{ nobody.text }}", "Only words"]
)
def test_an_answer_that_begins_otherwise_is_told_whole(said: str) -> None:
    drafts = Drafts(script_of(document(node("say", "answer", text=said))))
    log = [*WRITES, ("STEP_OUTPUT", "say", {"output": {"text": "All of it"}})]
    pieces = [piece for line in lines(log) for piece in drafts.line(line)]
    assert [(piece.text, piece.append, piece.last) for piece in pieces] == [("All of it", False, True)]


@pytest.mark.parametrize("final", ["It is 42.", "It is 42. Or so.", "Something else"])
def test_outputs_are_told_as_they_are_written(final: str) -> None:
    drafts = Drafts(script_of(ENDS))
    pieces = [piece for line in lines(WRITES) for piece in drafts.line(line)]
    task, drafted = assembled(pieces), drafts.drafted()
    assert drafted == ("text", "It is 42.") and texts(task) == {"run-outputs": "It is 42."}
    part = Part(text=final)
    part.metadata.update({"output": "text"})
    outputs = Artifact(artifact_id="run-outputs", name="outputs", parts=[part, data_part({"n": 1})])
    rest = rest_of(outputs, *drafted)
    assert (rest is None) == (final == "Something else")
    event = TaskArtifactUpdateEvent(task_id="run", artifact=rest or outputs, append=rest is not None)
    append_artifact_to_task(task, event)
    assert texts(task) == {"run-outputs": final}
    assert [part.WhichOneof("content") for part in task.artifacts[0].parts].count("data") == 1


@pytest.mark.parametrize(("graph", "key"), [(ANSWERS, "said-agent"), (ENDS, "outputs")], ids=["answer", "outputs"])
def test_a_draft_that_no_answer_took_over_is_ended_and_marked(graph: dict[str, Any], key: str) -> None:
    drafts = Drafts(script_of(graph))
    pieces = [piece for line in lines(WRITES) for piece in drafts.line(line)]
    before = texts(assembled(pieces))
    assert "draft" not in written("run", drafts.artifacts()[0]).metadata, "an answer may still come"
    [left] = drafts.left()
    task = assembled([*pieces, left])
    assert left.last and texts(task) == before and [*before] == [f"run-{key}"]
    assert task.artifacts[0].metadata["draft"] is True
    assert [written("run", piece) for piece in drafts.artifacts(over=True)] == [*task.artifacts]
