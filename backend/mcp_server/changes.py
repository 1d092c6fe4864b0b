"""Clients that listen hear when what their team offers has changed, and of the resources that they name, that one did.

A run changes with its states and its questions, the status of a workflow with its runs, a workflow when it is published
or renamed. What else a client names, or may not read, is left out of what it is told that it will hear of. What is
listed depends on the member's role too, so they hear when that has changed. A stream ends with the token, and with the
membership.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Literal
from urllib.parse import unquote

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)

from backend.accounts.actor import Actor
from backend.accounts.models import Membership
from backend.errors import Forbidden, NotFound
from backend.mcp_server.caller import actor_of
from backend.mcp_server.offers import offer_for
from backend.mcp_server.threads import in_thread
from backend.runs import selectors
from backend.runs.live.hub import HUB
from backend.runs.live.open_requests import open_request
from backend.runs.live.sockets import SOCKETS

OFFERED = frozenset({"workflow", "server"})
"""Of what a change may change what `/mcp` offers; what a workflow may do hangs on the tools of its servers."""
IN_COLLECTIONS = frozenset({"workflow", "collection", "server"})
"""The same of a collection."""
_OF_NO_TOOL = frozenset({"status", "sign_in", "signed_in", "signed_out"})
"""What may happen to a server while its tools stay what they are."""

WORKFLOW, RUN, STATUS = "workflow://", "run://", "/status"
MOST_NAMED = 100
"""Resources that one stream tells of; further ones are left out."""
MOST_RUNS = 1000
"""Runs whose workflow a stream remembers."""

About = tuple[Literal["run", "workflow", "status"], str]
"""A run; a workflow; the runs of a workflow. By id."""
Named = dict[About, list[str]]
"""The URIs that were named, by what they are about."""


class TeamChanges:
    """What pages of a team are told, as the protocol's events. A bus of one team, one listener."""

    def __init__(self, actor: Actor, kinds: frozenset[str], named: Named) -> None:
        self._actor, self._kinds, self._named = actor, kinds, named
        self.topic = f"team:{actor.team.pk}"
        self._listener: Callable[[ServerEvent], None] | None = None
        self._any_status = any(kind == "status" for kind, _ in named)
        self._workflows: OrderedDict[str, str] = OrderedDict()
        self._asking: set[asyncio.Task[None]] = set()
        self._role: str | None = actor.role

    async def publish(self, event: ServerEvent) -> None:
        """Nothing is published here: the hub does."""

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Begin to tell; gives the way to stop."""
        self._listener = listener
        self._beside(self._look_at_role())  # it may have changed while nobody watched yet

        def leave() -> None:
            self._listener = None
            for task in self._asking:
                task.cancel()

        return leave

    async def send(self, text: str) -> None:
        """A hint of the hub."""
        if self._listener is None:
            return
        hint = json.loads(text)["hint"]
        kind, key = hint.get("kind"), hint.get("id", "")
        if kind in self._kinds and not (kind == "server" and hint.get("change") in _OF_NO_TOOL):
            self._tell_of_lists()
        if kind == "member":
            self._beside(self._look_at_role())
        elif kind == "workflow" and hint.get("change") != "draft":
            self._tell(("workflow", key))
        elif kind == "interaction" or kind == "run":
            run = hint.get("run", "") if kind == "interaction" else key
            self._tell(("run", run))
            if self._any_status:
                self._status_of(run)

    def _tell_of_lists(self) -> None:
        for event in (ToolsListChanged(), ResourcesListChanged(), PromptsListChanged()):
            if self._listener is not None:
                self._listener(event)

    async def _look_at_role(self) -> None:
        """Somebody's membership changed: say so where it was the member's own, and they may do something else now."""
        role = await in_thread(_role_of, self._actor)
        if role != self._role:
            self._role = role
            self._tell_of_lists()

    def _tell(self, about: About) -> None:
        for uri in self._named.get(about, ()):
            if self._listener is not None:
                self._listener(ResourceUpdated(uri))

    def _status_of(self, run: str) -> None:
        """Tell of the status of the run's workflow, which a hint does not name: the hub waits for no query."""
        if run in self._workflows:
            self._tell(("status", self._workflows[run]))
            return
        self._beside(self._look_up(run))

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Do what takes the database: the hub does not wait for it."""
        task = asyncio.get_running_loop().create_task(work)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _look_up(self, run: str) -> None:
        self._workflows[run] = await in_thread(_workflow_of, self._actor, run)
        while len(self._workflows) > MOST_RUNS:
            self._workflows.popitem(last=False)
        self._tell(("status", self._workflows.get(run, "")))

    async def frame(self, first: int, last: int, text: str) -> None:
        """A team's topic has no numbers."""

    async def catch_up(self, newest: int) -> None:
        """A team's topic has no numbers."""


class Stream:
    """An open stream, as what is closed where a member loses their token or membership (`live.sockets.Socket`)."""

    session_key: str | None = None

    def __init__(self, actor: Actor, handler: ListenHandler) -> None:
        self.user, self.token, self._team = actor.user, actor.token, actor.team.pk
        self._handler = handler

    async def shut(self, code: int) -> None:
        """End it: the client hears that it is over, and why when it comes again."""
        self._handler.close()

    async def drop_foreign(self, teams: set[str]) -> None:
        """End it where its team is none of these."""
        if self._team not in teams:
            self._handler.close()


async def listen(
    ctx: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
) -> types.SubscriptionsListenResult:
    """Serve one stream of changes, until its client leaves, or may not listen any more."""
    actor = actor_of(ctx)
    kinds = IN_COLLECTIONS if actor.collection else OFFERED
    subscriptions = params.notifications
    with open_request(actor):
        named = await in_thread(_named, actor, subscriptions.resource_subscriptions or [])
        honored_uris = [uri for uris in named.values() for uri in uris]
        honored = params.model_copy(
            update={"notifications": subscriptions.model_copy(update={"resource_subscriptions": honored_uris or None})}
        )
        changes = TeamChanges(actor, kinds, named)
        handler = ListenHandler(changes)
        stream = Stream(actor, handler)
        HUB.watch(changes)
        SOCKETS.add(stream)
        try:
            await HUB.joined(changes.topic)  # once the client hears that it listens, nothing passes it by
            return await handler(ctx, honored)
        finally:
            SOCKETS.discard(stream)
            HUB.unwatch(changes)


def _named(actor: Actor, uris: Iterable[Any]) -> Named:
    """The resources that there is something to hear of, and that this member may read."""
    named: Named = defaultdict(list)
    for uri in list(dict.fromkeys(map(str, uris)))[:MOST_NAMED]:
        about = _about(actor, uri)
        if about is not None:
            named[about].append(uri)
    return dict(named)


def _about(actor: Actor, uri: str) -> About | None:
    try:
        actor.require_scope("read")
        if uri.startswith(RUN):
            return "run", selectors.run_for(actor, unquote(uri.removeprefix(RUN))).pk
        if actor.collection or not uri.startswith(WORKFLOW):
            return None
        name = unquote(uri.removeprefix(WORKFLOW))
        if name.endswith(STATUS):
            return "status", offer_for(actor, name.removesuffix(STATUS)).workflow.pk
        return "workflow", offer_for(actor, name).workflow.pk
    except (NotFound, Forbidden):
        return None


def _role_of(actor: Actor) -> str | None:
    """The member's role as it is now; None for who is no member any more."""
    return Membership.objects.filter(user=actor.user, team=actor.team).values_list("role", flat=True).first()


def _workflow_of(actor: Actor, run: str) -> str:
    """The workflow of a run; "" where the run is not there for this member."""
    try:
        key: str = selectors.run_for(actor, run).workflow_id
    except (NotFound, Forbidden):
        return ""
    return key
