"""The SDKs' own clients sign in to an agent: from the refusal to a member's consent, a token and a streamed task."""

from __future__ import annotations

import json
import subprocess
import sys

from a2a.types import TaskState

from tests.browser import Browser
from tests.instance import ROOT
from tests.live.a2a.conftest import SAYS, Offering, texts_of
from tests.signing_in import NAME, PATIENCE_S, SigningIn


def at_screen(offering: Offering) -> Browser:
    """The owner's browser."""
    command = [sys.executable, "-m", "backend.project.cli", "sign_in_link", "alice@example.org"]
    environment = offering.patchbay.environment()
    done = subprocess.run(command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, check=True)
    browser = Browser(offering.patchbay)
    status, answer = browser.post("/api/setup", {"token": done.stdout.strip().rpartition("/")[2]})
    assert status == 200, answer
    return browser


def test_a_client_signs_in_and_follows_its_task(offering: Offering) -> None:
    url, browser = offering.agent(SAYS, "Refunds"), at_screen(offering)
    client = SigningIn(url)
    with client.at(client.send("hi")) as reply:
        request = client.opened.result(timeout=PATIENCE_S)
        shown = json.loads(browser.get(f"/api/oauth/ask?{request.partition('?')[2]}")[2])
        assert (shown["client"]["name"], shown["address"]) == (NAME, url) and shown["agent"].startswith("Refunds")
        decision = {"ticket": shown["ticket"], "allow": True, "team": shown["team"], "scopes": ["run"], "days": 1}
        status, decided = browser.post("/api/oauth/decide", decision)
        assert status == 200, decided
        client.back.set_result(decided["location"])
        events = reply.result(timeout=PATIENCE_S)
    assert events[0].HasField("task") and "You said hi" in texts_of(events)
    assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED
    assert client.memory.tokens is not None and client.memory.tokens.scope == "read run"
    token = client.memory.tokens.access_token
    assert offering.patchbay.request("GET", "/api/runs", token=token)[0] == 401, "it opens the agent alone"
    assert offering.ask("GET", f"/api/runs/{events[0].task.id}")["state"] == "SUCCESS"
