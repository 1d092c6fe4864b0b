"""What is kept of things that never change stays below its bound."""

from __future__ import annotations

from backend.workflows.sized_cache import SizedCache


def test_what_was_used_longest_ago_makes_room() -> None:
    kept: SizedCache[str, str] = SizedCache(8, len)
    for key in ("a", "b", "c", "d"):
        kept.put(key, key * 2)
    assert kept.get("a") == "aa"
    kept.put("e", "ee")
    assert (kept.get("a"), kept.get("b"), kept.get("e"), kept.held) == ("aa", None, "ee", 8)


def test_what_would_drive_all_others_out_is_not_kept() -> None:
    kept: SizedCache[str, str] = SizedCache(8, len)
    kept.put("large", "xxx")
    assert kept.get("large") is None and kept.held == 0


def test_the_same_key_weighs_once() -> None:
    kept: SizedCache[str, str] = SizedCache(8, len)
    kept.put("a", "aa")
    kept.put("a", "aa")
    assert kept.held == 2
