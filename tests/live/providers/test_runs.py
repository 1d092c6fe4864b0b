"""A real installation and a scripted endpoint: runs reach the model, cancel hangs up, the key stays out of the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import Installation, installation, until
from tests.llm_server import Gate, LlmServer, llm_server

KEY = "sk-right-0123456789"


class Live:
    """An installation whose provider `scripted` is a scripted endpoint."""

    def __init__(self, instance: Installation, llm: LlmServer) -> None:
        self.instance, self.llm = instance, llm
        self.token = instance.start().token()
        models = [{"id": "m-1", "input_price": 1.0, "output_price": 2.0, "features": ["tools"]}]
        body = {"name": "Scripted", "base_url": llm.url, "api_key": KEY, "models": models}
        self.ask("POST", "/api/providers", body)
        created = self.ask("POST", "/api/workflows", {"name": "Talk"})
        messages = [{"role": "user", "content": "{{ start.text }}"}]
        config = {"provider": "scripted", "model": "m-1", "messages": messages}
        document = graph(
            [
                node("start", "start", {"inputs": {"type": "object"}}),
                node("ask", "llm", config),
                node("end", "end", {"outputs": {"said": "{{ ask.text }}"}}),
            ],
            "start -> ask",
            "ask -> end",
        )
        revision = created["draft"]["revision"]
        self.ask("PUT", f"/api/workflows/{created['id']}/draft", {"revision": revision, "graph": document})
        self.workflow = created["id"]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request that is not refused."""
        status, answer = self.instance.request(method, path, body, self.token)
        assert status < 300, (path, status, answer)
        return answer

    def run(self, text: str, wait: int = 0) -> Any:
        """A run of the draft."""
        body = {"inputs": {"text": text}, "version": "draft", "wait": wait}
        return self.ask("POST", f"/api/workflows/{self.workflow}/runs", body)

    def log(self, run: str) -> list[dict[str, Any]]:
        """All events of a run."""
        result: list[dict[str, Any]] = self.ask("GET", f"/api/runs/{run}/events")["results"]
        return result


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One installation for all tests here."""
    instance = installation(tmp_path_factory.mktemp("models") / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
    with llm_server() as llm:
        llm.key = KEY
        live = Live(instance, llm)
        yield live
        assert instance.stop() == 0


@pytest.fixture(autouse=True)
def clean(live: Live) -> None:
    """Each test has its own script."""
    live.llm.clear()


def test_a_run_asks_the_model_and_counts_its_cost(live: Live) -> None:
    live.llm.say("hello there")
    run = live.run("hi", wait=30)
    assert run["outputs"] == {"said": "hello there"}
    assert run["usage"]["cost"] == pytest.approx((11 * 1.0 + 7 * 2.0) / 1_000_000)
    assert live.llm.requests[0].messages == [{"role": "user", "content": "hi"}]


def test_cancel_hangs_up_in_the_middle_of_an_answer(live: Live) -> None:
    gate = Gate()
    gate.release(2)
    live.llm.say("one two three four", gate=gate)
    run = live.run("long")["id"]
    gate.wait_sent(2)
    live.ask("POST", f"/api/runs/{run}/cancel")
    assert live.llm.requests[0].gone.wait(5), "the model would say nothing more before"
    until(lambda: live.ask("GET", f"/api/runs/{run}")["state"] == "CANCELLED")


def test_the_key_never_stands_in_the_log(live: Live) -> None:
    live.llm.reply(status=401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}})
    failed = live.run("hi", wait=30)
    assert failed["error"]["code"] == "LLM_AUTH_FAILED"
    live.llm.say(f"your key is {KEY}", reasoning=KEY)
    reply = live.run("what is my key?", wait=30)
    for run in (failed, reply):
        assert KEY not in json.dumps(run)
        assert KEY not in json.dumps(live.log(run["id"]))


def test_a_provider_that_is_switched_off_between_runs(live: Live) -> None:
    live.ask("PATCH", "/api/providers/scripted", {"enabled": False})
    try:
        failed = live.run("hi", wait=30)
        assert failed["state"] == "ERROR"
        assert "scripted" in failed["error"]["message"]
        assert not live.llm.requests
    finally:
        live.ask("PATCH", "/api/providers/scripted", {"enabled": True})


def test_a_slow_down_is_waited_for_and_seen(live: Live) -> None:
    live.llm.reply(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "1.5"})
    live.llm.say("now")
    run = live.run("hi", wait=30)
    assert run["outputs"] == {"said": "now"}
    retries = [event["data"] for event in live.log(run["id"]) if event["type"] == "STEP_RETRY"]
    assert [(retry["code"], retry["delay_ms"]) for retry in retries] == [("LLM_RATE_LIMITED", 1500)]
