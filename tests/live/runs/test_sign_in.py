"""Real processes, really killed, while runs wait for a sign-in at a real authorization server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.browser import Browser
from tests.instance import Installation, ScaledInstance, installation, owned, until
from tests.live.runs.crashes import whole
from tests.oauth_mcp_server import OAuthServer

CALLS = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("call", "tool", {"server": "octo", "tool": "write", "arguments": {}}),
        node("end", "end", {"outputs": {"said": "{{ call.result }}"}}),
    ],
    "start -> call",
    "call -> end",
)


@pytest.fixture
def remote() -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        yield server


class Team:
    """An installation whose team uses a server that signs people in, and an admin at their screen."""

    def __init__(self, instance: Installation, remote: OAuthServer) -> None:
        self.instance, self.remote = instance, remote
        self.token = instance.start().token()
        body = {"name": "Octo", "slug": "octo", "transport": "http", "url": remote.url, "auth_type": "oauth"}
        self.server = self.post("/api/mcp/servers", body)["id"]
        invitation = self.post("/api/teams/invitations", {"role": "admin"})["url"]
        self.admin = Browser(instance).join(invitation, "bob")
        self.sign_in()
        assert self.post(f"/api/mcp/servers/{self.server}/test")["ok"] is True
        at = f"/api/mcp/servers/{self.server}/tools/write"
        assert instance.request("PATCH", at, {"policy": "allow"}, self.token)[0] == 200
        self.workflow = self.post("/api/workflows", {"name": "calls", "graph": CALLS})["id"]

    def post(self, path: str, body: Any = None) -> Any:
        status, answer = self.instance.request("POST", path, body or {}, self.token)
        assert status < 300, (path, status, answer)
        return answer

    def get(self, path: str) -> Any:
        status, answer = self.instance.request("GET", path, token=self.token)
        assert status == 200, (path, status, answer)
        return answer

    def events(self, run: str) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.get(f"/api/runs/{run}/events")["results"]
        return result

    def begin(self) -> dict[str, str]:
        """What the admin's browser comes back with from the authorization server."""
        status, begun = self.admin.post("/api/mcp/sign-in/begin", {"server": self.server})
        assert status == 200, begun
        return self.remote.visit(begun["url"])

    def sign_in(self) -> None:
        status, done = self.admin.post("/api/mcp/sign-in/return", self.begin())
        assert status == 200, done

    def start(self) -> str:
        return str(self.post(f"/api/workflows/{self.workflow}/runs", {"version": "draft"})["id"])

    def state(self, run: str) -> str:
        return str(self.get(f"/api/runs/{run}")["state"])

    def parked(self, run: str) -> bool:
        """Whether the run waits for the sign-in, and no process has it."""
        open_question = self.get(f"/api/interactions?state=open&run={run}")["results"]
        return self.state(run) == "WAITING" and [question["kind"] for question in open_question] == ["server"]


def ended_well(team: Team, runs: list[str], calls: int) -> None:
    """Each run made its call once, nobody was asked about an unknown outcome, and no token stands in a log."""
    until(lambda: {team.state(run) for run in runs} == {"SUCCESS"})
    assert team.remote.facts()["called"] == ["write"] * calls
    for run in runs:
        whole(team, run)
        assert "acc-" not in str(team.events(run)) and "ref-" not in str(team.events(run))
    questions = team.get("/api/interactions?limit=200")["results"]
    assert {question["kind"] for question in questions} == {"server"}


@pytest.mark.timeout(300)
def test_runs_that_wait_for_a_sign_in_outlive_the_process(tmp_path: Path, remote: OAuthServer) -> None:
    instance = installation(tmp_path / "data")
    try:
        team = Team(instance, remote)
        remote.end_sign_ins()
        runs = [team.start() for _ in range(3)]
        until(lambda: all(map(team.parked, runs)))
        instance.kill()
        instance.start()
        assert all(map(team.parked, runs)) and remote.facts()["called"] == []
        if isinstance(instance, ScaledInstance):  # nobody who would go on is there when the person is back
            instance.kill(*instance.workers)
        team.sign_in()
        if isinstance(instance, ScaledInstance):
            instance.start(*instance.workers)
        ended_well(team, runs, calls=3)
    finally:
        instance.kill()


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_a_process_that_dies_right_after_the_sign_in_leaves_nobody_waiting(tmp_path: Path, remote: OAuthServer) -> None:
    """The tokens are on disk, the runs were not told of them: whoever comes next finds that somebody signed in."""
    instance = owned(tmp_path / "data", {"PATCHBAY_DEBUG": "true"})
    try:
        team = Team(instance, remote)
        remote.end_sign_ins()
        runs = [team.start() for _ in range(2)]
        until(lambda: all(map(team.parked, runs)))
        instance.kill()
        instance.extra["PATCHBAY_CRASH_AT"] = "inbox.uncommitted"
        instance.start()
        back = team.begin()
        with pytest.raises(OSError):
            team.admin.post("/api/mcp/sign-in/return", back)
        del instance.extra["PATCHBAY_CRASH_AT"]
        instance.kill()
        instance.start()
        ended_well(team, runs, calls=2)
    finally:
        instance.kill()
