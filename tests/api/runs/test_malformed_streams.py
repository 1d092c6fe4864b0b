"""A model's stream with malformed events: each costs itself or ends its own run with a code; others never notice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from backend.runs.worker.worker import Worker
from tests.api.runs.conftest import make_workflow, until
from tests.api.runs.models import agent
from tests.llm_server import Gate, LlmServer, mentions
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def stream(*events: Any) -> bytes:
    """The events as they go over the wire; bytes as they stand."""
    lines = [event if isinstance(event, bytes) else b"data: " + json.dumps(event).encode() for event in events]
    return b"".join(line + b"\n\n" for line in lines) + b"data: [DONE]\n\n"


def outcome(worker: Worker, bob: Person, llm: LlmServer, body: bytes) -> tuple[str, Any]:
    """How a run ends whose model says this (text, or the code of its error), while another goes on beside it."""
    held = Gate()
    llm.reply(text="Well said.", gate=held, when=mentions("beside"))
    llm.reply(body=body, content_type="text/event-stream", times=None, when=mentions("malformed"))
    at = f"/api/workflows/{make_workflow(bob, agent('{{ start.q }}')).id}/runs"
    beside = bob.api.post(at, {"version": "draft", "inputs": {"q": "beside"}}).data
    llm.wait_for_request(1)
    run = bob.api.post(at, {"version": "draft", "inputs": {"q": "malformed"}, "wait": 60}).data
    held.open()
    address = f"/api/runs/{beside['id']}"
    until(lambda: bob.api.get(address).data["state"] == "SUCCESS", 30)
    assert bob.api.get(address).data["outputs"] == {"text": "Well said."}
    if run["state"] == "SUCCESS":
        return "", run["outputs"]["text"]
    return run["error"]["code"], None


ODD: dict[str, Any] = {
    "no choices": {"model": "m"},
    "choices are a number": {"choices": 7},
    "a choice is a text": {"choices": ["x"]},
    "a delta is a list": {"choices": [{"delta": [1]}]},
    "content is a number": chunk(content=5),
    "calls are a number": chunk(tool_calls=5),
    "calls are true": chunk(tool_calls=True),
    "thoughts are numbers": chunk(content=[{"type": "thinking", "thinking": [5, None]}]),
    "usage is a text": {"choices": [], "usage": "much"},
    "a line without a field": b"\x00\x01 rubbish",
    "an event of nothing": b"data:",
}


@pytest.mark.parametrize("odd", ODD.values(), ids=list(ODD))
def test_an_event_of_wrong_types_costs_only_itself(
    worker: Worker, bob: Person, llm: LlmServer, provider: None, odd: Any
) -> None:
    body = stream(chunk(content="be"), odd, chunk(content="fore"), chunk("stop"))
    assert outcome(worker, bob, llm, body) == ("", "before")


def test_half_a_letter_costs_only_itself(worker: Worker, bob: Person, llm: LlmServer, provider: None) -> None:
    half = b'data: {"choices": [{"delta": {"content": "a\xe2\x82z"}}]}'
    body = stream(chunk(content="be"), half, chunk(content="fore"), chunk("stop"))
    assert outcome(worker, bob, llm, body) == ("", "bea\ufffdzfore")


BROKEN: dict[str, Any] = {
    "no JSON": b"data: {broken",
    "a list": [1],
    "deep": b"data: " + b"[" * 100_000,
    "an error": {"error": {"message": "out of paper"}},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=list(BROKEN))
def test_an_event_that_cannot_be_read_ends_its_run_with_a_code(
    worker: Worker, bob: Person, llm: LlmServer, provider: None, broken: Any
) -> None:
    code, _ = outcome(worker, bob, llm, stream(chunk(content="be"), broken, chunk(content="fore"), chunk("stop")))
    assert code in ("LLM_BAD_RESPONSE", "LLM_UNAVAILABLE")


def test_a_line_without_end_ends_its_run_with_a_code(
    worker: Worker, bob: Person, llm: LlmServer, provider: None
) -> None:
    code, _ = outcome(worker, bob, llm, b"data: " + b"x" * (65 * 1024 * 1024))
    assert code == "RESULT_TOO_LARGE"
