"""Turns a valid document into what the engine runs: `compile_graph(document, types)`.

Everything that can be known before a run is worked out here once, so that a step costs little: config templates are
parsed, ports lead to edge lists, what start does not reach is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from backend.engine.document.concurrency import Concurrency
from backend.engine.document.config_paths import Place, compile_around, paths_below, places
from backend.engine.document.graph import Node
from backend.engine.document.ids import digest_of
from backend.engine.document.shape import BudgetsJson, OnError
from backend.engine.document.types import ERROR, OUT, NodeType, NodeTypes, Result, Retry
from backend.engine.document.validate import Check, is_secret
from backend.engine.language.expressions import Reference, ValueTemplate
from backend.engine.language.filters import MISSING
from backend.errors import GraphInvalid
from backend.tools.approvers import ANYONE, Approvers
from backend.tools.types import JsonObject, JsonValue, object_in


@dataclass(slots=True)
class CompiledNode:
    """One node ready to run. `outgoing` = port → indexes of edges; `inner` = templates for its own frame."""

    id: str
    index: int  # place in the document: the order in which equals come
    type: NodeType
    config: ValueTemplate
    inner: dict[str, ValueTemplate]
    on_error: OnError
    retry: Retry
    timeout_s: float | None
    disabled: bool
    pinned: Result | None
    round: dict[str, object] | None  # of a container: what the one round reads that a draft run does
    through: str  # the port that fires where the node did not run or failed and is passed over
    outgoing: dict[str, list[int]] = field(default_factory=dict)
    incoming: int = 0
    heavy: list[Reference] = field(default_factory=list)  # values that rendering its config takes apart
    written: str = ""  # digest of its arguments as the document writes them, expressions and all
    as_written: JsonObject = field(default_factory=dict)  # fields as the document writes them (`NodeType.written`)
    empty: JsonObject = field(default_factory=dict)  # its outputs as nulls, for a failure that is passed over


@dataclass(slots=True)
class Plan:
    """The nodes of one frame and the targets of its edges; `entries` run first."""

    nodes: dict[str, CompiledNode] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Compiled:
    """A document ready to run. `input_schema` = of the start node; `variables` = defaults, of which those in `lasting`
    are kept for the next run of a conversation; `env` = without secrets.

    `plans[None]` is the run's own frame, the others are by container.
    """

    input_schema: JsonObject = field(default_factory=dict)
    variables: JsonObject = field(default_factory=dict)
    lasting: frozenset[str] = frozenset()
    env: JsonObject = field(default_factory=dict)
    mcp_servers: JsonObject = field(default_factory=dict)
    language: str = "en"
    budgets: BudgetsJson = field(default_factory=BudgetsJson)  # of one run
    concurrency: Concurrency | None = None  # how many runs of the workflow go on at once
    approvers: Approvers = ANYONE  # who must agree to what its runs ask approval for
    plans: dict[str | None, Plan] = field(default_factory=dict)
    offers_tools: bool = False  # whether a model in it chooses tools


def compile_graph(document: Mapping[str, object], types: NodeTypes) -> Compiled:
    """The document ready to run. Raises GraphInvalid with `detail["problems"]` where it has errors."""
    check = Check(document, types)
    if any(problem.severity == "error" for problem in check.problems):
        raise GraphInvalid(detail={"problems": [p.as_json(check.graph.language) for p in check.problems]})
    graph = check.graph
    start = check.configs[check.start or ""]
    compiled = Compiled(
        input_schema=object_in(start, "inputs"),
        variables={name: about.get("default") for name, about in graph.variables.items()},
        lasting=frozenset(name for name, about in graph.variables.items() if about.get("scope") == "conversation"),
        env={name: value for name, value in graph.env.items() if not is_secret(value)},
        mcp_servers=graph.mcp_servers,
        language=graph.language,
        budgets=graph.budgets,
        concurrency=graph.concurrency,
        approvers=graph.approvers,
    )
    for index, node in enumerate(graph.nodes.values()):
        if node.id in check.reached:
            plan = compiled.plans.setdefault(node.parent, Plan())
            compiled.offers_tools |= "tools" in types[node.type].config.model_fields
            plan.nodes[node.id] = _compile_node(node, index, types[node.type], check.configs.get(node.id))
    _compile_edges(check, compiled)
    for parent, plan in compiled.plans.items():
        plan.entries = [id_ for id_, node in plan.nodes.items() if not node.incoming]
        if parent is None:
            plan.entries = [check.start or ""]
    return compiled


def _compile_node(node: Node, index: int, type_: NodeType, config: JsonObject | None) -> CompiledNode:
    """`config` None = invalid, which is let pass only in a node that is disabled."""
    values = config or {}
    raw = [*places(type_.raw), *_secret_places(places(type_.secrets), values)]
    parse: Callable[[str], ValueTemplate] = lambda key: (  # noqa: E731 - one line says it
        ValueTemplate("constant", values[key]) if node.disabled else compile_around(values[key], paths_below(raw, key))
    )
    outer = {key: parse(key) for key in values if key not in type_.inner}
    if all(item.kind == "constant" for item in outer.values()):
        template = ValueTemplate("constant", {key: item.value for key, item in outer.items()})
    else:
        members = [
            (k, item.value if item.kind == "constant" else item, item.kind == "constant") for k, item in outer.items()
        ]
        template = ValueTemplate("object", members)
    ports = type_.ports(values) if config is not None else type_.ports_out
    keys = type_.keys(values) if config is not None else None
    return CompiledNode(
        id=node.id,
        index=index,
        type=type_,
        config=template,
        inner={key: parse(key) for key in values if key in type_.inner},
        on_error=node.on_error,
        retry=node.retry if node.retry is not None else type_.retry,
        timeout_s=node.timeout_s,
        disabled=node.disabled,
        pinned=None if node.pinned is None else Result(node.pinned, _port_of(node.pinned, ports)),
        round=None if type_.container is None or node.round is None else _round_values(type_.container, node.round),
        through=_port_of({}, ports),
        outgoing={port: [] for port in (*ports, *((ERROR,) if node.on_error == "port" else ()))},
        heavy=template.converted(),
        written=digest_of(values["arguments"]) if "arguments" in values else "",
        as_written={key: values[key] for key in type_.written if key in values},
        empty=dict.fromkeys(sorted(keys or ())),
    )


def _secret_places(open_places: list[Place], value: JsonValue) -> list[Place]:
    """Where texts name secrets: these stand as they are, so that nothing an expression gives is ever read as one."""
    if () in open_places and is_secret(value):
        return [()]
    if not open_places or not isinstance(value, dict):
        return []
    below: dict[str, list[Place]] = {key: [()] if () in open_places else paths_below(open_places, key) for key in value}
    return [(key, *place) for key, item in value.items() for place in _secret_places(below[key], item)]


def _round_values(kind: str, values: JsonObject) -> dict[str, object]:
    """What one given round reads: all that a round of such a container has; an item that is not given is missing."""
    if kind == "loop":
        loop = object_in(values, "loop")
        index = values.get("index", loop.get("index", 0))
        own = {"index": index, "vars": object_in(loop, "vars"), "last": object_in(loop, "last") or None}
        return {**values, "index": index, "loop": own}
    return {**values, "index": values.get("index", 0), "item": values.get("item", MISSING)}


def _port_of(outputs: JsonObject, ports: tuple[str, ...]) -> str:
    """The port that given outputs fire: the one they name as `port`, else out, else the first."""
    named = outputs.get("port")
    if isinstance(named, str) and named in ports:
        return named
    return OUT if OUT in ports or not ports else ports[0]


def _compile_edges(check: Check, compiled: Compiled) -> None:
    for edge in check.graph.edges:
        if edge.source not in check.reached or edge.target not in check.reached:
            continue
        plan = compiled.plans[check.graph.nodes[edge.source].parent]
        source = plan.nodes[edge.source]
        if edge.source_port not in source.outgoing:
            continue  # a warning already: the node is disabled and its port unknown
        source.outgoing[edge.source_port].append(len(plan.targets))
        plan.targets.append(edge.target)
        plan.nodes[edge.target].incoming += 1
