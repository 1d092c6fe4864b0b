"""Tools that write, and what of them was called."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tests.api.runs.conftest import node


def call(key: str, tool: str, name: str, **more: Any) -> dict[str, Any]:
    return node(key, "tool", {"server": "ledger", "tool": tool, "arguments": {"name": name}}, **more)


def calls(book: Path) -> Counter[str]:
    return Counter(book.read_text().splitlines())
