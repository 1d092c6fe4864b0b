"""SQL that stands in files: several named statements in one, each under a line `-- name: …`."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*\n", re.MULTILINE)


def read_statements(path: Path) -> dict[str, str]:
    """{name: statement} of a file, without comments. What stands before the first name is about the whole file."""
    _, *parts = _NAME.split(path.read_text(encoding="utf-8"))
    return {name: _COMMENT.sub("", text).strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}
