"""Whatever an app of Dify holds, an import refuses it in words or gives a document that our validator reads.

And of a document nothing is wrong but what a person decides: a placeholder, a model, a ring of nodes.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.engine.document.validate import validate
from backend.errors import ValidationFailed
from backend.nodes import node_types
from backend.workflows.dify.conversion import converted
from backend.workflows.report import Choices, Imported, ToolAtServer
from backend.workflows.yaml_text import from_yaml
from tests.exhaustive import few
from tests.unit.dify.apps import TEAM

APPS = sorted((Path(__file__).parents[1] / "dify_apps").glob("*.yml"))
JUNK: list[Any] = [
    *(None, True, False, 0, -1, 1e300, 10**30, "", "x", "{{", "}}", "{{#", "{{#a.b#}}", "{{#start.#}}", "${secret:x}"),
    *("{% if %}", "a.b.c", "../..", "\x00", "\ud800", "error", "out", "true", "loop", "item", "x" * 5000),
    *([], {}, [[]], [{}], {"a": {}}, ["sys", "query"], [1, None], {"type": []}, {"value": {"value": {}}}),
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a value."""
    out: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            out += [(value, key), *places(inner)]
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            out += [(value, index), *places(inner)]
    return out


def mutated(value: Any, chance: random.Random) -> Any:
    """A copy in which a few places hold something else, are gone, or have changed places."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 6)):
        container, key = chance.choice(places(value["workflow"]) or [(value, "workflow")])
        match chance.randint(0, 3):
            case 0:
                container[key] = copy.deepcopy(chance.choice(JUNK))
            case 1 if isinstance(container, dict):
                del container[key]
            case 2:
                other, there = chance.choice(places(value))
                container[key] = copy.deepcopy(other[there])
            case _ if isinstance(container, list):
                container.append(copy.deepcopy(container[key]))
        if not isinstance(value.get("workflow"), dict):
            return value
    return value


def assert_valid(imported: Imported) -> None:
    """The document reads, is JSON, and what is wrong with it is a person's to decide."""
    json.dumps(imported.graph, allow_nan=False)
    for problem in validate(imported.graph, node_types()):
        to_choose = problem.code.startswith("config_") and problem.path.endswith(("/config/provider", "/config/model"))
        assert problem.severity == "warning" or problem.code in ("placeholder", "cycle") or to_choose, problem
    for line in imported.report.lines:
        assert line.reason().en or line.state == "mapped"
        assert line.becomes in node_types()


@pytest.mark.parametrize("path", APPS, ids=lambda path: path.stem)
@given(seed=st.integers(0, 2**32), chosen=st.booleans())
@settings(max_examples=few(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_mutation_of_an_app_is_refused_or_gives_a_document_that_reads(path: Path, seed: int, chosen: bool) -> None:
    value = mutated(from_yaml(path.read_text(encoding="utf-8")), random.Random(seed))
    keys = ("tool:google/google_search", "knowledge:set-1")
    choices = Choices(tools={key: ToolAtServer("bing", "search") for key in keys}) if chosen else None
    try:
        imported = converted(value, node_types(), TEAM, choices)
    except ValidationFailed as error:
        assert error.fields and error.params["reason"].startswith("dify_")
        return
    assert_valid(imported)


@pytest.mark.parametrize("path", APPS, ids=lambda path: path.stem)
def test_the_apps_as_they_are_have_nothing_wrong(path: Path) -> None:
    assert_valid(converted(from_yaml(path.read_text(encoding="utf-8")), node_types(), TEAM))
