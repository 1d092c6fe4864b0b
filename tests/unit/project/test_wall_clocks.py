"""No test asserts how long something took: the machine may be busy. What must be fast is a row of `make bench`."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
CLOCKS = {"time.time", "time.monotonic", "time.perf_counter", "timezone.now", "datetime.now"}


def _reads_a_clock(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in CLOCKS


def _elapsed(node: ast.AST) -> bool:
    """Whether an expression is a time from now to some moment: `time.monotonic() - began`, `time.time() + 1`."""
    return isinstance(node, ast.BinOp) and any(map(_reads_a_clock, ast.walk(node)))


def test_no_test_asserts_a_wall_clock() -> None:
    matches = []
    for path in sorted(TESTS.rglob("*.py")):
        if "node_modules" in path.parts or "bench" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assert) and any(map(_elapsed, ast.walk(node.test))):
                matches.append(f"{path.relative_to(TESTS)}:{node.lineno}")
    assert matches == []
