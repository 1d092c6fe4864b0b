"""Chat with an OpenAI-compatible endpoint: one guarded connection pool per endpoint, always streaming.

The `openai` package builds and sends the requests (`max_retries=0`: repeats are ours, journaled and visible) over our
guarded client. Importing it takes a second and 20 MB, so it is imported with the first endpoint that is opened.

    endpoint = await open_endpoint(config, rules)
    reply = await endpoint.model("gpt-x").chat(ChatRequest(messages=[...]), on_delta)
    await endpoint.close()
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpcore2
import httpx2

from backend.errors import LlmAuthFailed, LlmBadResponse, PatchbayError
from backend.errors.trouble import MachineTrouble, of_this_machine
from backend.llm.config import EndpointConfig
from backend.llm.faults import of_status, of_transport, timed_out
from backend.llm.habits import Habits, adapt, first_habits
from backend.llm.listing import ListedModel, listed_models
from backend.llm.round import Round
from backend.llm.types import ChatReply, ChatRequest, OnDelta
from backend.net.client import GuardedClient, no_header_holds, read_capped
from backend.net.masking import Masker
from backend.net.rules import NetworkRules

if TYPE_CHECKING:
    from openai import AsyncOpenAI

logging.getLogger("openai").setLevel(logging.WARNING)  # what it logs holds what people said

MAX_LIST_BYTES = 16 * 1024 * 1024
MAX_CONNECTIONS = 1000
MOST_TRIES = 8
"""Requests for one round at most, while the endpoint refuses parts of it."""
REFUSALS = (400, 422)
_FROM_OUTSIDE = (
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpcore2.NetworkError,
    httpcore2.TimeoutException,
    OSError,
    PatchbayError,
)
"""What a request may meet that no defect of ours is behind."""


async def open_endpoint(config: EndpointConfig, rules: NetworkRules) -> Endpoint:
    """An endpoint to talk to; connects with the first request."""
    return Endpoint(config, await asyncio.to_thread(_client, config, rules))


def _client(config: EndpointConfig, rules: NetworkRules) -> AsyncOpenAI:
    from openai import AsyncOpenAI, Omit

    http = GuardedClient(
        rules,
        typed=config.typed_address,
        timeout=httpx2.Timeout(config.connect_s, read=None, write=60.0, pool=None),
        max_connections=MAX_CONNECTIONS,
    )
    ours: dict[str, Any] = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit(), "User-Agent": "Patchbay"}
    lang = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
    ours |= {f"X-Stainless-{name}": Omit() for name in lang}
    client = AsyncOpenAI(
        api_key=config.key or "none",
        organization="",
        project="",
        base_url=config.base_url,
        http_client=http,
        timeout=http.timeout,
        max_retries=0,
    )
    # given here and not above, where the package would add headers that it finds in our process environment
    client._custom_headers = {**ours, **config.headers}
    return client


class Endpoint:
    """An open endpoint, used by many rounds at once on one event loop."""

    def __init__(self, config: EndpointConfig, client: AsyncOpenAI) -> None:
        self.config = config
        self.masker = Masker((config.key, *config.masks))
        self._habits: dict[str, Habits] = {}
        self._client = client
        self._users = 0
        self._retired = False

    def model(self, name: str) -> Model:
        """A model of this endpoint, listed or not."""
        return Model(self, name)

    async def models(self) -> list[ListedModel]:
        """What the endpoint says it has. Raises LlmError, NetworkBlocked."""
        limit = self.config.first_token_s
        try:
            with self.in_use():
                async with asyncio.timeout(limit):
                    response = await self.send("get", "/models")
                    raw = await read_capped(response, MAX_LIST_BYTES)
        except TimeoutError:
            raise timed_out("first_token", limit) from None
        except httpx2.HTTPError as error:
            raise self._failed(error) from None
        return listed_models(self.masker.text(raw.decode("utf-8", "replace")), response.headers.get("content-type", ""))

    def habits(self, model: str) -> Habits:
        """How to ask `model`, by what it refused before and what is said of it."""
        known = self._habits.get(model)
        if known is not None:
            return known
        return first_habits(self.config.base_url, model, self.config.features.get(model))

    def remember(self, model: str, habits: Habits) -> None:
        """Ask `model` like this from now on."""
        self._habits[model] = habits

    async def send(self, method: str, path: str, content: bytes | None = None) -> httpx2.Response:
        """The answer, its body unread. Raises LlmError for one that counts as an error, NetworkBlocked."""
        from openai import APIConnectionError, APIStatusError, AsyncStream, Omit

        known = self.config.key or any(name.lower() == "authorization" for name in self.config.headers)
        headers: dict[str, Any] = {} if known else {"Authorization": Omit()}
        options: Any = {"headers": headers}
        kind = AsyncStream[object]
        try:
            if method == "get":
                reply = await self._client.get(path, cast_to=object, options=options, stream=True, stream_cls=kind)
                return reply.response
            headers["Accept"] = "text/event-stream, application/json"
            stream = await self._client.post(
                path, cast_to=object, content=content, options=options, stream=True, stream_cls=kind
            )
        except APIStatusError as error:
            raw = self.masker.text(error.response.text)
            had_key = bool(self.config.key or self.config.headers)
            raise of_status(error.status_code, error.response.headers, raw, had_key=had_key) from None
        except UnicodeEncodeError as error:
            if no_header_holds(error):
                raise LlmAuthFailed(params={"reason": "characters"}) from None
            raise
        except (APIConnectionError, httpx2.HTTPError, OSError) as error:
            raise self._failed(error) from None
        return stream.response

    def _failed(self, error: BaseException) -> PatchbayError:
        """Our error for a request that got no answer. Raises what is wrong with us, which is no failure of its."""
        if of_this_machine(error):
            raise MachineTrouble(str(error.__cause__ or error)) from error
        if error.__cause__ is not None and not isinstance(error.__cause__, _FROM_OUTSIDE):
            raise error.__cause__  # the SDK calls everything that is raised below it a failed connection
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, PatchbayError):
                return cause
            cause = cause.__cause__
        return of_transport(error, connect_s=self.config.connect_s, masker=self.masker)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """While a round goes on; a retired endpoint closes with its last one."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if self._retired and not self._users:
                closing.add(task := asyncio.ensure_future(self.close()))
                task.add_done_callback(closing.discard)

    async def retire(self) -> None:
        """Close once the rounds that are going on have ended."""
        self._retired = True
        if not self._users:
            await self.close()

    async def close(self) -> None:
        """Close all connections now."""
        await self._client.close()

    @property
    def closed(self) -> bool:
        """Whether all connections are closed."""
        return self._client.is_closed()


closing: set[asyncio.Future[None]] = set()
"""Retired endpoints that are closing now."""


class Model:
    """One model of an endpoint: a `ChatModel`."""

    def __init__(self, endpoint: Endpoint, name: str) -> None:
        self._endpoint, self._name = endpoint, name
        self.streamed: bool | None = None  # whether its last answer came as a stream

    @property
    def provider(self) -> str:
        """Slug of the provider."""
        return self._endpoint.config.slug

    @property
    def model(self) -> str:
        """Its id at the endpoint."""
        return self._name

    @property
    def features(self) -> frozenset[str] | None:
        """What it can do, None where nobody said."""
        return self._endpoint.config.features.get(self._name)

    @property
    def context(self) -> int | None:
        """How many tokens fit into one conversation, None where nobody said."""
        return self._endpoint.config.contexts.get(self._name)

    async def chat(self, request: ChatRequest, on_delta: OnDelta) -> ChatReply:
        """Ask once, streaming. What the endpoint refuses of the request itself (400) is left out and asked again.

        Raises LlmError, NetworkBlocked, ResultTooLarge.
        """
        endpoint = self._endpoint
        habits = kept = endpoint.habits(self._name)
        first: LlmBadResponse | None = None  # the refusal that guesses did not help against
        with endpoint.in_use():
            for tried in range(1, MOST_TRIES + 1):
                asking = Round(endpoint, self._name, request, on_delta)
                try:
                    reply = await asking.run(habits)
                except LlmBadResponse as error:
                    change = None
                    if error.params.get("status") in REFUSALS and tried < MOST_TRIES:
                        change = adapt(habits, str((error.detail or {}).get("raw", "")), request)
                    first = first or error
                    if change is None:
                        raise first from None
                    first = None if change.named else first
                    habits = change.on(habits)
                    kept = change.on(kept) if change.named else kept
                else:
                    break
        endpoint.remember(self._name, kept)
        self.streamed = asking.streamed
        return reply
