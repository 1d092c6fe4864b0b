"""What a stream at `/agui` tells, with the worker in this process."""

from __future__ import annotations

import pytest

from backend.runs.models import Run, RunState
from backend.runs.worker.worker import Worker
from tests.api.agui.speaking import body, front, said, texts_of, told, types_of
from tests.api.runs.conftest import ONE_NODE
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_message_is_answered(bob: Person, worker: Worker) -> None:
    row = front(bob, ONE_NODE)
    events = told(bob, row, body(said("Ada"), request="r1"))
    assert types_of(events)[0] == "RUN_STARTED"
    assert types_of(events)[-1] == "RUN_FINISHED"
    assert texts_of(events) == ["Hello Ada"]
    assert events[-1]["outcome"]["type"] == "success"
    assert events[-1]["result"] == {"text": "Hello Ada"}
    run = Run.objects.get()
    assert (run.trigger, run.state, run.started_by) == ("agui", RunState.SUCCESS, bob.user)
