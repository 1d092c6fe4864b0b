"""What benchmarks measure is kept, read again as it was written, and compared with what was kept before."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.bench.record import DOCUMENT, Part, about_now, figure, keep, kept, slower, written
from tests.bench.report import Row

_WORDS = st.text(min_size=1, max_size=30)
_NUMBERS = st.floats(min_value=0.001, max_value=1e6)
_ROWS = st.builds(
    Row,
    _WORDS,
    _NUMBERS,
    st.sampled_from(["ms", "1/s", "MB", ""]),
    st.none() | _NUMBERS,
    st.none() | _NUMBERS,
    _WORDS,
    st.booleans(),
)


@given(st.lists(_ROWS, max_size=5))
def test_what_is_written_is_read_again_as_it_was(rows: list[Row]) -> None:
    parts = {"lists": Part("abc, today.", tuple(figure(row) for row in rows)), "loops": Part("def, then.", ())}
    assert kept(written(parts)) == parts


def part(*rows: Row) -> Part:
    return Part("", tuple(figure(row) for row in rows))


def test_a_ratio_that_is_worse_by_more_than_a_tenth_is_named() -> None:
    before = part(Row("page", 20, "ms", None, 10, "bare"), Row("rate", 80, "1/s", None, 100, "bare", lower=False))
    same = part(Row("page", 44, "ms", None, 20, "bare"), Row("rate", 37, "1/s", None, 50, "bare", lower=False))
    assert slower(before, same) == []  # 2.0 and 2.2, 0.8 and 0.74
    worse = part(Row("page", 45, "ms", None, 20, "bare"), Row("rate", 36, "1/s", None, 50, "bare", lower=False))
    assert slower(before, worse) == ["page: 2x, now 2.25x", "rate: 0.8x, now 0.72x"]
    assert slower(worse, before) == []
    assert slower(None, worse) == []


def test_a_part_is_kept_in_its_place(tmp_path: Path) -> None:
    document = tmp_path / "performance.md"
    assert keep("lists", [Row("page", 20, "ms", 30, 10, "bare")], document) == []
    assert keep("loops", [Row("loop", 1, "ms")], document) == []
    assert keep("lists", [Row("page", 50, "ms", 30, 10, "bare")], document) == ["page: 2x, now 5x"]
    parts = kept(document.read_text("utf-8"))
    assert list(parts) == ["lists", "loops"]
    [row] = parts["lists"].figures
    assert (row.value, row.target, row.met, row.ratio, row.of) == ("50.000", "≤ 30", "no", 5.0, "bare")


def test_the_document_of_the_repository_can_be_read() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert written(kept(text)) == text


def test_what_is_kept_beside_a_commit_is_no_change_of_it(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    document = tmp_path / "docs" / "performance.md"
    document.parent.mkdir()
    (tmp_path / "code.py").write_text("one = 1\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "Begin")
    keep("lists", [Row("page", 20, "ms")], document)
    assert "with changes" not in about_now(document)
    (tmp_path / "code.py").write_text("one = 2\n")
    assert "with changes, " in about_now(document)
