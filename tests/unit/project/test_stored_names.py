"""What is stored keeps its name: journals, logs, queues and trails of earlier versions are read by these names.

`stored_names.json` is the list, and holds every one. A name that is gone from the code was renamed or dropped, and what
older versions stored under it is not found any more.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from backend.engine.execution.ports import RecordKind
from backend.runs.models import Interaction, RunState
from backend.tools.types import EffectKind, InteractionKind

BACKEND = Path(__file__).resolve().parents[3] / "backend"
LIST = Path(__file__).with_name("stored_names.json")
PINNED: dict[str, list[str]] = json.loads(LIST.read_text())

EVENT = re.compile(r"(STEP|FLOW|TOOL|TEXT)_[A-Z_]+|LLM_(REQUEST|RESPONSE)")
KEY = re.compile(r"[a-z_:/@{}-]*[a-z{][a-z_:/@{}-]*")
KEYED = {"effect", "child", "call", "ask", "sleep", "sleep_until", "sub", "emit", "log", "inner", "_value", "_note"}
KEYED |= {"now", "random", "new_id", "worked"}
ROOMS = ("agents", "engine", "nodes", "tools")


def text_of(node: ast.expr | None) -> str | None:
    """A literal, or an f-string with `{}` for what is put in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)  # type: ignore[misc]
    return None


@cache
def nodes_of(room: str) -> list[ast.AST]:
    paths = sorted(set((BACKEND / room).rglob("*.py")) - {BACKEND / "engine" / "testing.py"})
    return [node for path in paths for node in ast.walk(ast.parse(path.read_text()))]


def nodes(*rooms: str) -> Iterator[ast.AST]:
    for room in rooms or ("",):
        yield from nodes_of(room)


def effect_keys() -> Iterator[str]:
    """Names of effects, questions, timers and values within a step, as far as they are written out."""
    for node in nodes(*ROOMS):
        matches: list[ast.expr | None] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in KEYED:
            matches = [*node.args[:1], *(word.value for word in node.keywords if word.arg == "key")]
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("key", "question_key"):
            matches = [node.value]
        elif isinstance(node, ast.FunctionDef) and node.name in KEYED:
            matches = list(node.args.defaults)
        for item in matches:
            either = [item.body, item.orelse] if isinstance(item, ast.IfExp) else [item]
            yield from (text for each in either if (text := text_of(each)) and KEY.fullmatch(text))


def targets() -> Iterator[str]:
    """What stands in fingerprints beside kind and arguments."""
    for node in nodes(*ROOMS):
        if isinstance(node, ast.Call):
            yield from (text for word in node.keywords if word.arg == "target" and (text := text_of(word.value)))


def literals() -> set[str]:
    return {node.value for node in nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def audit_actions() -> Iterator[str]:
    """The second argument of `audit` and its like, the third of those that are given a person instead of an actor."""
    for node in nodes():
        name = getattr(getattr(node, "func", None), "id", "") or getattr(getattr(node, "func", None), "attr", "")
        if isinstance(node, ast.Call) and "audit" in name:
            texts = [text_of(arg) for arg in node.args[1:3]]
            yield from (text for text in texts if text and re.fullmatch(r"[a-z_{}]+\.[a-z_{}]+", text))


def task_names() -> Iterator[str]:
    for node in nodes():
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "shared_task":
            yield from (text for word in node.keywords if word.arg == "name" and (text := text_of(word.value)))


@cache
def names_in_code() -> dict[str, list[str]]:
    """Every stored name in the code, by kind; read when a test asks, not while tests are collected."""
    from backend.nodes import node_types

    catalogue: dict[str, Any] = json.loads((BACKEND / "errors" / "catalogue.json").read_text())
    names: dict[str, Any] = {
        "effect keys": effect_keys(),
        "fingerprint targets": targets(),
        "event types": filter(EVENT.fullmatch, literals()),
        "record kinds": get_args(RecordKind),
        "effect kinds": get_args(EffectKind),
        "question kinds": get_args(InteractionKind),
        "question states": Interaction.State.values,
        "run states": RunState.values,
        "codes": catalogue,
        "audit actions": audit_actions(),
        "task names": task_names(),
        "node types": node_types(),
    }
    return {kind: sorted(set(some)) for kind, some in names.items()}


@pytest.mark.parametrize("kind", sorted(PINNED))
def test_what_is_stored_keeps_its_name(kind: str) -> None:
    gone = set(PINNED[kind]) - set(names_in_code()[kind])
    assert not gone, (
        f"{kind}: {sorted(gone)} stand in data that older versions stored and are gone from the code. Give the name "
        f"back; or write a migration that renames what is stored (a journal's keys: let older attempts keep theirs by "
        f"`ctx.behaviour`), name the migration in the commit, and only then change {LIST.name}."
    )


@pytest.mark.parametrize("kind", sorted(PINNED))
def test_new_names_are_noted(kind: str) -> None:
    """Each is a decision: it is kept from its first release on."""
    new = set(names_in_code()[kind]) - set(PINNED[kind])
    assert not new, f"{kind}: {sorted(new)} will be stored from now on: add them to {LIST.name}."


def test_every_kind_is_pinned() -> None:
    assert set(PINNED) == set(names_in_code())
    assert all(PINNED.values())
