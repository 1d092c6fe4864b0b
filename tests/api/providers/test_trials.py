"""Testing a provider in stages, asking it for its models, noticing a model server on this machine."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
from django.conf import settings

from backend.llm.report import STAGES
from backend.providers.models import Provider
from backend.tools.loop import LOOP
from tests.llm_server import Call, LlmServer, ModelRequest, Reply
from tests.people import Person
from tests.services import free_port

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "sk-very-secret-0042"
LOCAL = ["url", "dns", "tcp", "http", "auth", "models", "chat", "stream", "tools"]


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """Connections end with the test."""
    yield
    LOOP.stop()


def willing(request: ModelRequest) -> Reply:
    """A model that says ok and calls tools."""
    return Reply(calls=[Call("add", {"a": 2, "b": 3})]) if request.tools else Reply(text="ok then", reasoning="hm")


@pytest.fixture
def endpoint(llm: LlmServer) -> LlmServer:
    """The scripted endpoint with a key and a willing model."""
    llm.key = KEY
    llm.otherwise = willing
    return llm


def trial(person: Person, llm: LlmServer, language: str = "en", **body: Any) -> dict[str, Any]:
    reply = person.api.post(
        "/api/providers/test", {"base_url": llm.url, "api_key": KEY, **body}, **{"accept-language": language}
    )
    assert reply.status == 200, reply.text
    assert KEY not in reply.text
    return dict(reply.data)


def states(report: dict[str, Any]) -> dict[str, bool | None]:
    assert [stage["name"] for stage in report["stages"]] == list(STAGES)
    return {stage["name"]: stage["ok"] for stage in report["stages"]}


def test_everything_works(adam: Person, endpoint: LlmServer) -> None:
    report = trial(adam, endpoint)
    assert report["ok"] is True
    assert report["code"] is None
    assert states(report) == {**dict.fromkeys(LOCAL, True), "tls": None}
    assert report["model"] == "scripted-1"
    assert [model["id"] for model in report["models"]] == ["scripted-1", "scripted-2"]
    assert report["features"] == ["reasoning", "tools"]
    assert len(endpoint.requests) == 2
    assert not Provider.objects.exists()


def test_of_a_saved_one_the_status_is_kept(adam: Person, bob: Person, endpoint: LlmServer) -> None:
    body = {"name": "Scripted", "base_url": endpoint.url, "api_key": KEY}
    at = f"/api/providers/{adam.api.post('/api/providers', body).data['id']}"
    assert not endpoint.listed  # adding connects to nothing
    assert bob.api.post(f"{at}/test", {"model": "scripted-2"}).data["ok"] is True
    status = bob.api.get(at).data["status"]
    assert (status["state"], status["model"], status["model_count"]) == ("ok", "scripted-2", 2)
    assert status["checked_at"]
    endpoint.key = "another"
    assert bob.api.post(f"{at}/test").data["code"] == "LLM_AUTH_FAILED"
    failed = bob.api.get(at).data["status"]
    assert (failed["state"], failed["code"]) == ("error", "LLM_AUTH_FAILED")
    assert failed["message"] and failed["hint"]
    adam.api.patch(at, {"idle_timeout_ms": 1000})
    assert bob.api.get(at).data["status"]["state"] == "unknown"


def test_a_saved_one_with_changes_that_are_not_saved(adam: Person, endpoint: LlmServer) -> None:
    created = adam.api.post(
        "/api/providers", {"name": "S", "base_url": endpoint.url, "api_key": "sk-old-one-0000"}
    ).data
    report = trial(adam, endpoint, provider=created["id"])
    assert report["ok"] is True
    assert adam.api.get(f"/api/providers/{created['id']}").data["api_key_hint"] == "····0000"


def test_the_key_of_a_saved_one_does_not_go_elsewhere(adam: Person, endpoint: LlmServer) -> None:
    created = adam.api.post(
        "/api/providers", {"name": "S", "base_url": "https://x.example.org/v1", "api_key": KEY}
    ).data
    reply = adam.api.post("/api/providers/test", {"provider": created["id"], "base_url": endpoint.url})
    assert reply.data["code"] == "LLM_AUTH_FAILED"
    assert "authorization" not in endpoint.listed[0].headers


def test_a_wrong_key(adam: Person, endpoint: LlmServer) -> None:
    endpoint.key = "another"
    report = trial(adam, endpoint)
    assert (report["ok"], report["code"]) == (False, "LLM_AUTH_FAILED")
    assert report["hint"]
    assert states(report)["http"] is True
    assert states(report)["auth"] is False
    assert states(report)["models"] is None
    assert "拒绝" in trial(adam, endpoint, "zh")["message"]


def test_a_key_that_is_taken_for_chat_only(adam: Person, endpoint: LlmServer) -> None:
    endpoint.list_refused = True
    endpoint.say("ok")
    endpoint.say("ok")
    report = trial(adam, endpoint, models=[{"id": "m-1"}])
    assert report["ok"] is True, report
    assert (states(report)["auth"], states(report)["models"], states(report)["chat"]) == (True, None, True)


def test_nobody_there(adam: Person, endpoint: LlmServer) -> None:
    endpoint.stop()
    report = trial(adam, endpoint)
    assert (report["ok"], report["code"]) == (False, "LLM_UNREACHABLE")
    assert states(report)["tcp"] is False


def test_not_an_address(adam: Person, endpoint: LlmServer) -> None:
    report = trial(adam, endpoint, base_url="ftp://example.org")
    assert states(report)["url"] is False
    assert report["code"] == "VALIDATION_ERROR"
    report = trial(adam, endpoint, base_url="http://no-such-host.invalid/v1")
    assert (states(report)["url"], states(report)["dns"]) == (True, False)


def test_our_own_port(adam: Person, endpoint: LlmServer) -> None:
    report = trial(adam, endpoint, base_url=f"http://127.0.0.1:{settings.PATCHBAY.port}/v1")
    assert (report["code"], states(report)["tcp"]) == ("NETWORK_BLOCKED", False)


def test_a_web_page(adam: Person, llm: LlmServer) -> None:
    llm.models = None
    llm.reply(body="<html>hello</html>", content_type="text/html")
    report = trial(adam, llm, model="m")
    assert (report["ok"], report["code"]) == (False, "LLM_BAD_RESPONSE")
    assert states(report)["chat"] is False


@pytest.mark.parametrize(
    ("stage", "before", "code", "usable"),
    [
        ("tls", "tcp", "LLM_UNREACHABLE", False),
        ("http", "tcp", "LLM_UNREACHABLE", False),
        ("models", "http", "LLM_BAD_RESPONSE", True),
        ("chat", "models", "LLM_BAD_RESPONSE", False),
        ("tools", "stream", "LLM_RATE_LIMITED", True),
    ],
)
def test_a_failure_is_told_at_its_stage(
    adam: Person, endpoint: LlmServer, stage: str, before: str, code: str, usable: bool
) -> None:
    """`usable`: models answer all the same."""
    url = endpoint.url
    if stage == "tls":
        url = f"https://127.0.0.1:{_hangs_up()}/v1"
    elif stage == "http":
        url = f"http://127.0.0.1:{_hangs_up()}/v1"
    elif stage == "models":
        endpoint.model_rows = cast(Any, "soon")
    elif stage == "chat":
        endpoint.otherwise = lambda _: Reply(status=404, body={"error": {"message": "model does not exist"}})
    else:
        endpoint.otherwise = lambda asked: Reply(status=429, body={}) if asked.tools else Reply(text="ok")
    report = trial(adam, endpoint, base_url=url, model="m")
    result = states(report)
    assert (result[before], result[stage], report["ok"]) == (True, False, usable), result
    failed = next(item for item in report["stages"] if item["name"] == stage)
    assert failed["code"] == code and failed["message"] and failed["hint"]


def _hangs_up() -> int:
    """The port of a server that takes a connection, reads, and hangs up without a word."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener:
            for _ in range(8):
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(0.2)
                    with contextlib.suppress(OSError):
                        connection.recv(4096)

    threading.Thread(target=serve, daemon=True).start()
    return int(listener.getsockname()[1])


def test_no_list_of_models(adam: Person, endpoint: LlmServer) -> None:
    endpoint.models = None
    report = trial(adam, endpoint)
    assert report["ok"] is False
    assert states(report)["models"] is None
    assert next(stage for stage in report["stages"] if stage["name"] == "models")["message"]
    assert next(stage for stage in report["stages"] if stage["name"] == "chat")["message"]
    again = trial(adam, endpoint, model="by-hand")
    assert again["ok"] is True
    assert endpoint.requests[0].body["model"] == "by-hand"
    listed = trial(adam, endpoint, models=[{"id": "in-the-table"}])
    assert listed["model"] == "in-the-table"


def test_a_model_that_cannot_use_tools_or_stream(adam: Person, endpoint: LlmServer) -> None:
    endpoint.refuses = {"tools"}
    endpoint.otherwise = lambda asked: Reply(text="ok", whole=True)
    report = trial(adam, endpoint)
    assert report["ok"] is True
    assert states(report)["tools"] is False
    assert states(report)["stream"] is None
    assert report["code"] == "LLM_BAD_RESPONSE"
    endpoint.refuses = set()
    report = trial(adam, endpoint)
    assert states(report)["tools"] is None
    assert "tool" in report["stages"][-1]["message"]


def test_models_asked_of_the_endpoint(adam: Person, bob: Person, endpoint: LlmServer) -> None:
    body = {"name": "Scripted", "base_url": endpoint.url, "api_key": KEY}
    at = f"/api/providers/{adam.api.post('/api/providers', body).data['id']}"
    result = bob.api.get(f"{at}/models")
    assert [model["id"] for model in result.data["results"]] == ["scripted-1", "scripted-2"]
    endpoint.key = "another"
    refused = bob.api.get(f"{at}/models")
    assert (refused.status, refused.data["code"]) == (502, "LLM_AUTH_FAILED")
    assert KEY not in refused.text


def test_what_openrouter_says_of_its_models(adam: Person, llm: LlmServer) -> None:
    row = {
        "id": "maker/model",
        "context_length": 131072,
        "pricing": {"prompt": "0.0000005", "completion": "0.0000015"},
        "architecture": {"input_modalities": ["text", "image"]},
        "supported_parameters": ["tools", "structured_outputs"],
    }
    llm.model_rows = [row, {"id": "plain", "pricing": {"prompt": "-1"}}, {"no": "id"}]
    at = f"/api/providers/{adam.api.post('/api/providers', {'name': 'R', 'base_url': llm.url}).data['id']}"
    assert adam.api.get(f"{at}/models").data["results"] == [
        {
            "id": "maker/model",
            "context": 131072,
            "input_price": 0.5,
            "cached_price": None,
            "output_price": 1.5,
            "features": ["tools", "vision", "json_schema"],
        },
        {
            "id": "plain",
            "context": None,
            "input_price": None,
            "cached_price": None,
            "output_price": None,
            "features": None,
        },
    ]


def test_a_local_model_server_is_noticed_when_asked(adam: Person, llm: LlmServer) -> None:
    words = {"en": "x", "zh": "x"}
    ours = {"id": "ollama", "name": words, "description": words, "key": "none", "local": True, "look": True}
    rows = [{**ours, "base_url": llm.url}, {**ours, "id": "gone", "base_url": f"http://127.0.0.1:{free_port()}/v1"}]
    path = settings.PATCHBAY.data / "provider_presets.json"
    path.write_text(json.dumps(rows))
    try:
        quiet = {preset["id"]: preset for preset in adam.api.get("/api/provider-presets").data["results"]}
        assert not llm.listed
        assert quiet["ollama"]["found"] is False
        looked = {preset["id"]: preset for preset in adam.api.get("/api/provider-presets?look=1").data["results"]}
    finally:
        path.unlink()
    assert looked["ollama"]["found"] is True
    assert looked["ollama"]["models"] == ["scripted-1", "scripted-2"]
    assert looked["gone"]["found"] is False
    assert looked["openai"]["found"] is False


def test_an_admins_broken_presets_are_left_out(adam: Person) -> None:
    path = settings.PATCHBAY.data / "provider_presets.json"
    path.write_text("[{]")
    try:
        assert adam.api.get("/api/provider-presets").data["results"]
    finally:
        path.unlink()
