"""What a person does on the screen, in one word each."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect


class EditorPage:
    """The editor of one workflow."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.palette = page.get_by_role("complementary", name="Tools and nodes")
        self.canvas = page.get_by_role("application", name="Workflow graph")
        self.inspector = page.get_by_role("complementary", name="Inspector")
        self.dock = page.get_by_role("region", name="Run", exact=True)

    def new(self, name: str) -> EditorPage:
        """Make a workflow and open it."""
        self.page.goto("/")
        self.page.get_by_role("button", name="New workflow").click()
        self.page.get_by_label("Workflow name").fill(name)
        self.page.keyboard.press("Enter")
        self.canvas.wait_for()
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        return self

    def open(self, name: str) -> EditorPage:
        """Open a workflow from the list, which may have grown longer than a page."""
        self.page.goto("/")
        self.page.get_by_role("searchbox", name="Search workflows").fill(name)
        # until the answer has come the rows still move, and a click may meet none of them
        expect(self.page.locator("div[aria-busy=true]")).to_have_count(0)
        self.page.get_by_role("link", name=name).click()
        self.canvas.wait_for()
        return self

    def unfold(self, server: str) -> None:
        """Show a server's tools in the palette; read them when they are not known yet."""
        row = self.palette.get_by_role("button", name=server)
        row.click()
        read = self.palette.get_by_role("button", name="Connect and read its tools")
        tools = self.palette.get_by_role("button", name="Risk")
        expect(read.or_(tools.first).first).to_be_visible()
        if read.is_visible():
            read.click()
        expect(tools.first).to_be_visible()

    def drag_out(self, tool: str, x: float, y: float) -> None:
        """Drag a tool from the palette to a place of the canvas."""
        box = self.palette.get_by_role("button", name=f"{tool} Risk").bounding_box()
        area = self.canvas.bounding_box()
        assert box and area
        mouse = self.page.mouse
        mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
        mouse.down()
        mouse.move(box["x"] + 60, box["y"] + 30, steps=4)
        mouse.move(area["x"] + x, area["y"] + y, steps=8)
        mouse.up()

    def add(self, what: str) -> None:
        """Add a node by the keyboard."""
        self.page.keyboard.press("/")
        self.pick(what)

    def pick(self, what: str) -> None:
        """Choose by name in the list that is open."""
        box = self.page.get_by_role("dialog").get_by_role("combobox")
        expect(box).to_be_focused()
        box.fill(what)
        # until all is read more may come and move it
        expect(self.page.get_by_role("dialog").locator("[aria-busy=true]")).to_have_count(0)
        self.page.get_by_role("dialog").get_by_role("option", name=re.compile(f"^{what}", re.I)).first.click()

    def card(self, title: str) -> Locator:
        """The card of a node, by the beginning of its name."""
        return self.canvas.get_by_role("group", name=re.compile(f"^{re.escape(title)},"))

    def first(self, title: str) -> None:
        """Select a node where none was; the inspector comes and takes the right of the canvas: see the others again.

        A second click meanwhile would begin on a card and end on the inspector, and so be none.
        """
        self.card(title).click()
        expect(self.inspector.get_by_role("tab").first).to_be_visible()
        self.page.keyboard.press("f")

    def choose(self, first: str, *others: str) -> None:
        """Select several nodes."""
        self.first(first)
        for number, title in enumerate(others, 2):
            self.card(title).click(modifiers=["Shift"])
            expect(self.page.locator(".react-flow__node.selected")).to_have_count(number)

    def saved(self) -> None:
        """Wait until the draft is on the server."""
        expect(self.page.get_by_test_id("saved-state")).to_have_attribute("data-state", "saved")

    def run(self, form: bool = True) -> None:
        """Start a run with the form's inputs as they are; without inputs there is no form."""
        self.page.get_by_role("button", name="Run", exact=True).click()
        if not form:
            return
        dialog = self.page.get_by_role("dialog", name="Start run")
        dialog.get_by_role("button", name="Start run").click()
        expect(dialog).to_have_count(0)
