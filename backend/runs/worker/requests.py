"""The requests of a run's http nodes: which client, whose secrets and files, and whether a person is asked first.

A request goes out unasked where the document itself names the host, or the team lists it. A host that comes out of an
expression is how data would leave: it is asked for, and an approval for longer than once lasts for the run and host.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.accounts.models import Team
from backend.accounts.teams.outbound import network_rules
from backend.database.ids import derived_id
from backend.database.threads import in_thread
from backend.files.services import file_create, file_of, files_known
from backend.net.client import GuardedClient
from backend.net.rules import is_listed
from backend.net.urls import origin
from backend.registry.tools.policies import granted_for_run, remember_for_run
from backend.runs.models import RunFile
from backend.runs.worker.children import acting
from backend.secrets.references import Resolver
from backend.tools.approvers import Approvers
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.risk import reason
from backend.tools.http.building import File, address_of, checked
from backend.tools.http.clients import Clients
from backend.tools.http.source import RequestSource, Revealed
from backend.tools.http.terms import SERVER, RequestTerms
from backend.tools.loop import LOOP
from backend.tools.types import JsonObject, Remember, Risk, ToolSpec

_clients = Clients()


def gated(terms: RequestTerms, *, team: str, user: str | None, run: str, approvers: Approvers) -> GatedToolSource:
    """The requests of a node behind the gate."""
    return GatedToolSource(RequestSource(terms, _World(team, user, run)), _Policies(terms, team, run, approvers))


@dataclass(frozen=True, slots=True)
class _World:
    """`tools.http.source.World` of a run."""

    team: str
    user: str | None
    run: str

    @property
    def largest(self) -> int:
        """As much as a blob may have."""
        return network_rules().max_response_bytes

    @asynccontextmanager
    async def client(self) -> AsyncIterator[GuardedClient]:
        """The process's client, by the rules of now."""
        LOOP.on_stop(_clients.close)
        async with _clients.use(network_rules()) as client:
            yield client

    async def reveal(self, host: str, texts: Sequence[str]) -> Revealed:
        """The team's secrets, where they may go to the host."""
        return await in_thread(_revealed, self.team, host, texts)

    async def file(self, key: str) -> File:
        """A file of the team."""
        return await in_thread(file_of, self.team, key)

    async def keep(self, key: str, name: str, mime: str, data: bytes) -> JsonObject:
        """A file of the run; what comes again after a crash is the same file."""
        return await in_thread(_kept, self, key, name, mime, data)


def _revealed(team: str, host: str, texts: Sequence[str]) -> Revealed:
    resolve = Resolver(team, host)
    return Revealed({text: resolve(text) for text in texts}, tuple(resolve.values))


def _kept(world: _World, key: str, name: str, mime: str, data: bytes) -> JsonObject:
    id_ = derived_id("file", key, hashlib.sha256(data).hexdigest())
    if not files_known(world.team, {id_}):
        file_create(acting(world.team, world.user), name, mime, data, key=id_)
    RunFile.objects.get_or_create(run_id=world.run, file_id=id_)
    file: JsonObject = files_known(world.team, {id_})[id_]
    return file


class _HostRules(ToolRules):
    """The rules of a request whose host an expression gave."""

    def risk_of(self, tool: ToolSpec) -> Risk:
        """Data may leave by it, whatever the method does over there."""
        return Risk("HIGH" if tool.name == "DELETE" else "MEDIUM", [reason("computed_host", host=self.server_hash)])


class _Policies:
    """The `PolicySource` of requests."""

    def __init__(self, terms: RequestTerms, team: str, run: str, approvers: Approvers) -> None:
        self._terms, self._team, self._run, self._approvers = terms, team, run, approvers

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """Allowed where the document or the team names the host, else asked for. Raises ValidationFailed."""
        checked(arguments, self._terms)
        place = origin(address_of(arguments))
        host = place[1]
        named = bool(self._terms.site) and origin(self._terms.site) == place
        if named or await in_thread(_listed, self._team, host):
            return ToolRules("allow", server_hash=host, trust_annotations=True)
        granted = await in_thread(granted_for_run, self._run, SERVER, tool.name, "", host)
        return _HostRules("ask", server_hash=host, trust_annotations=True, granted=granted, approvers=self._approvers)

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """Keep an approval for the run, of this method and host."""
        if rules.policy == "ask":
            await in_thread(remember_for_run, self._run, SERVER, tool.name, rules)


def _listed(team: str, host: str) -> bool:
    hosts = Team.objects.filter(pk=team).values_list("request_hosts", flat=True).first()
    return is_listed(host, hosts or ())
