"""Agents on the worker with the database's journal: pictures as inputs, what is counted, what the log holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from backend.errors import NotFound
from backend.files.services import file_of
from backend.runs.worker.worker import Worker
from tests.api.files.uploading import upload
from tests.api.runs.asking import events
from tests.api.runs.conftest import make_workflow
from tests.api.runs.models import agent
from tests.llm_server import Call, LlmServer, has_result
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

LITERAL = "{{ env.x }} ${secret:x}"


def test_two_rounds_over_rest(worker: Worker, bob: Person, llm: LlmServer, provider: None) -> None:
    llm.reply(text="I count.", calls=[Call("local__calculate", {"expression": "6*7"})])
    llm.say(f"It is 42. {LITERAL}", when=has_result("42"))
    at = f"/api/workflows/{make_workflow(bob, agent('{{ start.q }}')).id}/runs"
    run = bob.api.post(at, {"version": "draft", "inputs": {"q": LITERAL}, "wait": 30}).data
    assert (run["state"], run["outputs"]) == ("SUCCESS", {"text": f"It is 42. {LITERAL}"})
    assert llm.requests[0].messages == [{"role": "user", "content": LITERAL}]
    assert (run["usage"]["input_tokens"], run["usage"]["output_tokens"]) == (22, 14)
    assert run["usage"]["cost"] > 0
    log = events(bob, run["id"])
    types = [line["type"] for line in log if line["node"] == "ask" and line["type"] != "TEXT_ADD"]
    assert types == [
        "STEP_INIT", "STEP_INPUT", "LLM_REQUEST", "LLM_RESPONSE", "TOOL_REQUEST", "TOOL_RESPONSE",
        "LLM_REQUEST", "LLM_RESPONSE", "STEP_OUTPUT",
    ]  # fmt: skip
    calls = [line["data"]["call"] for line in log if line["type"] in ("LLM_REQUEST", "TOOL_REQUEST")]
    assert calls == ["round:1", "round:1/call:1", "round:2"]
    assert "sk-team" not in json.dumps(log)
    assert "the environment" not in json.dumps(log)


def test_a_picture_as_input(worker: Worker, bob: Person, llm: LlmServer, provider: None) -> None:
    llm.say("A cat.")
    created = upload(bob, b"\x89PNG" + b"x" * 30_000)
    photo = {"$file": created["id"], "name": "a.png", "mime": "image/png"}
    at = f"/api/workflows/{make_workflow(bob, agent('{{ start.photo }}')).id}/runs"
    run = bob.api.post(at, {"version": "draft", "inputs": {"photo": photo}, "wait": 30}).data
    assert run["outputs"] == {"text": "A cat."}
    [part] = llm.requests[0].messages[0]["content"]
    assert part["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


def test_another_teams_picture_is_none(bob: Person, charlie: Person) -> None:
    photo = upload(bob, b"bytes")
    assert file_of(bob.team.id, str(photo["id"])) == (b"bytes", "image/png", "a.png")
    with pytest.raises(NotFound):
        file_of(charlie.team.id, str(photo["id"]))


def test_a_fallback_answers_where_the_first_model_is_gone(
    worker: Worker, bob: Person, adam: Person, llm: LlmServer, provider: None
) -> None:
    """The first endpoint refuses: the fallback is asked on its own wire, in the rounds after as well, and the log, the
    usage and the problems of the editor name it."""
    llm.reply(when=lambda asked: asked.body["model"] == "m", status=401)
    llm.reply(calls=[Call("local__calculate", {"expression": "6*7"})])
    llm.say("It is 42.", when=has_result("42"))
    models = [{"id": "n", "input_price": 1, "output_price": 1, "features": ["tools"]}]
    about = {"name": "Other", "slug": "other", "base_url": llm.url, "api_key": "sk-other-12345678", "models": models}
    assert adam.api.post("/api/providers", about).status == 201
    document = agent("How much?")
    config: Any = document["nodes"][1]["config"]  # type: ignore[index]
    config["fallback"] = {"provider": "other", "model": "n"}
    at = f"/api/workflows/{make_workflow(bob, document).id}"
    run = bob.api.post(f"{at}/runs", {"version": "draft", "inputs": {}, "wait": 30}).data
    assert (run["state"], run["outputs"]) == ("SUCCESS", {"text": "It is 42."})
    assert [request.body["model"] for request in llm.requests] == ["m", "n", "n"]
    log = events(bob, run["id"])
    asked = [(line["data"]["provider"], line["data"]["model"]) for line in log if line["type"] == "LLM_REQUEST"]
    assert asked == [("llm", "m"), ("other", "n"), ("other", "n")]
    [given_up] = [line["data"] for line in log if line["type"] == "STEP_RETRY"]
    assert (given_up["code"], given_up["fallback"]) == ("LLM_AUTH_FAILED", {"provider": "other", "model": "n"})
    used = bob.api.get("/api/usage?by=model").data["results"]
    assert {row["key"]: row["rounds"] for row in used} == {"llm/m": 1, "other/n": 2}
    config["fallback"] = {"provider": "nobody", "model": "n"}
    [problem] = bob.api.post(f"{at}/validate", {"graph": document}).data["problems"]
    assert (problem["code"], problem["path"]) == ("provider_unknown", "/nodes/1/config/fallback/provider")
