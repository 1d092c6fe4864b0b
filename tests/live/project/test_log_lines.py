"""The log of a real installation: a request's id goes from its head over the run to the worker's line."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import Installation, installation, until

FAILS = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("end", "end", {"outputs": {"n": "{{ start.a.b }}"}}),
    ],
    "start -> end",
)
ASKED = "from-a-browser-1"


@contextmanager
def started(folder: Path, form: str) -> Iterator[Installation]:
    instance = installation(folder / "data", {"PATCHBAY_LOG_FORMAT": form})
    try:
        instance.start()
        yield instance
    finally:
        instance.kill()


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One whose log is text."""
    with started(tmp_path_factory.mktemp("text"), "text") as instance:
        yield instance


def ask(instance: Installation, path: str, token: str, request_id: str, body: Any = None) -> tuple[str, Any]:
    """(the id that the answer's head names, the answer)."""
    request = urllib.request.Request(
        instance.url + path,
        method="GET" if body is None else "POST",
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "content-type": "application/json",
            "authorization": f"Bearer {token}",
            "x-request-id": request_id,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.headers["x-request-id"], json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.headers["x-request-id"], json.load(refused)


def failed_run(instance: Installation, token: str) -> dict[str, Any]:
    """A run that failed, asked for by `ASKED`."""
    created = instance.request("POST", "/api/workflows", {"name": "Fails", "graph": FAILS}, token)[1]
    body = {"version": "draft", "inputs": {}, "wait": 30}
    reply, run = ask(instance, f"/api/workflows/{created['id']}/runs", token, ASKED, body)
    assert (reply, run["state"]) == (ASKED, "ERROR"), run
    result: dict[str, Any] = run
    return result


def line_of(instance: Installation, run: str) -> str:
    """The worker's line about a run, once it was read."""

    def first_line() -> str:
        return next((line for line in list(instance.lines) if "the run failed" in line and run in line), "")

    return str(until(first_line))


def test_the_workers_line_names_the_request_that_started_the_run(instance: Installation) -> None:
    token = instance.token()
    run = failed_run(instance, token)
    line = line_of(instance, run["id"])
    origin = dict(part.split("=") for part in line[line.rindex("[") + 1 : -1].split())
    assert (origin["request_id"], origin["run"], origin["node"]) == (ASKED, run["id"], "end")
    assert origin["team"].startswith("team_")
    assert re.search(r" INFO backend\.runs\.[\w.]+: the run failed: [A-Z_]+ \[", line)


def test_as_json_each_line_is_an_object_with_the_same(tmp_path: Path) -> None:
    with started(tmp_path, "json") as instance:
        token = instance.token()
        run = failed_run(instance, token)
        line = json.loads(line_of(instance, run["id"]))
        assert (line["request_id"], line["run"], line["node"], line["level"]) == (ASKED, run["id"], "end", "INFO")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])


def test_a_refusal_names_its_request_and_an_id_that_could_forge_a_line_is_replaced(
    instance: Installation,
) -> None:
    token = instance.token()
    for body in ("of-mine.7", "x" * 64):
        reply, error = ask(instance, "/api/runs/none", token, body)
        assert (reply, error["request_id"], error["code"]) == (body, body, "NOT_FOUND")
    for hostile in ("", "x" * 65, "a b] INFO forged", "<script>", "../x", "é", "-rf"):
        reply, error = ask(instance, "/api/runs/none", token, hostile)
        assert re.fullmatch(r"[0-9a-f]{16}", reply) and error["request_id"] == reply
