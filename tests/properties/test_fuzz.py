"""Schemas, expressions and documents that nobody would write: each is taken or refused, none holds the event loop.

`hold` is what a call takes of its thread's CPU between two turns of the loop. Here some dozens of each;
`python -m tests.bench fuzz` draws ten thousand.
"""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from time import thread_time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.engine.document.compile import compile_graph
from backend.engine.document.validate import validate
from backend.engine.language.budget import Limits, Meter, Slow, metered
from backend.engine.language.clean import is_large
from backend.engine.language.expressions import compile_value, scan, value_at
from backend.engine.language.filters import FILTERS
from backend.errors import GraphInvalid, McpInvalidParams, McpProtocolError, ResultTooLarge, TemplateError
from backend.nodes import node_types
from backend.sandbox.pool import POOL
from backend.tools.schemas import check_arguments, errors_in, kept, problem
from tests.properties.fuzzing import COUNT, HOLD_S, LONGEST
from tests.unit.sandbox.costly import doubled

many = settings(max_examples=COUNT, suppress_health_check=list(HealthCheck), deadline=None)

WORDS = st.sampled_from(["a", "b", "name", "", "$ref", "type", "properties", "items", "ä", "\ud800", "__class__", "0"])
NUMBERS = st.integers(-(2**70), 2**70) | st.floats() | st.sampled_from([0, 1, -1, 10**30, 1e-300, 1e308])
TEXTS = st.text(max_size=30) | WORDS | st.sampled_from(["x" * 5_000, "\0", "#/$defs/d0", "#", "http://x.example/y"])
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(TEXTS, inner, max_size=6),
    max_leaves=20,
)
PATTERNS = st.sampled_from(
    ["^a+$", "^(a+)+$", "(a|a)*b", "(?=a)b", "(", "[", "\\w{99}", "(\\w{99}){99}", "^\\p{L}+$", "(.)\\1", "\\", ""]
)


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A schema: keywords with what belongs to them, and sometimes with what does not."""
    maps, lists = st.dictionaries(WORDS, inner, max_size=4), st.lists(inner, max_size=4)
    types = st.sampled_from(["object", "array", "string", "number", "integer", "null", "boolean", "any", 5, []])
    fitting: dict[str, st.SearchStrategy[Any]] = {
        **dict.fromkeys(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"], maps),
        **dict.fromkeys(["allOf", "anyOf", "oneOf", "prefixItems"], lists),
        **dict.fromkeys(["items", "not", "if", "then", "else", "contains", "additionalProperties"], inner),
        **dict.fromkeys(["unevaluatedProperties", "propertyNames", "unevaluatedItems"], inner),
        **dict.fromkeys(["minLength", "maxItems", "multipleOf", "maximum", "minProperties"], NUMBERS),
        **dict.fromkeys(["$ref", "$dynamicRef", "$id", "$anchor", "$schema", "format"], TEXTS),
        "type": types | st.lists(types, max_size=3),
        "required": st.lists(TEXTS, max_size=4),
        "enum": st.lists(VALUES, max_size=6),
        "const": VALUES,
        "pattern": PATTERNS,
        "uniqueItems": st.booleans(),
    }
    return st.fixed_dictionaries({}, optional={name: of | VALUES for name, of in fitting.items()})


def _bomb(draw: tuple[int, bool, int]) -> dict[str, Any]:
    deep, below, wide = draw
    schema = doubled(deep, below=below)
    return {**schema, "properties": {f"p{n}": {"type": "string", "pattern": f"^\\w{{9}}{n}$"} for n in range(wide)}}


SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | st.just({}), keywords, max_leaves=12) | st.builds(
    _bomb, st.tuples(st.integers(1, 60), st.booleans(), st.integers(0, 300))
)

PIECES = st.sampled_from(
    [
        *(
            "{{",
            "}}",
            "{{#",
            "#}}",
            "\\{{",
            "a",
            ".b",
            "[0]",
            '["x"]',
            "|",
            " ",
            "join",
            "tojson",
            "fromjson",
            "default(1)",
        ),
        *(
            "first",
            "last",
            "keys",
            "values",
            "upper",
            "length",
            "date('%Y')",
            "round(2)",
            '("',
            "')",
            "\\",
            '"',
            "item",
        ),
        *(
            "vars.big",
            "vars.wide",
            "vars.dag",
            "sys.run_id",
            "🙂",
            "\n",
            "0",
            "-1",
            "(",
            ")",
            ",",
            "..",
            "[",
            "]",
            "null",
        ),
    ]
)
PATHS = st.sampled_from(["a", "a.b", "vars.big", "vars.wide", "vars.dag", "vars.json", "vars.quotes", "vars", "x.y"])
EXPRESSIONS = st.builds(
    lambda path, filters: "{{ " + " | ".join([path, *filters]) + " }}",
    PATHS,
    st.lists(
        st.sampled_from(sorted(FILTERS)).map(lambda name: f"{name}(1)" if name == "default" else name), max_size=8
    ),
)
EXPRESSION_TEXTS = st.lists(PIECES | EXPRESSIONS, max_size=40).map("".join) | EXPRESSIONS


def _dag(deep: int) -> Any:
    value: Any = "leaf"
    for _ in range(deep):
        value = [value, value]
    return value


SCOPE: dict[str, Any] = {
    "a": {"b": [1, {"x": None}], "0": "z"},
    "sys": {"run_id": "run_1"},
    "vars": {
        "big": "x" * 300_000,
        "wide": [{"n": n} for n in range(30_000)],
        "dag": _dag(14),
        "json": "[" * 5_000,
        "quotes": '"\\' * 50_000,
    },
}

NODES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"id": st.sampled_from(["start", "a", "b", "c", "end", "vars", "", "ü"]) | TEXTS},
    optional={
        "type": st.sampled_from(sorted(node_types())) | TEXTS,
        "v": st.just(1) | SCALARS,
        "config": st.dictionaries(
            st.sampled_from(["inputs", "values", "items", "template", "server", "tool", "arguments", "messages"])
            | WORDS,
            EXPRESSION_TEXTS | VALUES | SCHEMAS,
            max_size=4,
        )
        | VALUES,
        "parent": st.sampled_from(["a", "b", "start", "c"]) | SCALARS,
        "on_error": st.sampled_from(["fail", "continue", "port"]) | SCALARS,
        "pinned": VALUES,
        "timeout_s": SCALARS,
        "retry": VALUES,
    },
)
ENDS = st.sampled_from(["start", "a", "b", "c", "end"]) | TEXTS
EDGES = st.fixed_dictionaries(
    {"id": TEXTS, "source": ENDS, "target": ENDS},
    optional={"source_port": st.sampled_from(["out", "error", "yes"]) | TEXTS, "target_port": st.just("in") | SCALARS},
)
DOCUMENTS = (
    st.fixed_dictionaries(
        {"schema": st.just(1) | SCALARS, "nodes": st.lists(NODES, max_size=8), "edges": st.lists(EDGES, max_size=10)},
        optional={
            "variables": st.dictionaries(WORDS, VALUES, max_size=3) | VALUES,
            "env": VALUES,
            "mcp_servers": VALUES,
            "budgets": VALUES,
            "concurrency": VALUES,
            "language": SCALARS,
        },
    )
    | VALUES
)


@contextmanager
def quiet_collector() -> Iterator[None]:
    """No collection of garbage of others counts as work of the call."""
    gc.collect(0)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def note(what: str, seconds: float, about: Any) -> None:
    """Remember a hold, and refuse one that is too long."""
    LONGEST[what] = max(LONGEST.get(what, 0.0), seconds)
    assert seconds <= HOLD_S, (what, seconds, repr(about)[:2_000])


def called(what: str, call: Callable[[], Any], about: Any) -> Any:
    """What a call gives that runs on the loop, or may."""
    with quiet_collector():
        began = thread_time()
        try:
            return call()
        finally:
            note(what, thread_time() - began, about)


def awaited(what: str, call: Callable[[], Awaitable[Any]], about: Any) -> Any:
    """The same of a coroutine: what counts is the longest stretch between two turns of the loop."""
    spent: list[float] = []

    async def work() -> Any:
        return await call()

    async def watched() -> Any:
        return await metered(work(), spent.append)

    try:
        with quiet_collector():
            return asyncio.run(watched())
    finally:
        note(what, max(spent), about)


@pytest.fixture(autouse=True, scope="module")
def impatient() -> Iterator[None]:
    """What is killed for its time is killed soon: thousands are drawn."""
    before = POOL.longest_s
    POOL.longest_s = 0.2
    yield
    POOL.longest_s = before


@many
@given(SCHEMAS, VALUES)
def test_any_schema_is_used_or_refused(schema: Any, value: Any) -> None:
    whole = kept(schema if isinstance(schema, dict) else {"allOf": [schema]})
    called("schema: what is wrong with it", lambda: problem(whole), schema)
    arguments = value if isinstance(value, dict) else {"a": value}
    for call in (lambda: errors_in(whole, arguments), lambda: check_arguments(whole, arguments, "t")):
        with suppress(McpProtocolError, McpInvalidParams):
            awaited("schema: a check", call, (schema, value))


@many
@given(
    st.recursive(
        EXPRESSION_TEXTS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4)
    )
)
def test_any_expression_is_rendered_or_refused(value: Any) -> None:
    called("expression: scan", lambda: scan(value), value)
    try:
        template = called("expression: compile", lambda: compile_value(value), value)
    except TemplateError:
        return
    apart = called(
        "expression: is it large", lambda: any(is_large(value_at(SCOPE, p)) for p in template.converted()), 0
    )
    limits = Limits(value_bytes=8_000_000, value_parts=200_000)
    try:
        if not apart:
            called("expression: render", lambda: template.render(SCOPE, Meter(limits, quick=True)), value)
            return
    except Slow:
        pass
    except (TemplateError, ResultTooLarge):
        return
    try:
        created = template.render(SCOPE, Meter(limits))
    except (TemplateError, ResultTooLarge):
        return
    assert len(json.dumps(created)) <= 8 * limits.value_bytes


@many
@given(DOCUMENTS)
def test_any_document_is_valid_or_says_why(document: Any) -> None:
    problems = called("document: validate", lambda: validate(document, node_types()), document)
    json.dumps([problem.as_json("en") for problem in problems])
    try:
        called("document: compile", lambda: compile_graph(document, node_types()), document)
    except GraphInvalid:
        assert any(problem.severity == "error" for problem in problems)
