"""The newcomer's path: the printed link, an example that runs without any key, watched live."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import OWNER, sign_up
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance


def test_the_first_link_leads_to_two_examples(fresh: Instance, browser: Browser) -> None:
    context = browser.new_context(base_url=fresh.url)
    page = context.new_page()
    sign_up(page, fresh.link)
    expect(page.get_by_role("link", name="A tour")).to_be_visible()
    expect(page.get_by_role("link", name="What time is it there?")).to_be_visible()

    page.goto(fresh.link)
    expect(page.get_by_text("This link does not work")).to_be_visible()
    context.close()


def test_sign_out_and_in_by_password(page: Page, browser: Browser, patchbay: Instance) -> None:
    context = browser.new_context(base_url=patchbay.url)
    stranger = context.new_page()
    stranger.goto("/registry")
    stranger.get_by_label("Email").fill(OWNER["email"])
    stranger.get_by_role("textbox", name="Password").fill("wrong horse battery")
    stranger.get_by_role("button", name="Sign in").click()
    expect(stranger.get_by_text("Email and password do not match.")).to_be_visible()
    stranger.get_by_role("textbox", name="Password").fill(OWNER["password"])
    stranger.get_by_role("button", name="Sign in").click()
    expect(stranger.get_by_role("heading", name="Registry")).to_be_visible()
    context.close()


@pytest.mark.wide
def test_the_tools_of_the_demo_are_in_the_rack_from_the_start(fresh: Instance, browser: Browser) -> None:
    context = browser.new_context(base_url=fresh.url)
    page = context.new_page()
    sign_up(page, fresh.link)
    editor = EditorPage(page).open("A tour")
    editor.palette.get_by_role("button", name="Demo").click()
    expect(editor.palette.get_by_role("button", name="delete_record Risk")).to_be_visible()
    expect(editor.palette.get_by_role("button", name="Connect and read its tools")).to_have_count(0)
    context.close()


def test_an_example_runs_without_any_key(page: Page) -> None:
    editor = EditorPage(page).open("What time is it there?")
    page.keyboard.press("Control+Enter")
    page.get_by_role("dialog", name="Start run").get_by_label("City").fill("Kyoto")
    page.keyboard.press("Control+Enter")
    expect(editor.card("Say it in words")).to_have_accessible_name(re.compile("succeeded", re.I))
    expect(page.get_by_text("Succeeded").first).to_be_visible()
    editor.dock.get_by_role("tab", name="Output").click()
    expect(editor.dock.get_by_text(re.compile(r"In Kyoto it is \d\d:\d\d on \w+, \d{4}-\d\d-\d\d"))).to_be_visible()
