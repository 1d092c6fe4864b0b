"""A client of the SDK signs in by itself: a browser opens, a member allows it there, sees it listed, and ends it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from playwright.sync_api import Page, expect

from tests.instance import Instance

BACK = "http://127.0.0.1:43210/callback"


class Memory:
    """What the client keeps."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class SigningIn:
    """The SDK's client in a thread of its own, as the browser's driver keeps this one's event loop."""

    def __init__(self, url: str) -> None:
        self.url, self.memory = url, Memory()
        self.opened: Future[str] = Future()
        self.back: Future[str] = Future()

    async def _open(self, url: str) -> None:
        self.opened.set_result(url)

    async def _came_back(self) -> AuthorizationCodeResult:
        answer = httpx2.URL(await asyncio.wrap_future(self.back)).params
        return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))

    async def _tools(self) -> list[str]:
        about = OAuthClientMetadata(client_name="Little Helper", redirect_uris=[BACK], scope="read run answer")  # type: ignore[list-item]
        auth = OAuthClientProvider(f"{self.url}/mcp", about, self.memory, self._open, self._came_back)
        async with (
            httpx2.AsyncClient(auth=auth, timeout=120) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http)) as client,
        ):
            return [tool.name for tool in (await client.list_tools()).tools]

    def tools(self) -> list[str]:
        """The names of the tools, after signing in where that is asked for."""
        return asyncio.run(self._tools())


@pytest.fixture
def signing_in(patchbay: Instance) -> Iterator[tuple[SigningIn, Future[list[str]]]]:
    """A client on its way in, and what it will list; where the test fails, it waits no longer."""
    client = SigningIn(patchbay.url)
    with ThreadPoolExecutor(1) as threads:
        yield client, threads.submit(client.tools)
        client.back.cancel()


def test_a_client_signs_in_and_is_ended(
    page: Page, patchbay: Instance, owner_token: str, signing_in: tuple[SigningIn, Future[list[str]]]
) -> None:
    client, listed = signing_in
    page.route(f"{BACK}**", lambda route: route.fulfill(body="Signed in."))
    page.goto(client.opened.result(timeout=120))
    expect(page.get_by_role("heading", name=re.compile("Let Little Helper use"))).to_be_visible()
    expect(page.get_by_role("region", name="The client")).to_contain_text("Nobody has checked its name")
    expect(page.get_by_role("checkbox", name="Call tools")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Fill in forms")).not_to_be_checked()
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(f"{BACK}**")
    client.back.set_result(page.url)
    assert "run_workflow" in listed.result(timeout=120)
    assert client.memory.tokens is not None and client.memory.tokens.scope == "read run"

    page.goto(f"{patchbay.url}/settings/tokens")
    expect(page.get_by_text("Little Helper")).to_be_visible()
    (row,) = [row for row in patchbay.request("GET", "/api/tokens", token=owner_token)[1]["results"] if row["audience"]]
    page.get_by_role("button", name=re.compile("Little Helper")).click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Delete")).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Little Helper")).to_have_count(0)
    assert row["name"] == "Little Helper"
    assert patchbay.request("POST", "/mcp", {}, client.memory.tokens.access_token)[0] == 401
