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
from tests.e2e.editor_page import EditorPage
from tests.e2e.input_devices import InputDevice, Keys, Mouse
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
    for (workflow, device), actions in table.items():
        print(f"{workflow:12} {device:9} {actions:7}  {MOST[workflow, device]:7}")


@pytest.fixture
def editor(page: Page, office: Office, request: pytest.FixtureRequest) -> EditorPage:
    """An empty workflow; what moves by itself is there at once."""
    page.emulate_media(reduced_motion="reduce")
    return EditorPage(page).new(request.function.__name__.removeprefix("test_").replace("_", " ").capitalize())


class Run:
    """The only run of the workflow that is open, as its log tells it."""

    def __init__(self, editor: EditorPage, patchbay: Instance, token: str) -> None:
        workflow = editor.page.url.split("?")[0].rsplit("/", 1)[-1]

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

    def __init__(self, editor: EditorPage, office: Office, patchbay: Instance, token: str, counts: Counts) -> None:
        self.editor, self.office = editor, office
        self._patchbay, self._token, self._counts = patchbay, token, counts

    def ran(self, workflow: str, name: str, device: InputDevice) -> Run:
        """The run that was started, over; the hands did no more than was needed once."""
        run = Run(self.editor, self._patchbay, self._token)
        self._counts[workflow, name] = device.actions
        print(f"{workflow} by {name}: {device.actions} actions")
        assert device.actions <= MOST[workflow, name]
        return run


@pytest.fixture
def builder(editor: EditorPage, office: Office, patchbay: Instance, owner_token: str, counts: Counts) -> Builder:
    """For the workflow that is open."""
    return Builder(editor, office, patchbay, owner_token, counts)


def run_by_mouse(device: Mouse) -> None:
    """Start the run once everything is saved."""
    device.editor.saved()
    device.click(device.page.get_by_role("button", name="Run", exact=True))


def run_by_key(device: Keys) -> None:
    """The same."""
    device.editor.saved()
    device.press("Control+Enter")


# Tool, if, approval, tool


def approved(run: Run, office: Office) -> None:
    """The first tool was asked, a person agreed, and only then the message was sent."""
    assert run.output("if_1")["port"] == "true"
    request, answered = run.of("STEP_WAITING_FOR_START", "approval"), run.of("STEP_ANSWERED", "approval")
    sent = run.of("STEP_INPUT", "send_message")
    assert request[0]["seq"] < answered[0]["seq"] < sent[0]["seq"]
    assert run.output("approval")["approved"] is True
    assert run.output("send_message")["result"] == "Sent to Ann."
    assert office.calls == [("read_weather", {"city": CITY}), ("send_message", {"to": "Ann", "text": "Warm"})]


@pytest.mark.wide
def test_approval_by_mouse(builder: Builder) -> None:
    editor = builder.editor
    device = Mouse(editor)
    device.click(device.palette("Office"))
    device.drag_out("read_weather", 300, 200)
    device.fill("city", CITY)
    device.double_click(device.palette("If"))
    device.added("If")
    device.open_value("structured")
    device.drag_value("celsius", device.field("Value"))
    device.choose("Comparison", "is greater than")
    device.fill("Compared with", "20")
    device.lead(device.port(editor.card("If"), "true"), "Approval", 24, 130)
    device.fill("Title", "Warm enough?")
    device.lead(device.port(editor.card("Approval"), "approved"), "send_message", 24, 130)
    device.fill("to", "Ann")
    device.fill("text", "Warm")
    run_by_mouse(device)
    device.click(editor.dock.get_by_role("button", name="Approve", exact=True))
    approved(builder.ran("approval", "mouse", device), builder.office)


@pytest.mark.wide
def test_approval_by_keyboard(builder: Builder) -> None:
    device = Keys(builder.editor)
    device.add("read_weather")
    device.enter(device.field("city"))
    device.write(CITY)
    device.leave()
    device.add("If")
    device.enter(device.field("Value"))
    device.write(WARM)
    device.tab(device.select("Comparison"), 1)
    device.choose("Comparison", 2, "is greater than")
    device.tab(device.field("Compared with"), 1)
    device.write("20")
    device.leave()
    device.add("Approval")
    device.enter(device.field("Title"))
    device.write("Warm enough?")
    device.leave()
    device.add("send_message")
    device.enter(device.field("to"))
    device.write("Ann")
    device.tab(device.field("text"), 2)
    device.write("Warm")
    run_by_key(device)
    device.leave()
    agree = builder.editor.dock.get_by_role("button", name="Approve", exact=True)
    expect(agree).to_be_visible()
    device.press("a")
    expect(agree).to_be_focused()
    device.press("Enter")
    approved(builder.ran("approval", "keyboard", device), builder.office)


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
    assert sorted(model.requests[0].tools) == sorted(f"office__{tool}" for tool in GIVEN)
    assert TASK in model.requests[0].text
    assert all(words in model.requests[-1].text for words in ("celsius", "18 on average", "done"))
    assert model.left() == []
    assert office.calls == list(GIVEN.items())
    assert run.output("agent")["text"] == "It is 18 on average."


@pytest.mark.wide
def test_agent_by_mouse(model: LlmServer, builder: Builder) -> None:
    editor = builder.editor
    device = Mouse(editor)
    device.double_click(device.palette("Agent"))
    device.added("Agent")
    device.fill("Task", TASK)
    device.click(device.palette("Office"))
    for tool in GIVEN:
        device.drag_onto(device.palette(tool), editor.card("Agent"))
    expect(editor.inspector.get_by_role("button", name=re.compile("^Office"))).to_contain_text("3 of")
    run_by_mouse(device)
    called(builder.ran("agent", "mouse", device), builder.office, model)


@pytest.mark.wide
def test_agent_by_keyboard(model: LlmServer, builder: Builder) -> None:
    device = Keys(builder.editor)
    device.add("Agent")
    device.enter(device.field("System prompt"))
    device.tab(device.field("Task"), 2)
    device.write(TASK)
    device.leave()
    device.give(*GIVEN)
    run_by_key(device)
    called(builder.ran("agent", "keyboard", device), builder.office, model)


# A loop over a list


def looped(run: Run, office: Office) -> None:
    """Every city of the list was asked for, in its order."""
    assert run.output("iteration") == {"items": list(CELSIUS.values())}
    assert office.calls == [("list_cities", {}), *(("read_weather", {"city": city}) for city in CELSIUS)]


@pytest.mark.wide
def test_loop_by_mouse(builder: Builder) -> None:
    editor = builder.editor
    device = Mouse(editor)
    device.click(device.palette("Office"))
    device.drag_out("list_cities", 300, 120)
    device.double_click(device.palette("Iteration"))
    device.added("Iteration")
    device.open_value("structured")
    device.drag_value("cities", device.field("Items"))
    device.drag_onto(device.palette("read_weather"), editor.card("Iteration").locator(".frame-empty"))
    device.added("read_weather")
    device.drag_value("item", device.field("city"))
    device.click(editor.card("Iteration").locator(".frame-head"))
    device.fill("Output", WARM)
    run_by_mouse(device)
    looped(builder.ran("loop", "mouse", device), builder.office)


@pytest.mark.wide
def test_loop_by_keyboard(builder: Builder) -> None:
    editor = builder.editor
    device = Keys(editor)
    device.add("list_cities")
    device.add("Iteration")
    device.enter(device.field("Items"))
    device.write("{{ list_cities.structured.cities }}")
    device.leave()
    device.add("read_weather")
    device.enter(device.field("city"))
    device.write("{{ item }}")
    device.leave()
    device.walk("Shift+Tab", editor.card("Iteration"))
    device.enter(device.field("Items"))
    device.tab(device.field("Output"), 2)
    device.write(WARM)
    run_by_key(device)
    looped(builder.ran("loop", "keyboard", device), builder.office)


# Parallel branches, joined

VALUES = ("{{ meet.result }}", "{{ meet_2.result }}")


def joined(run: Run, office: Office) -> None:
    """Both branches were on their way at the same time, else neither had ended, and what is behind has both."""
    assert run.output("merge")["values"] == ["Ann was there", "Bob was there"]
    assert sorted(arguments["name"] for _, arguments in office.calls) == ["Ann", "Bob"]


@pytest.mark.wide
def test_parallel_by_mouse(builder: Builder) -> None:
    editor = builder.editor
    device = Mouse(editor)
    device.click(device.palette("Office"))
    device.drag_out("meet", 300, 120)
    device.fill("name", "Ann")
    device.lead(device.port(editor.card("Start")), "meet", 60, 150)
    device.fill("name", "Bob")
    device.double_click(device.palette("Merge"))
    device.added("Merge")
    device.drag_onto(device.port(device.node("meet")), editor.card("Merge"))
    for value in VALUES:
        device.click(editor.inspector.get_by_role("button", name="Add value"))
        device.write(value)
    run_by_mouse(device)
    joined(builder.ran("parallel", "mouse", device), builder.office)


@pytest.mark.wide
def test_parallel_by_keyboard(builder: Builder) -> None:
    editor = builder.editor
    device = Keys(editor)
    more = editor.inspector.get_by_role("button", name="Add value")
    first, second = VALUES
    device.add("meet")
    device.enter(device.field("name"))
    device.write("Ann")
    device.leave()
    device.add("Merge")
    device.walk("Shift+Tab", device.node("meet"))
    device.walk("Shift+Tab", editor.card("Start"))
    device.add("meet", "Shift+N")
    device.enter(device.field("name"))
    device.write("Bob")
    device.leave()
    device.connect("Merge")
    device.walk("Tab", editor.card("Merge"))
    device.enter(more)
    device.press("Enter")
    expect(device.field("Value 1")).to_be_focused()
    device.write(first)
    device.tab(more, 2)
    device.press("Enter")
    expect(device.field("Value 2")).to_be_focused()
    device.write(second)
    run_by_key(device)
    joined(builder.ran("parallel", "keyboard", device), builder.office)


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
    editor = builder.editor
    device = Mouse(editor)
    device.click(device.palette("Office"))
    device.drag_out("forecast", 300, 200)
    device.fill("city", CITY)
    device.choose("When it fails", "take the error port")
    device.choose("Retry", "once, after 1 s")
    device.lead(device.port(editor.card("forecast"), "error"), "send_message", 24, 130)
    device.fill("to", "Ann")
    device.fill("text", APOLOGY)
    run_by_mouse(device)
    excused(builder.ran("retry", "mouse", device), builder.office)


@pytest.mark.wide
def test_retry_by_keyboard(builder: Builder) -> None:
    device = Keys(builder.editor)
    device.add("forecast")
    device.enter(device.field("city"))
    device.write(CITY)
    device.tab(device.select("When it fails"), 3)
    device.choose("When it fails", 2, "take the error port")
    device.tab(device.select("Retry"), 1)
    device.choose("Retry", 2, "once, after 1 s")
    device.leave()
    device.add("send_message", "Shift+N")
    device.enter(device.field("to"))
    device.write("Ann")
    device.tab(device.field("text"), 2)
    device.write(APOLOGY)
    run_by_key(device)
    excused(builder.ran("retry", "keyboard", device), builder.office)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_docs_have_these_counts(language: str) -> None:
    text = (ROOT / "docs" / language / "workflows.md").read_text()
    rows = [(int(by_mouse), int(by_key)) for by_mouse, by_key in re.findall(r"^\|.+\| (\d+) \| (\d+) \|$", text, re.M)]
    assert rows == [
        (MOST[workflow, "mouse"], MOST[workflow, "keyboard"]) for workflow, device in MOST if device == "mouse"
    ]
