"""An installation with something on every page, for tests that look at all of them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from tests.api.runs.conftest import graph, node
from tests.instance import Instance, until

LONG = "Weekly release digest for everybody who could not be there, with a long name"


class SeededInstance:
    """An installation with something on every page: names that are long, runs of each end, a question, a provider."""

    def __init__(self, patchbay: Instance, token: str) -> None:
        self.patchbay, self.token = patchbay, token
        self.created: list[str] = []
        self.workflow = self.make(LONG, workflow())
        self.broken = self.make("Fails soon", failing())
        self.ended = self.run(self.broken, "ERROR")
        self.done = self.run(self.make("Says hello", greeting()), "SUCCESS")
        self.asking = self.run(self.workflow, "WAITING")
        self.question = self.ask("GET", "/api/interactions?state=open")["results"][0]["id"]
        models = [{"id": "qwen3-coder-480b-a35b-instruct", "context": 131072, "input_price": 1, "output_price": 4}]
        body = {"name": "A provider with a long name", "base_url": "http://127.0.0.1:9/v1", "models": models}
        self.provider = self.ask("POST", "/api/providers", body)["id"]
        servers = self.ask("GET", "/api/mcp/servers")
        self.server = next(result["id"] for result in servers.get("results", servers) if result["slug"] == "demo")
        self.ask("POST", f"/api/mcp/servers/{self.server}/test")
        self.webhook = self.called("Whoever opens an issue in one of our many repositories")
        dates = {"at": ["2099-12-24T18:00"], "timezone": "America/Argentina/Buenos_Aires", "inputs": {"long": "x" * 60}}
        self.schedule = self.trigger("schedule", "On the evening before the holidays, for everybody", dates)["id"]
        self.chat = str(self.trigger("chat", "A chat about documents of which nobody knows the name", {})["id"])

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request that must succeed."""
        status, answer = self.patchbay.request(method, path, body, self.token)
        assert status in (200, 201, 202), (path, answer)
        return answer

    def make(self, name: str, document: dict[str, Any]) -> str:
        """A published workflow; its id."""
        created = self.ask("POST", "/api/workflows", {"name": name, "graph": document})["id"]
        self.ask("POST", f"/api/workflows/{created}/publish", {})
        self.created.append(created)
        return str(created)

    def run(self, workflow: str, until_state: str) -> str:
        """A run of it that got as far as that; its id."""
        run = self.ask("POST", f"/api/workflows/{workflow}/runs", {"inputs": {}})["id"]
        until(lambda: self.ask("GET", f"/api/runs/{run}")["state"] == until_state, 60)
        return str(run)

    def trigger(self, kind: str, name: str, config: dict[str, Any]) -> Any:
        """A trigger that is on."""
        body = {"kind": kind, "name": name, "enabled": True, "config": config}
        return self.ask("POST", f"/api/workflows/{self.broken}/triggers", body)

    def called(self, name: str) -> str:
        """A webhook that was called; its id."""
        webhook = self.trigger("webhook", name, {"key": "{{ request.body.a_key_that_nobody_would_call_short }}"})
        self.ask("POST", urlsplit(webhook["url"]).path, {"a_key_that_nobody_would_call_short": "1"})
        return str(webhook["id"])

    def leave(self) -> None:
        """As it was before."""
        self.ask("POST", f"/api/runs/{self.asking}/cancel", {})
        until(lambda: self.ask("GET", f"/api/runs/{self.asking}")["state"] == "CANCELLED")
        for workflow in self.created:
            self.patchbay.request("DELETE", f"/api/workflows/{workflow}", token=self.token)
        self.patchbay.request("DELETE", f"/api/providers/{self.provider}", token=self.token)

    def pages(self) -> dict[str, str]:
        """Every page by a name."""
        at = f"/workflows/{self.workflow}"
        server = f"/registry/{self.server}"
        return {
            "workflows": "/",
            "editor": at,
            "a node": f"{at}?node=note",
            "ways to share": f"{at}/share",
            "sharing": f"{at}/share/mcp",
            "sharing over REST": f"{at}/share/rest",
            "sharing by webhooks": f"{at}/share/webhook",
            "registry": "/registry",
            "add a server": "/registry?add=1",
            "a server": server,
            "its tools": f"{server}/tools",
            "runs": "/runs",
            "a run that ended": f"/runs/{self.done}",
            "a run that failed": f"/runs/{self.ended}",
            "a run that waits": f"/runs/{self.asking}",
            "inbox": "/inbox",
            "a question": f"/inbox/{self.question}",
            "triggers": "/triggers",
            "a webhook": f"/triggers/{self.webhook}",
            "a schedule": f"/triggers/{self.schedule}",
            "a chat": f"/chat/{self.chat}",
            "usage": "/usage",
            "nothing": "/nothing-here",
            "docs": "/docs/en/start",
            **{f"settings {section}": f"/settings/{section}" for section in SECTIONS},
            "a provider": f"/settings/providers/{self.provider}",
        }


SECTIONS = ["profile", "security", "team", "tokens", "secrets", "providers", "audit", "installation", "about"]


def workflow() -> dict[str, Any]:
    """A graph that asks somebody, with long words in it."""
    nodes = [
        node("start", "start", {}) | {"position": {"x": 0, "y": 0}},
        node("note", "template", {"template": "hello"}, title="Write down what was decided and by whom")
        | {"position": {"x": 260, "y": 0}},
        node(
            "ask",
            "approval",
            {"title": "Send the digest to everybody?", "message": "May this be sent to everybody who subscribed?"},
            title="Ask the editors",
        )
        | {"position": {"x": 520, "y": 0}},
        node("end", "end", {"outputs": {"said": "{{ note.text }}"}}) | {"position": {"x": 780, "y": 0}},
    ]
    return graph(nodes, "start -> note", "note -> ask", "ask:approved -> end")


def greeting() -> dict[str, Any]:
    """A graph that ends well."""
    nodes = [
        node("start", "start", {}),
        node("text", "template", {"template": "A sentence that is long enough to be cut somewhere. " * 6}),
        node("end", "end", {"outputs": {"said": "{{ text.text }}"}}),
    ]
    places = [node | {"position": {"x": 260 * at, "y": 0}} for at, node in enumerate(nodes)]
    return graph(places, "start -> text", "text -> end")


def failing() -> dict[str, Any]:
    """A graph that fails."""
    nodes = [
        node("start", "start", {}),
        node("text", "template", {"template": "{{ start.nothing.at_all }}"}),
        node("end", "end", {"outputs": {"said": "{{ text.text }}"}}),
    ]
    places = [node | {"position": {"x": 260 * at, "y": 0}} for at, node in enumerate(nodes)]
    return graph(places, "start -> text", "text -> end")
