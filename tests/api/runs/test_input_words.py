"""What a person reads who starts a run with inputs that do not fit: each place, and what was expected there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.runs.asking import TYPED, start
from tests.api.runs.conftest import make_workflow
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

INPUTS: dict[str, Any] = {
    "type": "object",
    "required": ["city"],
    "additionalProperties": False,
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1},
        "unit": {"enum": ["C", "F"]},
        "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        "at": {"anyOf": [{"type": "object", "properties": {"day": {"type": "integer"}}}, {"type": "null"}]},
    },
}


def test_each_fault_is_told_at_its_place(bob: Person) -> None:
    nodes = [
        {**node, "config": {**node["config"], "inputs": INPUTS}} if node["type"] == "start" else node
        for node in TYPED["nodes"]
    ]
    workflow = make_workflow(bob, {**TYPED, "nodes": nodes})
    inputs = {"days": 0, "unit": "K", "code": "x", "grid": [[1], [2, "x"]], "at": {"day": "Monday"}, "more": 1}
    reply = start(bob, workflow, {"inputs": inputs})
    assert (reply.status, reply.data["code"]) == (400, "VALIDATION_ERROR"), reply.text
    allowed = '"city", "days", "unit", "code", "grid", "at"'
    assert reply.data["fields"] == {
        "inputs": [f'Additional properties are not allowed ("more" was unexpected; allowed: {allowed})'],
        "inputs.city": ["is required"],
        "inputs.days": ["0 is less than the minimum of 1"],
        "inputs.unit": ['"K" is not one of "C" or "F"'],
        "inputs.code": ['"x" does not match "^[A-Z]{2}$"'],
        "inputs.grid[1][1]": ['"x" is not of type "number"'],
        "inputs.at": [
            '{"day": "Monday"} is not valid under any of the schemas listed in the \'anyOf\' keyword',
            'closest: at.day: "Monday" is not of type "integer"',
        ],
    }
