"""Documents as YAML: what JSON can say survives the way there and back."""

from __future__ import annotations

import json
import re
from typing import Any

from backend.web.yaml_bodies import parse_yaml

LONGEST_KEY = 1000
"""Longer keys are written in the explicit form, since YAML bounds the simple one."""
_PORTS = ("source_port", "target_port")


def from_yaml(text: str) -> Any:
    """The JSON value of one YAML document. Raises ValidationFailed saying what and where."""
    return _port_names(parse_yaml(text))


def _port_names(value: Any) -> Any:
    """`true` and `false` as a port are the ports of those names."""
    edges = value.get("edges") if isinstance(value, dict) else None
    for edge in edges if isinstance(edges, list) else []:
        for key in _PORTS:
            if isinstance(edge, dict) and isinstance(edge.get(key), bool):
                edge[key] = "true" if edge[key] else "false"
    return value


def to_yaml(value: Any) -> str:
    """A JSON value as YAML in block style. Texts that could be read as another type are quoted."""
    lines: list[str] = []
    _write(value, 0, lines, "")
    return "\n".join(lines) + "\n"


_PLAIN = re.compile(r"[A-Za-z_/$(][A-Za-z0-9_ /.()$+=*@%-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}


def _text(value: str) -> str:
    """A text, plain only where no YAML reader of any version could take it for something else."""
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS and not value.endswith(" "):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub(
        "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]", lambda c: f"\\u{ord(c.group()):04x}", quoted
    )


def _block(value: str, indent: int) -> list[str] | None:
    """Lines of a `|` block for a text of several printable lines; None where quotes are safer."""
    body = value.removesuffix("\n")
    if "\n" not in body or not all(c == "\n" or (c.isprintable() and c != "\ufeff") for c in value):
        return None
    rows = body.split("\n")
    if rows[0].startswith(" ") or not rows[0] or not rows[-1] or any(row != row.rstrip() for row in rows):
        return None
    head = "|" if value.endswith("\n") else "|-"
    return [head, *(" " * indent + row if row else "" for row in rows)]


def _write(value: Any, indent: int, lines: list[str], lead: str) -> None:
    """Append `value`; `lead` is what stands before it on its first line."""
    pad = " " * indent
    if isinstance(value, dict) and value:
        first = lead
        for key, inner in value.items():
            name = _text(key)
            if len(name) > LONGEST_KEY:
                lines.append(f"{first or pad}? {name}")
                _entry(f"{pad}:", inner, indent, lines)
            else:
                _entry(f"{first or pad}{name}:", inner, indent, lines)
            first = ""
    elif isinstance(value, list) and value:
        first = lead
        for inner in value:
            _entry(f"{first or pad}-", inner, indent, lines, item=True)
            first = ""
    else:
        lines.append(lead + _leaf(value) if lead else pad + _leaf(value))


def _entry(start: str, value: Any, indent: int, lines: list[str], item: bool = False) -> None:
    if isinstance(value, dict | list) and value:
        if item:
            _write(value, indent + 2, lines, start + " ")
        else:
            lines.append(start)
            _write(value, indent + 2, lines, "")
        return
    block = _block(value, indent + 2) if isinstance(value, str) else None
    if block:
        lines.append(f"{start} {block[0]}")
        lines.extend(block[1:])
    else:
        lines.append(f"{start} {_leaf(value)}")


def _leaf(value: Any) -> str:
    return _text(value) if isinstance(value, str) else json.dumps(value)
