"""An external agent as a tool source: its skills are called by messages, behind a GatedToolSource.

Every message goes to the host that a person entered. What was sent and got no answer has an unknown outcome, as a call
over MCP has; what was answered with a task is followed (`task_calls`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from a2a.types.a2a_pb2 import Message, Task

from backend.errors import McpError, McpToolNotFound, PatchbayError
from backend.json_types import JsonValue
from backend.net import fence
from backend.net.rules import NetworkRules
from backend.tools.a2a.cards import agent_of, card_address
from backend.tools.a2a.messages import ReadFile, message_of, result_of, state_of
from backend.tools.a2a.model import Agent, Skill
from backend.tools.a2a.task_calls import OVER, AgentTaskCall, became
from backend.tools.a2a.wire import (
    BIG,
    NOT_CANCELABLE,
    NOT_FOUND,
    FetchedCard,
    Peer,
    Refused,
    Unchanged,
    fetched_card,
    validators,
)
from backend.tools.calls.journaling import journaled_json
from backend.tools.calls.remote_tasks import ANSWER_S, until_kept
from backend.tools.mcp.binary import KeepFiles, kept
from backend.tools.mcp.tools_only import ToolsOnly
from backend.tools.openapi.source import slots_of
from backend.tools.servers import ServerConfig
from backend.tools.types import CallContext, EffectHandle, JsonObject, ToolResult, ToolResultJson, ToolSpec

READ_AGAIN_S = 3600.0
"""A card that was read longer ago is read anew when the agent is next used."""
QUICK_S = 5.0
"""What that may take: the card of before will do."""


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A card as it was read last, how long ago, and what its address said of this version (`FetchedCard`)."""

    card: JsonValue
    age_s: float
    etag: str = ""
    modified: str = ""


class World(Protocol):
    """What an agent's source needs besides its configuration."""

    async def stored(self) -> StoredCard | None:
        """The card that was read last; None where none was."""
        ...

    async def save(self, read: FetchedCard | None) -> None:
        """Keep a card that can be used; None = the stored one was found unchanged."""
        ...

    def rules(self) -> NetworkRules:
        """Where Patchbay may connect to, now."""
        ...


async def read_card(
    config: ServerConfig,
    rules: NetworkRules,
    document_url: str,
    timeout_s: float,
    stored: StoredCard | None = None,
) -> tuple[FetchedCard | None, Agent]:
    """The card of an agent, read now, and what it says. Raises McpError, NetworkBlocked.

    A `stored` one that can be used is only sent again where it is another now; None where it is not.
    """
    address, known = card_address(config.url, document_url), _usable(stored, config.url)
    if stored is not None and known is not None and (headers := validators(stored.etag, stored.modified)):
        try:
            read = await fetched_card(config, rules, address, timeout_s, headers)
        except Unchanged:
            return None, known
    else:
        read = await fetched_card(config, rules, address, timeout_s)
    masked: JsonObject = config.masker().value(read.card)
    return replace(read, card=masked), agent_of(masked, config.url)


def _usable(stored: StoredCard | None, url: str) -> Agent | None:
    """What a stored card says, where it still says something that can be used."""
    if stored is None:
        return None
    try:
        return agent_of(stored.card, url)
    except McpError:
        return None


class AgentToolSource(ToolsOnly):
    """The skills of one agent as tools. `on_listed`, `on_used`, `keep_files`, `reference`: see `McpToolSource`;
    `read_file` gives the files of a run."""

    def __init__(
        self,
        config: ServerConfig,
        world: World,
        *,
        document_url: str,
        result_bytes: int,
        on_listed: Callable[[Agent, list[ToolSpec]], Awaitable[None]] | None = None,
        on_used: Callable[[Exception | None, float | None, JsonObject | None], None] | None = None,
        keep_files: KeepFiles | None = None,
        read_file: ReadFile | None = None,
        reference: str | JsonObject | None = None,
    ) -> None:
        self.config, self._world, self._document_url, self._result_bytes = config, world, document_url, result_bytes
        self.reference = config.slug if reference is None else reference
        self._on_listed, self._on_used = on_listed, on_used
        self._keep_files, self._read_file = keep_files, read_file
        self._agent: Agent | None = None

    async def _known(self, *, refresh: bool = False) -> Agent:
        if self._agent is None or refresh:
            self._agent = await self._read(refresh=refresh)
            if self._on_listed is not None:
                await self._on_listed(self._agent, self._agent.specs(self.config.slug))
        return self._agent

    async def _read(self, *, refresh: bool) -> Agent:
        stored = await self._world.stored()
        will_do = stored is not None and not refresh
        if stored is not None and will_do and stored.age_s < READ_AGAIN_S:
            return agent_of(stored.card, self.config.url)
        try:
            seconds = QUICK_S if will_do else self.config.timeout_s
            read, agent = await read_card(self.config, self._world.rules(), self._document_url, seconds, stored)
        except PatchbayError:
            if stored is None or not will_do:
                raise
            return agent_of(stored.card, self.config.url)
        await self._world.save(read)
        return agent

    async def list_tools(self, *, refresh: bool = False) -> list[ToolSpec]:
        """Its skills; with `refresh` from a card that is read anew."""
        try:
            agent = await self._known(refresh=refresh)
        except PatchbayError as error:
            self._note(error, None, None)
            raise
        if refresh:
            self._note(None, None, agent)
        return agent.specs(self.config.slug)

    async def peer(self) -> Peer:
        """The agent, to be asked. Raises McpError."""
        return Peer(self.config, await self._known(), self._world.rules(), self._limit())

    def _limit(self) -> int:
        return min(self._result_bytes, self._world.rules().max_response_bytes)

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Send a message for a skill as one journaled effect, and more where the agent makes it a task.

        Raises McpError, NetworkBlocked, ResultTooLarge; a task that failed is a result with `is_error`.
        """

        async def invoke(handle: EffectHandle) -> ToolResult | ToolResultJson:
            return await self._invoke(name, arguments, call, handle)

        async def once(key: str) -> ToolResultJson:
            value = await journaled_json(call, key, self.config.slug, name, arguments, invoke)
            if "task" not in value:
                return value
            return await AgentTaskCall(self, name, arguments, call, key, value["task"]).result()

        return await until_kept(call, once)

    async def _skill(self, name: str) -> tuple[Agent, Skill]:
        """The agent and what is wanted of it. An error says that nothing was sent."""
        try:
            agent = await self._known()
        except PatchbayError as error:
            error.params = {**error.params, "sent": False}
            raise
        if name not in agent.by_name:
            raise McpToolNotFound(params={"tool": name, "server": self.config.slug})
        return agent, agent.by_name[name]

    async def _invoke(
        self, name: str, arguments: JsonObject, call: CallContext, handle: EffectHandle
    ) -> ToolResult | ToolResultJson:
        agent, skill = await self._skill(name)
        message = await message_of(arguments, skill, handle.idempotency_key, self._read_file)
        peer = Peer(self.config, agent, self._world.rules(), self._limit())
        fence.look()
        began = time.perf_counter()
        try:
            async with slots_of(self.config):
                answer = await peer.send(message, skill.output_modes, call.timeout_s or self.config.timeout_s)
        except Refused as refused:
            self._note(None, (time.perf_counter() - began) * 1000, agent)  # it is there, and says no
            raise refused.error from refused
        except PatchbayError as error:
            self._note(error, None, None)
            raise
        ms = (time.perf_counter() - began) * 1000
        self._note(None, ms, agent)
        if isinstance(answer, Task) and state_of(answer) not in OVER:
            return became(answer, ms)
        return await self.ended(answer, ms)

    async def ended(self, answer: Task | Message, ms: float) -> ToolResultJson:
        """What an answer says, or a task that has ended came to; large ones off the loop. Raises ResultTooLarge."""
        if answer.ByteSize() > BIG:
            result = await asyncio.to_thread(result_of, answer, self._result_bytes, ms)
        else:
            result = result_of(answer, self._result_bytes, ms)
        return (await self._with_files(result)).as_json()

    async def _with_files(self, result: ToolResult) -> ToolResult:
        if self._keep_files is None:
            return result
        return replace(result, content=await kept(result.content, self._keep_files))

    async def end_task(self, task: str) -> None:
        """Tell the agent that nobody waits for this task any more. Raises McpError."""
        peer = await self.peer()
        fence.look()
        try:
            await peer.cancel(task, ANSWER_S)
        except Refused as refused:
            if refused.code not in (NOT_FOUND, NOT_CANCELABLE):
                raise refused.error from refused

    def _note(self, error: PatchbayError | None, ms: float | None, agent: Agent | None) -> None:
        """Tell how the agent fares."""
        if self._on_used is not None:
            self._on_used(error, ms, None if agent is None else learned(agent))


def learned(agent: Agent) -> JsonObject:
    """What is known of an agent, as its status shows it."""
    return {
        "protocol": f"A2A {agent.dialect}",
        "server_name": agent.name or None,
        "server_version": agent.version or None,
        "tool_count": len(agent.skills),
        "left_out": [],
        "declared": None,
    }
