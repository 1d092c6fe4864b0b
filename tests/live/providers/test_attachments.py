"""A real installation, killed between two rounds of a thinking model: what it attached goes back, whole and untouched.

The endpoint refuses, as DeepSeek's documents say, a message with calls that lacks its `reasoning_content`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.api.runs.conftest import graph, node
from tests.dialects import chunk, deepseek, used
from tests.instance import Installation, installation, until
from tests.llm_server import Gate, LlmServer, ModelRequest, llm_server

KEY = "sk-right-0123456789"
THOUGHT = "Ich rechne 1 + 2. 我来算。 " * 3000


def create_workflow(instance: Installation, token: str, llm: LlmServer) -> str:
    """A workflow with an agent of this provider; its id."""

    def ask(method: str, path: str, body: Any) -> Any:
        status, answer = instance.request(method, path, body, token)
        assert status < 300, (path, status, answer)
        return answer

    models = [{"id": "m-1", "context": 1_000_000}]
    ask("POST", "/api/providers", {"name": "Scripted", "base_url": llm.url, "api_key": KEY, "models": models})
    flow = ask("POST", "/api/workflows", {"name": "Count"})
    config = {"provider": "scripted", "model": "m-1", "query": "1 + 2?", "tools": {"local": ["calculate"]}}
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("count", "agent", config),
            node("end", "end", {"outputs": {"said": "{{ count.text }}", "by": "{{ count.model }}"}}),
        ],
        "start -> count",
        "count -> end",
    )
    ask("PUT", f"/api/workflows/{flow['id']}/draft", {"revision": flow["draft"]["revision"], "graph": document})
    return str(flow["id"])


def types(instance: Installation, token: str, run: str) -> list[str]:
    """The types of the run's committed events: a round whose end is not among them is asked again after a kill."""
    result = instance.request("GET", f"/api/runs/{run}/events", None, token)[1]["results"]
    return [event["type"] for event in result]


def answered(request: ModelRequest) -> bool:
    """Requests that hold the tool's answer."""
    return any(message["role"] == "tool" for message in request.messages)


def test_a_thinking_model_goes_on_after_a_kill(tmp_path: Path) -> None:
    instance = installation(tmp_path / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
    with llm_server() as llm:
        llm.key, llm.check = KEY, deepseek
        function = {"name": "local__calculate", "arguments": '{"expression": "1 + 2"}'}
        call = {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
        llm.reply(chunks=[chunk({"reasoning_content": THOUGHT}), chunk(call), chunk({}, "tool_calls"), used()])
        gate = Gate()
        llm.reply(chunks=[chunk({"content": "It is 3."}), chunk({}, "stop"), used()], when=answered, gate=gate)
        token = instance.start().token()
        workflow = create_workflow(instance, token, llm)
        body = {"inputs": {}, "version": "draft"}
        run = instance.request("POST", f"/api/workflows/{workflow}/runs", body, token)[1]["id"]
        llm.wait_for_request(2)
        until(lambda: "LLM_RESPONSE" in types(instance, token, run))
        instance.kill()
        llm.reply(chunks=[chunk({"content": "It is 3."}), chunk({}, "stop"), used()], when=answered)
        instance.start()
        until(lambda: instance.request("GET", f"/api/runs/{run}", None, token)[1]["state"] == "SUCCESS", 240)
        shown = instance.request("GET", f"/api/runs/{run}", None, token)[1]
        assert shown["outputs"] == {"said": "It is 3.", "by": "m-served"}
        before, after = (request.messages for request in llm.requests[1:3])
        assert after == before, "asked again as before the kill"
        reply = next(message for message in after if message.get("tool_calls"))
        assert reply["reasoning_content"] == THOUGHT
        assert len(llm.requests) == 3
        assert instance.stop() == 0
