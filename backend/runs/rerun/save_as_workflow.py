"""Keeping what an agent or planner did as a workflow: reads the calls out of a run's log and makes the workflow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from backend.accounts.actor import Actor
from backend.agents.tool_search import SEARCH_TOOLS
from backend.engine.document.shape import GraphJson, NodeJson
from backend.engine.execution.ports import Entry
from backend.engine.execution.records import EndValue
from backend.errors import Conflict, ValidationFailed
from backend.runs.log.rows import read_blobs, read_history
from backend.runs.models import Run
from backend.runs.rerun.trace_to_workflow import BUILT_IN, WORKFLOWS, SuccessfulCall, trace_to_workflow
from backend.runs.starting.services import inputs_of
from backend.tools.types import JsonObject, JsonValue, ToolRequestData, ToolResult, ToolResultJson, object_in
from backend.workflows.models import Workflow
from backend.workflows.services import workflow_create

TYPES = frozenset({"agent", "planner", "llm"})
"""Nodes that choose their calls by a model."""
NAME = 200


def keep_workflow(actor: Actor, run: Run, node: str) -> Workflow:
    """A new workflow that makes the calls which the node made in the run, without a model.

    Raises ValidationFailed (no such node, or none with a model), Conflict (it has not ended, or called nothing).
    """
    actor.require("editor")
    graph: GraphJson = read_blobs([run.graph_id])[run.graph_id]
    about = next((item for item in graph.get("nodes") or [] if item.get("id") == node), None)
    if about is None or about.get("type") not in TYPES:
        raise ValidationFailed(fields={"node": [f"must be a node of type {', '.join(sorted(TYPES))}"]})
    lines = finished(read_history(run.pk, node))
    if not lines:
        raise Conflict(params={"reason": "not_finished", "node": node})
    calls = successful_calls(lines, inline_server(about))
    if not any(call.server != BUILT_IN for call in calls):
        raise Conflict(params={"reason": "nothing_to_keep", "node": node})
    name = f"{run.workflow.name}: {about.get('title') or node}"
    workflow, _ = workflow_create(actor, name[:NAME], graph=trace_to_workflow(graph, calls, inputs_of(run)))
    return workflow


def finished(lines: Iterable[Entry]) -> list[Entry]:
    """The records of the newest attempt of a node that succeeded, of its last round where it stands in a loop."""
    known = list(lines)
    ends = [line for line in known if line.record == "outcome" and line.type == "STEP_OUTPUT"]
    if not ends:
        return []
    path = ends[-1].path
    attempt = max(line.attempt for line in known if line.path == path)
    return [line for line in known if line.path == path and line.attempt == attempt]


def successful_calls(lines: Iterable[Entry], inline: JsonObject | None) -> list[SuccessfulCall]:
    """The calls that succeeded, in the order in which they began. `inline` = what the server `inline` stands for."""
    titles: dict[str, str] = {}
    begun: dict[tuple[str, str], ToolRequestData] = {}
    ended: dict[tuple[str, str], ToolResult] = {}
    for line in lines:
        if line.type == "STEP_INIT":
            titles[line.step] = str(line.data.get("description") or "")
        elif line.type == "TOOL_REQUEST":
            begun[line.step, str(line.data.get("call"))] = line.data
        elif line.type == "TOOL_RESPONSE":
            result = _result(line, begun)
            if result is not None and not result.is_error:
                ended[line.step, str(line.data.get("call"))] = result
    return [
        SuccessfulCall(
            server=inline if data["server"] == "inline" and inline else data["server"],
            tool=data["tool"],
            arguments=data["arguments"],
            text=ended[key].text,
            structured=ended[key].structured,
            title=titles.get(key[0], ""),
        )
        for key, data in begun.items()
        if key in ended and (data["server"], data["tool"]) != (BUILT_IN, SEARCH_TOOLS)  # it only brings definitions
    ]


def _result(line: Entry, begun: dict[tuple[str, str], ToolRequestData]) -> ToolResult | None:
    """What a call gave; None where it failed or went on with a question. A workflow gives its outputs."""
    ended: EndValue | None = line.value
    value: JsonValue = ended.get("result") if ended else None
    request = begun.get((line.step, str(line.data.get("call"))))
    if request is not None and request["server"] == WORKFLOWS and value is not None:
        return ToolResult([], structured=value)
    if not isinstance(value, dict) or "input_required" in value:
        return None
    return ToolResult.from_json(cast(ToolResultJson, value))


def inline_server(node: NodeJson) -> JsonObject | None:
    """The configuration that stands inside the node's own list of servers, if any."""
    entries = object_in(node.get("config") or {}, "tools").get("servers")
    servers = [entry.get("server") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return next((server for server in servers if isinstance(server, dict)), None)
