"""A scaled installation that pays, and its database from outside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import psycopg

from tests.api.runs.conftest import graph, node
from tests.instance import ROOT, ScaledInstance
from tests.llm_server import LlmServer

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
        created = self.ask("POST", "/api/mcp/servers", server)
        self.ask("GET", f"/api/mcp/servers/{created['id']}/tools?refresh=1")
        self.ask(
            "POST", "/api/providers", {"name": "Scripted", "slug": "scripted", "base_url": llm.url, "api_key": "k"}
        )

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer of a request that succeeds."""
        status, answer = self.instance.request(method, path, body, self.token)
        assert status < 300, (path, status, answer)
        return answer

    def database(self) -> psycopg.Connection[Any]:
        """A connection beside the installation's."""
        return psycopg.connect(self.instance.environment()["DATABASE_URL"])

    def is_released(self, run: str) -> bool:
        """Whether the worker let go of the run, to try it again."""
        with self.database() as connection:
            sql = "SELECT state, wake_at IS NOT NULL, losses FROM runs_run WHERE id = %s"
            row = connection.execute(sql, [run]).fetchone()
        return row == ("WAITING", True, 0)
