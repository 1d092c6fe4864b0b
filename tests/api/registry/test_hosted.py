"""A server that behaves as ModelScope's hosted ones do: the URL is the credential, over SSE and streamable HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from backend.tools.loop import LOOP
from tests.live.servers.conftest import PROGRAMS, started
from tests.people import Person

SECRET = "s3cr3t-in-path"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Base URL, with the secret in its path."""
    for port in started(str(PROGRAMS / "sdk_server.py"), SECRET):
        yield f"http://127.0.0.1:{port}/{SECRET}"


@pytest.fixture
def end_connections(transactional_db: None) -> Iterator[None]:
    yield
    LOOP.stop()


@pytest.mark.parametrize(("ending", "transport"), [("mcp", "http"), ("sse", "sse")])
def test_by_preset_with_the_pasted_address(
    end_connections: None, adam: Person, bob: Person, address: str, ending: str, transport: str
) -> None:
    body = {
        "preset": "modelscope-fetch",
        "values": {"URL": f"{address}/{ending}"},
        "expires_at": "2030-01-01T00:00:00Z",
    }
    server = adam.api.post("/api/mcp/servers", body).data
    assert (server["transport"], server["url_secret"]) == (transport, True)
    assert server["url"].endswith(f"/····/{ending}") and server["expires_at"] == "2030-01-01T00:00:00Z"
    at = f"/api/mcp/servers/{server['id']}"
    tested = bob.api.post(f"{at}/test")
    assert tested.data["ok"] is True, tested.data
    assert [stage["name"] for stage in tested.data["stages"]][:3] == ["url", "dns", "tcp"]
    listed = bob.api.get(f"{at}/tools?refresh=1")
    assert listed.data["results"]
    everything = tested.text + listed.text + bob.api.get(at).text
    assert SECRET not in everything


def test_an_address_that_expired_says_so_without_showing_itself(
    end_connections: None, adam: Person, address: str
) -> None:
    wrong = address.replace(SECRET, "expired-secret-path") + "/mcp"
    server = adam.api.post("/api/mcp/servers", {"preset": "modelscope-fetch", "values": {"URL": wrong}}).data
    tested = adam.api.post(f"/api/mcp/servers/{server['id']}/test")
    assert tested.data["ok"] is False and tested.data["code"] == "MCP_UNREACHABLE"
    refreshed = adam.api.get(f"/api/mcp/servers/{server['id']}/tools?refresh=1")
    assert refreshed.status == 502
    status = adam.api.get(f"/api/mcp/servers/{server['id']}").data["status"]
    assert status["state"] == "error"
    assert "expired-secret-path" not in tested.text + refreshed.text + json.dumps(status)
