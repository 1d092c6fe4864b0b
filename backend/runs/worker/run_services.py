"""What nodes reach besides the journal: servers, models, budgets, files, other workflows (`engine.ports.Services`).

Methods are awaited on the event loop; what touches the database runs in the worker's threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from backend.engine.execution.ports import Child, ChildEnd, Limit, Message
from backend.files.services import file_of
from backend.llm.types import ChatModel
from backend.registry.connecting.connections import gated_sources
from backend.runs.log.journal import DatabaseJournal
from backend.runs.starting import limits
from backend.runs.worker import children, tool_files, workflow_tools
from backend.runs.worker.loading import Loaded
from backend.tools.calls.ending import end_task
from backend.tools.http.terms import RequestTerms
from backend.tools.types import JsonObject, OpenTask, ToolSource

if TYPE_CHECKING:
    from backend.tools.mcp.binary import Binary

InThread = Callable[..., Awaitable[Any]]


class RunServices:
    """`engine.ports.Services` of one segment. `children` = the child runs that may still go on."""

    def __init__(self, loaded: Loaded, journal: DatabaseJournal, in_thread: InThread) -> None:
        self._loaded, self._journal, self._in_thread = loaded, journal, in_thread
        self._run, self._fence = loaded.claimed.run, loaded.claimed.fence
        self._cancelled_by = ""
        self.children: set[str] = set(loaded.children)

    def observe_message(self, message: Message) -> None:
        """A message that the run is being given: a child that ended, a cancel."""
        if message.kind == "child":
            self.children.discard(message.interaction)
        elif message.kind == "cancel":
            self._cancelled_by = str(message.value.get("by") or "")

    async def tools(self, server: str | JsonObject) -> ToolSource:
        """The gated source of a server named in a node."""
        return (await self.many_tools([server]))[0]

    async def many_tools(self, servers: Sequence[str | JsonObject]) -> Sequence[ToolSource]:
        """The gated sources of all servers that a node names, found in one go."""
        loaded = self._loaded
        return await gated_sources(
            loaded.team,
            servers,
            user_id=loaded.started_by,
            run_id=self._run,
            workflow_id=loaded.workflow,
            graph=loaded.graph,
            approvers=loaded.info.approvers,
            keep_files=self._keep_files,
            read_file=self.file,
        )

    async def requests(self, terms: RequestTerms) -> ToolSource:
        """HTTP requests, behind the gate."""
        from backend.runs.worker import requests  # the client's packages are imported on first use

        loaded = self._loaded
        return requests.gated(
            terms, team=loaded.team, user=loaded.started_by, run=self._run, approvers=loaded.info.approvers
        )

    async def _keep_files(self, files: list[Binary]) -> list[JsonObject]:
        """Files within a tool's answer, kept as the run's."""
        loaded = self._loaded
        kept: list[JsonObject] = await self._in_thread(
            tool_files.keep, loaded.team, self._run, loaded.started_by, [tuple(file) for file in files]
        )
        return kept

    async def workflows(self, names: list[str]) -> ToolSource:
        """The team's workflows of these slugs or ids, behind the gate."""
        loaded = self._loaded
        specs = await self._in_thread(workflow_tools.specs_of, loaded.team, loaded.started_by, names)
        return workflow_tools.gated(specs, self._run)

    async def chat(self, provider: str, model: str) -> ChatModel:
        """A model of one of the team's providers."""
        from backend.providers.connections import chat_model  # the client's packages are imported on first use

        loaded = self._loaded
        return await chat_model(loaded.team, provider, model, user_id=loaded.started_by)

    async def file(self, key: str) -> tuple[bytes, str, str]:
        """A file of the team."""
        file: tuple[bytes, str, str] = await self._in_thread(file_of, self._loaded.team, key)
        return file

    async def limits(self) -> list[Limit]:
        """The budgets of the run, of those above it and of its team, with what is used of them by now."""
        loaded = self._loaded
        result: list[Limit] = []
        budgets = loaded.compiled.budgets if loaded.compiled else {}
        if loaded.parent or (budgets and self.children):
            result += await self._in_thread(limits.of_tree, self._run, loaded.root or self._run, self._journal.used())
        elif budgets:
            result += limits.of_run(budgets, self._journal.used())
        if await self._in_thread(limits.budget_of_team, loaded.team):
            await self._journal.barrier()  # what this run used by now is counted with its lines
            result += await self._in_thread(limits.of_team, loaded.team)
        return result

    async def start_child(self, child: Child) -> ChildEnd | None:
        """Start a run of a workflow for this run, or find it; gives its end where it has ended."""
        self.children.add(child.id)
        starting = asyncio.ensure_future(self._in_thread(children.start_child, self._run, self._fence, child))
        try:
            end: ChildEnd | None = await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait({starting})  # whoever cancels stops the child: it must be there by then, or never
            raise
        if end is not None:
            self.children.discard(child.id)
        return end

    async def stop_child(self, run: str) -> None:
        """Cancel a child run."""
        await self._in_thread(children.stop_child, run, self._cancelled_by)

    async def end_task(self, task: OpenTask) -> None:
        """Tell a server that nobody waits for a task of its any more."""
        await end_task(await self.tools(cast("str | JsonObject", task["server"])), task["id"])
