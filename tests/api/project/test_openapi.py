"""The OpenAPI document: without warnings, and saying exactly what the API answers."""

from __future__ import annotations

import re
from typing import Any

import jsonschema

from tests.people import Person, Reply

GRAPH = {
    "schema": 1,
    "nodes": [{"id": "start", "type": "start", "v": 1, "config": {"inputs": {"type": "object", "required": ["n"]}}}],
    "edges": [{"id": "e", "source": "start", "target": "nowhere"}],
}
SERVER = {"name": "Search", "transport": "http", "url": "https://example.org/mcp", "secret_headers": {"X-Key": "k" * 9}}


def test_the_document_is_3_1_and_knows_every_refusal(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert len(operations) > 50
    for operation in operations:
        refused = operation["responses"]["4XX"]["content"]["application/json"]["schema"]
        assert refused == {"$ref": "#/components/schemas/Error"}


class Checked:
    """An API whose every answer is held against the document."""

    def __init__(self, person: Person, document: dict[str, Any]) -> None:
        self.person, self.document = person, document
        patterns = sorted(document["paths"], key=lambda path: path.count("{"))
        self.patterns = [(re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), path) for path in patterns]

    def __call__(self, method: str, path: str, body: Any = None) -> Reply:
        args = () if method == "get" else (body,)
        reply: Reply = getattr(self.person.api, method)(path, *args)
        known = next(known for pattern, known in self.patterns if pattern.fullmatch(path.split("?")[0]))
        responses = self.document["paths"][known][method]["responses"]
        response = responses["4XX" if 400 <= reply.status < 500 else str(reply.status)]
        if "content" in response:
            schema = {**response["content"]["application/json"]["schema"], "components": self.document["components"]}
            jsonschema.Draft202012Validator(schema).validate(reply.data)
        return reply


def test_what_the_api_answers_is_what_the_document_says(adam: Person, document: dict[str, Any]) -> None:
    api = Checked(adam, document)
    server = api("post", "/api/mcp/servers", SERVER).data["id"]
    assert api("post", "/api/mcp/servers", {"name": "x", "transport": "http"}).status == 400
    assert api("post", "/api/mcp/servers/import", {"mcpServers": {"a": {"command": "uvx"}, "b": {}}}).data["skipped"]
    assert api("post", "/api/mcp/servers/test", {"transport": "http", "url": "nowhere"}).data["ok"] is False
    api("patch", f"/api/mcp/servers/{server}", {"description": "d"})
    workflow = api("post", "/api/workflows", {"name": "W"}).data["id"]
    at = f"/api/workflows/{workflow}"
    assert api("put", f"{at}/draft", {"revision": 1, "graph": GRAPH}).data["problems"]
    assert api("put", f"{at}/draft", {"revision": 1, "graph": {"schema": 1}}).status == 409
    assert api("post", f"{at}/publish", {}).data["code"] == "GRAPH_INVALID"
    assert api("post", f"{at}/runs", {}).data["code"] == "NOT_PUBLISHED"
    api("put", f"{at}/draft", {"revision": 2, "graph": {**GRAPH, "edges": []}})
    assert api("post", f"{at}/publish", {"note": "n"}).status == 201
    assert api("post", f"{at}/runs", {}).data["fields"] == {"inputs.n": ["is required"]}
    run = api("post", f"{at}/runs", {"inputs": {"n": 1}, "wait": 0}).data["id"]
    assert api("post", f"{at}/duplicate", {}).status == 201
    assert api("post", f"{at}/validate", {}).data["ok"] is True
    assert api("post", "/api/secrets", {"name": "s", "value": "v" * 9, "hosts": ["example.org"]}).status == 201
    assert api("post", "/api/tokens", {"name": "t"}).status == 201
    for path in (
        *(f"/api/{name}" for name in ("interactions", "me", "node-types", "runs", "secrets", "teams", "tokens")),
        *(f"/api/mcp/{name}" for name in ("declarations", "presets", "servers", f"servers/{server}")),
        *(f"/api/mcp/servers/{server}/{name}" for name in ("tools", "workflows")),
        *(f"{at}{part}" for part in ("", "/drafts", "/drafts/1", "/drafts/3", "/versions", "/versions/1")),
        *(
            "/api/workflows",
            "/api/teams/members",
            f"{at}/compare?from=1",
            f"/api/runs/{run}",
            f"/api/runs/{run}/events",
        ),
    ):
        assert api("get", path).status == 200, path
    assert api("get", "/api/runs/none").status == 404
