"""A builder's hands in the editor, each thing they do counted: clicks, drags, key chords, texts typed key by key."""

from __future__ import annotations

import re

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.e2e.editor_page import EditorPage
from tests.instance import until


class InputDevice:
    """What both do: write key by key, and read what stands on the screen."""

    def __init__(self, editor: EditorPage) -> None:
        self.editor = editor
        self.page: Page = editor.page
        self.actions = 0

    def press(self, chord: str, times: int = 1) -> None:
        """Press keys at once."""
        for _ in range(times):
            self.actions += 1
            self.page.keyboard.press(chord)

    def write(self, words: str) -> None:
        """Write where the focus is."""
        self.actions += 1
        self.page.keyboard.type(words)

    def field(self, name: str) -> Locator:
        """A text field of the inspector."""
        return self.editor.inspector.get_by_role("textbox", name=name, exact=True)

    def select(self, name: str) -> Locator:
        """A list of the inspector to choose from."""
        return self.editor.inspector.get_by_role("combobox", name=name, exact=True)

    def node(self, id_: str) -> Locator:
        """The card of a node by its id, where several have the same title."""
        return self.page.locator(f'.react-flow__node[data-id="{id_}"]')

    def row(self, name: str) -> Locator:
        """A row of the input tree."""
        tree = self.editor.inspector.get_by_role("tree", name="Input")
        return tree.get_by_role("treeitem", name=re.compile(rf"^{re.escape(name)}\b")).first

    def search_opened(self, words: str) -> None:
        """Search for a node type or a tool in the list that is open until it stands first."""
        dialog = self.page.get_by_role("dialog")
        expect(dialog.get_by_role("combobox")).to_be_focused()
        self.write(words)
        expect(dialog.get_by_role("option").first).to_have_accessible_name(re.compile(f"^{re.escape(words)}", re.I))

    def added(self, title: str) -> None:
        """Wait until the new card is the one selected."""
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        expect(self.page.locator(".react-flow__node.selected")).to_have_accessible_name(
            re.compile(f"^{re.escape(title)}", re.I)
        )


class Mouse(InputDevice):
    """Hands on the mouse; the keyboard is for words."""

    def click(self, target: Locator) -> None:
        """Click."""
        self.actions += 1
        target.click()

    def double_click(self, target: Locator) -> None:
        """Click twice."""
        self.actions += 1
        target.dblclick()

    def choose(self, name: str, label: str) -> None:
        """Choose in a list of the inspector: open it and take an entry."""
        self.actions += 2
        self.select(name).select_option(label=label)

    def fill(self, name: str, words: str) -> None:
        """Click into a field of the inspector and write."""
        self.click(self.field(name))
        self.write(words)

    def still(self, target: Locator) -> FloatRect:
        """Where something stands, once it moves no more."""
        seen: list[FloatRect] = []

        def same() -> bool:
            box = target.bounding_box()
            if box is None:
                return False
            seen.append(box)
            return len(seen) > 1 and seen[-1] == seen[-2]

        until(same, 20)
        return seen[-1]

    def centre(self, target: Locator) -> tuple[float, float]:
        """The middle of something, once it is in sight and moves no more."""
        target.scroll_into_view_if_needed()
        box = self.still(target)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def lift(self, source: Locator) -> tuple[float, float]:
        """Press on the middle of something and begin to drag it; gives where that was."""
        self.actions += 1
        x, y = self.centre(source)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + 24, y + 12, steps=4)
        return x, y

    def drop(self, x: float, y: float) -> None:
        """Move to a point of the window and let go."""
        self.page.mouse.move(x, y, steps=10)
        self.page.mouse.up()

    def drag_onto(self, source: Locator, target: Locator) -> None:
        """Drag something onto the middle of something else; near the edge of the canvas the view moves along."""
        self.lift(source)
        x, y = self.centre(target)
        self.page.mouse.move(x, y, steps=10)
        self.drop(*self.centre(target))

    def drag_value(self, name: str, field: Locator) -> None:
        """Drag a value of the input tree into a field, once neither moves any more."""
        self.actions += 1
        row = self.row(name)
        self.centre(field)
        self.centre(row)
        row.drag_to(field)
        expect(field).to_contain_text("{{")

    def open_value(self, name: str) -> None:
        """Open a value of the input tree, once it is known what lies in it."""
        expect(self.row(name)).to_have_attribute("aria-expanded", "false")
        self.click(self.row(name))

    def port(self, card: Locator, name: str = "out") -> Locator:
        """A port that edges begin at."""
        return card.locator(f'.react-flow__handle.source[data-handleid="{name}"]')

    def palette(self, what: str) -> Locator:
        """A row of the palette."""
        return self.editor.palette.get_by_role("button", name=re.compile(f"^{re.escape(what)}( |$)")).first

    def drag_out(self, what: str, right: float, down: float) -> None:
        """Drag something from the palette to a place of the canvas."""
        area = self.still(self.editor.canvas)
        self.lift(self.palette(what))
        self.drop(area["x"] + right, area["y"] + down)
        self.added(what)

    def lead(self, port: Locator, what: str, right: float, down: float) -> None:
        """Drag from a port to an empty place, and choose there what comes next."""
        x, y = self.lift(port)
        self.drop(x + right, y + down)
        self.search_opened(what)
        self.click(self.page.get_by_role("dialog").get_by_role("option").first)
        self.added(what)


class Keys(InputDevice):
    """Hands on the keyboard alone."""

    def add(self, what: str, key: str = "/") -> None:
        """Add a node after the selected one, or with `Shift+N` as a branch of it."""
        self.press(key)
        self.search_opened(what)
        self.press("Enter")
        self.added(what)

    def enter(self, target: Locator) -> None:
        """Into the inspector, where writing begins at this place."""
        expect(target).to_be_visible()
        self.press("Enter")
        expect(target).to_be_focused()

    def leave(self) -> None:
        """Out of the inspector, back to the card."""
        self.press("Escape")
        expect(self.page.locator(".react-flow__node.selected")).to_be_focused()

    def tab(self, target: Locator, times: int) -> None:
        """On to this place, which is so many stops away."""
        self.press("Tab", times)
        expect(target).to_be_focused()

    def walk(self, chord: str, target: Locator) -> None:
        """Along the edges to this card."""
        self.press(chord)
        expect(target).to_be_focused()

    def choose(self, name: str, down: int, label: str) -> None:
        """In the list that has the focus, go down to an entry."""
        self.press("ArrowDown", down)
        expect(self.select(name).locator("option:checked")).to_have_text(label)

    def connect(self, target: str) -> None:
        """Connect the selected node to another one."""
        self.press("c")
        expect(self.page.get_by_role("combobox", name="Connect to which node?")).to_be_focused()
        self.write(target)
        options = self.page.get_by_role("listbox").get_by_role("option")
        expect(options).to_have_count(1)
        self.press("Enter")
        expect(options).to_have_count(0)

    def give(self, *tools: str) -> None:
        """Give tools to the model of the selected node."""
        self.press("t")
        menu = self.page.get_by_role("dialog", name="Add tools")
        for number, tool in enumerate(tools, 1):
            self.search_opened(tool)
            self.press("Enter")
            expect(menu.get_by_role("status")).to_have_text(f"Added: {', '.join(tools[:number])}")
        self.press("Escape")
        expect(menu).to_have_count(0)
