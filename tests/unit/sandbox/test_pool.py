"""Work of unknown cost ends: with its result, or with its process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from backend.sandbox.pool import WORKERS, Failed, Pool, TooCostly
from tests.unit.sandbox.costly import doubled, nested


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool()
    yield pool
    pool.close()


def children() -> set[int]:
    return {child.pid for child in psutil.Process(os.getpid()).children()}


@pytest.mark.parametrize("below", [True, False])
def test_what_takes_too_long_is_killed_and_the_next_is_done(pool: Pool, below: bool) -> None:
    before = children()
    with pytest.raises(TooCostly):
        pool.run("errors", doubled(40, below), nested(40), 1000, seconds=0.5)
    assert children() == before, "the process is gone"
    assert pool.run("errors", {"type": "integer"}, "x", 1000) == [[[], '"x" is not of type "integer"']]


def test_what_cannot_be_done_says_why_and_costs_no_process(pool: Pool) -> None:
    for schema in ({"type": 7}, {"$ref": "http://127.0.0.1:1/s.json"}):
        with pytest.raises(Failed, match=r"\w"):
            pool.run("errors", schema, {}, 1000)
    one = children()
    assert pool.run("errors", {}, {}, 1000) == [] and children() == one


def test_only_so_many_run_at_once(pool: Pool) -> None:
    before = len(children())
    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(lambda n: pool.run("errors", {"const": 1}, n, 1000), range(40)))
    assert [len(item) for item in done] == [0 if n == 1 else 1 for n in range(40)]
    assert len(children()) - before <= WORKERS


def test_workers_know_nothing_of_our_environment(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATCHBAY_TEST_SECRET", "s3cret")
    before = children()
    pool.run("errors", {}, {}, 1000)
    (created,) = children() - before
    assert "PATCHBAY_TEST_SECRET" not in psutil.Process(created).environ()


def test_the_closest_of_several_alternatives_is_named(pool: Pool) -> None:
    schema = {"anyOf": [{"properties": {"a": {"properties": {"b": {"type": "string"}}}}}, {"type": "integer"}]}
    result = pool.run("explain", {"properties": {"x": schema}}, {"x": {"a": {"b": 1}}})
    assert result[0][0] == ["x"] and "is not valid under any of the schemas" in result[0][1]
    assert result[1:] == [[["x"], 'closest: x.a.b: 1 is not of type "string"']]
