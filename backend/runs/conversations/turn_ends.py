"""What a conversation keeps of a run that ends: what it answered, which tools it called, the variables that last.

It is read from the log: an `answer` node speaks when its step ends, in a round of a frame as elsewhere, and the order
of the log is the order in which people saw it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from django.db import connection

from backend.engine.execution.ports import SegmentEnd
from backend.json_types import JsonObject, JsonValue
from backend.runs.graphs import stored_graph
from backend.runs.log.batch import TurnEnd
from backend.runs.log.encoding import BlobRow, decode, encode, encode_value
from backend.runs.log.rows import read_blobs, ref_ids, resolved
from backend.runs.models import Run

if TYPE_CHECKING:
    from backend.runs.worker.loading import Loaded

MOST_CALLS = 100
SHOWN = 200
"""Characters of a call's arguments that are kept."""
TEXTS = ("answer", "text")
"""Names of outputs that are an answer where no `answer` node spoke."""
_LINES = (
    "SELECT seq, data, refs FROM runs_logline WHERE run_id = %s AND type = 'STEP_OUTPUT' AND node IN ({}) "
    "ORDER BY position"
)
_CALLS = (
    "SELECT type, step, attempt, data FROM runs_logline WHERE run_id = %s "
    "AND type IN ('TOOL_REQUEST', 'TOOL_RESPONSE') ORDER BY position LIMIT %s"
)


class ChatCallJson(TypedDict):
    """A tool that was called. `arguments` = the beginning of their JSON text; `ms` null where no answer came."""

    server: str
    tool: str
    arguments: str
    ms: float | None
    failed: bool


def turn_end(loaded: Loaded, end: SegmentEnd) -> tuple[TurnEnd, list[BlobRow]]:
    """What is kept of a run that ends so, and the blobs that it refers to. Touches the database."""
    run, team = loaded.claimed.run, loaded.team
    nodes = loaded.graph.get("nodes") or []
    speakers = [str(node.get("id")) for node in nodes if isinstance(node, dict) and node.get("type") == "answer"]
    spoken = [text for _, text in _spoken(run, speakers)] if speakers else []
    text = "\n\n".join(spoken) if spoken else text_of(end.outputs)
    answer = encode_value(team, text, "answer")
    calls = encode_value(team, calls_of(run), "calls")
    kept = None if end.variables is None else {**loaded.info.kept, **end.variables}
    variables = encode_value(team, kept, "variables") if kept is not None else None
    refs = answer.refs + calls.refs + (variables.refs if variables else [])
    kept_of_it = TurnEnd(
        answer.text,
        calls.text,
        variables.text if variables else "",
        encode(refs) if refs else "",
    )
    return kept_of_it, answer.blobs + calls.blobs + (variables.blobs if variables else [])


def spoken_in(run: Run) -> list[str]:
    """What the answer nodes of a run said, in the order in which they did. Touches the database."""
    return [text for _, text in spoken_lines(run)]


def spoken_lines(run: Run) -> list[tuple[int, str]]:
    """The same, each with the `seq` of the event that tells of it. Touches the database."""
    speakers = speakers_of(run)
    return _spoken(run.pk, speakers) if speakers else []


def speakers_of(run: Run) -> list[str]:
    """The answer nodes of a run. Touches the database."""
    nodes = stored_graph(run.graph_id)[0].get("nodes") or []
    return [str(node["id"]) for node in nodes if node.get("type") == "answer"]


def _spoken(run: str, speakers: list[str]) -> list[tuple[int, str]]:
    """What the answer nodes of a run said, in the order in which they did."""
    with connection.cursor() as cursor:
        cursor.execute(_LINES.format(", ".join(["%s"] * len(speakers))), [run, *speakers])
        rows = [(seq, decode(data) or {}, decode(refs) or []) for seq, data, refs in cursor.fetchall()]
    blob_ids = {key for _, data, refs in rows for key in ref_ids(data, None, _of_data(refs))}
    blobs = read_blobs(sorted(blob_ids)) if blob_ids else {}
    outputs = [(seq, resolved(data, None, _of_data(refs), blobs)[0].get("output") or {}) for seq, data, refs in rows]
    return [(seq, str(output.get("text"))) for seq, output in outputs if output.get("text")]


def _of_data(refs: list[str]) -> list[str]:
    return [place for place in refs if place.startswith("data.")]


def text_of(outputs: JsonObject) -> str:
    """What outputs say to a person: the one text among them, or the one that is called so, else all as JSON."""
    for name in TEXTS:
        if isinstance(outputs.get(name), str):
            return str(outputs[name])
    values: list[JsonValue] = list(outputs.values())
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return encode(outputs) if outputs else ""


def calls_of(run: str) -> list[ChatCallJson]:
    """The tools that a run called, the first of them."""
    with connection.cursor() as cursor:
        cursor.execute(_CALLS, [run, 2 * MOST_CALLS])
        rows = cursor.fetchall()
    calls: dict[tuple[str, int, str], ChatCallJson] = {}
    for type_, step, attempt, text in rows:
        data: Any = decode(text) or {}
        key = (step, attempt, str(data.get("call")))
        if type_ == "TOOL_REQUEST":
            arguments = encode(data.get("arguments") or {})[:SHOWN]
            server, tool = str(data.get("server") or ""), str(data.get("tool") or "")
            calls[key] = {"server": server, "tool": tool, "arguments": arguments, "ms": None, "failed": False}
        elif key in calls:
            calls[key]["ms"] = data.get("ms")
            calls[key]["failed"] = bool(data.get("is_error") or data.get("error"))
    return list(calls.values())[:MOST_CALLS]
