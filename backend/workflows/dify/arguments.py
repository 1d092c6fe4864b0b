"""Which arguments of a tool take what was given to another: by their names, else the only one that is left."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.workflows.report import KnownTool

_ALIKE: tuple[frozenset[str], ...] = (
    frozenset(
        {"query", "q", "keyword", "keywords", "search", "searchquery", "term", "question", "text", "input", "prompt"}
    ),
    frozenset({"url", "uri", "link", "address", "href"}),
    frozenset({"content", "text", "markdown", "body", "message", "markdowncontent", "mdtext"}),
    frozenset({"path", "file", "filename", "filepath"}),
    frozenset({"city", "location", "place", "address"}),
    frozenset({"limit", "count", "num", "maxresults", "topk", "size", "n"}),
    frozenset({"timezone", "tz"}),
)
_OTHER = re.compile(r"[^a-z0-9]+")


def fitted(names: Sequence[str], tool: KnownTool) -> dict[str, str]:
    """{name given: parameter of the tool}: the same names first, then names that mean the same, then what is left."""
    pairs: dict[str, str] = {}
    for alike in (_same, _mean_the_same):
        for name in names:
            if name not in pairs:
                free = (parameter for parameter in tool.parameters if parameter not in pairs.values())
                match = next((parameter for parameter in free if alike(name, parameter)), None)
                if match is not None:
                    pairs[name] = match
    rest = [name for name in names if name not in pairs]
    open_ = [name for name in tool.parameters if name in tool.required and name not in pairs.values()]
    if len(rest) == 1 and len(open_) == 1 and open_[0] in tool.texts:
        pairs[rest[0]] = open_[0]
    return pairs


def _plain(name: str) -> str:
    return _OTHER.sub("", name.lower())


def _same(name: str, parameter: str) -> bool:
    return _plain(name) == _plain(parameter)


def _mean_the_same(name: str, parameter: str) -> bool:
    pair = {_plain(name), _plain(parameter)}
    return any(pair <= words for words in _ALIKE)


def likeness(name: str, tool: KnownTool) -> int:
    """How many words a tool's name shares with another name."""
    words = {word for word in _OTHER.split(name.lower()) if len(word) > 2}
    return sum(word in f"{tool.tool} {tool.server}".lower() for word in words)


def closeness(pairs: dict[str, str]) -> int:
    """How sure pairs are: the same name counts more than one that means the same, and that more than what was left."""
    return sum(3 if _same(*pair) else 2 if _mean_the_same(*pair) else 1 for pair in pairs.items())
