"""A run that another program started says who called, and leads to its trace where the operator named a viewer."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from playwright.sync_api import Browser, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.conftest import OWNER, sign_up
from tests.instance import Instance, until
from tests.otlp_receiver import otlp_receiver

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
VIEWER = "https://traces.example.org/trace"
GREETS = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("say", "answer", {"text": "Hello"}),
        node("end", "end", {"outputs": {}}),
    ],
    "start -> say",
    "say -> end",
)


def sent_by_an_agent(instance: Instance, token: str) -> str:
    """The run of a message that an agent sends with its trace."""
    created = instance.request("POST", "/api/workflows", {"name": "Greets", "graph": GREETS}, token)[1]["id"]
    path = f"/api/workflows/{created}"
    assert instance.request("POST", f"{path}/publish", {}, token)[0] in (200, 201)
    assert instance.request("PATCH", path, {"expose_as_agent": True}, token)[0] == 200
    where = urlsplit(instance.request("GET", f"{path}/agent", token=token)[1]["url"]).path
    message = {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}
    answer = httpx2.post(
        instance.url + where,
        headers={
            "authorization": f"Bearer {token}",
            "a2a-version": "1.0",
            "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01",
        },
        json={"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}},
        timeout=60,
    ).json()
    return str(answer["result"]["task"]["id"])


@pytest.mark.wide
def test_a_run_says_who_called_and_leads_to_its_trace(tmp_path: Path, browser: Browser) -> None:
    with otlp_receiver() as collector:
        extra = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "200",
            "PATCHBAY_TRACE_URL": f"{VIEWER}/{{trace_id}}",
        }
        instance = Instance(tmp_path / "data", extra=extra, begins="migrated", forked=True).start()
        context = browser.new_context(base_url=instance.url)
        try:
            context.route(f"{VIEWER}/**", lambda route: route.fulfill(body="the trace"))
            page = context.new_page()
            sign_up(page, instance.link)
            token = instance.token(OWNER["email"])
            [named] = instance.request("GET", "/api/tokens", token=token)[1]["results"]
            run = sent_by_an_agent(instance, token)
            page.goto(f"/runs/{run}")
            caller = re.compile(rf"by {re.escape(OWNER['email'])} via A2A \({re.escape(named['name'])}")
            expect(page.get_by_text(caller)).to_be_visible()
            link = page.get_by_role("link", name="Trace")
            expect(link).to_have_attribute("href", f"{VIEWER}/{TRACE}")
            with context.expect_page() as opened:
                link.click()
            expect(opened.value.get_by_text("the trace")).to_be_visible()
            assert opened.value.url == f"{VIEWER}/{TRACE}"
            kept = until(lambda: [span for span in collector.spans(TRACE) if span.name.startswith("invoke_workflow")])
            assert [span.attributes["patchbay.run.id"] for span in kept] == [run]
        finally:
            context.close()
            instance.kill()
