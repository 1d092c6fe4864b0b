"""Five workflows from an empty canvas to a run, by mouse and by keyboard alone, with what the hands had to do.

Clicks, drags, key chords and typed texts count one each; choosing in a list by mouse counts two. Words are typed. The
counts stand in docs/en/workflows.md and docs/zh/workflows.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import OWNER, ownerless, sign_up
from tests.e2e.editor_page import Desk
from tests.e2e.hands import Hands, Keys, Mouse
from tests.e2e.office import CELSIUS, Office
from tests.e2e.office import opened as office_opened
from tests.instance import ROOT, Instance, until
from tests.llm_server import Call, LlmServer

MOST = {
    ("approval", "mouse"): 25,
    ("approval", "keyboard"): 35,
    ("agent", "mouse"): 8,
    ("agent", "keyboard"): 17,
    ("loop", "mouse"): 11,
    ("loop", "keyboard"): 21,
    ("parallel", "mouse"): 16,
    ("parallel", "keyboard"): 29,
    ("retry", "mouse"): 16,
    ("retry", "keyboard"): 23,
}
"""Actions from the empty canvas to the run, as measured: one more is a step backwards."""

CITY = "Cairo"
WARM = "{{ read_weather.structured.celsius }}"


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
def office_server(patchbay: Instance, owner_token: str) -> Iterator[Office]:
    """The server whose tools are used, known to the team with its tools read."""
    with office_opened() as (office, url):
        body = {"name": "Office", "transport": "http", "url": url, "trust_annotations": True}
        status, row = patchbay.request("POST", "/api/mcp/servers", body, owner_token)
        assert status == 201, row
        tools = patchbay.request("GET", "/api/mcp/servers/office/tools?refresh=1", token=owner_token)[1]
        assert tools["results"], tools
        yield office


@pytest.fixture
def office(office_server: Office) -> Office:
    """The same, before anybody called it."""
    office_server.clear()
    return office_server


@pytest.fixture(scope="module")
def counts() -> Iterator[dict[tuple[str, str], int]]:
    """What was counted, printed as a table at the end."""
    table: dict[tuple[str, str], int] = {}
    yield table
    print("\nworkflow     hands     actions  at most")
    for (workflow, hands), actions in table.items():
        print(f"{workflow:12} {hands:9} {actions:7}  {MOST[workflow, hands]:7}")


@pytest.fixture
def desk(page: Page, office: Office, request: pytest.FixtureRequest) -> Desk:
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


Counts = dict[tuple[str, str], int]


class Builder:
    """What a test builds with, and what it looks at when it has run."""

    def __init__(self, desk: Desk, office: Office, patchbay: Instance, token: str, counts: Counts) -> None:
        self.desk, self.office = desk, office
        self._patchbay, self._token, self._counts = patchbay, token, counts

    def ran(self, workflow: str, name: str, hands: Hands) -> Run:
        """The run that was started, over; the hands did no more than was needed once."""
        run = Run(self.desk, self._patchbay, self._token)
        self._counts[workflow, name] = hands.actions
        print(f"{workflow} by {name}: {hands.actions} actions")
        assert hands.actions <= MOST[workflow, name]
        return run


@pytest.fixture
def builder(desk: Desk, office: Office, patchbay: Instance, owner_token: str, counts: Counts) -> Builder:
    """For the workflow that is open."""
    return Builder(desk, office, patchbay, owner_token, counts)


def run_by_mouse(hands: Mouse) -> None:
    """Start the run once everything is saved."""
    hands.desk.saved()
    hands.click(hands.page.get_by_role("button", name="Run", exact=True))


def run_by_key(hands: Keys) -> None:
    """The same."""
    hands.desk.saved()
    hands.press("Control+Enter")


# Tool, if, approval, tool


def approved(run: Run, office: Office) -> None:
    """The first tool was asked, a person agreed, and only then the message was sent."""
    assert run.output("if_1")["port"] == "true"
    asked, answered = run.of("STEP_WAITING_FOR_START", "approval"), run.of("STEP_ANSWERED", "approval")
    sent = run.of("STEP_INPUT", "send_message")
    assert asked[0]["seq"] < answered[0]["seq"] < sent[0]["seq"]
    assert run.output("approval")["approved"] is True
    assert run.output("send_message")["result"] == "Sent to Ann."
    assert office.calls == [("read_weather", {"city": CITY}), ("send_message", {"to": "Ann", "text": "Warm"})]


def test_approval_by_mouse(builder: Builder) -> None:
    desk = builder.desk
    hands = Mouse(desk)
    hands.click(hands.rack("Office"))
    hands.drag_out("read_weather", 300, 200)
    hands.fill("city", CITY)
    hands.double_click(hands.rack("If"))
    hands.added("If")
    hands.open_value("structured")
    hands.drag_value("celsius", hands.field("Value"))
    hands.choose("Comparison", "is greater than")
    hands.fill("Compared with", "20")
    hands.lead(hands.port(desk.card("If"), "true"), "Approval", 24, 130)
    hands.fill("Title", "Warm enough?")
    hands.lead(hands.port(desk.card("Approval"), "approved"), "send_message", 24, 130)
    hands.fill("to", "Ann")
    hands.fill("text", "Warm")
    run_by_mouse(hands)
    hands.click(desk.dock.get_by_role("button", name="Approve", exact=True))
    approved(builder.ran("approval", "mouse", hands), builder.office)


@pytest.mark.wide
def test_approval_by_keyboard(builder: Builder) -> None:
    hands = Keys(builder.desk)
    hands.add("read_weather")
    hands.enter(hands.field("city"))
    hands.write(CITY)
    hands.leave()
    hands.add("If")
    hands.enter(hands.field("Value"))
    hands.write(WARM)
    hands.tab(hands.select("Comparison"), 1)
    hands.choose("Comparison", 2, "is greater than")
    hands.tab(hands.field("Compared with"), 1)
    hands.write("20")
    hands.leave()
    hands.add("Approval")
    hands.enter(hands.field("Title"))
    hands.write("Warm enough?")
    hands.leave()
    hands.add("send_message")
    hands.enter(hands.field("to"))
    hands.write("Ann")
    hands.tab(hands.field("text"), 2)
    hands.write("Warm")
    run_by_key(hands)
    hands.leave()
    agree = builder.desk.dock.get_by_role("button", name="Approve", exact=True)
    expect(agree).to_be_visible()
    hands.press("a")
    expect(agree).to_be_focused()
    hands.press("Enter")
    approved(builder.ran("approval", "keyboard", hands), builder.office)


# An agent with three tools

TASK = "Compare the weather."
GIVEN: dict[str, dict[str, Any]] = {
    "read_weather": {"city": "Oslo"},
    "average": {"numbers": [7, 29]},
    "repeat": {"text": "done"},
}


@pytest.fixture
def model(llm: LlmServer, patchbay: Instance, owner_token: str) -> Iterator[LlmServer]:
    """The team's model, which calls three tools, one after the other."""
    body = {"name": "Scripted", "base_url": llm.url, "models": [{"id": "scripted-1"}]}
    status, provider = patchbay.request("POST", "/api/providers", body, owner_token)
    assert status == 201, provider
    for tool, arguments in GIVEN.items():
        llm.reply(calls=[Call(f"office__{tool}", arguments)])
    llm.say("It is 18 on average.")
    yield llm
    patchbay.request("DELETE", f"/api/providers/{provider['slug']}", token=owner_token)


def called(run: Run, office: Office, model: LlmServer) -> None:
    """The model was offered three tools, called each, and read what each gave."""
    assert sorted(model.asked[0].tools) == sorted(f"office__{tool}" for tool in GIVEN)
    assert TASK in model.asked[0].text
    assert all(words in model.asked[-1].text for words in ("celsius", "18 on average", "done"))
    assert model.left() == []
    assert office.calls == list(GIVEN.items())
    assert run.output("agent")["text"] == "It is 18 on average."


@pytest.mark.wide
def test_agent_by_mouse(model: LlmServer, builder: Builder) -> None:
    desk = builder.desk
    hands = Mouse(desk)
    hands.double_click(hands.rack("Agent"))
    hands.added("Agent")
    hands.fill("Task", TASK)
    hands.click(hands.rack("Office"))
    for tool in GIVEN:
        hands.drag_onto(hands.rack(tool), desk.card("Agent"))
    expect(desk.inspector.get_by_role("button", name=re.compile("^Office"))).to_contain_text("3 of")
    run_by_mouse(hands)
    called(builder.ran("agent", "mouse", hands), builder.office, model)


@pytest.mark.wide
def test_agent_by_keyboard(model: LlmServer, builder: Builder) -> None:
    hands = Keys(builder.desk)
    hands.add("Agent")
    hands.enter(hands.field("System prompt"))
    hands.tab(hands.field("Task"), 2)
    hands.write(TASK)
    hands.leave()
    hands.give(*GIVEN)
    run_by_key(hands)
    called(builder.ran("agent", "keyboard", hands), builder.office, model)


# A loop over a list


def looped(run: Run, office: Office) -> None:
    """Every city of the list was asked for, in its order."""
    assert run.output("iteration") == {"items": list(CELSIUS.values())}
    assert office.calls == [("list_cities", {}), *(("read_weather", {"city": city}) for city in CELSIUS)]


@pytest.mark.wide
def test_loop_by_mouse(builder: Builder) -> None:
    desk = builder.desk
    hands = Mouse(desk)
    hands.click(hands.rack("Office"))
    hands.drag_out("list_cities", 300, 120)
    hands.double_click(hands.rack("Iteration"))
    hands.added("Iteration")
    hands.open_value("structured")
    hands.drag_value("cities", hands.field("Items"))
    hands.drag_onto(hands.rack("read_weather"), desk.card("Iteration").locator(".frame-empty"))
    hands.added("read_weather")
    hands.drag_value("item", hands.field("city"))
    hands.click(desk.card("Iteration").locator(".frame-head"))
    hands.fill("Output", WARM)
    run_by_mouse(hands)
    looped(builder.ran("loop", "mouse", hands), builder.office)


@pytest.mark.wide
def test_loop_by_keyboard(builder: Builder) -> None:
    desk = builder.desk
    hands = Keys(desk)
    hands.add("list_cities")
    hands.add("Iteration")
    hands.enter(hands.field("Items"))
    hands.write("{{ list_cities.structured.cities }}")
    hands.leave()
    hands.add("read_weather")
    hands.enter(hands.field("city"))
    hands.write("{{ item }}")
    hands.leave()
    hands.walk("Shift+Tab", desk.card("Iteration"))
    hands.enter(hands.field("Items"))
    hands.tab(hands.field("Output"), 2)
    hands.write(WARM)
    run_by_key(hands)
    looped(builder.ran("loop", "keyboard", hands), builder.office)


# Parallel branches, joined

VALUES = ("{{ meet.result }}", "{{ meet_2.result }}")


def joined(run: Run, office: Office) -> None:
    """Both branches were on their way at the same time, else neither had ended, and what is behind has both."""
    assert run.output("merge")["values"] == ["Ann was there", "Bob was there"]
    assert sorted(arguments["name"] for _, arguments in office.calls) == ["Ann", "Bob"]


@pytest.mark.wide
def test_parallel_by_mouse(builder: Builder) -> None:
    desk = builder.desk
    hands = Mouse(desk)
    hands.click(hands.rack("Office"))
    hands.drag_out("meet", 300, 120)
    hands.fill("name", "Ann")
    hands.lead(hands.port(desk.card("Start")), "meet", 60, 150)
    hands.fill("name", "Bob")
    hands.double_click(hands.rack("Merge"))
    hands.added("Merge")
    hands.drag_onto(hands.port(hands.node("meet")), desk.card("Merge"))
    for value in VALUES:
        hands.click(desk.inspector.get_by_role("button", name="Add value"))
        hands.write(value)
    run_by_mouse(hands)
    joined(builder.ran("parallel", "mouse", hands), builder.office)


@pytest.mark.wide
def test_parallel_by_keyboard(builder: Builder) -> None:
    desk = builder.desk
    hands = Keys(desk)
    more = desk.inspector.get_by_role("button", name="Add value")
    first, second = VALUES
    hands.add("meet")
    hands.enter(hands.field("name"))
    hands.write("Ann")
    hands.leave()
    hands.add("Merge")
    hands.walk("Shift+Tab", hands.node("meet"))
    hands.walk("Shift+Tab", desk.card("Start"))
    hands.add("meet", "Shift+N")
    hands.enter(hands.field("name"))
    hands.write("Bob")
    hands.leave()
    hands.connect("Merge")
    hands.walk("Tab", desk.card("Merge"))
    hands.enter(more)
    hands.press("Enter")
    expect(hands.field("Value 1")).to_be_focused()
    hands.write(first)
    hands.tab(more, 2)
    hands.press("Enter")
    expect(hands.field("Value 2")).to_be_focused()
    hands.write(second)
    run_by_key(hands)
    joined(builder.ran("parallel", "keyboard", hands), builder.office)


# A tool that fails, is tried again, and leads to the error port

APOLOGY = "No forecast: {{ forecast.error.code }}"


def excused(run: Run, office: Office) -> None:
    """It was called twice, then somebody was told why there is nothing."""
    [again] = run.of("STEP_RETRY", "forecast")
    assert again["data"]["attempt"] == 2
    tried = ("forecast", {"city": CITY})
    message = ("send_message", {"to": "Ann", "text": "No forecast: MCP_EXECUTION_ERROR"})
    assert office.calls == [tried, tried, message]
    assert run.output("send_message")["result"] == "Sent to Ann."


@pytest.mark.wide
def test_retry_by_mouse(builder: Builder) -> None:
    desk = builder.desk
    hands = Mouse(desk)
    hands.click(hands.rack("Office"))
    hands.drag_out("forecast", 300, 200)
    hands.fill("city", CITY)
    hands.choose("When it fails", "take the error port")
    hands.choose("Retry", "once, after 1 s")
    hands.lead(hands.port(desk.card("forecast"), "error"), "send_message", 24, 130)
    hands.fill("to", "Ann")
    hands.fill("text", APOLOGY)
    run_by_mouse(hands)
    excused(builder.ran("retry", "mouse", hands), builder.office)


@pytest.mark.wide
def test_retry_by_keyboard(builder: Builder) -> None:
    hands = Keys(builder.desk)
    hands.add("forecast")
    hands.enter(hands.field("city"))
    hands.write(CITY)
    hands.tab(hands.select("When it fails"), 3)
    hands.choose("When it fails", 2, "take the error port")
    hands.tab(hands.select("Retry"), 1)
    hands.choose("Retry", 2, "once, after 1 s")
    hands.leave()
    hands.add("send_message", "Shift+N")
    hands.enter(hands.field("to"))
    hands.write("Ann")
    hands.tab(hands.field("text"), 2)
    hands.write(APOLOGY)
    run_by_key(hands)
    excused(builder.ran("retry", "keyboard", hands), builder.office)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_docs_have_these_counts(language: str) -> None:
    text = (ROOT / "docs" / language / "workflows.md").read_text()
    rows = [(int(by_mouse), int(by_key)) for by_mouse, by_key in re.findall(r"^\|.+\| (\d+) \| (\d+) \|$", text, re.M)]
    assert rows == [
        (MOST[workflow, "mouse"], MOST[workflow, "keyboard"]) for workflow, hands in MOST if hands == "mouse"
    ]
