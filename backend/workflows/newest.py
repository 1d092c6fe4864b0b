"""The newest run of each workflow of a page. Runs live in a room above; it registers its reader here at start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_readers: list[Callable[[list[str]], dict[str, dict[str, Any]]]] = []


def register(reader: Callable[[list[str]], dict[str, dict[str, Any]]]) -> None:
    """Ask `reader(workflow ids)` for `{workflow id: what lists show of its newest run}`."""
    _readers.append(reader)


def newest_runs(workflows: list[str]) -> dict[str, dict[str, Any]]:
    """`{id, state, queued_at, waits_for_person, waits_for_client}` by workflow; those that never ran are not in it."""
    return {key: shown for reader in _readers for key, shown in reader(workflows).items()}
