"""Workflows from an empty canvas to a run, by mouse, with what each hand had to do.

Clicks, drags, key chords and typed texts count one each; choosing in a list by mouse counts two. Words are typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import OWNER, ownerless, sign_up
from tests.e2e.editor_page import Desk
from tests.e2e.hands import Hands, Mouse
from tests.instance import Instance, until
from tests.llm_server import Call, LlmServer

MOST = {
    ("approval", "mouse"): 25,
    ("agent", "mouse"): 8,
}
"""Actions from the empty canvas to the run, as measured: one more is a step backwards."""

CITY = "Cairo"
WARM = "{{ city_weather.structured.celsius }}"


@pytest.fixture(scope="module")
def patchbay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """An installation of these tests' own: its only provider is theirs."""
    instance = ownerless(tmp_path_factory.mktemp("five") / "data").start()
    yield instance
    assert instance.stop() == 0, instance.lines[-80:]


@pytest.fixture(scope="module")
def owner_session(patchbay: Instance, browser: Browser) -> Any:
    """The owner's cookies."""
    context = browser.new_context()
    sign_up(context.new_page(), patchbay.link)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="module")
def owner_token(patchbay: Instance, owner_session: Any) -> str:
    """The owner's API token."""
    return patchbay.token(OWNER["email"])


@pytest.fixture(scope="module")
def counts() -> Iterator[dict[tuple[str, str], int]]:
    """What was counted, printed as a table at the end."""
    table: dict[tuple[str, str], int] = {}
    yield table
    print("\nworkflow     hands     actions  at most")
    for (workflow, hands), actions in table.items():
        print(f"{workflow:12} {hands:9} {actions:7}  {MOST[workflow, hands]:7}")


@pytest.fixture
def desk(page: Page, request: pytest.FixtureRequest) -> Desk:
    """An empty workflow; what moves by itself is there at once."""
    page.emulate_media(reduced_motion="reduce")
    return Desk(page).new(request.function.__name__.removeprefix("test_").replace("_", " ").capitalize())


class Run:
    """The only run of the workflow that is open, as its log tells it."""

    def __init__(self, desk: Desk, patchbay: Instance, token: str) -> None:
        workflow = desk.page.url.split("?")[0].rsplit("/", 1)[-1]

        def ask(path: str) -> Any:
            return patchbay.request("GET", path, token=token)[1]

        def rows() -> list[dict[str, Any]]:
            return [row for row in ask(f"/api/runs?workflow={workflow}")["results"] if row["finished_at"]]

        until(rows, 20)
        [row] = rows()
        assert row["state"] == "SUCCESS", row["error"]
        self.events: list[dict[str, Any]] = ask(f"/api/runs/{row['id']}/events")["results"]

    def of(self, kind: str, node: str) -> list[dict[str, Any]]:
        """The events of a type at a node."""
        return [event for event in self.events if event["type"] == kind and event["node"] == node]

    def output(self, node: str) -> Any:
        """What a node gave."""
        [event] = self.of("STEP_OUTPUT", node)
        return event["data"]["output"]


def count(workflow: str, name: str, hands: Hands, counts: dict[tuple[str, str], int]) -> None:
    """Note the count; more than was needed once fails."""
    counts[workflow, name] = hands.actions
    print(f"{workflow} by {name}: {hands.actions} actions")
    assert hands.actions <= MOST[workflow, name]


Counts = dict[tuple[str, str], int]


def approved(run: Run) -> None:
    """The first tool was asked, a person agreed, and only then the note was sent."""
    assert run.output("if_1")["port"] == "true"
    asked, answered = run.of("STEP_WAITING_FOR_START", "approval"), run.of("STEP_ANSWERED", "approval")
    sent = run.of("STEP_INPUT", "send_note")
    assert asked[0]["seq"] < answered[0]["seq"] < sent[0]["seq"]
    assert run.output("approval")["approved"] is True
    assert run.output("send_note")["result"] == "Note to Ann sent (normal, 4 characters)."


TASK = "Compare the weather."
TOOLS = ("city_weather", "statistics", "echo")


@pytest.fixture
def model(llm: LlmServer, patchbay: Instance, owner_token: str) -> Iterator[LlmServer]:
    """The team's model, which calls three tools, one after the other."""
    body = {"name": "Scripted", "base_url": llm.url, "models": [{"id": "scripted-1"}]}
    status, provider = patchbay.request("POST", "/api/providers", body, owner_token)
    assert status == 201, provider
    for tool, arguments in zip(TOOLS, ({"city": "Oslo"}, {"numbers": [7, 29]}, {"text": "done"}), strict=True):
        llm.reply(calls=[Call(f"demo__{tool}", arguments)])
    llm.say("It is 18 on average.")
    yield llm
    patchbay.request("DELETE", f"/api/providers/{provider['slug']}", token=owner_token)


def called(run: Run, model: LlmServer) -> None:
    """The model was offered three tools, called each, and read what each gave."""
    assert sorted(model.asked[0].tools) == sorted(f"demo__{tool}" for tool in TOOLS)
    assert TASK in model.asked[0].text
    last = model.asked[-1].text
    assert all(words in last for words in ("Norway", "18", "done"))
    assert model.left() == []
    assert run.output("agent")["text"] == "It is 18 on average."


def test_approval_by_mouse(desk: Desk, patchbay: Instance, owner_token: str, counts: Counts) -> None:
    hands, page = Mouse(desk), desk.page
    hands.click(hands.rack("Demo"))
    hands.drag_out("city_weather", 300, 200)
    hands.fill("city", CITY)
    hands.double_click(hands.rack("If"))
    hands.added("If")
    hands.open_value("structured")
    hands.drag_value("celsius", hands.field("Value"))
    hands.choose(desk.inspector.get_by_role("combobox", name="Comparison"), "is greater than")
    hands.fill("Compared with", "20")
    hands.lead(hands.port(desk.card("If"), "true"), "Approval", 24, 130)
    hands.fill("Title", "Warm enough?")
    hands.lead(hands.port(desk.card("Approval"), "approved"), "send_note", 24, 130)
    hands.fill("to", "Ann")
    hands.fill("text", "Warm")
    desk.saved()
    hands.click(page.get_by_role("button", name="Run", exact=True))
    hands.click(desk.dock.get_by_role("button", name="Approve", exact=True))
    approved(Run(desk, patchbay, owner_token))
    count("approval", "mouse", hands, counts)


def test_agent_by_mouse(model: LlmServer, desk: Desk, patchbay: Instance, owner_token: str, counts: Counts) -> None:
    hands = Mouse(desk)
    hands.double_click(hands.rack("Agent"))
    hands.added("Agent")
    hands.fill("Task", TASK)
    hands.click(hands.rack("Demo"))
    for tool in TOOLS:
        hands.drag_onto(hands.rack(tool), desk.card("Agent"))
    expect(desk.inspector.get_by_role("button", name=re.compile("^Demo"))).to_contain_text("3 of")
    desk.saved()
    hands.click(desk.page.get_by_role("button", name="Run", exact=True))
    called(Run(desk, patchbay, owner_token), model)
    count("agent", "mouse", hands, counts)
