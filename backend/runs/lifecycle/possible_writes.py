"""What a restored run may have written after its backup: the calls that lay ahead of it when the backup was made.

Nobody can know more than the backup does, so this lists what was possible and not what happened: calls that had begun
without an end, with their arguments; and for each step that had not ended the tools it may call that are not known to
only read, also in the workflows it starts. Arguments of the latter are made while the run goes on and are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict, Unpack

from django.db import connection
from django.db.models import Q

from backend.accounts.described import Help, Timestamp
from backend.agents.local_tools import local_tools
from backend.engine.execution.ports import CHILD
from backend.engine.rerun.rerun import rerun_plan, top_of
from backend.nodes import node_types
from backend.registry.models import Tool
from backend.registry.tools.responses import rules_of, spec_of
from backend.runs.graphs import stored_graph
from backend.runs.log.encoding import decode, iso
from backend.runs.models import Run
from backend.runs.rerun.rerun import ended_nodes
from backend.runs.starting import restored
from backend.tools.calls.risk import effect_of
from backend.tools.types import JsonObject
from backend.web.lookup import storable
from backend.workflows.documents import graph_of
from backend.workflows.models import Workflow

MOST = 200
"""Places that are listed; all are counted."""
_DEEPEST = 25
_READS = frozenset({"pure", "read"})
_CALLS = (
    "SELECT node, path, attempt, key, record, effect_kind, ts, data FROM runs_logline "
    "WHERE run_id = %s AND record IN ('start', 'end') AND effect_kind IN ('write', 'idempotent', 'child') "
    "ORDER BY position"
)


class PossibleWriteJson(TypedDict):
    """A place of a run that may have written after the backup; the backup cannot say whether it did.

    `began`: the call was under way when the backup was made. `ahead`: its step had not ended then.
    """

    run: Annotated[str, Help("The run in which it is: this one or one below it.")]
    workflow: Annotated[str, Help("The name of that run's workflow, where it is below.")]
    node: str
    title: str
    server: Annotated[str | None, Help('"" = known only when it runs.')]
    tools: Annotated[list[str], Help("Empty: any tool of the server.")]
    how: Literal["began", "ahead"]
    arguments: Annotated[Any | None, Help("Of a call that had begun.")]
    at: Annotated[Timestamp | None, Help("When that call began.")]


@dataclass(slots=True)
class Possible:
    """`listed` = at most `MOST`; `total` = all."""

    listed: list[PossibleWriteJson] = field(default_factory=list)
    total: int = 0

    def add(self, **write: Unpack[PossibleWriteJson]) -> None:
        """Count a place, and list it while there is room."""
        self.total += 1
        if self.total <= MOST:
            self.listed.append(write)


def possible_writes(run: Run) -> Possible:
    """Of a held run and the held runs below it."""
    result = Possible()
    search = _Search(run.team_id, result)
    for item in [run, *restored.below(run)]:
        search.run(item, below=item.pk != run.pk)
    return result


class _Search:
    """One look through a run and what is below it. Definitions of tools are read once for each server."""

    def __init__(self, team: str, result: Possible) -> None:
        self._team, self._result = team, result
        self._tools: dict[str, dict[str, str] | None] = {}

    def run(self, run: Run, *, below: bool) -> None:
        """The calls that had begun in a run, and those ahead of it."""
        document: Mapping[str, object] = stored_graph(run.graph_id)[0]
        nodes = _nodes(document)
        began, started = self._began(run, nodes, run.workflow.name if below else "")
        left = set(rerun_plan(document, document, ended_nodes(run.pk), []).runs)
        for id_, node in nodes.items():
            if _top(nodes, id_) not in left:
                continue
            for server, tools in self._calls(document, node, set(), known_child=id_ in started):
                if began.get(id_) == {(server, *tools)}:
                    continue  # it is the call that had begun
                self._result.add(
                    run=run.pk,
                    workflow=run.workflow.name if below else "",
                    node=id_,
                    title=str(node.get("title") or ""),
                    server=server,
                    tools=list(tools),
                    how="ahead",
                    arguments=None,
                    at=None,
                )

    def _began(
        self, run: Run, nodes: dict[str, JsonObject], workflow: str
    ) -> tuple[dict[str, set[tuple[str, ...]]], set[str]]:
        """Lists calls without an end. Gives (what they called, by tool node; nodes that had started a run)."""
        with connection.cursor() as cursor:
            cursor.execute(_CALLS, [run.pk])
            rows = cursor.fetchall()
        open_: dict[tuple[Any, ...], tuple[float, dict[str, Any]]] = {}
        children: set[str] = set()
        for node, path, attempt, key, record, kind, ts, data in rows:
            if kind == CHILD:
                children.add(node)
            elif record == "end":
                open_.pop((path, node, attempt, key), None)
            elif data:
                open_[path, node, attempt, key] = ts, decode(data)
        called: dict[str, set[tuple[str, ...]]] = {}
        for (path, node, _, _), (ts, call) in open_.items():
            if not path and nodes.get(node, {}).get("type") == "tool":
                called.setdefault(node, set()).add((str(call.get("server")), str(call.get("tool"))))
            self._result.add(
                run=run.pk,
                workflow=workflow,
                node=top_of(tuple(decode(path) or ()), node),
                title=str(nodes.get(node, {}).get("title") or ""),
                server=call.get("server"),
                tools=[call["tool"]] if call.get("tool") else [],
                how="began",
                arguments=call.get("arguments"),
                at=iso(ts),
            )
        return called, children

    def _calls(
        self, document: Mapping[str, object], node: JsonObject, seen: set[str], *, known_child: bool = False
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """(server, tools) that a node may call and that are not known to only read; no tools = any of the server's."""
        config = node.get("config")
        if not isinstance(config, dict):
            return
        own = document.get("mcp_servers")
        declared = own if isinstance(own, dict) else {}
        if "server" in config:
            yield from self._of(config["server"], _texts([config.get("tool")]), declared)
        elif node.get("type") not in _KNOWN and self._may_write(node):
            yield "", ()  # a type that a package adds
        tools = config.get("tools")
        for use in _objects(tools, "servers"):
            yield from self._of(use.get("server"), _texts(use.get("include")), declared)
        local = {local_tool.spec.name for local_tool in local_tools() if effect_of(local_tool.spec, True) not in _READS}
        if named := sorted(local & set(_texts(tools.get("local") if isinstance(tools, dict) else None))):
            yield "local", tuple(named)
        below = _texts(tools.get("workflows") if isinstance(tools, dict) else None)
        if node.get("type") == "workflow" and not known_child:
            below += _texts([config.get("workflow")]) or [""]
        for name in below:
            yield from self._below(name, config.get("version"), seen)

    def _may_write(self, node: JsonObject) -> bool:
        type_ = node_types().get(str(node.get("type")))
        return type_ is not None and type_.effect not in _READS

    def _below(self, name: str, version: Any, seen: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What the nodes of another workflow may call, as it is published now."""
        if name in seen or len(seen) > _DEEPEST:
            return
        text = self._published(name, version)
        if text is None:
            yield "", ()
            return
        document = graph_of(text)
        for node in _nodes(document).values():
            yield from self._calls(document, node, {*seen, name})

    def _published(self, name: str, version: Any) -> str | None:
        rows = Workflow.objects.filter(Q(pk=name) | Q(slug=name), team=self._team) if storable(name) else None
        workflow = rows.defer("draft").first() if rows is not None else None
        if workflow is None:
            return None
        number = version if isinstance(version, int) else workflow.published_version
        if number is None:
            return None
        return workflow.versions.filter(number=number).values_list("graph", flat=True).first()

    def _of(self, server: Any, named: list[str], declared: JsonObject) -> Iterator[tuple[str, tuple[str, ...]]]:
        """A server's tools, or those of them that are named, without those that are known to only read."""
        if not isinstance(server, str):
            yield "", tuple(named)
            return
        known = None if server in declared else self._registered(server)
        if known is None:
            yield server, tuple(named)
            return
        names = named or sorted(known)
        if writes := tuple(name for name in names if known.get(name) not in _READS):
            yield server, writes

    def _registered(self, server: str) -> dict[str, str] | None:
        """The effect of each tool of a registered server; None where it is unknown."""
        if server not in self._tools:
            rows = Tool.objects.filter(
                Q(server_id=server) | Q(server__slug=server), server__team=self._team, gone=False
            )
            effects: dict[str, str] = {
                row.name: rules_of(row.server, row).effect_of(spec_of(server, row.definition))
                for row in (rows.select_related("server") if storable(server) else ())
            }
            self._tools[server] = effects or None
        return self._tools[server]


_KNOWN = frozenset({"tool", "agent", "planner", "workflow"})


def _nodes(document: Mapping[str, object]) -> dict[str, JsonObject]:
    return {str(item["id"]): item for item in _objects(document, "nodes") if isinstance(item.get("id"), str)}


def _top(nodes: dict[str, JsonObject], id_: str) -> str:
    seen = {id_}
    while (parent := str(nodes[id_].get("parent") or "")) in nodes and parent not in seen:
        id_ = parent
        seen.add(id_)
    return id_


def _objects(value: Any, name: str) -> list[JsonObject]:
    items = value.get(name) if isinstance(value, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _texts(value: Any) -> list[str]:
    values: Iterable[Any] = value if isinstance(value, list) else ()
    return [value for value in values if isinstance(value, str) and value]
