"""The language of the account is spoken by what the server words, too."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.axe import dress


@pytest.mark.wide
def test_switching_changes_the_list_that_is_open(page: Page) -> None:
    page.goto("/registry")
    rows = page.get_by_role("table")
    expect(rows.get_by_role("button", name="Demo", exact=True)).to_be_visible()
    try:
        page.keyboard.press("Control+k")
        page.keyboard.type("中文")
        page.get_by_role("option", name="中文").click()
        expect(rows.get_by_role("button", name="演示", exact=True)).to_be_visible()
        page.get_by_role("link", name="工作流").first.click()
        page.get_by_role("searchbox").fill("功能导览")
        expect(page.get_by_role("link", name="功能导览")).to_be_visible()
    finally:
        dress(page, "system", "en")


@pytest.mark.wide
def test_a_list_asked_for_before_the_accounts_language_is_known_comes_in_it(page: Page) -> None:
    account: list[Route] = []
    requests: list[Route] = []

    def on_list(route: Route) -> None:
        requests.append(route)
        if language(route) != "en":
            route.continue_()

    def language(route: Route) -> str | None:
        return route.request.headers.get("accept-language")

    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url) if request.url.endswith(".js") else None)
    try:
        dress(page, "system", "zh")
        page.goto("about:blank")  # what that page still asks is none of this
        page.route("**/api/me", lambda route: account.append(route))
        page.route(re.compile(r"/api/mcp/servers\?"), on_list)
        # the account answers once the page's code is there, so that the page asks for its list with the same breath
        with page.expect_request("**/api/me"), page.expect_request(re.compile("RegistryPage-.*js$")):
            page.goto("/registry", wait_until="commit")
        page.evaluate("(files) => Promise.all(files.map((file) => import(file)))", scripts)
        # its answer in the browser's language is held until it was asked for anew, and comes last
        with page.expect_response(lambda answer: "/api/mcp/servers?" in answer.url):
            account[0].continue_()
        first, *others = requests
        assert (language(first), [language(route) for route in others]) == ("en", ["zh"])
        rows = page.get_by_role("table")
        expect(rows.get_by_role("button", name="演示", exact=True)).to_be_visible()
        with page.expect_response(lambda answer: answer.request == first.request):
            first.continue_()
        expect(rows.get_by_role("button", name="演示", exact=True)).to_be_visible()
        expect(rows.get_by_role("button", name="Demo", exact=True)).to_have_count(0)
    finally:
        page.unroute_all()
        dress(page, "system", "en")
