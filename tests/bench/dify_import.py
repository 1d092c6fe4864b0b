"""Importing apps of Dify: how long a folder of them takes, how many are refused, how much of them has a counterpart.

The folder is that of `PATCHBAY_DIFY_APPS` (any `.yml`, `.yaml` or `.json` below it); without it the samples of the
tests, whose figures only say that the measure works.
"""

from __future__ import annotations

import collections
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from backend.engine.document.validate import validate
from backend.errors import ValidationFailed
from backend.nodes import node_types
from backend.web.bodies import parse_json
from backend.workflows.dify.conversion import converted
from backend.workflows.foreign import foreign_value
from backend.workflows.report import Imported
from backend.workflows.yaml_text import from_yaml
from tests.bench.report import Row

FOLDER = "PATCHBAY_DIFY_APPS"
SAMPLES = Path(__file__).parents[1] / "dify_apps"
SECONDS_PER_178 = 60.0
MAPPED = 85.0


@dataclass
class Count:
    """What came of a folder."""

    seconds: float = 0.0
    apps: int = 0
    nodes: int = 0
    mapped: int = 0
    answered: int = 0
    refused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    left: collections.Counter[str] = field(default_factory=collections.Counter)


def paths() -> list[Path]:
    """The files that are measured."""
    folder = Path(os.environ.get(FOLDER) or SAMPLES)
    return sorted(path for path in folder.rglob("*") if path.suffix in (".yml", ".yaml", ".json"))


def counted(files: list[Path]) -> Count:
    """Import every file as the API does, from its text to the checked document."""
    count = Count()
    for path in files:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        began = time.perf_counter()
        try:
            value = parse_json(text, "text") if path.suffix == ".json" else from_yaml(text)
            if foreign_value(value) != "foreign_dify":
                continue
            imported = converted(value, node_types())
            problems = validate(imported.graph, node_types())
        except ValidationFailed as error:
            count.refused.append(f"{path.name}: {error.text('en')[0]}")
            continue
        finally:
            count.seconds += time.perf_counter() - began
        count.apps += 1
        _note(count, imported)
        if not any(line.becomes == "placeholder" for line in imported.report.lines):
            count.wrong += [
                f"{path.name}: {problem.code} {problem.path}"
                for problem in problems
                if problem.severity == "error" and not problem.path.endswith(("/config/provider", "/config/model"))
            ]
    return count


def _note(count: Count, imported: Imported) -> None:
    counts = imported.report.counts()
    count.nodes += len(imported.report.lines)
    count.mapped += counts["mapped"] + counts["changed"]
    count.answered += counts["choose"]
    count.left.update(f"{line.type}: {line.reason().en}" for line in imported.report.lines if line.state == "left")


def measure() -> list[Row]:
    """The figures of issue 13; what stands behind them goes to the error output."""
    files = paths()
    count = counted(files)
    for text in (*count.refused, *count.wrong, *(f"left {n}× {why}" for why, n in count.left.most_common(20))):
        print(text, file=sys.stderr)
    nodes = max(count.nodes, 1)
    per_178 = count.seconds / max(count.apps, 1) * 178
    return [
        Row("178 Dify apps imported", per_178, "s", SECONDS_PER_178),
        Row(f"of {count.apps} Dify apps refused", len(count.refused), "", 0),
        Row("nodes with a counterpart", count.mapped / nodes * 100, "%", MAPPED, lower=False),
        Row("with tools that are chosen", (count.mapped + count.answered) / nodes * 100, "%"),
        Row("errors in apps of which all is mapped", len(count.wrong), "", 0),
    ]
