"""Which modules Python code imports, and which of them the sandbox has. Pure: nothing is run."""

from __future__ import annotations

import ast
import re
from typing import Final

SANDBOX: Final = frozenset(
    (
        *("__future__", "asyncio", "base64", "binascii", "bisect", "collections", "copy", "csv", "dataclasses"),
        *("datetime", "decimal", "functools", "hashlib", "itertools", "json", "math", "os", "pathlib", "posixpath"),
        *("random", "re", "sys", "time", "tomllib", "typing", "unicodedata"),
    )
)
"""What code may import in the sandbox, most of it in part."""
_IMPORT = re.compile(r"^\s*(?:from\s+([A-Za-z_]\w*)[\w.]*\s+import\b|import\s+([^#\n;]+))", re.MULTILINE)


def modules_of(source: str) -> list[str]:
    """The modules that code imports, by their first name; of code that cannot be read what its lines say."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _by_lines(source)
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return sorted({name.partition(".")[0] for name in names})


def _by_lines(source: str) -> list[str]:
    names: set[str] = set()
    for match in _IMPORT.finditer(source):
        names.update(part.strip().partition(" ")[0].partition(".")[0] for part in (match[1] or match[2]).split(","))
    return sorted(name for name in names if name.isidentifier())


def missing_modules(modules: list[str]) -> list[str]:
    """Those of them that the sandbox has not."""
    return [module for module in modules if module not in SANDBOX]
