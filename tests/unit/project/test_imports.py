"""What tests share stands in modules of its own: no file of tests is a library of another. What one takes is there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]


@cache
def _nodes(path: Path) -> list[ast.AST]:
    """Everything in a module that imports or gives a name a value, functions included."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Name)
    return [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, kinds)]


def _imports() -> Iterator[tuple[str, ast.Import | ast.ImportFrom]]:
    for path in sorted(TESTS.rglob("*.py")):
        for node in _nodes(path):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield f"{path.relative_to(TESTS)}:{node.lineno}", node


def test_no_test_imports_another_test_module() -> None:
    matches = []
    for place, node in _imports():
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names]
        if any(part.startswith("test_") for name in names for part in name.split(".")[-1:]):
            matches.append(place)
    assert matches == []


def test_what_is_imported_from_tests_is_there() -> None:
    """Also inside functions: benches are not run with the tests, and no type checker reads them."""
    missing = []
    for place, node in _imports():
        if not isinstance(node, ast.ImportFrom) or (node.module or "").partition(".")[0] != "tests":
            continue
        folder = TESTS.parent.joinpath(*str(node.module).split("."))
        module = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        known = _named(module) | {path.stem for path in folder.glob("*")}
        missing += [f"{place} {node.module}.{alias.name}" for alias in node.names if alias.name not in known]
    assert missing == []


@cache
def _named(module: Path) -> frozenset[str]:
    """Every name that a module gives a value, wherever in it; none where there is no such module."""
    names: set[str] = set()
    for node in _nodes(module) if module.exists() else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return frozenset(names)
