"""Who waits for a run or for a server that does not answer costs no thread, and is counted."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psutil
import pytest

from backend.project.asgi import THREADS
from tests.instance import Installation, Instance, installation, until

RESTS = {
    "schema": 1,
    "nodes": [
        {"id": "start", "type": "start", "v": 1, "position": {"x": 0, "y": 0}, "config": {}},
        {"id": "rest", "type": "wait", "v": 1, "position": {"x": 1, "y": 0}, "config": {"seconds": 3600}},
    ],
    "edges": [{"id": "a", "source": "start", "source_port": "out", "target": "rest", "target_port": "in"}],
}
EACH = 70
"""Waiting requests of each of two tokens: more together than there are threads."""

HANGING = THREADS + 10
"""Connection tests that hang at once: more than there are threads."""
LOOKS = 40
"""Looks at a silent model server that are open at once."""
LIMITS = {"PATCHBAY_WAITING_PER_TOKEN": str(EACH), "PATCHBAY_CONNECTIONS_PER_PERSON": str(HANGING)}


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    created = installation(tmp_path_factory.mktemp("waiting"), LIMITS).start()
    yield created
    created.kill()


def posted(instance: Installation, path: str, body: Any, token: str) -> socket.socket:
    """A POST that was sent and whose answer nobody has read."""
    return sent(instance, "POST", path, json.dumps(body).encode(), token)


def sent(instance: Installation, method: str, path: str, body: bytes, token: str) -> socket.socket:
    """A request that was sent and whose answer nobody has read."""
    port = int(instance.url.rsplit(":", 1)[1])
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    head = f"{method} {path} HTTP/1.1\r\nhost: localhost:{port}\r\nauthorization: Bearer {token}\r\n"
    client.sendall(f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
    return client


def answered(client: socket.socket) -> tuple[int, Any]:
    """(status, JSON) of a request that was sent."""
    with client, client.makefile("rb") as file:
        status = int(file.readline().split()[1])
        headers = dict(line.decode().lower().strip().split(": ", 1) for line in iter(file.readline, b"\r\n"))
        return status, json.loads(file.read(int(headers["content-length"])))


def doors_open(instance: Installation) -> None:
    """Health, readiness and signing in answer."""
    assert instance.request("GET", "/api/health")[0] == 200
    assert instance.request("GET", "/api/ready")[0] == 200
    assert instance.request("GET", "/_allauth/browser/v1/auth/session")[0] == 401


@pytest.mark.wide
def test_who_waits_costs_no_thread_and_is_counted_by_token(instance: Installation) -> None:
    tokens = [instance.token(), instance.token()]
    created = instance.request("POST", "/api/workflows", {"name": "rests", "graph": RESTS}, tokens[0])[1]
    at = f"/api/workflows/{created['id']}/runs"
    begin = {"version": "draft", "wait": 600}
    seen: set[str] = set()

    def another() -> bool:
        """Whether there is a run that was not there before."""
        newest = instance.request("GET", "/api/runs?limit=1", None, tokens[0])[1]["results"]
        new = {run["id"] for run in newest} - seen
        seen.update(new)
        return bool(new)

    with ExitStack() as open_:
        waits = []
        threads = 0
        for token in tokens:
            for _ in range(EACH):
                waits.append(open_.enter_context(posted(instance, at, begin, token)))
                until(another)
                if len(seen) == 20 and isinstance(instance, Instance):
                    threads = psutil.Process(instance.process.pid).num_threads() if instance.process else 0
        doors_open(instance)
        if isinstance(instance, Instance) and instance.process:
            assert psutil.Process(instance.process.pid).num_threads() <= threads + 16, "waiting holds threads"
        for token in tokens:
            status, refused = instance.request("POST", at, begin, token)
            assert status == 429 and str(EACH) in refused["message"] and "WAITING_PER_TOKEN" in refused["hint"]
        assert not another(), "what is refused starts no run"
        assert instance.request("POST", at, {"version": "draft"}, tokens[0])[0] == 202, "without wait it starts"

        runs = instance.request("GET", "/api/runs?limit=200", None, tokens[0])[1]["results"]
        for run in runs:
            assert instance.request("POST", f"/api/runs/{run['id']}/cancel", None, tokens[0])[0] == 202
        ends = [answered(wait) for wait in waits]
        assert {(status, body["state"]) for status, body in ends} == {(200, "CANCELLED")}
        assert {body["id"] for _, body in ends} <= {run["id"] for run in runs}


def test_a_client_that_leaves_makes_room(instance: Installation) -> None:
    token = instance.token()
    created = instance.request("POST", "/api/workflows", {"name": "left", "graph": RESTS}, token)[1]
    at = f"/api/workflows/{created['id']}/runs"
    for _ in range(EACH):
        posted(instance, at, {"version": "draft", "wait": 600}, token).close()

    def fits() -> bool:
        status, body = instance.request("POST", at, {"version": "draft", "wait": 0.01}, token)
        assert status in (202, 429), body
        return status == 202

    assert until(fits)


def test_model_servers_that_are_looked_at_hold_no_thread(instance: Installation) -> None:
    """Whether a model server runs on the installation's machine is seen by asking it, and it may be silent."""
    token = instance.token()
    with ExitStack() as open_:
        silent = open_.enter_context(socket.create_server(("127.0.0.1", 0), backlog=512))
        silent.settimeout(180)
        words = {"en": "x", "zh": "x"}
        mute = {"id": "mute", "name": words, "description": words, "key": "none", "local": True, "look": True}
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        (instance.data / "provider_presets.json").write_text(json.dumps([{**mute, "base_url": address}]))

        def looked() -> socket.socket:
            """A look that got through to the server, or whose patience was over before."""
            look = open_.enter_context(sent(instance, "GET", "/api/provider-presets?look=1", b"", token))
            if silent in select.select([silent, look], [], [], 180)[0]:
                open_.enter_context(silent.accept()[0])
            return look

        looks = [looked()]
        process = instance.process if isinstance(instance, Instance) else None
        threads = psutil.Process(process.pid).num_threads() if process else 0
        for _ in range(LOOKS):
            looks.append(looked())
        doors_open(instance)
        if process:
            assert psutil.Process(process.pid).num_threads() <= threads + 16, "looking holds threads"
        for status, body in map(answered, looks):
            assert status == 200
            assert {preset["id"]: preset["found"] for preset in body["results"]}["mute"] is False
    (instance.data / "provider_presets.json").unlink()


def test_servers_that_do_not_answer_hold_no_thread(instance: Installation) -> None:
    token = instance.token()
    with ExitStack() as open_:
        silent = open_.enter_context(socket.create_server(("127.0.0.1", 0), backlog=512))
        silent.settimeout(180)
        config = {"name": "silent", "transport": "http", "url": f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"}
        tests = [open_.enter_context(posted(instance, "/api/mcp/servers/test", config, token)) for _ in range(HANGING)]
        for _ in range(HANGING):  # each of them got through to the server
            open_.enter_context(silent.accept()[0])
        doors_open(instance)
        assert instance.request("GET", "/api/workflows", None, token)[0] == 200, "the API answers everybody else"
        status, refused = instance.request("POST", "/api/mcp/servers/test", config, token)
        assert status == 429 and str(HANGING) in refused["message"] and "CONNECTIONS_PER_PERSON" in refused["hint"]
        for test in tests:
            test.setblocking(False)
            with pytest.raises(BlockingIOError):
                test.recv(1)
