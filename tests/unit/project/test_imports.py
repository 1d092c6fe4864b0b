"""What tests share stands in modules of its own: no file of tests is a library of another."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]


def test_no_test_imports_another_test_module() -> None:
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            if any(part.startswith("test_") for name in names for part in name.split(".")[-1:]):
                found.append(f"{path.relative_to(TESTS)}:{node.lineno}")
    assert found == []
