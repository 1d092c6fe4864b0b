"""Where control groups are looked for: a plain folder in their place is left as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tools.box import groups


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folders as the mixed layout has them, in which everything can be made and nothing limits."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        for root in (names, *names.split(",")):
            (tmp_path / root / path.lstrip("/")).mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(groups, "ROOT", tmp_path)
    groups.places.cache_clear()
    yield tmp_path
    groups.places.cache_clear()


def test_a_plain_folder_gives_no_groups_and_nothing_is_left_in_it(plain: Path) -> None:
    before = sorted(plain.rglob("*"))
    assert groups.places() == ()
    assert sorted(plain.rglob("*")) == before
