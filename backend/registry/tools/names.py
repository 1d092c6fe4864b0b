"""What a list to choose from shows of tools, without schemas: of one server, or of fifty servers at once.

What is shown of a tool follows from a few columns, so it is kept by them: of two thousand tools the definitions are
read once, and then only those of tools that changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backend.registry.models import Server, Tool
from backend.registry.tools.responses import ToolNameJson, tool_name_json

_MOST_KEPT = 8192
_AT_ONCE = 1000
_COLUMNS = ("server_id", "pk", "name", "definition_hash", "pinned_hash", "policy", "risk", "effect", "tokens", "gone")
_kept: dict[tuple[Any, ...], ToolNameJson] = {}


def tool_names(servers: Iterable[Server], language: str) -> dict[str, list[ToolNameJson]]:
    """The tools of each server by its id, in its order."""
    by_id = {server.id: server for server in servers}
    names: dict[str, list[ToolNameJson]] = {key: [] for key in by_id}
    rows = list(
        Tool.objects.filter(server__in=list(by_id)).order_by("server", "position", "name").values_list(*_COLUMNS)
    )
    keys = [_key(by_id[row[0]], row, language) for row in rows]
    shown = {key: _kept[key] for key in set(keys) if key in _kept}
    missing = {key: row[1] for row, key in zip(rows, keys, strict=True) if key not in shown}
    keys_of, read = {pk: key for key, pk in missing.items()}, list(missing.values())
    for start in range(0, len(read), _AT_ONCE):
        for tool in Tool.objects.filter(pk__in=read[start : start + _AT_ONCE]):
            shown[keys_of[tool.pk]] = tool_name_json(by_id[tool.server_id], tool, language)
    if len(_kept) + len(missing) > _MOST_KEPT:
        _kept.clear()
    _kept.update((key, shown[key]) for key in missing if key in shown)
    for row, key in zip(rows, keys, strict=True):
        if key in shown:  # else it went meanwhile
            names[row[0]].append(shown[key])
    return names


def _key(server: Server, row: tuple[Any, ...], language: str) -> tuple[Any, ...]:
    """All that `tool_name_json` makes its answer of; of definitions their hashes."""
    return (language, server.trust_annotations, *row[2:])
