"""Expressions (seed property 7): every reference is found and checked before the run, and resolved to its value in it.

Also: a single expression keeps its value's type, other text is text; values are never evaluated; no path reaches
anything but dict, list, text and number; what cannot be read is refused and never raises anything else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backend.engine.document.validate import validate
from backend.engine.language.expressions import (
    SKIPPED,
    ExpressionInvalid,
    parse,
    references,
    render,
)
from backend.engine.language.filters import to_text
from backend.engine.testing import ScriptedTools
from backend.errors import ResultTooLarge, TemplateError
from backend.json_types import JsonObject
from backend.nodes import node_types
from tests.exhaustive import few
from tests.unit.engine.engine_run import flow, played

IDS = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in {"sys", "env", "vars", "item", "index", "loop", "true", "false", "null", "none"}
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def places(draw: st.DrawFn) -> tuple[Any, list[str | int], Any]:
    """A value, a path into it, and what lies there."""
    value = draw(st.dictionaries(TEXT, JSON, min_size=1, max_size=4))
    path: list[str | int] = []
    at: Any = value
    while isinstance(at, dict | list) and at and (not path or draw(st.booleans())):
        key = draw(st.sampled_from(sorted(at))) if isinstance(at, dict) else draw(st.integers(0, len(at) - 1))
        path.append(key)
        at = at[key]
    return value, path, at


def written(root: str, path: list[str | int], style: str) -> str:
    """A path as a person may write it."""
    out = root
    for key in path:
        if isinstance(key, int):
            out += f"[{key}]" if style != "dots" else f".{key}"
        elif style == "dots" and key.isascii() and key.isidentifier():
            out += f".{key}"
        else:
            out += f"[{json.dumps(key)}]"
    return out


STYLES = st.sampled_from(["dots", "brackets"])
BRACES = st.sampled_from([("{{ ", " }}"), ("{{", "}}"), ("{{#", "#}}"), ("{{\n", "\t}}")])


def same(left: Any, right: Any) -> bool:
    """Equal, and of the same types."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@settings(max_examples=few(300), deadline=None)
@given(IDS, places(), STYLES, BRACES)
def test_one_expression_keeps_its_type(root: str, place: Any, style: str, braces: tuple[str, str]) -> None:
    value, path, expected = place
    text = braces[0] + written(root, path, style) + braces[1]
    assert same(render(text, {root: value}), expected)
    assert render(text, {root: SKIPPED}) is None
    (reference,) = references(text)
    assert (reference.root, [str(key) for key in reference.keys]) == (root, [str(key) for key in path])
    assert text[reference.root_start : reference.root_end] == root
    assert (reference.start, reference.end) == (0, len(text))


@settings(max_examples=few(200), deadline=None)
@given(IDS, places(), TEXT, TEXT)
def test_in_other_text_it_is_text(root: str, place: Any, before: str, after: str) -> None:
    value, path, expected = place
    before, after = before.replace("{", "<").replace("\\", "/"), after.replace("{", "<")
    text = f"{before}|{{{{ {written(root, path, 'brackets')} }}}}|{after}"
    assert render(text, {root: value}) == f"{before}|{to_text(expected)}|{after}"


@settings(max_examples=few(200), deadline=None)
@given(JSON, IDS)
def test_values_are_never_evaluated(value: Any, root: str) -> None:
    inside: JsonObject = {"x": ["{{ secret.key }}", value, "{{"]}
    scope: JsonObject = {root: inside, "secret": {"key": "leaked"}}
    assert same(render(f"{{{{ {root} }}}}", scope), inside)
    assert "leaked" not in to_text(render(f"<{{{{ {root} }}}}>", scope))


@settings(max_examples=few(300), deadline=None)
@given(st.text(max_size=200) | st.text(st.sampled_from("{}#|.[]\"'\\ab0(),_ \n"), max_size=60))
@example("{{" * 500)
@example("{{a" + "[" * 500)
@example("{{a|" * 100)
@example("{{ a.__class__.__mro__[1].__subclasses__() }}")
def test_whatever_stands_there_raises_nothing_else(text: str) -> None:
    with contextlib.suppress(TemplateError):
        parse(text).render({"a": {"b": 1}})
    references({"x": [text]})


@pytest.mark.parametrize("name", ["__class__", "__init__", "keys", "items", "upper", "append", "real", "__len__"])
@pytest.mark.parametrize("value", [{}, [], "text", 1, 1.5, True, None])
def test_no_path_reaches_inside_a_host_object(name: str, value: Any) -> None:
    with pytest.raises(TemplateError):
        render(f"{{{{ a.{name} }}}}", {"a": value})
    assert render(f"{{{{ a.{name} | default(0) }}}}", {"a": value}) == 0


@settings(max_examples=few(150), deadline=None)
@given(places(), STYLES)
def test_property_7_references_in_a_workflow_are_resolved_before_the_tool_is_called(place: Any, style: str) -> None:
    value, path, expected = place
    arguments = {"one": f"{{{{ {written('start.all', path, style)} }}}}", "deep": [{"all": "{{#start.all#}}"}]}
    kb = ScriptedTools({"go": ["ok"]})
    engine_run = played(
        flow("start -> t", t=("tool", {"server": "kb", "tool": "go", "arguments": arguments})), None, kb=kb
    )
    engine_run.inputs = {"all": value}
    assert asyncio.run(engine_run.run()).state == "SUCCESS"
    ((_, called),) = kb.calls
    assert same(called, {"one": expected, "deep": [{"all": value}]})


@settings(max_examples=few(150), deadline=None)
@given(IDS, st.sampled_from(["later", "side", "t", "nowhere", "branch"]))
def test_property_7_what_does_not_exist_or_is_not_upstream_is_a_problem(key: str, root: str) -> None:
    graph = flow(
        "start -> t -> later", "start -> side",
        t=("tool", {"server": "kb", "tool": "go", "arguments": {"x": [f"{{{{ {root}.{key} }}}}"]}}),
    )  # fmt: skip
    (problem,) = [p for p in validate(graph, node_types()) if p.severity == "error"]
    assert (problem.node, problem.path) == ("t", "/nodes/1/config/arguments/x/0")
    assert problem.code in ("reference_unknown", "reference_later", "output_unknown")


def test_nothing_grows_beyond_its_bounds() -> None:
    scope: JsonObject = {"a": {"list": [""] * 200_000, "text": '"' * 1_000_000}}
    with pytest.raises(ResultTooLarge):
        render('{{ a.list | join("' + "x" * 1_000 + '") }}', scope)
    with pytest.raises(ResultTooLarge):
        render("{{ a.text " + "| tojson " * 10 + "}}", scope)
    with pytest.raises(ResultTooLarge):
        render("{{ a.text }} " * 30, scope)
    for text in ("{{ a" + ".b" * 100 + " }}", "{{ a" + "|trim" * 20 + " }}", '{{ a["' + "x" * 3_000 + '"] }}'):
        with pytest.raises(ExpressionInvalid):
            parse(text)


def test_reading_takes_time_in_proportion() -> None:
    begun = time.process_time()
    references(["{{" * 1_000_000, "{{ a.b }} " * 4_000, "{" * 2_000_000])
    assert time.process_time() - begun < 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ a.list | join(', ') }}", "1, x, "),
        ("{{ a.list | length }}", 3),
        ("{{ a.list | first }}", 1),
        ("{{ a.list | last | default('none') }}", "none"),
        ("{{ a.empty | first | default('none') }}", "none"),
        ("{{ a.map | keys }}", ["k"]),
        ("{{ a.map | values }}", [2]),
        ("{{ a.text | trim | upper }}", "ÄB"),
        ("{{ a.text | lower | trim }}", "äb"),
        ("{{ a.half | round }}", 3),
        ("{{ a.half | round(1) }}", 2.5),
        ("{{ a.big | round(2) }}", 1e300),
        ("{{ a.map | tojson }}", '{"k": 2}'),
        ("{{ a.json | fromjson }}", {"n": [1]}),
        ("{{ a.time | date }}", "2023-11-14"),
        ("{{ a.iso | date('%d.%m.%Y %H:%M') }}", "14.11.2023 22:13"),
        ("{{ a.nothing | upper }}", None),
        ("{{ a.nothing | default(5) }}", 5),
        ("{{ nobody.x | default(null) }}", None),
        ("{{ a.map.k | default(1) }} {{ a.nothing }}", "2 "),
        ("\\{{ a }} {{ a.half }}", "{{ a }} 2.5"),
    ],
)
def test_filters(text: str, expected: Any) -> None:
    scope: JsonObject = {
        "a": {
            "list": [1, "x", None],
            "empty": [],
            "map": {"k": 2},
            "text": " Äb ",
            "half": 2.5,
            "big": 1e300,
            "json": '{"n": [1]}',
            "time": 1_700_000_000,
            "iso": "2023-11-14T22:13:20+01:00",
            "nothing": None,
        }
    }
    assert render(text, scope) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{{ a.x }}",
        "{{ a.text | fromjson }}",
        "{{ a.text | round }}",
        "{{ a.text | keys }}",
        "{{ a.text | date }}",
        "{{ a.n | date('%1000000000d') }}",
        "{{ a.n | length }}",
        "{{ a.deep | fromjson }}",
        "{{ a.inf | fromjson | round }}",
        "{{ a.n.real }}",
    ],
)
def test_what_has_no_value_is_a_template_error(text: str) -> None:
    with pytest.raises(TemplateError):
        render(text, {"a": {"text": "no", "n": 5, "deep": "[" * 100_000, "inf": "NaN"}})
