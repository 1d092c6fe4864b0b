"""Log lines as rows, as events and back: the only place that knows how an `Entry` lies in the table.

An event's text is put together from the stored texts, so that a log of a hundred thousand lines is shown without being
parsed. Sentences of errors are not stored: they are added when somebody reads, in the reader's language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from django.db import connection

from backend.engine.document.ids import Path
from backend.engine.execution.ports import Entry, RecordKind
from backend.errors import text_for
from backend.files import parts
from backend.runs.log.encoding import BlobRow, Pieces, decode, encode, encode_object, encode_value, iso, plain

if TYPE_CHECKING:
    from backend.runs.interactions.responses import MismatchJson, RecordJson, RiskTextJson
    from backend.runs.log.events import FlowStartData, FrameJson


MOST_AT_ONCE = 200
"""Questions whose calls one statement looks for."""
_APPROVAL_TYPE = "STEP_WAITING_FOR_START"
MOST_SHOWN = 20
"""Records that a question about a mismatch shows."""
WORDED = frozenset({"STEP_ERROR", "FLOW_FAILED", _APPROVAL_TYPE})
"""Events that hold codes and are shown with sentences: errors (`{code, params, detail}`: with `message` and `hint`) and
questions before a call (`risk` = `{level, reasons: [{code, params}]}`: texts as `reasons`, the codes as `codes`)."""

COLUMNS = (
    "run_id, position, seq, ts, type, node, path, step, attempt, record, key, fingerprint, effect_kind, interaction, "
    "fence, refs, data, value"
)
HISTORY = (
    "position, ts, type, node, path, step, attempt, record, key, fingerprint, effect_kind, interaction, refs, "
    "data, value"
)
"""What an entry is made of."""


@dataclass(slots=True)
class Line:
    """One line ready for the database: its row in the order of `COLUMNS`, and the blobs that go with it."""

    row: tuple[Any, ...]
    seq: int
    blobs: list[BlobRow] = field(default_factory=list)

    def event(self) -> str:
        """The JSON text of the line's event; only made for runs that somebody watches."""
        run, _, seq, ts, type_, node, path, step, *_ = self.row
        return event_text(run, seq, ts, type_, node, path, step, self.row[16])


def worded(data: dict[str, Any], language: str) -> dict[str, Any]:
    """An error's data with its sentence: `{code, params, message, hint, detail, …}`."""
    message, hint = text_for(str(data.get("code", "INTERNAL")), data.get("params") or {}, language)
    return {**data, "message": message, "hint": hint}


def risk_in_words(risk: dict[str, Any], language: str) -> RiskTextJson:
    """`{level, reasons: [text]}` of a stored risk."""
    reasons = [text_for(reason["code"], reason.get("params") or {}, language)[0] for reason in risk["reasons"]]
    return {"level": risk["level"], "reasons": reasons}


def _in_words(type_: str, data: dict[str, Any], language: str) -> dict[str, Any]:
    if type_ != _APPROVAL_TYPE:
        return worded(data, language)
    risk = data.get("risk")
    return {**data, "risk": {**risk_in_words(risk, language), "codes": risk["reasons"]}} if risk else data


def event_text(
    run: str, seq: int, ts: float, type_: str, node: str, path: str, step: str, data: str, language: str = "en"
) -> str:
    """The JSON text of one event (contract, "Events") from the texts of its row."""
    if type_ in WORDED and data:
        data = encode(_in_words(type_, decode(data), language))
    return (
        f'{{"run":"{run}","seq":{seq},"ts":"{iso(ts)}","type":"{type_}","node":{_name_text(node)},'
        f'"path":{_path_text(path)},"step":{_name_text(step)},"data":{data or "{}"}}}'
    )


@lru_cache(4096)
def _name_text(name: str) -> str:
    """A node or step as an event names it: neighbours in a log name the same ones."""
    return encode(name) if name else "null"


@lru_cache(4096)
def _path_text(path: str) -> str:
    return encode([{"node": node, "index": index} for node, index in decode(path)]) if path else "[]"


def line_of(
    run: str, team: str, fence: int, position: int, entry: Entry, ts: float, seq: int, pieces: Pieces | None = None
) -> Line:
    """The row of one entry. `pieces` = what was cut for lines before it. Raises TypeError or RecursionError for a
    value that is no JSON."""
    data = encode_object(team, entry.data, "data", pieces) if entry.data else None
    value = encode_value(team, entry.value, "value", pieces) if entry.value is not None else None
    refs = (data.refs if data else []) + (value.refs if value else [])
    path = encode([list(frame) for frame in entry.path]) if entry.path else ""
    node, step, text = plain(entry.node or "", 63), entry.step, data.text if data else ""
    row = (
        run,
        position,
        seq or None,
        ts,
        entry.type or "",
        node,
        path,
        step,
        entry.attempt,
        entry.record or "",
        plain(entry.key, 200),
        entry.fingerprint,
        entry.effect_kind,
        entry.interaction,
        fence,
        encode(refs) if refs else "",
        text,
        value.text if value else "",
    )
    return Line(row, seq, (data.blobs if data else []) + (value.blobs if value else []))


def resolved(data: Any, value: Any, refs: list[str], blobs: dict[str, Any]) -> tuple[Any, Any]:
    """A line's `data` and `value` with the values of blobs at the places that `refs` names."""
    for place in refs:
        where, _, member = place.partition(".")
        if where == "value":
            value = blobs[value["$ref"]]
        elif member:
            data[member] = blobs[data[member]["$ref"]]
    return data, value


def ref_ids(data: Any, value: Any, refs: list[str]) -> Iterable[str]:
    """The blobs in a line's `data` and `value`, at the places that `refs` names."""
    for place in refs:
        where, _, member = place.partition(".")
        yield (value if where == "value" else data[member])["$ref"]


def read_blobs(ids: Sequence[str]) -> dict[str, Any]:
    """The JSON values of blobs by id, whole also where they lie in pieces. Raises LookupError."""
    return parts.values_of(ids)


def read_history(run: str, node: str | None = None) -> list[Entry]:
    """Every journal record of a run (or of one of its nodes) in order, blobs put back in: what the engine replays
    from."""
    only = "" if node is None else "AND node = %s "
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {HISTORY} FROM runs_logline WHERE run_id = %s AND record <> '' {only}ORDER BY position",  # noqa: S608 - our own names only
            [run] if node is None else [run, node],
        )
        rows = cursor.fetchall()
    parsed = [(row, decode(row[13]) or {}, decode(row[14]), decode(row[12]) or []) for row in rows]
    blob_ids = {key for _, data, value, refs in parsed if refs for key in ref_ids(data, value, refs)}
    blobs = read_blobs(sorted(blob_ids)) if blob_ids else {}
    return [entry_of(row, *resolved(data, value, refs, blobs)) for row, data, value, refs in parsed]


def entry_of(row: tuple[Any, ...], data: dict[str, Any], value: Any) -> Entry:
    """The entry of a row of `HISTORY` columns."""
    _, ts, type_, node, path, step, attempt, record, key, fingerprint, effect_kind, interaction, *_ = row
    frames: Path = tuple((name, index) for name, index in decode(path) or [])
    return Entry(
        node=node or None,
        path=frames,
        attempt=attempt,
        type=type_ or None,
        data=data,
        record=cast(RecordKind, record),
        key=key,
        fingerprint=fingerprint,
        effect_kind=effect_kind,
        value=value,
        interaction=interaction,
        ts=ts,
        step=step,
    )


LISTED = "needed"
"""Key of those "rounds" records that say which records before them are needed."""


def last_position(run: str, copied: int = 0) -> tuple[int, FlowStartData | None]:
    """(position of the last line, data of FLOW_START where the run has been started before) from the run's log.

    `copied` = the last event that was taken over from another run.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT MAX(position) FROM runs_logline WHERE run_id = %s", [run])
        position = cursor.fetchone()[0] or 0
        cursor.execute(
            "SELECT data FROM runs_logline WHERE run_id = %s AND seq BETWEEN %s AND %s AND type = 'FLOW_START' "
            "AND node = ''",
            [run, copied, copied + 3],
        )
        started = cursor.fetchone()
        data: Any = None if started is None else decode(started[0]) or {}
        return position, data


def called_at(run: str, interaction: str, kind: str) -> float | None:
    """When the call began that a `recovery` or `mismatch` is about, in epoch seconds; None where that is gone."""
    question = _question(run, interaction)
    if question is None:
        return None
    node, path, attempt, key, _ = question
    started = _started(run, node, path, attempt, key.replace(f"{kind}:", "", 1))
    return None if started is None else float(started[0])


def recovery_call_times(questions: Iterable[tuple[str, str]]) -> dict[str, float]:
    """When the calls began that `recovery` questions are about, in epoch seconds, by question; `(run, question)` each.

    Those whose call is gone are missing. One statement for every `MOST_AT_ONCE` questions.
    """
    times: dict[str, float] = {}
    remaining = list(questions)
    while remaining:
        some, remaining = remaining[:MOST_AT_ONCE], remaining[MOST_AT_ONCE:]
        runs, ids = list({run for run, _ in some}), [question for _, question in some]
        of_runs, of_ids = (", ".join(["%s"] * len(values)) for values in (runs, ids))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT asked.interaction, MIN(begun.ts) FROM runs_logline asked JOIN runs_logline begun "  # noqa: S608 - placeholders only
                "ON begun.run_id = asked.run_id AND begun.record = 'start' AND begun.node = asked.node "
                "AND begun.path = asked.path AND begun.attempt = asked.attempt "
                "AND asked.key = 'recovery:' || begun.key "
                f"WHERE asked.run_id IN ({of_runs}) AND asked.record = 'ask' AND asked.interaction IN ({of_ids}) "
                "GROUP BY asked.interaction",
                [*runs, *ids],
            )
            times.update((str(question), float(ts)) for question, ts in cursor.fetchall())
    return times


def mismatch(run: str, interaction: str) -> MismatchJson | None:
    """What a `mismatch` is about: `{recorded: [record], more, asked: {key, target} | None}`; None where that is gone.

    A record is `{node, path, attempt, key, tool, arguments, at, ended, error, version}`: what the journal holds, and
    the version of Patchbay that wrote it (None: one that did not say). `more` = how many are not shown.
    """
    question = _question(run, interaction)
    if question is None:
        return None
    node, path, attempt, key, value = question
    about = (decode(value) or {}).get("replay") if value else None
    if about is None:  # the same name, called otherwise
        key = key.replace("mismatch:", "", 1)
        about = {"recorded": [{"node": node, "path": decode(path) or [], "attempt": attempt, "key": key}]}
    shown = about["recorded"][:MOST_SHOWN]
    more = len(about["recorded"]) - len(shown)
    return {"recorded": [_record(run, item) for item in shown], "more": more, "asked": about.get("asked")}


def question_key(run: str, interaction: str) -> str:
    """Under which key a step put a question; "" where that is gone."""
    question = _question(run, interaction)
    return "" if question is None else str(question[3])


def _question(run: str, interaction: str) -> Any:
    """(node, path, attempt, key, value) of the record of a question."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT node, path, attempt, key, value FROM runs_logline WHERE run_id = %s AND record = 'ask' "
            "AND interaction = %s",
            [run, interaction],
        )
        return cursor.fetchone()


def _started(run: str, node: str, path: str, attempt: int, key: str, record: str = "start") -> Any:
    """(ts, type, data, refs, value, position) of the record of an effect."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT ts, type, data, refs, value, position FROM runs_logline WHERE run_id = %s AND record = %s "
            "AND node = %s AND path = %s AND attempt = %s AND key = %s ORDER BY position",
            [run, record, node, path, attempt, key],
        )
        return cursor.fetchone()


def _record(run: str, line: dict[str, Any]) -> RecordJson:
    path = encode(line["path"]) if line["path"] else ""
    place = (run, line["node"], path, line["attempt"], line["key"])
    begun, ended = _started(*place), _started(*place, record="end")
    first = begun or ended
    data = decode(begun[2]) or {} if begun and begun[1] == "TOOL_REQUEST" else {}
    arguments = None if not begun or "data.arguments" in (decode(begun[3]) or []) else data.get("arguments")
    error = None
    if ended and not ended[3]:
        error = ((decode(ended[4]) or {}).get("error") or {}).get("code")
    frames: list[FrameJson] = [{"node": name, "index": index} for name, index in line["path"]]
    return {
        "node": line["node"],
        "path": frames,
        "attempt": line["attempt"],
        "key": line["key"],
        "tool": {"server": data.get("server"), "name": data.get("tool")} if data else None,
        "arguments": arguments,
        "at": iso(first[0]) if first else None,
        "ended": ended is not None,
        "error": error,
        "version": _version_at(run, first[5]) if first else None,
    }


def _version_at(run: str, position: int) -> str | None:
    """The version of Patchbay that had the run when this line was written."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT data FROM runs_logline WHERE run_id = %s AND node = '' AND type IN ('FLOW_START', 'FLOW_RESUME') "
            "AND position < %s ORDER BY position DESC LIMIT 1",
            [run, position],
        )
        begun = cursor.fetchone()
    version = (decode(begun[0]) or {}).get("patchbay") if begun and begun[0] else None
    return None if version is None else str(version)
