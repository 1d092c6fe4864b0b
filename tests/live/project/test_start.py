"""Starting and stopping for real: a second start on the same data, nothing left behind.

The first start on nothing is in `test_newcomer.py`.
"""

from __future__ import annotations

import http.client
import signal
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests import forkserver
from tests.instance import ROOT, Instance, owned, until
from tests.wide import besides


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Instance]:
    """A stopped installation with no data yet."""
    created = Instance(tmp_path / "data")
    yield created
    created.kill()


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """A stopped installation that has its owner."""
    created = owned(tmp_path / "data")
    yield created
    created.kill()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """A running installation of tests that leave it as it is."""
    created = owned(tmp_path_factory.mktemp("running") / "data").start()
    yield created
    created.kill()


@pytest.mark.parametrize("how", [signal.SIGINT, *besides(signal.SIGTERM)])
def test_ctrl_c_ends_everything(instance: Instance, how: signal.Signals) -> None:
    instance.forked = False  # as people start it
    token = instance.start().token()
    servers = instance.request("GET", "/api/mcp/servers", token=token)[1]["results"]
    demo = next(row for row in servers if row["slug"] == "demo")
    tools = instance.request("GET", f"/api/mcp/servers/{demo['id']}/tools?refresh=1", token=token)
    assert tools[0] == 200
    children = instance.children()
    assert children, "the demo server's process"
    assert instance.stop(how) == 0
    assert psutil.wait_procs(children, timeout=5)[1] == []


def test_sigint_ends_what_a_script_started_in_the_background(tmp_path: Path) -> None:
    ignoring = ("/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh", *Instance.DIRECT)  # as a shell does for `… &`
    instance = Instance(tmp_path / "data", command=ignoring, begins="migrated")
    try:
        assert instance.start().stop(signal.SIGINT) == 0
    finally:
        instance.kill()


@pytest.mark.wide
def test_ctrl_c_does_not_wait_for_those_who_wait(instance: Instance) -> None:
    token = instance.start().token()
    workflows = instance.request("GET", "/api/workflows", token=token)[1]["results"]
    tour = next(row["id"] for row in workflows if row["slug"] == "a-tour")
    body = {"inputs": {"city": "Oslo", "step_seconds": 2}, "version": "draft", "wait": 60}
    client = threading.Thread(target=_left_waiting, args=(instance, f"/api/workflows/{tour}/runs", body, token))
    client.start()
    until(lambda: instance.request("GET", "/api/runs?state=RUNNING", token=token)[1]["results"])
    assert instance.stop() == 0
    client.join(10)
    assert not client.is_alive()


def _left_waiting(instance: Instance, path: str, body: dict[str, object], token: str) -> None:
    with suppress(OSError, http.client.HTTPException):
        instance.request("POST", path, body, token)


@pytest.mark.wide
def test_a_second_start_goes_on_with_the_same_data(empty: Instance) -> None:
    token = empty.start().token()
    assert empty.stop() == 0
    empty.start()
    assert empty.request("GET", "/api/me", token=token)[1]["email"] == "alice@example.org"


def test_a_server_that_was_used_is_healthy(running: Instance) -> None:
    token = running.token()
    servers = running.request("GET", "/api/mcp/servers", token=token)[1]["results"]
    time = next(row for row in servers if row["slug"] == "time")
    workflows = running.request("GET", "/api/workflows", token=token)[1]["results"]
    path = f"/api/workflows/{next(row['id'] for row in workflows if row['slug'] == 'what-time-is-it-there')}/runs"
    inputs = {"city": "Oslo", "timezone": "Europe/Oslo"}
    run = running.request("POST", path, {"inputs": inputs, "version": "draft", "wait": 60}, token)[1]
    assert run["state"] == "SUCCESS", run

    def is_healthy() -> bool:
        """That its tools were listed may be written a moment before how long its call took."""
        status = running.request("GET", f"/api/mcp/servers/{time['id']}", token=token)[1]["status"]
        return status["state"] == "ok" and (status["latency_ms"] or 0) > 0

    until(is_healthy)


def test_two_processes_never_share_a_data_directory(running: Instance) -> None:
    second = forkserver.popen(Instance.DIRECT[1:], Instance(running.data).environment())
    text = second.output()
    assert second.wait(60) == 1
    assert "Another Patchbay runs on" in text


@pytest.mark.wide
def test_a_wrong_key_is_refused(instance: Instance) -> None:
    token = instance.start().token()
    created = instance.request("POST", "/api/secrets", {"name": "x", "value": "a secret value"}, token)
    assert created[0] == 201
    instance.stop()
    (instance.data / "secret.key").unlink()
    with pytest.raises(AssertionError, match="None of the keys can read the secrets"):
        instance.start()


@pytest.mark.wide
def test_the_keys_leave_the_environment(empty: Instance) -> None:
    empty.extra["PATCHBAY_SECRET_KEYS"] = "a key that is long enough to be one"
    token = empty.start().token()
    demo = next(
        row for row in empty.request("GET", "/api/mcp/servers", token=token)[1]["results"] if row["slug"] == "demo"
    )
    empty.request("GET", f"/api/mcp/servers/{demo['id']}/tools?refresh=1", token=token)
    for child in empty.children():
        assert "PATCHBAY_SECRET_KEYS" not in child.environ()


def test_the_database_is_copied_before_a_migration(instance: Instance) -> None:
    instance.token()  # its data directory is there
    with sqlite3.connect(instance.data / "patchbay.sqlite3") as database:
        database.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
        database.execute("DROP TABLE django_session")
    instance.start()
    copies = list(instance.data.glob("patchbay.before-*.sqlite3"))
    assert len(copies) == 1


@pytest.mark.wide
def test_secrets_in_the_clear_are_moved_after_a_copy(instance: Instance) -> None:
    token = instance.start().token()
    body = {"name": "Old", "transport": "http", "url": "https://mcp.example.org/mcp", "headers": {"X-Note": "plain"}}
    assert instance.request("POST", "/api/mcp/servers", body, token)[0] == 201
    instance.stop()
    key = "sk-proj-9f8Ghjk2LmN4pQrStUv7wXyZ01aBcDeF3GhI"
    back = [sys.executable, "manage.py", "migrate", "registry", "0005", "-v", "0"]
    subprocess.run(back, cwd=ROOT, env=instance.environment(), check=True, capture_output=True)
    for copy in instance.data.glob("patchbay.before-*.sqlite3"):
        copy.unlink()
    with sqlite3.connect(instance.data / "patchbay.sqlite3") as database:
        database.execute("UPDATE registry_server SET headers = replace(headers, 'plain', ?)", [key])
    token = instance.start().token()
    shown = instance.request("GET", "/api/mcp/servers/old", token=token)[1]
    assert shown["headers"] == {} and shown["secret_headers"]["X-Note"]["set"]
    copies = list(instance.data.glob("patchbay.before-*.sqlite3"))
    assert [key.encode() in copy.read_bytes() for copy in copies] == [True]


def test_the_first_page_is_there_at_once(running: Instance) -> None:
    with urllib.request.urlopen(running.url + "/", timeout=10) as answer:
        text = answer.read().decode()
    assert 'id="root"' in text


@pytest.mark.wide
def test_a_token_comes_before_the_first_start_too(tmp_path: Path) -> None:
    instance = Instance(tmp_path)
    token = instance.token("first@example.org")
    assert token.startswith("pb_") and "\n" not in token
    try:
        instance.start()
        status, me = instance.request("GET", "/api/me", token=token)
        assert (status, me["email"], me["team"]["role"]) == (200, "first@example.org", "owner")
        assert len(instance.request("GET", "/api/workflows", token=token)[1]["results"]) == 2
    finally:
        instance.kill()
