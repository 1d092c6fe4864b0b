"""Makes the README's pictures from the running product: `make pictures` writes docs/pictures/*.png."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests import chromium
from tests.e2e.conftest import OWNER, sign_up
from tests.e2e.editor_page import EditorPage
from tests.instance import ROOT, Instance
from tests.llm_server import Call, llm_server

FOLDER = ROOT / "docs" / "pictures"
WIDE: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


HOME = """([root, environment]) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode
    const hidden = text.data.replaceAll(environment, "~/patchbay/.venv").replaceAll(root, "~/patchbay")
    if (hidden !== text.data) text.data = hidden
  }
}"""
"""Where this checkout and its environment lie is nobody's business: the pictures show what a clone makes at home."""


def shoot(page: Page, name: str) -> None:
    """Save the page as it stands, once fonts and data are there."""
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")
    page.evaluate(HOME, [str(ROOT), sys.prefix])
    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


STILL = """() => new Promise((done) => {
  const view = document.querySelector(".react-flow__viewport")
  let before = "", same = 0
  const look = () => {
    same = view.style.transform === before ? same + 1 : 0
    before = view.style.transform
    if (same > 30) done(true)
    else requestAnimationFrame(look)
  }
  look()
})"""


WHOLE = """() => {
  const { left, right, top, bottom } = document.querySelector("[role=application]").getBoundingClientRect()
  const inside = (card) => card.left >= left && card.right <= right && card.top >= top && card.bottom <= bottom
  return [...document.querySelectorAll(".react-flow__node")].every((card) => inside(card.getBoundingClientRect()))
}"""
"""Whether every card lies inside the canvas."""


def fit_canvas(editor: EditorPage, *, inspector: bool = True) -> None:
    """With the inspector or without it, fit the graph into the room that is left and wait until it stands."""
    if inspector:
        expect(editor.inspector.get_by_role("combobox").first).to_be_visible()
    elif editor.inspector.count():
        editor.inspector.get_by_role("button", name="Close the inspector").click()
        expect(editor.inspector).to_have_count(0)
    editor.page.get_by_role("button", name="Fit", exact=True).click()
    editor.page.mouse.move(700, 20)
    editor.page.wait_for_function(WHOLE)
    editor.page.evaluate(STILL)
    expect(editor.page.get_by_role("tooltip")).to_have_count(0)


def take(browser: Browser, instance: Instance) -> None:
    """All pictures, in the order of a first visit."""
    context = browser.new_context(base_url=instance.url, viewport=WIDE, color_scheme="light")
    page = context.new_page()
    sign_up(page, instance.link)
    state = context.storage_state()
    page.goto("/registry")
    for server, tool in (("Time", "get_current_time"), ("Demo", "city_weather")):
        page.get_by_role("button", name=server, exact=True).click()
        page.get_by_role("button", name=re.compile("^Test (connection|again)")).click()
        expect(page.get_by_role("group", name=f"Policy of {tool}")).to_be_visible()
    expect(page.get_by_role("table").get_by_text("Connected")).to_have_count(2)
    shoot(page, "registry")

    editor = EditorPage(page).open("A tour")
    editor.run()
    review = editor.card("Delete a record").get_by_role("button", name="Review")
    expect(review).to_be_visible(timeout=60_000)
    review.click()
    expect(editor.inspector.get_by_role("combobox").first).to_be_visible()  # it comes when its code is there
    fit_canvas(editor, inspector=False)
    shoot(page, "approval")

    agent(page, instance)

    dark = browser.new_context(base_url=instance.url, viewport=WIDE, color_scheme="dark", storage_state=state)
    night = dark.new_page()
    building = EditorPage(night).open("What time is it there?")
    building.card("Look at the clock").click()
    fit_canvas(building)
    shoot(night, "editor-dark")

    phone = browser.new_context(base_url=instance.url, viewport=PHONE, color_scheme="light", storage_state=state)
    small = phone.new_page()
    small.goto("/inbox")
    small.get_by_text("Allow demo/delete_record?").first.click()
    expect(small.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    shoot(small, "inbox-phone")


NOTES = """{city} has **rain at 9 °C**, {other} is dry.

- take a coat for the first
- the second needs none"""


def agent(page: Page, instance: Instance) -> None:
    """An agent's conversation, with a scripted endpoint as its model."""
    token = instance.token(OWNER["email"])
    with llm_server() as llm:
        models = [{"id": "qwen3-32b", "context": 131072, "input_price": 1, "output_price": 4}]
        instance.request("POST", "/api/providers", {"name": "Local", "base_url": llm.url, "models": models}, token)
        instance.request("POST", "/api/workflows", {"name": "What to wear", "graph": wear()}, token)
        calls = [Call("demo__city_weather", {"city": city}) for city in ("Oslo", "Cairo")]
        thought = "Two cities are named; I can ask for both at once."
        usage = {"prompt_tokens": 612, "completion_tokens": 48}
        llm.reply(reasoning=thought, text="I look at both.", calls=calls, usage=usage)
        llm.reply(text=NOTES.format(city="Oslo", other="Cairo"), usage={"prompt_tokens": 790, "completion_tokens": 96})
        editor = EditorPage(page).open("What to wear")
        editor.run(form=False)
        expect(editor.card("Look at the sky")).to_have_accessible_name(re.compile("succeeded", re.I))
        editor.card("Look at the sky").click()
        expect(editor.dock.get_by_text("take a coat", exact=False).first).to_be_visible()
        fit_canvas(editor, inspector=False)
        shoot(page, "agent")


def wear() -> dict[str, Any]:
    """A graph with one agent."""
    config = {
        "provider": "local",
        "model": "qwen3-32b",
        "system_prompt": "You give short advice on clothes.",
        "query": "Oslo today, Cairo tomorrow: what do I wear?",
        "tools": {"servers": [{"server": "demo", "include": ["city_weather"]}]},
    }
    nodes = [
        ("start", "start", "Start", {"inputs": {"type": "object", "properties": {}}}),
        ("sky", "agent", "Look at the sky", config),
        ("answer", "answer", "Advice", {"text": "{{ sky.text }}"}),
    ]
    return {
        "schema": 1,
        "language": "en",
        "nodes": [
            {"id": id_, "type": type_, "v": 1, "title": title, "position": {"x": x, "y": y}, "config": created}
            for (id_, type_, title, created), (x, y) in zip(nodes, [(0, 10), (148, 0), (376, 0)], strict=True)
        ],
        "edges": [
            {"id": f"e_{a}", "source": a, "source_port": "out", "target": b, "target_port": "in"}
            for a, b in [("start", "sky"), ("sky", "answer")]
        ],
        "annotations": [],
    }


def main() -> None:
    """Start an installation of its own, take the pictures, end it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    data = Path(tempfile.mkdtemp(prefix="patchbay-pictures-"))
    instance = Instance(data / "data").start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
            take(browser, instance)
            browser.close()
    finally:
        instance.stop()
        shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    main()
