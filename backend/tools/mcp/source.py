"""MCP servers as tool sources: a call through the pool, with progress, cancellation and every failure in its place.

What a server sends is hostile until it passed here: structured output is checked against the tool's own schema, large
values are refused, secrets masked. A question of the server in mid-call (`input_required`, protocol 2026-07-28) ends
the round: the question goes to a person through `ctx.ask`, the request state is journaled with the round, and days
later the call goes on with the answers.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeVar, cast

from mcp_types import CallToolResult, ElicitResult, InputRequiredResult, RequestParamsMeta

from backend.errors import McpProtocolError, McpTimeout, McpToolNotFound, McpUnreachable, PatchbayError, ResultTooLarge
from backend.net import fence
from backend.tools.calls.journaling import journaled_json
from backend.tools.calls.remote_tasks import until_kept
from backend.tools.mcp.binary import KeepFiles, kept
from backend.tools.mcp.blocks import blocks_of, weight
from backend.tools.mcp.connection import Connection
from backend.tools.mcp.contents import Completing, ContentRequest, PromptRequest, ResourceRequest, contents, explained
from backend.tools.mcp.elicitation import answer_json, questions_of
from backend.tools.mcp.holding import LONGEST_CALL_S, HeldCall
from backend.tools.mcp.listing import Listing, list_prompts, list_resources
from backend.tools.mcp.patience import Patience
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.sessions import SessionLost, is_lost
from backend.tools.mcp.task_calls import TaskCall, became, end
from backend.tools.mcp.task_wire import Created
from backend.tools.schemas import errors_in
from backend.tools.servers import ServerConfig
from backend.tools.side_by_side import gather_or_cancel
from backend.tools.signing_in import needed_sign_in, not_sure
from backend.tools.types import (
    CallContext,
    EffectHandle,
    JsonLike,
    JsonObject,
    JsonValue,
    ToolResult,
    ToolResultJson,
    ToolSpec,
)

T = TypeVar("T")
Kind = Literal["resources", "prompts"]
Invoke = Callable[[EffectHandle, JsonObject | None, str | None], Awaitable[ToolResult | ToolResultJson]]
"""One round of a call: with the answers to what the round before asked, and its request state."""

MAX_ROUNDS = 10
"""How often one call may come back with questions."""
BIG = 256 * 1024
"""Characters of a result above which it is handled off the event loop."""
IDEMPOTENCY_META = "patchbay/idempotencyKey"
"""Where a call carries its idempotency key in `_meta`."""


class McpToolSource:
    """The tools of one server through the pool. Goes behind a GatedToolSource.

    `on_listed(specs)` is awaited whenever the server was listed anew (after connecting, list-changed, refresh): the
    registry pins definitions there. `proved()` gives the epoch seconds of the last connection test that passed (0 =
    none): a connection that failed is not used after one. `on_used(error, ms, learned)` hears how each use of the
    server went: None with the milliseconds of an answer and what the server said of itself, or what failed.
    `result_bytes` bounds a result's JSON (None = as much as one message may have). `keep_files` keeps the bytes within
    results (None = they stay in them). `reference` = how a document names the server (None = by its slug). `anew()`
    gives the configuration of now; it is awaited before the next use where the sign-in did not hold.
    """

    def __init__(
        self,
        pool: Pool,
        config: ServerConfig,
        *,
        on_listed: Callable[[list[ToolSpec]], Awaitable[None]] | None = None,
        proved: Callable[[], Awaitable[float]] | None = None,
        on_used: Callable[[Exception | None, float | None, JsonObject | None], None] | None = None,
        result_bytes: int | None = None,
        keep_files: KeepFiles | None = None,
        reference: str | JsonObject | None = None,
        anew: Callable[[], Awaitable[ServerConfig]] | None = None,
    ) -> None:
        self._pool, self._config, self._on_listed, self._proved = pool, config, on_listed, proved
        self._anew, self._signed_out = anew, False
        self.config = config
        self.reference: JsonLike = config.slug if reference is None else reference
        self._on_used, self._keep_files = on_used, keep_files
        self._result_bytes = pool.limits.message_bytes if result_bytes is None else result_bytes

    async def list_tools(self, *, refresh: bool = False) -> list[ToolSpec]:
        """All tools, every page; from the connection's list unless `refresh` or the server said that it changed."""

        async def work(live: Connection) -> list[ToolSpec]:
            ms: float | None = None
            if refresh or live.stale:
                began = time.perf_counter()
                try:
                    await live.refresh()
                except Exception as error:
                    raise await live.explain(error, calling=False) from error
                ms = (time.perf_counter() - began) * 1000
            if self._on_listed is not None and live.tools is not live.reported:
                listed = live.tools
                self._worked(live, ms)
                await self._on_listed(listed)
                live.reported = listed
            return list(live.tools)

        async def known(live: Connection) -> list[ToolSpec] | None:
            return None if live.stale else await work(live)

        # What is known is had at once, also while the connection is full of calls.
        kept = None if refresh else await self.using(known, silent=True)
        return await self.using(work) if kept is None else kept

    async def using(
        self, work: Callable[[Connection], Awaitable[T]], *, write: bool = False, silent: bool = False
    ) -> T:
        """Work on a connection; a failure is told to who wants to hear how the server fares. `silent`: see `Pool`."""
        if self._signed_out and self._anew is not None:
            self.config = self._config = await self._anew()
            self._signed_out = False
        try:
            return await self._renewing(work, write=write, silent=silent)
        except PatchbayError as error:
            self._signed_out = self._signed_out or needed_sign_in(error) is not None
            if self._on_used is not None:
                self._on_used(error, None, None)
            raise

    def _worked(self, live: Connection, ms: float | None) -> None:
        if self._on_used is not None:
            self._on_used(None, ms, live.learned())

    async def _renewing(self, work: Callable[[Connection], Awaitable[T]], *, write: bool, silent: bool) -> T:
        """Work on a connection, once more on a new session where the server refuses this one.

        A `write` is repeated only where its refusal says for sure that the call was not looked at.
        """
        doubtful = self._pool.doubtful(self._config)
        if doubtful is not None and self._proved is not None and doubtful.doubted_at < await self._proved():
            self._pool.renew(doubtful)
        for again in (False, True):
            async with self._connection(write, silent) as live:
                try:
                    return await work(live)
                except SessionLost as lost:
                    if again or not (await is_lost(live, lost) or self._pool.replaced(live)):
                        raise await live.explain(lost.final(), calling=True) from lost
                    self._pool.renew(live)
                    if write and not lost.sure:
                        raise await live.explain(lost.final(), calling=True) from lost
        raise AssertionError("the second time either gives or raises")

    @asynccontextmanager
    async def _connection(self, write: bool, silent: bool) -> AsyncGenerator[Connection, None]:
        """A connection; where there is none to be had, the error says that a `write` was not sent."""
        begun = False
        try:
            async with self._pool.use(self._config, silent=silent) as live:
                begun = True
                yield live
        except PatchbayError as error:
            if write and not begun:
                error.params = {**error.params, "sent": False}
            raise

    async def drop(self) -> None:
        """The next call gets a new connection; calls in flight on the old one end by themselves."""
        self._pool.drop(self._config)

    async def list_resources(self) -> list[JsonObject]:
        """`[{uri, name, title, description, mime_type, size}]`, templates too (with `uri_template`)."""
        return (await self.listing("resources")).items

    async def list_prompts(self) -> list[JsonObject]:
        """`[{name, title, description, arguments: [{name, description, required}]}]`."""
        return (await self.listing("prompts")).items

    async def listing(self, kind: Kind) -> Listing:
        """What the server lists of a kind at this moment, and how long it says that this is good for whom."""

        async def work(live: Connection) -> Listing:
            began = time.perf_counter()
            try:
                fetched = await (list_resources if kind == "resources" else list_prompts)(live.client, refresh=True)
            except Exception as error:
                raise await live.explain(error, calling=False) from error
            self._worked(live, (time.perf_counter() - began) * 1000)
            if kind == "resources":
                live.resources = fetched.items
            else:
                live.prompts = fetched.items
            return fetched._replace(items=live.masker.value(fetched.items))

        return await self.using(work)

    async def complete(self, completing: Completing) -> list[str]:
        """What the server would write for an argument of a prompt or template. Raises McpError."""

        async def work(live: Connection) -> list[str]:
            try:
                values: list[str] = live.masker.value(await completing.values(live))
            except Exception as error:
                raise await live.explain(error, calling=True) from error
            return values

        return await self.using(work)

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call a tool as one journaled effect, or one per round where the server asks back or makes it a task.

        Raises McpError, NetworkBlocked, ResultTooLarge; a tool's own failure is a result with `is_error`.
        """

        async def invoke(
            handle: EffectHandle, responses: JsonObject | None, kept: str | None
        ) -> ToolResult | ToolResultJson:
            return await self._invoke(name, arguments, call, handle, responses, kept)

        return await until_kept(call, lambda key: self._rounds(name, arguments, call, key, invoke))

    async def read_resource(self, uri: str, call: CallContext, template: str = "") -> ToolResult:
        """Read one of the server's resources (`calls.contents`)."""
        return await self._content(ResourceRequest(uri, template), call)

    async def get_prompt(self, name: str, arguments: dict[str, str], call: CallContext) -> ToolResult:
        """Fill one of the server's prompts (`calls.contents`)."""
        return await self._content(PromptRequest(name, arguments), call)

    async def _content(self, content: ContentRequest, call: CallContext) -> ToolResult:
        async def invoke(
            handle: EffectHandle, responses: JsonObject | None, kept: str | None
        ) -> ToolResult | ToolResultJson:
            return await self._fetch(content, responses, kept)

        return ToolResult.from_json(await self._rounds(content.method, content.arguments, call, call.key, invoke))

    async def _rounds(
        self, name: str, arguments: JsonObject, call: CallContext, first: str, invoke: Invoke
    ) -> ToolResultJson:
        responses: JsonObject | None = None
        state: str | None = None
        for number in range(1, MAX_ROUNDS + 1):
            key = first if number == 1 else f"{first}/round:{number}"

            async def once(
                handle: EffectHandle, answers: JsonObject | None = responses, kept: str | None = state
            ) -> ToolResult | ToolResultJson:
                return await invoke(handle, answers, kept)

            seen: JsonLike = None if number == 1 else [responses, state]
            value = await journaled_json(call, key, self._config.slug, name, arguments, once, seen)
            if "task" in value:
                return await TaskCall(self, name, arguments, call, key, value["task"]).result()
            if "input_required" not in value:
                return value
            state = value.get("request_state")
            questions = list(questions_of(value, self._config.slug, name))
            answers = await gather_or_cancel(
                [call.effects.ask(f"{key}/elicit:{identity}", question) for identity, question in questions]
            )
            responses = {
                identity: answer_json(answer, question)
                for (identity, question), answer in zip(questions, answers, strict=True)
            }
        raise McpProtocolError(params={"reason": "endless_questions"})

    async def end_task(self, task: str) -> None:
        """Tell the server that nobody waits for this task any more. Raises McpError."""
        await self.using(lambda live: end(live, task))

    async def _invoke(
        self,
        name: str,
        arguments: JsonObject,
        call: CallContext,
        handle: EffectHandle,
        responses: JsonObject | None,
        state: str | None,
    ) -> ToolResult | ToolResultJson:
        async def work(live: Connection) -> ToolResult | ToolResultJson:
            return await self._once(live, name, arguments, call, handle, responses, state)

        return await self.using(work, write=call.cleared == "write")

    async def _once(
        self,
        live: Connection,
        name: str,
        arguments: JsonObject,
        call: CallContext,
        handle: EffectHandle,
        responses: JsonObject | None,
        state: str | None,
    ) -> ToolResult | ToolResultJson:
        spec = next((tool for tool in live.tools if tool.name == name), None)
        if spec is None:
            raise McpToolNotFound(params={"tool": name, "server": self._config.slug})

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            patience.on_message()
            handle.progress(progress, total, live.masker.text(message or ""))

        if self._config.bearer is not None:
            await self._config.bearer.token()  # renewed, or known to be over, before anything is sent
        fence.look()
        began, mark = time.perf_counter(), live.stderr.written
        timeout_s, limits = call.timeout_s or self._config.timeout_s, self._pool.limits
        held = HeldCall(live, handle, name, timeout_s, limits.hold_s, limits.longest_s) if live.holds else None
        patience = held or Patience(timeout_s, limits.longest_s)
        called = live.client.session.call_tool(
            name,
            arguments,
            read_timeout_seconds=LONGEST_CALL_S,
            progress_callback=on_progress,
            input_responses=_responses(responses),
            request_state=state,
            meta=cast(RequestParamsMeta, {IDEMPOTENCY_META: handle.idempotency_key}),
            allow_input_required=True,
            allow_claimed=True,
        )
        try:
            raw = await patience.result(called)
        except Exception as error:
            explained = await live.explain(error, calling=True, mark=mark)
            if self._config.transport == "sse":  # there it may be the error of another request
                not_sure(explained)
            live.doubted_at = time.time() if isinstance(explained, (McpTimeout, McpUnreachable)) else 0.0
            raise explained from error
        live.doubted_at = 0.0
        ms = (time.perf_counter() - began) * 1000
        self._worked(live, ms)
        if isinstance(raw, InputRequiredResult):
            return _input_required(raw, live, ms)
        if isinstance(raw, Created):
            return became(raw, live, ms)
        assert isinstance(raw, CallToolResult)  # noqa: S101 - the SDK takes no other kind
        return await self.checked(spec, raw, live, ms)

    async def _fetch(
        self, content: ContentRequest, responses: JsonObject | None, state: str | None
    ) -> ToolResult | ToolResultJson:
        async def work(live: Connection) -> ToolResult | ToolResultJson:
            fence.look()
            began, mark = time.perf_counter(), live.stderr.written
            try:
                raw = await content.fetch(live, _responses(responses), state)
            except Exception as error:
                raise await explained(error, live, mark) from error
            ms = (time.perf_counter() - began) * 1000
            self._worked(live, ms)
            if isinstance(raw, InputRequiredResult):
                return _input_required(raw, live, ms)
            return await self._kept(*contents(raw), live, ms)

        return await self.using(work)

    async def checked(self, spec: ToolSpec, raw: CallToolResult, live: Connection, ms: float) -> ToolResult:
        """The SDK's result as ours, as large as it may be, fitting the tool's own schema. Raises ResultTooLarge,
        McpProtocolError."""
        blocks = blocks_of(raw)
        result = await self._measured(blocks, raw.structured_content, live, ms, is_error=bool(raw.is_error))
        if spec.output_schema is not None and not result.is_error:
            await _check_output(spec, result, weight(blocks))
        return await self._with_files(result)

    async def _kept(self, content: list[JsonObject], structured: JsonValue, live: Connection, ms: float) -> ToolResult:
        return await self._with_files(await self._measured(content, structured, live, ms))

    async def _measured(
        self, content: list[JsonObject], structured: JsonValue, live: Connection, ms: float, *, is_error: bool = False
    ) -> ToolResult:
        """Blocks as a result, no larger than it may be; large ones off the loop. Raises ResultTooLarge."""
        if weight(content) <= BIG:
            return to_result(content, structured, live, self._result_bytes, ms, is_error=is_error)
        return await asyncio.to_thread(
            partial(to_result, content, structured, live, self._result_bytes, ms, is_error=is_error)
        )

    async def _with_files(self, result: ToolResult) -> ToolResult:
        if self._keep_files is None:
            return result
        return replace(result, content=await kept(result.content, self._keep_files))


def _responses(responses: JsonObject | None) -> Any:
    return {key: ElicitResult.model_validate(value) for key, value in responses.items()} if responses else None


def to_result(
    content: list[JsonObject], structured: JsonValue, live: Connection, limit: int, ms: float, *, is_error: bool
) -> ToolResult:
    """The SDK's result as ours: blocks as on the wire, masked. Raises ResultTooLarge."""
    written = json.dumps([content, structured])
    if len(written) > limit:
        raise ResultTooLarge(params={"limit": limit // (1024 * 1024)})
    if "NaN" in written or "Infinity" in written:
        content, structured = [_finite_object(block) for block in content], _finite(structured)
    content, structured = live.masker.value(content), live.masker.value(structured)
    texts = [text for block in content if block.get("type") == "text" and isinstance(text := block.get("text"), str)]
    text = "\n".join(texts) if texts else "" if structured is None else json.dumps(structured, ensure_ascii=False)
    return ToolResult(content=content, structured=structured, text=text, is_error=is_error, ms=ms)


def _finite(value: JsonValue) -> JsonValue:
    """NaN and infinities, which some servers send although JSON has none, as null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return _finite_object(value)
    return [_finite(item) for item in value] if isinstance(value, list) else value


def _finite_object(value: JsonObject) -> JsonObject:
    return {key: _finite(item) for key, item in value.items()}


async def _check_output(spec: ToolSpec, result: ToolResult, size: int) -> None:
    """Raise McpProtocolError when structured output is missing or does not fit the tool's own schema."""
    raw = {"structured": result.structured, "text": result.text[:2000]}
    if result.structured is None:
        raise McpProtocolError(params={"reason": "no_structured", "tool": spec.name}, detail=raw)
    misfits = await errors_in(spec.output_schema or {}, result.structured, size, tool=spec.name)
    if misfits:
        raise McpProtocolError(params={"reason": "output_schema", "tool": spec.name}, detail={**raw, "fields": misfits})


def _input_required(raw: InputRequiredResult, live: Connection, ms: float) -> ToolResultJson:
    """A round that ended with questions, as journaled."""
    requests = raw.model_dump(by_alias=True, mode="json", exclude_none=True).get("inputRequests") or {}
    shown: JsonObject = live.masker.value(requests)
    empty = ToolResult(content=[], ms=ms).as_json()
    return {**empty, "input_required": shown, "request_state": raw.request_state}
