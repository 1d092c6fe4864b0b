"""Questions of one outage as one: calls of unknown outcome that were found one after the other, answered together.

A process that dies, a database or a server that is away leaves a question for each call that was under way. Open
questions about calls of unknown outcome that follow each other within `GAP_S` belong to one outage; inside it they are
grouped by what was called: workflow, server, tool and sentence. Each says its step, its arguments and its time.
Nothing of it is stored: a group is what is open now, and an answer names each question that it is meant for, so that
none is answered which nobody saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models.functions import Length, Substr

from backend.accounts.actor import Actor
from backend.errors import PatchbayError
from backend.runs import selectors
from backend.runs.graphs import node_titles
from backend.runs.interactions import questions, wording
from backend.runs.interactions.responses import AnsweredJson, OutageJson, OutagePartJson
from backend.runs.log.encoding import decode, encode, iso
from backend.runs.log.rows import recovery_call_times
from backend.runs.models import Interaction
from backend.workflows.example_words import workflow_text

GAP_S = 300
"""Questions with less time between them belong to one outage."""
FEWEST = 2
MOST = 2000
"""So many open questions are looked at, the newest first."""

MOST_READ = 2000
"""Characters of a call's arguments that are looked at for the line that tells it from the others."""
LONGEST_SHOWN = 160
_EACH = 60

_COLUMNS = (
    "pk",
    "created_at",
    "tool",
    "title",
    "message",
    "node",
    "run_id",
    "run__workflow_id",
    "run__workflow__name",
    "run__workflow__example",
    "run__graph_id",
    "given",
    "given_length",
)


def groups(actor: Actor, language: str) -> list[OutageJson]:
    """The outages whose questions wait for this actor's team, the last one first."""
    return [_shape(rows, _call_times(rows), language) for rows in _outages(actor)]


def grouped(actor: Actor) -> list[str]:
    """The ids of all questions that stand in a group."""
    return [row["pk"] for group in _outages(actor) for row in group]


def answer_many(actor: Actor, keys: list[str], answer: dict[str, Any], language: str) -> list[AnsweredJson]:
    """Give each question the same answer, each for itself; what became of each, in the order of `keys`.

    Raises Forbidden where the actor may answer none.
    """
    actor.require("editor")
    return [_answered(actor, key, answer, language) for key in dict.fromkeys(keys)]


def _answered(actor: Actor, key: str, answer: dict[str, Any], language: str) -> AnsweredJson:
    try:
        questions.answer(actor, selectors.interaction_for(actor, key), answer)
    except PatchbayError as error:
        return {"id": key, "answered": False, "error": error.as_json(language)}
    return {"id": key, "answered": True, "error": None}


def _outages(actor: Actor) -> Iterator[list[dict[str, Any]]]:
    rows = Interaction.objects.filter(team=actor.team, state=Interaction.State.OPEN, cause="outcome")
    rows = rows.annotate(given=Substr("proposal", 1, MOST_READ), given_length=Length("proposal"))
    group: list[dict[str, Any]] = []
    for row in rows.order_by("-created_at", "-pk").values(*_COLUMNS)[:MOST]:
        if group and _apart(group[-1]["created_at"], row["created_at"]):
            if len(group) >= FEWEST:
                yield group
            group = []
        group.append(row)
    if len(group) >= FEWEST:
        yield group


def _shortened(arguments: str, length: int) -> str:
    """The arguments of a call in a line: `name: value, name: value`, each value and the whole cut short."""
    if length > len(arguments):
        return _short(arguments, LONGEST_SHOWN)
    values = decode(arguments)
    if not isinstance(values, dict):
        return "" if values is None else _short(_plain(values), LONGEST_SHOWN)
    return _short(", ".join(f"{name}: {_short(_plain(value), _EACH)}" for name, value in values.items()), LONGEST_SHOWN)


def _plain(value: Any) -> str:
    return " ".join((value if isinstance(value, str) else encode(value)).split())


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _apart(later: datetime, earlier: datetime) -> bool:
    return (later - earlier).total_seconds() > GAP_S


def _call_times(rows: list[dict[str, Any]]) -> dict[str, float]:
    return recovery_call_times((row["run_id"], row["pk"]) for row in rows)


def _shape(rows: list[dict[str, Any]], call_times: dict[str, float], language: str) -> OutageJson:
    first, last = rows[-1], rows[0]
    ordered = sorted(rows, key=_cause)  # stable: inside a group the newest stays first
    parts = [_part(list(some), call_times, language) for _, some in groupby(ordered, key=_cause)]
    return {
        "id": f"outage_{first['pk']}",
        "count": len(rows),
        "first_at": iso(first["created_at"].timestamp()),
        "last_at": iso(last["created_at"].timestamp()),
        "parts": sorted(parts, key=lambda part: -part["count"]),
    }


def _cause(row: dict[str, Any]) -> tuple[str, ...]:
    tool = decode(row["tool"]) or {}
    called = (str(tool.get("server") or ""), str(tool.get("name") or row["title"]))
    return (row["run__workflow__name"], row["run__workflow_id"], *called, row["message"])


def _part(rows: list[dict[str, Any]], call_times: dict[str, float], language: str) -> OutagePartJson:
    tool = decode(rows[0]["tool"]) or {}
    title, message = rows[0]["title"], rows[0]["message"]
    return {
        "workflow": rows[0]["run__workflow_id"],
        "workflow_name": workflow_text(rows[0]["run__workflow__name"], rows[0]["run__workflow__example"], language),
        "server": tool.get("server"),
        "tool": tool.get("name"),
        "title": title,
        "message": wording.in_language(language, "recovery", "outcome", title, message),
        "count": len(rows),
        "questions": [
            {
                "id": row["pk"],
                "run": row["run_id"],
                "node": row["node"] or None,
                "node_title": node_titles(row["run__graph_id"]).get(row["node"]) or row["node"],
                "arguments": _shortened(row["given"], row["given_length"]),
                "created_at": iso(row["created_at"].timestamp()),
                "called_at": iso(call_times[row["pk"]]) if row["pk"] in call_times else None,
            }
            for row in rows
        ],
    }
