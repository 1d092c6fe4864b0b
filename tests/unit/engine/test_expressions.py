"""The corpus of expressions with their results, as the server evaluates them; the browser reads the same file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

import pytest

from backend.engine.language.expressions import ExpressionInvalid, parse
from backend.errors import TemplateError
from backend.json_types import JsonObject

CORPUS = Path(__file__).parents[2] / "expressions.json"


class Case(TypedDict, total=False):
    expression: str
    value: object
    error: str


def _corpus() -> tuple[JsonObject, list[Case]]:
    read = json.loads(CORPUS.read_text(encoding="utf-8"))
    return read["scope"], read["cases"]


SCOPE, CASES = _corpus()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["expression"])
def test_an_expression_gives_what_the_corpus_says(case: Case) -> None:
    if "error" not in case:
        # as JSON, so that 3.0 is not 3 and the order of keys counts
        assert json.dumps(parse(case["expression"]).render(SCOPE)) == json.dumps(case["value"])
        return
    with pytest.raises(TemplateError) as raised:
        parse(case["expression"]).render(SCOPE)
    reason = raised.value.reason if isinstance(raised.value, ExpressionInvalid) else "value"
    assert reason == case["error"]
