"""What changed between two documents, node by node and edge by edge. Pure."""

from __future__ import annotations

import json
from typing import Any

from backend.workflows.responses import DifferencesJson, ItemChangeJson, ItemChangesJson


def compare(before: dict[str, Any], after: dict[str, Any]) -> DifferencesJson:
    """What differs.

    Nodes and edges are matched by id; a change of nothing but `position` is listed under `moved`.
    """
    nodes = _compare_items(before.get("nodes"), after.get("nodes"))
    moved = [change for change in nodes["changed"] if change["fields"] == ["position"]]
    nodes["changed"] = [change for change in nodes["changed"] if change["fields"] != ["position"]]
    nodes["moved"] = [change["id"] for change in moved]
    keys = sorted((set(before) | set(after)) - {"nodes", "edges"})
    return {
        "nodes": nodes,
        "edges": _compare_items(before.get("edges"), after.get("edges")),
        "document": [key for key in keys if _text(before.get(key)) != _text(after.get(key))],
    }


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _by_id(items: Any) -> dict[str, dict[str, Any]]:
    """Items by id; those without one, or with one that stood before, by their place."""
    by_id: dict[str, dict[str, Any]] = {}
    for index, item in enumerate(items if isinstance(items, list) else []):
        if isinstance(item, dict):
            key = item.get("id")
            by_id[key if isinstance(key, str) and key not in by_id else f"#{index}"] = item
    return by_id


def _compare_items(before: Any, after: Any) -> ItemChangesJson:
    old, new = _by_id(before), _by_id(after)
    changed: list[ItemChangeJson] = []
    for key in new:
        if key not in old or _text(old[key]) == _text(new[key]):
            continue
        names = sorted(set(old[key]) | set(new[key]))
        fields = [name for name in names if _text(old[key].get(name)) != _text(new[key].get(name))]
        changed.append({"id": key, "fields": fields, "before": old[key], "after": new[key]})
    return {
        "added": [new[key] for key in new if key not in old],
        "removed": [old[key] for key in old if key not in new],
        "changed": changed,
    }
