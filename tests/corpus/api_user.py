"""Asking an installation of the corpus, and answering its questions the same way in every version."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

from tests.corpus import graphs, outside
from tests.instance import Installation, Instance, until

FOLDER = Path(__file__).parent
ENDED = {"SUCCESS", "ERROR", "CANCELLED"}
VALUES: dict[str, Any] = {"amount": 12, "currency": "CHF", "seats": 4, "account": "42", "name": "missing"}
"""What a person fills in, by the field's name."""


class ApiUser:
    """An installation with its token, and what a person does in it."""

    def __init__(self, instance: Installation, token: str, left: Any = None) -> None:
        self.instance, self.token, self.left = instance, token, left

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer of a request that must succeed."""
        status, answer = self.instance.request(method, path, body, self.token)
        assert status < 300, (method, path, status, answer)
        return answer

    def get(self, path: str) -> Any:
        """What stands there."""
        return self.ask("GET", path)

    def state(self, run: str) -> str:
        """The state of a run."""
        return str(self.get(f"/api/runs/{run}")["state"])

    def events(self, run: str) -> list[Any]:
        """The whole log."""
        events: list[Any] = []
        while page := self.get(f"/api/runs/{run}/events?after={len(events)}&limit=1000")["results"]:
            events += page
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1)), run
        return events

    def answer_all(self) -> None:
        """Answer what is open: yes, with the values asked for; an unknown write is looked up in the ledger."""
        for question in self.get("/api/interactions?state=open&limit=200")["results"]:
            self.ask("POST", f"/api/interactions/{question['id']}/answer", answer_to(question))

    def log(self, run: str) -> list[list[Any]]:
        """Type and node of each event."""
        return [[event["type"], event["node"]] for event in self.events(run)]

    def finish(self, runs: dict[str, str], seconds: float = 60) -> None:
        """Let what is paused go on, and answer until all these runs have ended."""
        for run in runs.values():
            if self.state(run) == "PAUSED":
                self.ask("POST", f"/api/runs/{run}/resume", {})

        def over() -> bool:
            self.answer_all()
            rows = self.get("/api/runs?limit=200")["results"]
            return {row["id"] for row in rows if row["state"] in ENDED} >= set(runs.values())

        try:
            until(over, seconds)
        except AssertionError:
            raise AssertionError(f"these did not end: {self._unfinished(runs)}") from None

    def _unfinished(self, runs: dict[str, str]) -> dict[str, Any]:
        wholes = {name: self.get(f"/api/runs/{run}") for name, run in runs.items()}
        return {
            name: (run["state"], run["waiting"], self.events(run["id"])[-1])
            for name, run in wholes.items()
            if run["state"] not in ENDED
        }

    def collect(self, runs: dict[str, str]) -> dict[str, Any]:
        """What each run came to, and what reached the tools."""
        ends = {}
        for name, run in runs.items():
            whole = self.get(f"/api/runs/{run}")
            error = whole["error"] and whole["error"]["code"]
            ends[name] = {"state": whole["state"], "outputs": whole["outputs"], "error": error}
        return {"runs": ends, "calls": dict(outside.calls())}


def answer_to(question: Any) -> dict[str, Any]:
    """What a careful person says."""
    if question["kind"] == "recovery":
        call = f"{question['tool']['name']} {question['proposal']['name']}"
        if outside.calls()[call]:
            return {"action": "skip", "values": {"result": call}}
        return {"action": "retry"}
    names = (question["schema"] or {}).get("properties") or {}
    if question["kind"] in {"form", "params", "elicitation"}:
        return {"action": "accept", "values": {name: VALUES[name] for name in names if name in VALUES}}
    return {"action": "accept"}


def seed(user: ApiUser) -> dict[str, str]:
    """Servers, a model, secrets, workflows with versions and drafts; gives workflow ids by name."""
    local = {"command": str(outside.PYTHON), "args": [str(outside.PROGRAM), str(outside.LEDGER)]}
    url = f"http://127.0.0.1:{outside.TOOLS_PORT}/mcp"
    servers: dict[str, dict[str, Any]] = {
        "ledger": {"transport": "http", "url": url},
        "local": {"transport": "stdio", **local},
    }
    for slug, fields in servers.items():
        body = {"name": slug, "slug": slug, "trust_annotations": True, **fields}
        server = user.ask("POST", "/api/mcp/servers", body)
        user.get(f"/api/mcp/servers/{server['id']}/tools?refresh=1")
        user.ask("PATCH", f"/api/mcp/servers/{server['id']}/tools/pay", {"policy": "allow"})
    model = {"name": "Scripted", "slug": "scripted", "base_url": f"http://127.0.0.1:{outside.MODEL_PORT}/v1"}
    user.ask("POST", "/api/providers", {**model, "api_key": "sk-corpus-1"})
    user.ask("POST", "/api/secrets", {"name": "corpus", "value": "kept since then"})
    documents = {
        "child": graphs.CHILD,
        "held-child": graphs.HELD_CHILD,
        **graphs.WAITING,
        **graphs.UNDER_WAY,
        **graphs.ENDED,
    }
    workflows: dict[str, str] = {}
    for slug, document in documents.items():
        workflows[slug] = user.ask("POST", "/api/workflows", {"name": slug, "slug": slug, "graph": document})["id"]
        if slug in {"child", "held-child", "good"}:
            user.ask("POST", f"/api/workflows/{workflows[slug]}/publish", {})
    changed = {**graphs.ENDED["good"], "annotations": []}
    user.ask("PUT", f"/api/workflows/{workflows['good']}/draft", {"revision": 1, "graph": changed})
    return workflows


def start(user: ApiUser, workflow: str, name: str) -> str:
    """A run of the draft."""
    body = {"version": "draft", "inputs": {"name": name}}
    return str(user.ask("POST", f"/api/workflows/{workflow}/runs", body)["id"])


def from_data(name: str, folder: Path) -> ApiUser:
    """This version, started on the data directory that was left."""
    left = outside.restore(name)
    with tarfile.open(FOLDER / name / "var.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    instance = Instance(folder / "var", extra=outside.environment(), forked=True)
    return ApiUser(instance.start(), left["token"], left)
