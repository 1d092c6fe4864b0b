"""Clients that sign in by OAuth with the SDKs' own code: MCP's finds, registers, asks and renews; A2A's gives tasks.

client = SigningIn(f"{url}/a2a/team/agent")
with client.at(client.told("hi")) as events:       # in a thread, for a browser's driver keeps this one's loop
    page = client.opened.result(timeout=120)       # where the member is to go
    client.back.set_result(location)               # where the browser ended
    events.result(timeout=120)
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx
import httpx2
from a2a.client import ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.client.card_resolver import parse_agent_card
from a2a.client.client import ClientCallContext
from a2a.types import Message, Part, Role, SendMessageRequest, StreamResponse
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

T = TypeVar("T")
BACK = "http://127.0.0.1:43210/callback"
NAME = "Little Helper"
PATIENCE_S = 120


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


class SigningIn(CredentialService):
    """A client on its way in to `resource`."""

    def __init__(self, resource: str) -> None:
        self.resource, self.memory = resource, Memory()
        self.opened: Future[str] = Future()
        self.back: Future[httpx2.URL | str] = Future()

    @contextmanager
    def at(self, work: Coroutine[Any, Any, T]) -> Iterator[Future[T]]:
        """Do work of the client in a thread of its own; where the test fails, it waits no longer."""
        with ThreadPoolExecutor(1) as threads:
            yield threads.submit(asyncio.run, work)
            self.back.cancel()

    async def _open(self, url: str) -> None:
        self.opened.set_result(url)

    async def _came_back(self) -> AuthorizationCodeResult:
        answer = httpx2.URL(await asyncio.wrap_future(self.back)).params
        return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))

    def _http(self) -> httpx2.AsyncClient:
        about = OAuthClientMetadata(client_name=NAME, redirect_uris=[BACK], scope="read run answer")
        auth = OAuthClientProvider(self.resource, about, self.memory, self._open, self._came_back)
        return httpx2.AsyncClient(auth=auth, timeout=PATIENCE_S)

    async def tools(self) -> list[str]:
        """The names of the tools, after signing in where that is asked for."""
        async with (
            self._http() as http,
            Client(streamable_http_client(self.resource, http_client=http)) as client,
        ):
            return [tool.name for tool in (await client.list_tools()).tools]

    async def send(self, text: str) -> list[StreamResponse]:
        """The stream that a message is answered with, after signing in where the card is asked for."""
        async with self._http() as http:
            card = (await http.get(f"{self.resource}/.well-known/agent-card.json")).raise_for_status().json()
        message = Message(message_id=f"m-{text}", role=Role.ROLE_USER, parts=[Part(text=text)])
        async with httpx.AsyncClient(timeout=PATIENCE_S) as plain:
            factory = ClientFactory(ClientConfig(httpx_client=plain))
            client = factory.create(parse_agent_card(card), interceptors=[AuthInterceptor(self)])
            return [event async for event in client.send_message(SendMessageRequest(message=message))]

    async def get_credentials(self, security_scheme_name: str, context: ClientCallContext | None) -> str | None:
        """The token, for the scheme of the card by which it was got."""
        tokens = self.memory.tokens
        return tokens.access_token if tokens is not None and security_scheme_name == "oauth" else None
