"""What the gallery shows: an installation with runs in each state, servers, providers, triggers, people and usage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.api.runs.conftest import graph, node
from tests.e2e.pictures import NOTES, wear
from tests.e2e.seeded import SeededInstance
from tests.instance import Instance
from tests.llm_server import Call, LlmServer


class Gallery(SeededInstance):
    """The installation of the widths' tests, with more runs, people and what an administrator keeps."""

    def __init__(self, patchbay: Instance, token: str, llm: LlmServer) -> None:
        super().__init__(patchbay, token)
        self.talk = self.agent(llm)
        self.risky = self.run(self.make("Clean up the records", risky()), "WAITING")
        self.form = self.run(self.make("Plan the release", asking()), "WAITING")
        self.long = self.run(self.make("Wait for the night", waiting()), "WAITING")
        self.stopped = self.run(self.make("Stopped half-way", waiting()), "WAITING")
        self.ask("POST", f"/api/runs/{self.stopped}/cancel", {})
        self.problems = self.ask("POST", "/api/workflows", {"name": "Not finished", "graph": unfinished()})["id"]
        self.empty = self.ask("POST", "/api/workflows", {"name": "Nothing yet"})["id"]
        self.request = self.ask("POST", "/api/workflows", {"name": "Asks a service", "graph": requesting()})["id"]
        self.ask("POST", "/api/workflows", {"name": "Brings its servers", "graph": declaring()})
        self.servers_and_people()
        self.collection = self.collected()
        self.event = self.trigger("event", "Tell the people on call", {"on": "run_failed"})["id"]
        self.off = self.trigger("schedule", "Switched off meanwhile", {"cron": "0 8 * * 1-5"})["id"]
        self.patchbay.request("PATCH", f"/api/triggers/{self.off}", {"enabled": False}, self.token)

    def agent(self, llm: LlmServer) -> str:
        """The run of an agent that called two tools and answered; its id."""
        models = [{"id": "qwen3-32b", "context": 131072, "input_price": 1, "output_price": 4}]
        self.ask("POST", "/api/providers", {"name": "Local", "base_url": llm.url, "models": models})
        calls = [Call("demo__city_weather", {"city": city}) for city in ("Oslo", "Cairo")]
        usage = {"prompt_tokens": 61_200, "completion_tokens": 4_800}
        llm.reply(reasoning="Two cities are named.", text="I look at both.", calls=calls, usage=usage)
        llm.reply(text=NOTES.format(city="Oslo", other="Cairo"), usage=usage)
        return self.run(self.make("What to wear", wear()), "SUCCESS")

    def collected(self) -> str:
        """A collection with tools of each risk, a client, and another one that is empty; its id."""
        about = {"name": "Support desk", "description": "What the people at the desk may look up and write"}
        desk = str(self.ask("POST", "/api/collections", about)["id"])
        for tool in ("echo", "city_weather", "delete_record", "send_note"):
            self.ask("POST", f"/api/collections/{desk}/tools", {"server": "demo", "tool": tool})
        self.ask("POST", f"/api/collections/{desk}/tokens", {"name": "helpdesk-bot"})
        self.ask("POST", "/api/collections", {"name": "Read the handbook"})
        return desk

    def servers_and_people(self) -> None:
        """Servers in each state, an invitation, a token, a secret, a budget."""
        http = {"transport": "http", "auth": {}}
        soon = (datetime.now(UTC) + timedelta(days=2)).isoformat()
        far = {"name": "Issues of the whole company", "slug": "issues", "url": "http://127.0.0.1:9/mcp"}
        self.ask("POST", "/api/mcp/servers", {**http, **far, "expires_at": soon})
        self.patchbay.request("POST", "/api/mcp/servers/issues/test", token=self.token)
        private = {"name": "kb", "slug": "kb", "url": "https://kb.example/mcp", "visibility": "private"}
        self.ask("POST", "/api/mcp/servers", {**http, **private})
        for name in ("time",):
            self.patchbay.request("POST", f"/api/mcp/servers/{name}/test", token=self.token)
        self.ask("POST", "/api/teams/invitations", {"role": "editor", "email": "someone.with.a.long.name@example.org"})
        self.ask("POST", "/api/tokens", {"name": "ci-deploy", "scopes": ["run", "edit"], "expires_in_days": 30})
        self.ask("POST", "/api/secrets", {"name": "github_hook", "value": "v", "hosts": ["api.github.example"]})
        self.ask("PATCH", "/api/teams/current", {"budget": {"tokens_per_day": 200_000}})


def risky() -> dict[str, Any]:
    """A graph that asks before it deletes."""
    config = {"server": "demo", "tool": "delete_record", "arguments": {"record": "customer-4821"}}
    nodes = [node("start", "start", {}), node("delete", "tool", config, title="Delete the record"), node("end", "end")]
    return graph(placed(nodes), "start -> delete", "delete -> end")


def asking() -> dict[str, Any]:
    """A graph that asks for values."""
    fields = {
        "version": {"type": "string", "title": "Version", "description": "As it stands in the changelog."},
        "when": {"type": "string", "format": "date", "title": "Day"},
        "channel": {"type": "string", "enum": ["stable", "beta"], "title": "Channel"},
        "loud": {"type": "boolean", "title": "Tell everybody"},
    }
    config = {
        "title": "What is released, and when?",
        "message": "The notes are made from the answer.",
        "schema": {"type": "object", "properties": fields, "required": ["version"]},
    }
    nodes = [node("start", "start", {}), node("ask", "form", config, title="Ask for the plan"), node("end", "end")]
    return graph(placed(nodes), "start -> ask", "ask -> end")


def waiting() -> dict[str, Any]:
    """A graph that waits long."""
    nodes = [node("start", "start", {}), node("wait", "wait", {"seconds": 36_000}), node("end", "end")]
    return graph(placed(nodes), "start -> wait", "wait -> end")


def unfinished() -> dict[str, Any]:
    """A graph with problems, one of which has a fix."""
    nodes = [
        node("start", "start", {}),
        node("text", "template", {"template": "hello"}, title="Text"),
        node("next", "template", {"template": "{{ text.txt }}"}, title="Next"),
        node("tool", "tool", {"server": "demo", "tool": "city_weather", "arguments": {}}, title="Weather"),
        node("lone", "agent", {}, title="Agent that stands alone"),
    ]
    return graph(placed(nodes), "start -> text", "text -> next", "next -> tool")


def requesting() -> dict[str, Any]:
    """A graph with a request that takes nearly any answer, as one that was imported does."""
    statuses = [*range(400, 419), *range(421, 427), 428, 429, 431, 451, *range(500, 509), 510, 511]
    config = {"method": "POST", "url": "https://orders.example/v1/orders", "accept_status": statuses}
    nodes = [node("start", "start", {}), node("call", "http", config, title="Place the order"), node("end", "end", {})]
    return graph(placed(nodes), "start -> call", "call -> end")


def declaring() -> dict[str, Any]:
    """A graph with servers and an agent of its own, which wait for an admin."""
    servers = {
        "repository": {"transport": "stdio", "command": "uvx", "args": ["mcp-server-git", "--repository", "/srv/code"]},
        "tickets": {"transport": "http", "url": "https://tickets.of-the-whole-company.example/mcp"},
        "travel": {"transport": "a2a", "url": "https://travel.example/.well-known/agent-card.json"},
    }
    return {
        **graph(placed([node("start", "start", {}), node("end", "end", {})]), "start -> end"),
        "mcp_servers": servers,
    }


def placed(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In a row."""
    return [item | {"position": {"x": 260 * index, "y": 0}} for index, item in enumerate(nodes)]
