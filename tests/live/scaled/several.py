"""Several web and worker processes of one installation."""

from __future__ import annotations

from typing import Any

import psycopg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.instance import Process, ScaledInstance, until
from tests.live.runs.crashes import Live, whole

SOON_S = 60.0
"""Long enough for a machine that has other things to do, and far below the lease."""


class Scaled(Live):
    """A scaled installation with the ledger server, and its database."""

    instance: ScaledInstance

    def ask(self, sql: str, *values: Any) -> list[Any]:
        """Rows of the installation's database."""
        with psycopg.connect(self.instance.environment()["DATABASE_URL"], autocommit=True) as connection:
            answer = connection.execute(sql, values)
            return list(answer.fetchall()) if answer.description else []

    def owner(self, run: str) -> Process | None:
        """The worker process that has this run."""
        [(owner,)] = self.ask("SELECT owner FROM runs_run WHERE id = %s", run)
        pids = {str(process.pid): process for process in self.instance.workers if process.running}
        return pids.get(owner.split(":")[1]) if owner else None

    def taken(self, run: str) -> Process:
        """The same, once one has it."""
        result: Process = until(lambda: self.owner(run), SOON_S)
        return result

    def at(self, web: Process, method: str, path: str, body: Any = None) -> Any:
        """The answer of this web process."""
        status, answer = self.instance.request(method, path, body, self.token, at=web.url)
        assert status < 300, (path, status, answer)
        return answer

    def socket(self, web: Process) -> ClientConnection:
        """A page's websocket."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return connect(web.url.replace("http", "ws") + "/ws/", origin=Origin(web.url), additional_headers=headers)


def ends(live: Scaled, run: str, state: str = "SUCCESS") -> None:
    until(lambda: live.get(f"/api/runs/{run}")["state"] == state, SOON_S)
    whole(live, run)
