"""What goes wrong in the database while a run works is nobody's answer: the run waits it out and goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import ROOT, ScaledInstance, until
from tests.llm_server import Call, Gate, LlmServer

pytestmark = pytest.mark.timeout(240)
PROGRAM = ROOT / "tests" / "live" / "runs" / "ledger_server.py"
AGENT = {
    "provider": "scripted",
    "model": "m",
    "query": "Pay the bill.",
    "auto_execute": True,
    "tools": {"servers": [{"server": "ledger"}]},
}
DOCUMENT = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("work", "agent", AGENT),
        node("end", "end", {"outputs": {"text": "{{ work.text }}"}}),
    ],
    "start -> work",
    "work -> end",
)


class Shop:
    """A scaled installation with one worker, a scripted model and a ledger."""

    def __init__(self, folder: Path, llm: LlmServer) -> None:
        self.ledger = folder / "ledger.txt"
        extra = {"PATCHBAY_RUN_STARTS_PER_15S": "0"}
        self.instance = ScaledInstance(folder / "data", workers=1, extra=extra).start()
        self.token = self.instance.token()
        server = {"name": "Ledger", "slug": "ledger", "transport": "stdio", "trust_annotations": True}
        server |= {"command": sys.executable, "args": [str(PROGRAM), str(self.ledger)]}
        made = self.ask("POST", "/api/mcp/servers", server)
        self.ask("GET", f"/api/mcp/servers/{made['id']}/tools?refresh=1")
        self.ask(
            "POST", "/api/providers", {"name": "Scripted", "slug": "scripted", "base_url": llm.url, "api_key": "k"}
        )

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer of a request that succeeds."""
        status, said = self.instance.request(method, path, body, self.token)
        assert status < 300, (path, status, said)
        return said

    def database(self) -> psycopg.Connection[Any]:
        """A connection beside the installation's."""
        return psycopg.connect(self.instance.environment()["DATABASE_URL"])

    def given_back(self, run: str) -> bool:
        """Whether the worker let go of the run, to try it again."""
        with self.database() as connection:
            sql = "SELECT state, wake_at IS NOT NULL, losses FROM runs_run WHERE id = %s"
            row = connection.execute(sql, [run]).fetchone()
        return row == ("WAITING", True, 0)


@pytest.fixture
def shop(tmp_path: Path, llm: LlmServer) -> Iterator[Shop]:
    made = Shop(tmp_path, llm)
    try:
        yield made
    finally:
        made.instance.kill()


def test_a_locked_table_at_the_gate_is_not_told_to_the_model(shop: Shop, llm: LlmServer) -> None:
    thinking = Gate()
    llm.reply(calls=[Call("ledger__pay", {"name": "the bill"})], gate=thinking)
    llm.reply(text="It is paid.", times=None)
    workflow = shop.ask("POST", "/api/workflows", {"name": "Pay", "graph": DOCUMENT})["id"]
    run = shop.ask("POST", f"/api/workflows/{workflow}/runs", {"version": "draft", "inputs": {}})["id"]
    llm.wait_asked(1)
    with shop.database() as connection:
        connection.execute("LOCK TABLE registry_tool IN ACCESS EXCLUSIVE MODE")
        thinking.open()
        until(lambda: shop.given_back(run), 90)
    until(lambda: shop.ask("GET", f"/api/runs/{run}")["state"] in {"SUCCESS", "ERROR", "CANCELLED"}, 90)
    ended = shop.ask("GET", f"/api/runs/{run}")
    assert (ended["state"], ended["outputs"]) == ("SUCCESS", {"text": "It is paid."})
    assert shop.ledger.read_text().splitlines() == ["write the bill"]
    results = [message for message in llm.asked[-1].messages if message["role"] == "tool"]
    assert "write the bill" in json.dumps(results) and "fail" not in json.dumps(results).lower()
