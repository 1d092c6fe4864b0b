"""Notes on Dify's canvas as notes on ours."""

from __future__ import annotations

import json
from typing import Any

from backend.workflows.dify.reading import DifyNode, text_in

_DEEPEST = 40


def annotation_of(node: DifyNode, number: int) -> dict[str, Any]:
    """The note with the words of its rich text."""
    return {
        "id": f"note_{number}",
        "kind": "note",
        "text": _words(text_in(node.data, "text"))[:8000],
        "position": {"x": node.x, "y": node.y},
        "size": {"width": max(node.width, 120.0), "height": max(node.height, 60.0)},
    }


def _words(text: str) -> str:
    if not text.lstrip().startswith("{"):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    lines: list[str] = []
    root = value.get("root") if isinstance(value, dict) else None
    for block in root.get("children", []) if isinstance(root, dict) and isinstance(root.get("children"), list) else []:
        lines.append("".join(_texts(block, 0)))
    return "\n".join(lines).strip()


def _texts(value: Any, depth: int) -> list[str]:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return []
    if isinstance(value.get("text"), str):
        return [value["text"]]
    if value.get("type") == "linebreak":
        return ["\n"]
    children = value.get("children")
    return [text for child in children for text in _texts(child, depth + 1)] if isinstance(children, list) else []
