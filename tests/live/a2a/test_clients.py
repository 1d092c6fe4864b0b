"""Clients of A2A's own SDKs, in Python and TypeScript, against a real Patchbay."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from a2a.client import Client
from a2a.types import CancelTaskRequest, GetTaskRequest, ListTasksRequest, StreamResponse, TaskState

from backend.tools.programs.bundled import node_package
from tests.instance import until
from tests.live.a2a.conftest import APPROVES, ASKS, RESTS, SAYS, Offering, last, send_request, texts_of

SCRIPTS = Path(__file__).parents[1] / "servers" / "node"


def test_a_message_is_streamed_to_its_end(offering: Offering) -> None:
    events = offering.session(offering.agent(SAYS), lambda client: last(client, send_request("hi")))
    assert events[0].HasField("task") and events[0].task.status.state == TaskState.TASK_STATE_SUBMITTED
    assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED
    assert texts_of(events) == ["You said hi"]


def test_a_message_is_answered_with_its_ended_task(offering: Offering) -> None:
    (answer,) = offering.session(offering.agent(SAYS), lambda client: last(client, send_request("hi")), streaming=False)
    assert answer.task.status.state == TaskState.TASK_STATE_COMPLETED
    assert texts_of([answer]) == ["You said hi"]


def test_a_question_is_answered_by_the_next_message(offering: Offering) -> None:
    async def work(client: Client) -> tuple[list[StreamResponse], list[StreamResponse]]:
        request = await last(client, send_request("hi"))
        task = request[0].task
        return request, await last(client, send_request("Ada", task_id=task.id, context_id=task.context_id))

    request, done = offering.session(offering.agent(ASKS), work)
    assert request[-1].status_update.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert texts_of(request) == ["You said hi"]
    assert done[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED
    assert texts_of(done) == ["You said hi", "Then Ada"], "what was said before is in the task"


def test_a_person_approves_while_the_client_listens(offering: Offering) -> None:
    """The stream stays open for what is decided elsewhere."""

    async def work(client: Client) -> list[TaskState]:
        states = []
        async for event in client.send_message(send_request("go")):
            if event.HasField("status_update"):
                states.append(event.status_update.status.state)
            if states and states[-1] == TaskState.TASK_STATE_AUTH_REQUIRED:
                text = event.status_update.status.message.parts[0].text
                offering.ask("POST", f"/api/interactions/{text.rpartition('/')[2]}/answer", {"action": "accept"})
        return states

    states = offering.session(offering.agent(APPROVES), work)
    assert TaskState.TASK_STATE_AUTH_REQUIRED in states and states[-1] == TaskState.TASK_STATE_COMPLETED


def test_tasks_are_got_listed_and_cancelled(offering: Offering) -> None:
    async def work(client: Client) -> tuple[Any, Any, Any]:
        (begun,) = await last(client, send_request("go"))
        got = await client.get_task(GetTaskRequest(id=begun.task.id))
        ended = await client.cancel_task(CancelTaskRequest(id=begun.task.id))
        return got, await client.list_tasks(ListTasksRequest(context_id=begun.task.context_id)), ended

    got, listed, ended = offering.session(offering.agent(RESTS), work, streaming=False, polling=True)
    assert got.id == ended.id == listed.tasks[0].id and listed.total_size == 1
    assert ended.status.state == TaskState.TASK_STATE_CANCELED
    assert until(lambda: offering.ask("GET", f"/api/runs/{got.id}")["state"] == "CANCELLED")


def test_the_typescript_sdk(offering: Offering) -> None:
    script = SCRIPTS / "agent.mjs"
    command = [str(node_package() / "bin" / "node"), str(script), offering.agent(ASKS), offering.token]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    seen = json.loads(ended.stdout)
    assert seen["first"] == ["task", "input_required"] and seen["second"] == ["task", "completed"]
    assert seen["texts"] == seen["assembled"] == ["You said hi", "Then Ada"] and seen["listed"] == [seen["task"]]
