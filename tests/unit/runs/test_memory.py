"""What was large and is gone is given back to the system."""

from __future__ import annotations

import sys

import pytest

from backend.runs.worker.memory import GROWN, Trimmer, resident

MB = 1024 * 1024
glibc = pytest.mark.skipif(sys.platform != "linux" or not resident(), reason="glibc's heaps are what this is about")


@glibc
def test_what_was_freed_is_given_back_and_soon_again() -> None:
    trimmer = Trimmer(wait_s=0.0)
    assert trimmer.look() == 0, "nothing has grown"
    for _ in range(2):
        pieces = [bytes(20_000) for _ in range(10_000)]
        last = bytes(20_000)  # lies behind the others and keeps the heap from shrinking by itself
        assert resident() > trimmer._least + GROWN
        pieces.clear()
        trimmer.look()
        assert resident() < trimmer._least + GROWN and len(last) == 20_000


@glibc
def test_where_the_memory_is_in_use_it_is_left_alone_for_longer_and_longer() -> None:
    trimmer = Trimmer(wait_s=1000.0)
    held = [bytes(20_000) for _ in range(10_000)]
    assert trimmer.look() < GROWN // 4
    assert trimmer._wait_s == 300.0 and trimmer.look() == 0 and len(held) == 10_000
