"""What was measured is kept in `docs/performance.md`: each part with commit, day and machine; what got slower is named.

Values of different machines say nothing beside each other. Ratios to a limit that was measured in the same run do, so
these are compared, and the document is the memory: what it says is read again before it is written.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

from tests.bench.report import Row

DOCUMENT = Path(__file__).parents[2] / "docs" / "performance.md"
WORSE = 1.1
"""A ratio that is worse by more than this factor than the last one kept is named."""
_HEAD = """# Performance

Written by `make bench`, part by part. A ratio compares a figure with a limit that the same run measured: the bare
library, the bare database, an answer that does nothing. Ratios of different machines can be compared, values cannot.
"""
_COLUMNS = ("what", "value", "unit", "target", "met", "ratio", "limit", "of")
_NONE = "–"


@dataclass(frozen=True)
class Figure:
    """One row as it is kept: every column as text, `ratio` as a number where there is one."""

    what: str
    value: str
    unit: str
    target: str
    met: str
    ratio: float | None
    limit: str
    of: str

    @property
    def lower(self) -> bool:
        """Whether less is better."""
        return not self.target.startswith("≥")


@dataclass(frozen=True)
class Part:
    """What one part of the benchmarks said, and of which commit, when, where."""

    about: str
    figures: tuple[Figure, ...]


def figure(row: Row) -> Figure:
    """A measured row, as it is kept."""
    target = _NONE if row.target is None else f"{'≤' if row.lower else '≥'} {row.target:g}"
    if row.target is None and not row.lower:
        target = "≥"  # more is better, though none is asked for
    limit = f"{row.limit:.3g} {row.unit}".strip() if row.limit else _NONE
    return Figure(
        what=_cell(row.what),
        value=f"{row.value:.3f}",
        unit=_cell(row.unit),
        target=target,
        met={True: "yes", False: "no", None: _NONE}[row.met],
        ratio=round(row.value / row.limit, 2) if row.limit else None,
        limit=limit,
        of=_cell(row.limit_is),
    )


def kept(text: str) -> dict[str, Part]:
    """What a document says, by part; {} for one that is empty."""
    parts: dict[str, Part] = {}
    for section in text.split("\n## ")[1:]:
        name, _, rest = section.partition("\n")
        lines = [line for line in rest.splitlines() if line]
        about = next((line for line in lines if not line.startswith("|")), "")
        rows = [line for line in lines if line.startswith("|")][2:]
        parts[name.strip()] = Part(about, tuple(_read(line) for line in rows))
    return parts


def written(parts: Mapping[str, Part]) -> str:
    """The document of these parts."""
    blocks = [_HEAD]
    for name, part in parts.items():
        rule = " | ".join("---" for _ in _COLUMNS)
        rows = [f"| {' | '.join(_COLUMNS)} |", f"| {rule} |", *(_line(row) for row in part.figures)]
        blocks.append(f"## {name}\n\n{part.about}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(blocks)


def slower(before: Part | None, after: Part) -> list[str]:
    """The figures whose ratio is worse by more than a tenth than the one that was kept, each with both."""
    old = {row.what: row.ratio for row in before.figures} if before is not None else {}
    matches = []
    for row in after.figures:
        was = old.get(row.what)
        if not was or not row.ratio:
            continue
        if (row.ratio / was if row.lower else was / row.ratio) > WORSE:
            matches.append(f"{row.what}: {was:g}x, now {row.ratio:g}x")
    return matches


def about_now(document: Path = DOCUMENT) -> str:
    """The commit that is measured, the day, the machine. What the document keeps is no change of what is measured."""
    folder = document.parent
    commit = _git(folder, "rev-parse", "--short=8", "HEAD") or "no commit"
    changed = _git(folder, "status", "--porcelain", "--", ":/", f":(exclude){document.name}")
    memory = round(psutil.virtual_memory().total / 2**30)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine = f"{cores} cores, {memory} GB, {platform.machine()}, Python {platform.python_version()}"
    return f"{commit}{' with changes' if changed else ''}, {datetime.now(UTC).date()}, {machine}."


def keep(name: str, rows: Iterable[Row], document: Path = DOCUMENT) -> list[str]:
    """Keep what a part measured in place of what is kept of it; gives what got slower since."""
    parts = kept(document.read_text("utf-8")) if document.exists() else {}
    part = Part(about_now(document), tuple(figure(row) for row in rows))
    worse = slower(parts.get(name), part)
    parts[name] = part
    document.write_text(written(parts), "utf-8")
    return worse


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split()) or _NONE


def _line(row: Figure) -> str:
    ratio = _NONE if row.ratio is None else f"{row.ratio:.2f}x"
    cells = (row.what, row.value, row.unit, row.target, row.met, ratio, row.limit, row.of)
    return f"| {' | '.join(cells)} |"


def _read(line: str) -> Figure:
    what, value, unit, target, met, ratio, limit, of = (cell.strip() for cell in line.strip("| ").split(" | "))
    number = None if ratio == _NONE else float(ratio.removesuffix("x"))
    return Figure(what, value, unit, target, met, number, limit, of)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
