"""A client that leaves ends nothing but its stream; whoever comes again, also after a kill, misses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from a2a.client import Client
from a2a.types import StreamResponse, SubscribeToTaskRequest, TaskState

from tests.instance import until
from tests.live.a2a.conftest import ASKS, Offering, last, send_request, texts_of


@contextmanager
def streaming(offering: Offering, url: str, method: str, params: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """The results of a stream as they come, on a bare connection that is closed with the block."""
    headers = {"authorization": f"Bearer {offering.token}", "a2a-version": "1.0"}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    def results(answer: httpx.Response) -> Iterator[dict[str, Any]]:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))["result"]

    with httpx.Client(timeout=90) as http, http.stream("POST", url, json=body, headers=headers) as answer:
        yield results(answer)


def message(text: str) -> dict[str, Any]:
    return {"message": {"messageId": text, "role": "ROLE_USER", "parts": [{"text": text}]}}


def followed(offering: Offering, url: str, task: str) -> list[StreamResponse]:
    """All that a client hears which subscribes again, and answers once the task asks."""

    async def work(client: Client) -> list[StreamResponse]:
        seen = []
        async for event in client.subscribe(SubscribeToTaskRequest(id=task)):
            seen.append(event)
            status = event.task.status if event.HasField("task") else event.status_update.status
            if status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
                await last(client, send_request("Ada", task_id=task))
        return seen

    return offering.session(url, work)


def test_a_client_that_leaves_comes_again(offering: Offering) -> None:
    url = offering.agent(ASKS)
    with streaming(offering, url, "SendStreamingMessage", message("left")) as events:
        task = next(events)["task"]["id"]
    until(lambda: offering.ask("GET", f"/api/runs/{task}")["state"] == "WAITING", 60)
    seen = followed(offering, url, task)
    assert texts_of(seen) == ["You said left", "Then Ada"]
    assert seen[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED


def test_killed_in_mid_task_it_goes_on_elsewhere(offering: Offering) -> None:
    url = offering.agent(ASKS)
    with streaming(offering, url, "SendStreamingMessage", message("killed")) as events:
        task = next(events)["task"]["id"]
        first = next(event["artifactUpdate"] for event in events if "artifactUpdate" in event)
        offering.patchbay.kill()
    offering.patchbay.start()
    seen = followed(offering, url, task)
    assert first["artifact"]["parts"][0]["text"] == "You said killed"
    assert texts_of(seen) == ["You said killed", "Then Ada"]
    assert seen[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED
