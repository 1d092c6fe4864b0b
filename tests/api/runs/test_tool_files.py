"""Bytes within the answers of tools are files of the run: no line carries them, and what comes after is handed them."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from backend.files.models import Blob, File
from backend.runs.models import LogLine, Run, RunFile
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events
from tests.api.runs.conftest import graph, make_workflow, node
from tests.api.runs.sweeping import swept
from tests.live.servers.programs.results_server import PDF, SVG, png, wav
from tests.llm_server import Call, LlmServer
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

PROGRAM = Path(__file__).parents[2] / "live" / "servers" / "programs" / "results_server.py"
SIDE = 8


@pytest.fixture
def server(adam: Person) -> Iterator[None]:
    """The server that answers with every kind of block."""
    about = {"name": "Results", "transport": "stdio", "command": sys.executable, "args": [str(PROGRAM)]}
    assert adam.api.post("/api/mcp/servers", about).status == 201
    assert adam.api.get("/api/mcp/servers/results/tools?refresh=1").status == 200
    for name in ("gallery", "picture"):
        allowed = {"policy": "allow", "effect": "read"}
        assert adam.api.patch(f"/api/mcp/servers/results/tools/{name}", allowed).status == 200
    yield
    LOOP.stop()


def tool(key: str, name: str) -> Any:
    return node(key, "tool", {"server": "results", "tool": name, "arguments": {"side": SIDE}})


def run_of(person: Person, *nodes: Any) -> dict[str, Any]:
    """A run of these nodes, one after the other, when it has ended."""
    every = [
        node("start", "start", {}),
        *nodes,
        node("end", "end", {"outputs": {"first": f"{{{{ {nodes[0]['id']} }}}}"}}),
    ]
    keys = [item["id"] for item in every]
    document = graph(every, *(f"{a} -> {b}" for a, b in pairwise(keys)))
    path = f"/api/workflows/{make_workflow(person, document).pk}/runs"
    run = person.api.post(path, {"version": "draft", "inputs": {}, "wait": 60}).data
    assert run["state"] == "SUCCESS", run
    return dict(run)


def nowhere(data: bytes) -> None:
    """No line of any log and no blob of a value holds these bytes as base64."""
    packed = base64.b64encode(data).decode()
    for line in LogLine.objects.all():
        assert packed not in line.data and packed not in line.value, line.type
    files = set(File.objects.values_list("blob", flat=True))
    for blob in Blob.objects.exclude(pk__in=files):
        assert packed.encode() not in bytes(blob.data)


def test_every_block_with_bytes_names_a_file_that_anybody_of_the_team_can_read(
    adam: Person, worker: Worker, server: None
) -> None:
    run = run_of(adam, tool("show", "gallery"))
    blocks = run["outputs"]["first"]["content"]
    files = [block.get("file") or block.get("resource", {}).get("file") for block in blocks]
    assert [file and (file["name"], file["mime"], file["size"]) for file in files[1:5]] == [
        ("image-1.png", "image/png", len(png(SIDE))),
        ("image-2.svg", "image/svg+xml", len(SVG.encode())),
        ("audio-3.wav", "audio/wav", len(wav())),
        ("month.pdf", "application/pdf", len(PDF)),
    ]
    assert (
        blocks[2]["annotations"] == {"priority": 7} and blocks[4]["resource"]["uri"] == "file:///srv/reports/month.pdf"
    )
    assert not any(files[5:]) and "data" not in blocks[1] and "blob" not in blocks[4]["resource"]
    for file, data in zip(files[1:5], (png(SIDE), SVG.encode(), wav(), PDF), strict=True):
        assert adam.api.client.get(f"/api/files/{file['$file']}").content == data
        nowhere(data)
    [answered] = [event for event in events(adam, run["id"]) if event["type"] == "TOOL_RESPONSE"]
    assert answered["node"] == "show" and json.dumps(answered["data"]["content"]).count("$file") == 4


def test_a_file_of_a_tool_is_read_by_a_document_and_shown_to_a_model(
    adam: Person, worker: Worker, server: None, provider: None, llm: LlmServer
) -> None:
    llm.say("A square.")
    message = {"role": "user", "content": ["What is it?", "{{ show.content[0].file }}"]}
    run_of(
        adam,
        tool("show", "picture"),
        node("look", "llm", {"provider": "llm", "model": "m", "messages": [message]}),
    )
    [_, seen] = llm.requests[0].messages[-1]["content"]
    assert seen["image_url"]["url"] == f"data:image/png;base64,{base64.b64encode(png(SIDE)).decode()}"
    nowhere(png(SIDE))


def test_a_model_sees_the_picture_of_a_tool_that_it_called(
    adam: Person, worker: Worker, server: None, provider: None, llm: LlmServer
) -> None:
    llm.reply(calls=[Call("results__picture", {"side": SIDE})])
    llm.say("A square.")
    tools = {"servers": [{"server": "results", "include": ["picture"]}]}
    config = {"provider": "llm", "model": "m", "query": "Draw.", "tools": tools, "auto_execute": True}
    run = run_of(adam, node("ask", "agent", config))
    assert run["outputs"]["first"]["text"] == "A square."
    assert base64.b64encode(png(SIDE)).decode() in json.dumps(llm.requests[1].messages)
    nowhere(png(SIDE))


def test_the_files_of_a_run_go_with_it_and_a_fork_shares_them(adam: Person, worker: Worker, server: None) -> None:
    first = run_of(adam, tool("show", "picture"), node("say", "answer", {"text": "done"}))
    [block] = first["outputs"]["first"]["content"]
    key = block["file"]["$file"]
    forked = adam.api.post(f"/api/runs/{first['id']}/fork", {"step": "say", "wait": 60}).data
    assert RunFile.objects.filter(run=forked["id"], file=key).exists()
    old = timezone.now() - timedelta(days=60)
    Run.objects.filter(pk=first["id"]).update(finished_at=old)
    File.objects.update(created_at=old)
    swept(30)
    assert not Run.objects.filter(pk=first["id"]).exists() and File.objects.filter(pk=key).exists()
    assert adam.api.delete(f"/api/runs/{forked['id']}").status in (200, 204)
    swept(30)
    assert not File.objects.filter(pk=key).exists()


def test_the_playground_answers_with_the_bytes_and_keeps_nothing(adam: Person, worker: Worker, server: None) -> None:
    body = {"server": "results", "tool": "picture", "arguments": {"side": SIDE}}
    answer = adam.api.post("/api/mcp/tools/call", body).data
    assert answer["content"][0]["data"] == base64.b64encode(png(SIDE)).decode()
    assert File.objects.count() == 0
