"""What the table of compatibility does not say of tasks: what a person decides, questions of runs below, pauses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connections

from backend.a2a.models import Message, Task
from backend.accounts.audit.batches import write_notes
from backend.accounts.models import AuditEntry
from backend.runs.models import Interaction, Run, RunState
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.a2a.sending import (
    APPROVAL,
    ASKS,
    RESTS,
    AgentReply,
    agent,
    followed,
    message,
    place,
    rpc,
    send,
    state_of,
    task_of,
    texts_of,
)
from tests.api.runs.conftest import ONE_NODE, graph, node, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def above(child: Workflow) -> dict[str, Any]:
    """A document that runs another workflow, and gives what that gave."""
    below = node("below", "workflow", {"workflow": child.slug, "inputs": {}})
    end = node("end", "end", {"outputs": {"text": "{{ below.text }}"}})
    return graph([node("start", "start"), below, end], "start -> below", "below -> end")


def test_a_message_is_a_run_in_the_members_name(bob: Person, worker: Worker) -> None:
    task = task_of(send(bob, agent(bob, ONE_NODE), "Ada"))
    run = Run.objects.get()
    assert (task["id"], state_of(task), texts_of(task)) == (run.pk, "completed", ["Hello Ada"])
    assert (run.trigger, run.state, run.started_by) == ("a2a", RunState.SUCCESS, bob.user)
    write_notes()
    deed = AuditEntry.objects.get(action="run.started")
    assert (deed.target_id, deed.actor_id) == (run.pk, bob.user.pk) and deed.token_id


def test_a_message_that_comes_twice_at_once_is_one_task(bob: Person) -> None:
    row = agent(bob, ONE_NODE)

    def sent(_: int) -> AgentReply:
        try:
            return send(bob, row, "Ada", now=True, messageId="one")
        finally:
            connections.close_all()  # of this thread

    with ThreadPoolExecutor(4) as clients:
        messages = list(clients.map(sent, range(8)))
    assert len({task_of(answer)["id"] for answer in messages}) == 1
    assert (Run.objects.count(), Task.objects.count(), Message.objects.count()) == (1, 1, 1)


def test_no_message_answers_an_approval(bob: Person, worker: Worker) -> None:
    row = agent(bob, APPROVAL)
    task = task_of(send(bob, row, "go"))
    question = Interaction.objects.get()
    assert state_of(task) == "auth_required"
    assert f"/inbox/{question.pk}" in task["status"]["message"]["parts"][0]["text"]
    refused = send(bob, row, "yes", taskId=task["id"])
    assert refused.code == -32004 and question.pk in refused["error"]["message"]
    assert Interaction.objects.get().state == Interaction.State.OPEN


def test_a_question_of_a_run_below_is_the_tasks(bob: Person, worker: Worker) -> None:
    """A stream hears of it, though it stands on another topic; and the next message answers it."""
    row = agent(bob, above(agent(bob, ASKS)))
    reply = rpc(bob.token, place(row), "SendStreamingMessage", {"message": message("go")})
    assert state_of(reply.events[-1]["result"]["statusUpdate"]) == "input_required"
    key = reply.events[0]["result"]["task"]["id"]
    answer = partial(send, bob, row, "Ada", taskId=key)
    events = followed(bob.token, place(row), "SubscribeToTask", {"id": key}, answer)
    assert state_of(events[-1]["statusUpdate"]) == "completed"
    assert Task.objects.count() == 1 and Run.objects.count() == 2


def test_a_message_that_waits_hears_of_a_question_below(bob: Person, worker: Worker) -> None:
    row = agent(bob, above(agent(bob, ASKS)))
    task = task_of(send(bob, row, "go"))
    assert state_of(task) == "input_required"
    assert texts_of(task_of(send(bob, row, "Ada", taskId=task["id"]))) == ["Ada"]


def test_a_paused_task_works_and_says_so(bob: Person, worker: Worker) -> None:
    row = agent(bob, RESTS)
    key = task_of(send(bob, row, "go", now=True))["id"]
    until(lambda: Run.objects.get().state == RunState.WAITING)
    assert bob.api.post(f"/api/runs/{key}/pause").status < 300
    until(lambda: Run.objects.get().state == RunState.PAUSED)
    task = task_of(rpc(bob.token, place(row), "GetTask", {"id": key}))
    assert state_of(task) == "working" and "Paused" in task["status"]["message"]["parts"][0]["text"]


def test_a_run_that_is_deleted_is_no_task_any_more(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE)
    key = task_of(send(bob, row, "Ada", messageId="one"))["id"]
    assert bob.api.delete(f"/api/runs/{key}").status == 204
    assert rpc(bob.token, place(row), "GetTask", {"id": key}).code == -32001
    assert task_of(send(bob, row, "Ada", messageId="one"))["id"] != key, "its message is forgotten with it"


def test_what_is_shown_of_an_agent(bob: Person, worker: Worker) -> None:
    row = agent(bob, ONE_NODE, public=True)
    key = task_of(send(bob, row, "Ada"))["id"]
    shown = bob.api.get(f"/api/workflows/{row.pk}/agent").data
    assert (shown["offered"], shown["public"], shown["version"], shown["runnable"]) == (True, True, 1, True)
    assert shown["url"].endswith(place(row)) and shown["card_url"].startswith(shown["url"])
    assert (shown["takes_text"], shown["chat"]) == (True, False)
    (call,) = shown["calls"]
    assert (call["run"], call["by"], call["state"]) == (key, bob.user.email, "SUCCESS")
