"""SQL that stands in files: several named statements in one, each under a line `-- name: …`.

What several of them hold stands once under a line `-- part: …`, and as `{its name}` in each."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(r"^-- (name|part): (\w+)$", re.MULTILINE)
_PART = re.compile(r"\{(\w+)\}")
_COMMENT = re.compile(r"^\s*--.*\n", re.MULTILINE)


def read_statements(path: Path) -> dict[str, str]:
    """{name: statement} of a file, without comments. What stands before the first name is about the whole file."""
    _, *sections = _NAME.split(path.read_text(encoding="utf-8"))
    texts: dict[str, dict[str, str]] = {"name": {}, "part": {}}
    for kind, name, text in zip(sections[::3], sections[1::3], sections[2::3], strict=True):
        texts[kind][name] = _COMMENT.sub("", text).strip()
    return {name: _PART.sub(lambda part: texts["part"][part[1]], text) for name, text in texts["name"].items()}
