"""No test makes a worker of the mode that is not tested: an embedded one takes the hints from whoever comes after."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
ASKED = "settings.PATCHBAY.mode == 'embedded'"


def test_a_worker_is_embedded_where_the_tested_mode_is() -> None:
    matches = []
    for path in sorted([*TESTS.glob("api/**/*.py"), *TESTS.glob("unit/**/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Worker":
                values = [ast.unparse(item.value) for item in node.keywords if item.arg == "embedded"]
                if values not in ([ASKED], ["False"]):
                    matches.append(f"{path.relative_to(TESTS)}:{node.lineno}: {values}")
    assert matches == []
