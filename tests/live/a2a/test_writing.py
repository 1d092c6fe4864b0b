"""What a model writes reaches clients as it is written, and is put together by the SDKs to what is stored."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from a2a.client import Client
from a2a.server.tasks.task_manager import append_artifact_to_task
from a2a.types import CancelTaskRequest, GetTaskRequest, StreamResponse, SubscribeToTaskRequest, Task, TaskState

from backend.tools.programs.bundled import node_package
from tests.live.a2a.conftest import GIVES, WRITES, Offering, send_request, texts_of
from tests.llm_server import Gate, LlmServer
from tests.wide import besides

SCRIPT = Path(__file__).parents[1] / "servers" / "node" / "agent.mjs"
WORDS = "one two three four five six"


@pytest.fixture
def gate() -> Iterator[Gate]:
    held = Gate()
    yield held
    held.open()


def put_together(events: list[StreamResponse]) -> Task:
    """The task as the SDK's own code assembles it from a stream."""
    task = Task()
    for event in events:
        if event.HasField("task"):
            task.CopyFrom(event.task)
        elif event.HasField("artifact_update"):
            append_artifact_to_task(task, event.artifact_update)
    return task


def texts(task: Task) -> list[str]:
    """The text of each artifact."""
    return ["".join(part.text for part in artifact.parts) for artifact in task.artifacts]


async def read_until(events: Any, seen: list[StreamResponse], words: str) -> None:
    """Listen until these words were told."""
    async for event in events:
        seen.append(event)
        if any(words in text for text in texts(put_together(seen))):
            return
    raise AssertionError(f"the stream ended without {words!r}: {seen}")


@pytest.mark.parametrize(("document", "before"), [(WRITES, "So: "), (GIVES, "")], ids=["answer", "outputs"])
def test_text_comes_while_the_model_writes(
    offering: Offering, llm: LlmServer, gate: Gate, document: dict[str, Any], before: str
) -> None:
    offering.provide(llm.url)
    llm.reply(text=WORDS, gate=gate)

    async def work(client: Client) -> tuple[list[StreamResponse], Task]:
        seen: list[StreamResponse] = []
        events = aiter(client.send_message(send_request("count")))
        gate.release(2)
        await read_until(events, seen, "one")
        assert texts(put_together(seen))[0] in (before + WORDS) and "five" not in texts(put_together(seen))[0]
        gate.open()
        seen += [event async for event in events]
        return seen, await client.get_task(GetTaskRequest(id=seen[0].task.id))

    seen, got = offering.session(offering.agent(document), work)
    assert seen[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED
    assert texts(put_together(seen)) == texts(got) == [before + WORDS]
    assert "".join(texts_of(seen)) == before + WORDS, "no piece is told twice"
    assert [artifact.artifact_id for artifact in put_together(seen).artifacts] == [got.artifacts[0].artifact_id]
    updates = [event.artifact_update for event in seen if event.HasField("artifact_update")]
    assert [update.last_chunk for update in updates].count(True) == 1 and updates[-1].last_chunk


@pytest.mark.parametrize("document", [WRITES, *besides(GIVES)], ids=["answer", "outputs"])
def test_text_that_no_answer_takes_over_is_ended_and_marked(
    offering: Offering, llm: LlmServer, gate: Gate, document: dict[str, Any]
) -> None:
    offering.provide(llm.url)
    llm.reply(text=WORDS, gate=gate, times=None)

    async def work(client: Client) -> tuple[list[StreamResponse], Task]:
        seen: list[StreamResponse] = []
        events = aiter(client.send_message(send_request("count")))
        gate.release(2)
        await read_until(events, seen, "one")
        await client.cancel_task(CancelTaskRequest(id=seen[0].task.id))
        seen += [event async for event in events]
        return seen, await client.get_task(GetTaskRequest(id=seen[0].task.id))

    seen, got = offering.session(offering.agent(document), work)
    assert seen[-1].status_update.status.state == got.status.state == TaskState.TASK_STATE_CANCELED
    [ended] = [event for event in seen if event.HasField("artifact_update") and event.artifact_update.last_chunk]
    [artifact] = put_together(seen).artifacts
    assert ended.artifact_update.artifact.artifact_id == artifact.artifact_id and artifact.metadata["draft"] is True
    assert "one" in texts(put_together(seen))[0] and "six" not in texts(put_together(seen))[0]
    for stored in got.artifacts:  # as much of it as was stored by then
        assert stored.artifact_id == artifact.artifact_id and stored.metadata["draft"] is True


@pytest.mark.parametrize("kill", [*besides(False), True], ids=["left", "killed"])
def test_who_subscribes_again_gets_what_it_missed(offering: Offering, llm: LlmServer, gate: Gate, kill: bool) -> None:
    offering.provide(llm.url)
    llm.reply(text=WORDS, gate=gate, times=None)
    url = offering.agent(WRITES)

    async def leaves(client: Client) -> list[StreamResponse]:
        seen: list[StreamResponse] = []
        gate.release(2)
        await read_until(aiter(client.send_message(send_request("count"))), seen, "one")
        return seen

    async def comes_again(client: Client) -> list[StreamResponse]:
        events = aiter(client.subscribe(SubscribeToTaskRequest(id=task)))
        seen = [await anext(events)]
        gate.open()
        return seen + [event async for event in events]

    task = offering.session(url, leaves)[0].task.id
    if kill:
        offering.patchbay.kill()
        offering.patchbay.start()
    seen = offering.session(url, comes_again)
    assert seen[0].HasField("task") and seen[0].task.id == task
    assert texts(put_together(seen)) == [f"So: {WORDS}"]
    if not kill:
        assert "".join(texts_of(seen)) == f"So: {WORDS}", "no piece is told twice"
    assert seen[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED


@pytest.mark.wide
def test_the_typescript_sdk_puts_it_together(offering: Offering, llm: LlmServer) -> None:
    offering.provide(llm.url)
    llm.reply(text=WORDS)
    command = [str(node_package() / "bin" / "node"), str(SCRIPT), offering.agent(WRITES), offering.token, "once"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert ended.returncode == 0, ended.stderr
    reply = json.loads(ended.stdout)
    assert reply["first"] == ["task", "completed"]
    assert reply["assembled"] == reply["texts"] == [f"So: {WORDS}"]
