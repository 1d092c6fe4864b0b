"""Counting values: never less than what is written out, never more work than there are parts in memory."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.engine.language.budget import Limits, Meter, Size, Slow
from backend.engine.language.expressions import compile_value
from backend.errors import ResultTooLarge

LEAVES = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=12)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=30,
)


def size_of(value: Any, limits: Limits | None = None, **how: Any) -> Size:
    meter = Meter(limits or Limits(), **how)
    meter.add(value)
    return meter.size


def parts_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(parts_of, inner))


@given(TREES)
def test_a_value_counts_as_much_as_it_is_when_written_out(value: Any) -> None:
    size = size_of(value)
    assert size.parts == parts_of(value)
    plain = json.dumps(value, ensure_ascii=False).replace("\\", "").encode()
    assert len(plain) * 0.4 - 8 <= size.bytes <= len(plain) * 4 + 16


@given(TREES, st.integers(2, 6), st.integers(1, 30))
def test_what_is_shared_counts_as_often_as_it_stands_there(value: Any, wide: int, deep: int) -> None:
    for _ in range(deep):
        value = [value] * wide
    limits = Limits(value_bytes=10**5, value_parts=10**4)
    if deep > 15:
        with pytest.raises(ResultTooLarge):
            size_of(value, limits)
    elif deep <= 4:
        assert size_of(value).parts == parts_of(value)


@settings(max_examples=25)
@given(st.integers(200, 2_000))
def test_what_is_nested_too_deep_is_refused(deep: int) -> None:
    value: Any = "x"
    for _ in range(deep):
        value = [value]
    with pytest.raises(ResultTooLarge) as refused:
        size_of([value])
    assert refused.value.params["reason"] == "depth"


def test_on_the_loop_only_little_is_counted() -> None:
    assert size_of([1] * 4_000, quick=True).parts == 4_001
    with pytest.raises(Slow):
        size_of([1] * 6_000, quick=True)


@given(st.integers(1, 40), st.integers(1, 40))
def test_texts_and_lists_of_one_value_are_counted_together(texts: int, copies: int) -> None:
    template = compile_value({"t": ["{{ a.text }}!"] * texts, "l": ["{{ a.list }}"] * copies})
    scope: Any = {"a": {"text": "x" * 100, "list": ["y" * 100]}}
    meter = Meter(Limits(value_bytes=4_000))
    if texts + copies > 40:
        with pytest.raises(ResultTooLarge):
            template.render(scope, meter)
    elif texts + copies < 30:
        assert template.render(scope, meter) == {"t": ["x" * 100 + "!"] * texts, "l": [["y" * 100]] * copies}
