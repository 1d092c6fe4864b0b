"""Tools that write, and what of them was called."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.tools.loop import LOOP
from tests.api.runs.conftest import node
from tests.cast import Person

PROGRAM = str(Path(__file__).parents[2] / "live" / "runs" / "ledger_server.py")


@pytest.fixture
def ledger(adam: Person, tmp_path: Path) -> Iterator[Path]:
    """A server that writes every call down, and the file where."""
    book = tmp_path / "ledger.txt"
    body = {"name": "Ledger", "transport": "stdio", "command": sys.executable, "args": [PROGRAM, str(book)]}
    reply = adam.api.post("/api/mcp/servers", {**body, "trust_annotations": True})
    assert reply.status == 201, reply.text
    yield book
    LOOP.stop()


def call(key: str, tool: str, name: str, **more: Any) -> dict[str, Any]:
    return node(key, "tool", {"server": "ledger", "tool": tool, "arguments": {"name": name}}, **more)


def calls(book: Path) -> Counter[str]:
    return Counter(book.read_text().splitlines())
