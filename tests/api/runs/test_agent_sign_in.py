"""A run that calls an agent of others whose sign-in is over waits for the person, and sends its message then, once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.runs.models import Interaction, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.registry.signing_in import at_screen, sign_in
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.oauth_mcp_server import OAuthServer
from tests.people import Person
from tests.sample_agents import SampleAgents

pytestmark = pytest.mark.django_db(transaction=True)

CALLS = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("call", "tool", {"server": "sample", "tool": "echo", "arguments": {"message": "hi"}}),
        node("end", "end", {"outputs": {"said": "{{ call.result }}"}}),
    ],
    "start -> call",
    "call -> end",
)


@pytest.fixture
def authority() -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        yield server


@pytest.fixture
def far(authority: OAuthServer, transactional_db: None) -> Iterator[SampleAgents]:
    with SampleAgents(issuer=authority.issuer) as agents:
        yield agents
    LOOP.stop()


def test_a_run_waits_until_somebody_is_signed_in_at_the_agent(
    worker: Worker, far: SampleAgents, authority: OAuthServer, adam: Person
) -> None:
    anna, url = at_screen(adam), f"{far.url}/signed-metadata"
    authority.does(audience=f"{url}/rpc")
    body = {"name": "Sample", "transport": "a2a", "url": url, "auth_type": "oauth"}
    at = f"/api/mcp/servers/{anna.api.post('/api/mcp/servers', body).data['id']}"
    sign_in(anna, at, authority)
    assert anna.api.post(f"{at}/test").data["ok"] is True
    assert anna.api.patch(f"{at}/tools/echo", {"policy": "allow"}).status == 200
    flow = make_workflow(anna, CALLS)
    authority.end_sign_ins()
    run = start(anna, flow).data["id"]
    until(lambda: state(run) == RunState.WAITING, 60)
    [question] = anna.api.get(f"/api/interactions?state=open&run={run}").data["results"]
    assert (question["kind"], question["title"]) == ("server", "sample")
    assert far.log("send") == [], "nothing was sent"
    sign_in(anna, at, authority)
    until(lambda: state(run) == RunState.SUCCESS, 60)
    assert len(far.log("send")) == 1 and not Interaction.objects.filter(kind="recovery").exists()
