"""A team that has one of everything, each with a secret planted wherever one is taken.

Everything is made over the API as people make it, except what only a worker makes (a run's log, a question), which is
written as the worker writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from backend.files.services import blob_store
from backend.registry.models import Server
from backend.registry.tools.listing import record_listing
from backend.runs.models import Interaction, LogLine, Run, RunState
from backend.tools.types import ToolSpec
from tests.people import Person, Reply

GRAPH: dict[str, Any] = {
    "schema": 1,
    "language": "en",
    "mcp_servers": {"inner": {"transport": "stdio", "command": "no-such-program", "args": ["x"]}},
    "nodes": [
        {"id": "start", "type": "start", "v": 1, "config": {"inputs": {"type": "object"}}},
        {"id": "greet", "type": "template", "v": 1, "config": {"template": "Hello {{ start.name }}"}},
        {"id": "end", "type": "end", "v": 1, "config": {"outputs": {"text": "{{ greet.text }}"}}},
    ],
    "edges": [
        {"id": "e1", "source": "start", "source_port": "out", "target": "greet", "target_port": "in"},
        {"id": "e2", "source": "greet", "source_port": "out", "target": "end", "target_port": "in"},
    ],
}


def secret(place: str) -> str:
    """The secret that is planted at `place`: no other text holds it, and no word is hidden because of it."""
    return f"Zq7planted-{place}-9fXw2"


@dataclass
class SeededTeam:
    """`names[segment]` = the identifier of what stands below `/api/…/<segment>/`; `planted` = every secret text."""

    names: dict[str, str] = field(default_factory=dict)
    planted: dict[str, str] = field(default_factory=dict)

    def plant(self, place: str) -> str:
        """A secret for `place`, remembered."""
        self.planted[place] = secret(place)
        return self.planted[place]


def made(reply: Reply) -> Any:
    """What was created."""
    assert reply.status in (200, 201), reply.text
    return reply.data


def seed(alice: Person) -> SeededTeam:
    """One of everything in Alice's team."""
    team = SeededTeam()
    plant(alice.api.post, team)
    _workflow(alice, team)
    _run(alice, team)
    _token(alice, team)
    return team


def plant(post: Callable[[str, Any], Reply], team: SeededTeam) -> None:
    """Servers, a provider, a team's secret and an invitation, with a secret at every place that takes one."""
    server = {
        "name": "Search",
        "transport": "http",
        "url": "https://mcp.example.org/mcp",
        "auth_type": "bearer",
        "api_key": team.plant("server-key"),
        "headers": {"X-Plain": "plain", "X-Api-Token": team.plant("server-telling-header")},
        "secret_headers": {"X-Hidden": team.plant("server-secret-header")},
    }
    team.names["servers"] = made(post("/api/mcp/servers", server))["slug"]
    program = {
        "name": "Program",
        "transport": "stdio",
        "command": "no-such-program",
        "args": ["--api-key", team.plant("server-argument")],
        "env": {"REGION": "eu", "SERVICE_TOKEN": team.plant("server-telling-env")},
        "secret_env": {"HIDDEN": team.plant("server-secret-env")},
    }
    made(post("/api/mcp/servers", program))
    hosted = f"https://mcp.api-inference.modelscope.net/{team.plant('server-url')}/mcp"
    made(post("/api/mcp/servers", {"name": "Hosted", "transport": "http", "url": hosted}))
    text = f"https://mcp.example.org/mcp?api_key={team.plant('server-url-query')}"
    made(post("/api/mcp/servers", {"name": "Asked", "transport": "http", "url": text}))
    off = {"name": "Off", "transport": "http", "url": "https://off.example.org/mcp", "enabled": False}
    team.names["off"] = made(post("/api/mcp/servers", off))["slug"]
    pasted = {"command": "no-such-program", "env": {"PASTED_KEY": team.plant("server-imported-env")}}
    made(post("/api/mcp/servers/import", {"mcpServers": {"pasted": pasted}}))
    provider = {
        "name": "Models",
        "base_url": "https://models.example.org/v1",
        "api_key": team.plant("provider-key"),
        "headers": {"X-Org": "o", "X-Auth-Token": team.plant("provider-telling-header")},
        "secret_headers": {"X-Hidden": team.plant("provider-secret-header")},
        "models": [{"id": "m"}],
    }
    team.names["providers"] = made(post("/api/providers", provider))["slug"]
    named = {"name": "named", "value": team.plant("team-secret"), "hosts": ["mcp.example.org"]}
    team.names["secrets"] = made(post("/api/secrets", named))["name"]
    invitation = made(post("/api/teams/invitations", {"role": "viewer"}))
    team.names["invitations"] = invitation["id"]
    team.planted["invitation"] = re.split("[/#]", invitation["url"])[-1]


def _workflow(alice: Person, team: SeededTeam) -> None:
    imported = made(alice.api.post("/api/workflows/import", {"graph": GRAPH, "name": "Flow"}))["workflow"]
    team.names["workflows"] = imported["id"]
    at = f"/api/workflows/{imported['id']}"
    made(alice.api.post(f"{at}/publish", {"note": "first"}))
    waiting = alice.api.get("/api/mcp/declarations?state=waiting").data["results"]
    team.names |= {"drafts": "1", "versions": "1", "declarations": waiting[0]["hash"]}


def _run(alice: Person, team: SeededTeam) -> None:
    now = timezone.now()
    run = Run.objects.create(
        team=alice.team,
        workflow_id=team.names["workflows"],
        started_by=alice.user,
        graph=blob_store(alice.team.id, json.dumps(GRAPH).encode()),
        state=RunState.WAITING,
        fence=1,
        last_seq=2,
        queued_at=now,
        started_at=now,
    )
    for seq, kind in enumerate(("FLOW_QUEUED", "FLOW_START"), 1):
        LogLine.objects.create(
            run=run, position=seq, seq=seq, ts=now.timestamp(), type=kind, fence=1, path="[]", data="{}"
        )
    question = Interaction.objects.create(
        id="int_seeded",
        team=alice.team,
        run=run,
        root_run=run,
        node="greet",
        kind="approval",
        title="Send it?",
        created_at=now,
    )
    team.names |= {"runs": run.pk, "interactions": question.pk}
    server = Server.objects.get(team=alice.team, slug=team.names["servers"])
    record_listing(server.id, server.revision, [ToolSpec("search", "find", input_schema={"type": "object"})])
    team.names["tools"] = "find"


def _token(alice: Person, team: SeededTeam) -> None:
    token = made(alice.api.post("/api/tokens", {"name": "deploy"}))
    team.names["tokens"] = token["id"]
    team.planted["token"] = token["token"]
    file = alice.api.client.post("/api/files", {"file": SimpleUploadedFile("a.txt", b"hello", "text/plain")})
    assert file.status_code == 201, file.content
    team.names["files"] = file.json()["id"]
