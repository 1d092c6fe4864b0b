"""What messages, tasks and streams at `/a2a` come to, with the worker in this process."""

from __future__ import annotations

import pytest

from backend.runs.models import Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from tests.api.a2a.sending import (
    APPROVAL,
    ASKS,
    RESTS,
    SAYS,
    agent,
    message,
    place,
    rpc,
    send,
    state_of,
    task_of,
    texts_of,
)
from tests.api.runs.conftest import ONE_NODE
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_message_is_a_run_and_its_outputs_are_the_artifact(bob: Person, worker: Worker) -> None:
    task = task_of(send(bob, agent(bob, ONE_NODE), "Ada"))
    run = Run.objects.get()
    assert (task["id"], state_of(task), texts_of(task)) == (run.pk, "completed", ["Hello Ada"])
    assert (run.trigger, run.state, run.started_by) == ("a2a", RunState.SUCCESS, bob.user)
    assert task["history"][0]["parts"] == [{"text": "Ada"}]


def test_a_stream_begins_with_the_task_and_ends_with_its_end(bob: Person, worker: Worker) -> None:
    row = agent(bob, SAYS)
    told = rpc(bob.token, place(row), "SendStreamingMessage", {"message": message("hi")})
    kinds = [next(iter(event["result"])) for event in told.events]
    assert kinds[0] == "task" and kinds[-1] == "statusUpdate"
    assert state_of(told["result"]["statusUpdate"]) == "completed"
    said = [
        event["result"]["artifactUpdate"]["artifact"] for event in told.events if "artifactUpdate" in event["result"]
    ]
    assert [artifact["parts"][0].get("text") for artifact in said] == ["You said hi", "That is all.", None]


def test_the_next_message_answers_what_the_task_asks(bob: Person, worker: Worker) -> None:
    row = agent(bob, ASKS)
    task = task_of(send(bob, row, "go"))
    assert state_of(task) == "input_required"
    told = task["status"]["message"]
    assert told["parts"][0]["text"].startswith("Who?\nSay it") and told["parts"][1]["data"]["kind"] == "form"
    done = task_of(send(bob, row, "Ada", taskId=task["id"], contextId=task["contextId"]))
    assert (done["id"], state_of(done), texts_of(done)) == (task["id"], "completed", ["Ada"])
    assert [item["parts"][0]["text"] for item in done["history"]] == ["go", "Ada"]


def test_no_message_answers_an_approval(bob: Person, worker: Worker) -> None:
    row = agent(bob, APPROVAL)
    task = task_of(send(bob, row, "go"))
    question = Interaction.objects.get()
    assert (
        state_of(task) == "auth_required" and f"/inbox/{question.pk}" in task["status"]["message"]["parts"][0]["text"]
    )
    refused = send(bob, row, "yes", taskId=task["id"])
    assert refused.code == -32004 and question.pk in refused["error"]["message"]
    assert Interaction.objects.get().state == Interaction.State.OPEN


def test_cancelling(bob: Person, worker: Worker) -> None:
    row = agent(bob, RESTS)
    task = task_of(send(bob, row, "go", now=True))
    assert state_of(task_of(rpc(bob.token, place(row), "CancelTask", {"id": task["id"]}))) == "canceled"
    assert Run.objects.get().state == RunState.CANCELLED
