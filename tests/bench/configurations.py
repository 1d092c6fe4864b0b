"""Figures of looking for secrets in configurations and texts, and of counting what schemas cost."""

from __future__ import annotations

import json
import time
from typing import Any

from backend.net.masking import Masker
from backend.secrets.detector import findings
from backend.tools.schema_cost import cost_of
from tests.bench.report import Row

ROUNDS = 50
TOKEN = "sk-proj-9f8Ghjk2LmN4pQrStUv7wXyZ01aBcDeF3GhI"


def configuration() -> dict[str, Any]:
    """A large one: 40 arguments, 20 variables, 10 headers; a third of them hold a secret."""
    kinds = ("@example/server-files@1.2.3", "postgresql://app:pw-of-mine@db.example:5432/app", f"KEY={TOKEN}")
    return {
        "args": [kinds[n % 3] for n in range(40)],
        "env": {f"NAME_{n}": kinds[n % 3] for n in range(20)},
        "headers": {f"X-Header-{n}": kinds[n % 3] for n in range(10)},
    }


def _best(work: Any, rounds: int = ROUNDS) -> float:
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        best = min(best, (time.perf_counter() - began) * 1000)
    return best


def measure() -> list[Row]:
    """All rows of this file."""
    config = configuration()
    text = json.dumps(config)
    named = [("", arg) for arg in config["args"]] + list({**config["env"], **config["headers"]}.items())

    def look() -> None:
        for name, value in named:
            findings(value, name)

    bare = _best(lambda: json.loads(text))
    return [
        Row("secrets found in a configuration of 70 values", _best(look), "ms", 5, bare, "reading it as JSON"),
        _schemas(),
        *_masking(),
    ]


def _schemas() -> Row:
    """Tools as servers have them: a third plain, a third with alternatives, a third that refers to its own parts."""
    fields = {f"field_{n}": {"type": "string", "description": "what it is for", "maxLength": 200} for n in range(8)}
    either = {"anyOf": [{"type": "string"}, {"type": "null"}], "pattern": "^[a-z]+$"}
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "object", "properties": fields, "required": ["field_0"]},
        {"type": "object", "properties": {**fields, "either": either}},
        {
            "type": "object",
            "properties": {**fields, "inner": {"$ref": "#/$defs/inner"}},
            "$defs": {"inner": {"type": "object", "properties": {**fields, "again": {"$ref": "#/$defs/inner"}}}},
        },
    )
    schemas = [{**kinds[n % 3], "title": f"tool {n}"} for n in range(2_000)]
    texts = [json.dumps(schema) for schema in schemas]
    bare = _best(lambda: [json.loads(text) for text in texts], 10)
    checked = _best(lambda: [cost_of(schema) for schema in schemas], 10)
    return Row("what 2,000 tools' schemas cost", checked, "ms", 100, bare, "reading them as JSON")


def _masking() -> list[Row]:
    """A megabyte without a secret, looked through for those of a server; beside one search for one text."""
    text = "".join(f"{n} some words, as an answer has them; " for n in range(27_000))[:1_000_000]
    rows = []
    for secrets in (1, 10):
        masker = Masker([f"sk-{n}-{TOKEN[::-1]}" for n in range(secrets)])
        masker.text(text[:100])
        bare = _best(lambda: text.find(TOKEN), 5)
        took = _best(lambda masker=masker: masker.text(text), 5)
        rows.append(Row(f"1 MB looked through for {secrets} secrets", took, "ms", 5, bare, "one search in it"))
    return rows
