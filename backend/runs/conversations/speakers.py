"""Which nodes of a document speak to the person: answer nodes, else its ends; and whose text they say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_NAME = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Speakers:
    """`answers` = answer nodes, `referenced` = nodes whose text they (or the ends) say, told as it comes."""

    answers: frozenset[str] = frozenset()
    referenced: frozenset[str] = frozenset()


def speakers_of(document: dict[str, Any]) -> Speakers:
    """Read from a run's document; of what else it holds nothing is looked at."""
    nodes = [node for node in document.get("nodes") or () if isinstance(node, dict) and isinstance(node.get("id"), str)]
    answers = [node for node in nodes if node.get("type") == "answer"]
    speaking = answers or [node for node in nodes if node.get("type") == "end"]
    expressions = " ".join(re.findall(r"\{\{(.*?)\}\}", json.dumps([node.get("config") for node in speaking])))
    named = set(_NAME.findall(expressions))
    return Speakers(frozenset(node["id"] for node in answers), frozenset(node["id"] for node in nodes) & named)
