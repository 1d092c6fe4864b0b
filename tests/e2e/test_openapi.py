"""An API without MCP is added by its document: read, confirmed, tested, and its operations are the server's tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.pet_api import KEY, PetApi


@pytest.fixture(scope="module")
def pets() -> Iterator[PetApi]:
    with PetApi() as api:
        yield api


def opened(page: Page) -> Locator:
    page.goto("/registry")
    page.get_by_role("button", name="Add server").click()
    dialog = page.get_by_role("dialog", name="Add server")
    dialog.get_by_role("tab", name="OpenAPI").click()
    return dialog


@pytest.mark.wide
def test_an_api_is_added_tested_and_its_operations_are_tools(page: Page, pets: PetApi) -> None:
    dialog = opened(page)
    dialog.get_by_role("textbox", name="Document URL").fill(f"{pets.url}/openapi.json")
    dialog.get_by_role("button", name="Read document").click()
    expect(dialog.get_by_text("1.4 · OpenAPI 3.1.0 · 8 operations")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Base URL")).to_have_value(pets.base)
    expect(dialog.get_by_role("textbox", name="Key name")).to_have_value("X-API-Key")
    dialog.get_by_text("1 operation left out").click()
    expect(dialog.get_by_text("GET /far refers to another document")).to_be_visible()
    dialog.locator('input[type="password"]').fill(KEY)
    dialog.get_by_role("button", name="Test first").click()
    expect(dialog.get_by_text("8 tools").first).to_be_visible()
    dialog.get_by_role("button", name="Add server").click()
    expect(dialog).to_have_count(0)

    page.goto("/registry/pets/tools")
    page.get_by_role("button", name="Test connection").first.click()
    tools = page.get_by_role("tabpanel")
    expect(tools.get_by_role("button", name="getPet")).to_be_visible()
    expect(tools.get_by_role("button", name="deletePet")).to_be_visible()
    page.get_by_role("tab", name="Overview").click()
    overview = page.get_by_role("tabpanel", name="Overview")
    expect(overview.get_by_text(f"{pets.url}/openapi.json")).to_be_visible()
    expect(overview.get_by_text("OpenAPI 3.1.0")).to_be_visible()
    expect(page.get_by_role("tab", name="Resources and prompts")).to_have_count(0)
    expect(page.get_by_text(KEY)).to_have_count(0)
    page.get_by_role("tab", name="Settings").click()
    expect(page.get_by_role("textbox", name="Base URL")).to_have_value(pets.base)
    expect(page.get_by_role("textbox", name="Document URL")).to_have_value(f"{pets.url}/openapi.json")


@pytest.mark.wide
def test_another_host_is_confirmed_first(page: Page, pets: PetApi) -> None:
    dialog = opened(page)
    dialog.get_by_role("textbox", name="Document URL").fill(f"{pets.url}/moved.json")
    dialog.get_by_role("button", name="Read document").click()
    expect(dialog.get_by_text("The document names another host")).to_be_visible()
    dialog.get_by_role("textbox", name="Name", exact=True).fill("Moved")
    expect(dialog.get_by_role("button", name="Add server")).to_be_disabled()
    dialog.get_by_role("checkbox", name="Send requests and credentials to elsewhere.example").check()
    dialog.get_by_role("button", name="Add server").click()
    expect(dialog).to_have_count(0)


@pytest.mark.wide
def test_a_page_that_is_no_document_says_so_at_390_pixels(page: Page, pets: PetApi) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    dialog = opened(page)
    dialog.get_by_role("textbox", name="Document URL").fill(f"{pets.url}/page")
    dialog.get_by_role("button", name="Read document").click()
    expect(dialog.get_by_text("is a web page or XML")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
