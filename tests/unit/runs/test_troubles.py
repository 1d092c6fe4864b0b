"""Trouble that passes: a run is tried again more and more slowly, and at once again when it gets further."""

from __future__ import annotations

from backend.runs.worker.trying_again import Troubles


def test_a_run_that_gets_no_further_is_tried_more_slowly() -> None:
    met = Troubles()
    pauses = [met.pause("run", position) for position in (40, 41, 42, 43, 44, 45)]
    assert pauses == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert met.pause("other", 45) == 1.0


def test_progress_and_a_segment_without_trouble_begin_anew() -> None:
    met = Troubles()
    assert [met.pause("run", position) for position in (0, 1, 9, 10)] == [1.0, 2.0, 1.0, 2.0]
    met.over("run")
    assert met.pause("run", 11) == 1.0
