"""An app of Dify as a document of ours, with the report: the door of this room."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from backend.engine.document.types import ERROR, OUT, NodeTypes, Text
from backend.workflows.dify.app_notes import left_outside
from backend.workflows.dify.context import Context
from backend.workflows.dify.ends import join_ends
from backend.workflows.dify.mapping import Left, Mapped, Raw, Step, ToChoose
from backend.workflows.dify.mending import mend
from backend.workflows.dify.names import Names
from backend.workflows.dify.nodes import MAPPINGS
from backend.workflows.dify.notes import annotation_of
from backend.workflows.dify.placeholders import placeholder_config
from backend.workflows.dify.reading import DifyNode, dict_in, number_in, read_app, text_in
from backend.workflows.dify.references import References
from backend.workflows.report import Choices, Imported, Line, Report, TeamHas

_ON_ERROR = {"fail-branch": "port", "default-value": "continue"}
_STEP_DOWN, _STEP_RIGHT = 110, 60


def converted(
    value: Any,
    types: NodeTypes,
    team: TeamHas | None = None,
    choices: Choices | None = None,
    *,
    language: str = "en",
    field_name: str = "text",
) -> Imported:
    """The document and the report of a parsed file. Raises ValidationFailed naming `field_name`.

    Never makes a document that the validator cannot read; what Dify says and we cannot is in the report.
    """
    app = read_app(value, field_name)
    report = Report("dify", app.name, app.description, app.mode, app.version)
    ctx = Context(app, report, MAPPINGS, frozenset(types), team or TeamHas(), choices or Choices(), language)
    if app.newer:
        report.notes.append(
            Text(
                f"Version {app.version} of the format is not known here; read like the newest one that is.",
                f"不认识格式版本 {app.version}，按已知的最新版本读取。",
            )
        )
    report.notes += left_outside(app)
    _decide(ctx)
    graph = _Builder(ctx, language).build()
    join_ends(graph, ctx)
    mend(graph, ctx, types)
    report.edges = len(app.edges)
    report.lines = list(ctx.lines.values())
    return Imported(graph, report)


def _decide(ctx: Context) -> None:
    """What every node becomes."""
    for node in ctx.app.nodes.values():
        if node.is_frame_start or node.type == "note":
            continue
        line = ctx.lines[node.id] = Line(node.id, node.title or node.type, node.type)
        line.node = ctx.id_of(node)
        try:
            mapped = _mapped(node, ctx)
        except (Left, ToChoose) as error:
            line.state = "choose" if isinstance(error, ToChoose) and not _left_by_choice(node, ctx) else "left"
            line.why, line.notes, line.becomes = error.why, [], "placeholder"
            ctx.outcomes[node.id] = None
            continue
        ctx.outcomes[node.id] = mapped
        line.becomes = next(step.type for step in mapped.steps if not step.suffix)
        line.why = mapped.why
    for other in ctx.starts[1:]:
        _join_start(other, ctx)


def _left_by_choice(node: DifyNode, ctx: Context) -> bool:
    key = ctx.lines[node.id].group
    chosen = ctx.choices.tools
    return (node.id in chosen and chosen[node.id] is None) or (
        node.id not in chosen and key in chosen and chosen[key] is None
    )


def _mapped(node: DifyNode, ctx: Context) -> Mapped:
    mapping = MAPPINGS.get(node.type)
    if mapping is None:
        raise Left(f"Patchbay has no node like “{node.type[:40]}”", f"没有与“{node.type[:40]}”对应的节点")
    mapped = mapping.convert(node, ctx)
    for step in (*mapped.steps, *mapped.closing):
        if step.type not in ctx.types:
            raise Left(f"this installation has no {step.type} node", f"此处没有 {step.type} 节点")
    return mapped


def _join_start(other: DifyNode, ctx: Context) -> None:
    """Put what a further start asks for into the first one: a document begins at one place."""
    first, mapped = ctx.outcomes.get(ctx.starts[0].id), ctx.outcomes.pop(other.id, None)
    ctx.lines[other.id].note("joined with the first start", "已并入第一个开始节点")
    if first is not None and mapped is not None:
        here, there = (each.steps[0].config["inputs"].value for each in (first, mapped))
        first.steps[0].config["inputs"] = Raw(
            {**here, "properties": {**there.get("properties", {}), **here.get("properties", {})}}
        )


class _Builder:
    """Puts the document together."""

    def __init__(self, ctx: Context, language: str) -> None:
        self._ctx, self._language = ctx, language
        self._nodes: list[dict[str, Any]] = []
        self._edges: list[dict[str, Any]] = []
        self._ports: dict[str, dict[str, str]] = {}

    def build(self) -> dict[str, Any]:
        ctx = self._ctx
        for node in ctx.app.nodes.values():
            if node.id in ctx.lines and node not in ctx.starts[1:]:
                self._place(node)
        for edge in ctx.app.edges:
            self._connect(edge.source, edge.handle, edge.target)
        for node in ctx.app.nodes.values():
            outcome = ctx.outcomes.get(node.id)
            if outcome is not None and outcome.closing:
                self._close(node, outcome)
        self._begin()
        notes = [node for node in ctx.app.nodes.values() if node.type == "note"]
        graph: dict[str, Any] = {
            "schema": 1,
            "language": self._language,
            "nodes": self._nodes,
            "edges": self._edges,
            "annotations": [annotation_of(node, index) for index, node in enumerate(notes, 1)],
        }
        if ctx.variables:
            defaults = {text_in(item, "name"): item.get("value") for item in ctx.app.conversation}
            graph["variables"] = {
                name: {"default": defaults.get(theirs), "scope": "conversation"}
                for theirs, name in ctx.variables.items()
            }
        if ctx.environment:
            graph["env"] = dict(ctx.environment)
        if ctx.declared:
            graph["mcp_servers"] = dict(ctx.declared)
        return graph

    # -- nodes -----------------------------------------------------------------------------------------------

    def _place(self, node: DifyNode) -> None:
        ctx, outcome = self._ctx, self._ctx.outcomes.get(node.id)
        line = ctx.lines[node.id]
        if outcome is None:
            self._placeholder(node)
            return
        resolve = References(ctx, node, line)
        for index, step in enumerate(outcome.steps):
            entry = self._entry(node, step, index)
            entry["config"] = resolve.resolved(step.config)
            if not step.suffix:
                self._settings(node, entry)
            self._nodes.append(entry)
        first = [ctx.id_of(node, step.suffix) for step in outcome.steps]
        for before, after in pairwise(first):
            self._edge(before, OUT, after)

    def _entry(self, node: DifyNode, step: Step, index: int) -> dict[str, Any]:
        ctx = self._ctx
        entry: dict[str, Any] = {
            "id": ctx.id_of(node, step.suffix),
            "type": step.type,
            "v": 1,
            "title": node.title or node.type,
            "position": {"x": node.x + _STEP_RIGHT * index, "y": node.y + _STEP_DOWN * index},
        }
        frame = self._frame(node)
        if frame is not None and step.type not in ("start", "end"):
            entry["parent"] = ctx.id_of(frame)
        if step.type in ("iteration", "loop"):
            entry["size"] = {"width": max(node.width, 320.0), "height": max(node.height, 200.0)}
        return entry

    def _frame(self, node: DifyNode) -> DifyNode | None:
        frame = self._ctx.frame_of(node)
        return frame if frame is not None and self._ctx.outcomes.get(frame.id) is not None else None

    def _settings(self, node: DifyNode, entry: dict[str, Any]) -> None:
        """What a node does when it fails."""
        strategy = _ON_ERROR.get(text_in(node.data, "error_strategy"))
        if strategy:
            entry["on_error"] = strategy
        retry = dict_in(node.data, "retry_config")
        if retry.get("retry_enabled") is True or retry.get("enabled") is True:
            times = int(number_in(retry, "max_retries"))
            wait = number_in(retry, "retry_interval") / 1000
            if times > 0:
                entry["retry"] = {"max": min(times, 100), "delay_s": min(max(wait, 0.0), 3600.0)}

    def _placeholder(self, node: DifyNode) -> None:
        handles = [edge.handle for edge in self._ctx.app.edges if edge.source == node.id]
        names = Names()
        names.taken |= {OUT, ERROR, "in"}
        ports: dict[str, str] = {"source": OUT, "success-branch": OUT}
        for handle in dict.fromkeys(handles):
            if handle == "fail-branch":
                ports[handle] = ERROR
            elif handle not in ports:
                ports[handle] = names.give(handle, "way")
        self._ports[node.id] = ports
        shown = list(dict.fromkeys([OUT, *(port for port in ports.values() if port != ERROR)]))
        entry = self._entry(node, Step("placeholder", {}), 0)
        entry["disabled"] = True
        entry["config"] = placeholder_config(node.type, node.data, shown)
        if ERROR in ports.values():
            entry["on_error"] = "port"
        self._nodes.append(entry)

    def _close(self, node: DifyNode, outcome: Mapped) -> None:
        """Put the nodes that close a frame behind everything in it."""
        ctx = self._ctx
        frame = ctx.id_of(node)
        resolve = References(ctx, node, ctx.lines[node.id], inside=True)
        for step in outcome.closing:
            inside = [entry for entry in self._nodes if entry.get("parent") == frame]
            right = max((entry["position"]["x"] for entry in inside), default=-260.0) + 280
            entry = self._entry(node, step, 0)
            entry.update(parent=frame, position={"x": right, "y": 60.0}, config=resolve.resolved(step.config))
            entry["title"] = step.title.in_(self._language)
            self._nodes.append(entry)
            for other in inside:
                for port in self._open_ports(other):
                    self._edge(other["id"], port, entry["id"])

    def _open_ports(self, entry: dict[str, Any]) -> list[str]:
        """The ports of a node that nothing goes out of."""
        kind, config = entry["type"], entry["config"]
        ports = [OUT]
        if kind == "if":
            ports = ["true", "false"]
        elif kind == "switch":
            ports = [*(case["id"] for case in config["cases"]), "default"]
        elif kind == "classifier":
            ports = [item["id"] for item in config["classes"]]
        elif kind == "placeholder":
            ports = list(config["ports"])
        used = {edge["source_port"] for edge in self._edges if edge["source"] == entry["id"]}
        return [port for port in ports if port not in used]

    def _begin(self) -> None:
        """A document begins at a start, also where the file has none."""
        ctx = self._ctx
        if ctx.starts:
            return
        led_to = {edge["target"] for edge in self._edges}
        first = [entry for entry in self._nodes if "parent" not in entry and entry["id"] not in led_to]
        left = min((entry["position"]["x"] for entry in self._nodes), default=0.0)
        top = min((entry["position"]["y"] for entry in self._nodes), default=0.0)
        self._nodes.insert(
            0,
            {
                "id": ctx.start_id,
                "type": "start",
                "v": 1,
                "position": {"x": left - 300, "y": top},
                "config": {"inputs": {"type": "object", "properties": {}}},
            },
        )
        for entry in first:
            self._edge(ctx.start_id, OUT, entry["id"])
        ctx.report.notes.append(Text("The file has no start: one was added.", "文件没有开始节点，已添加一个。"))

    # -- edges -----------------------------------------------------------------------------------------------

    def _connect(self, source: str, handle: str, target: str) -> None:
        ctx = self._ctx
        tail, head = ctx.app.nodes[source], ctx.app.nodes[target]
        if tail.is_frame_start or head.is_frame_start or source not in ctx.lines or target not in ctx.lines:
            return
        if head in ctx.starts or self._frame(tail) is not self._frame(head):
            ctx.lines[target].note("an edge into another frame is left out", "略去一条跨越框架的连线")
            return
        port = self._port(tail, handle)
        if port is None:
            ctx.lines[source].note("an edge from a way that is not there is left out", "略去一条来自不存在分支的连线")
            return
        outcome = ctx.outcomes.get(target)
        first = outcome.steps[0].suffix if outcome is not None else ""
        last = ctx.outcomes.get(source)
        self._edge(ctx.id_of(tail, last.steps[-1].suffix if last else ""), port, ctx.id_of(head, first))

    def _port(self, node: DifyNode, handle: str) -> str | None:
        ctx = self._ctx
        outcome = ctx.outcomes.get(node.id)
        if outcome is None:
            return self._ports.get(node.id, {}).get(handle) or (OUT if node in ctx.starts else None)
        if handle == "fail-branch":
            return ERROR if text_in(node.data, "error_strategy") == "fail-branch" else None
        if outcome.handles:
            return outcome.handles.get(handle)
        if outcome.steps[-1].type == "end":
            return None
        return OUT if handle in ("source", "success-branch") else None

    def _edge(self, source: str, port: str, target: str) -> None:
        same = (source, port, target)
        if source != target and not any(
            (edge["source"], edge["source_port"], edge["target"]) == same for edge in self._edges
        ):
            self._edges.append(
                {
                    "id": f"e{len(self._edges) + 1}",
                    "source": source,
                    "source_port": port,
                    "target": target,
                    "target_port": "in",
                }
            )
