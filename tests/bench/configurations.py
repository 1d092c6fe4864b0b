"""Figures of looking for secrets in a server's configuration, beside reading that configuration as JSON."""

from __future__ import annotations

import json
import time
from typing import Any

from backend.secrets.detector import findings
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


def _best(work: Any) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        best = min(best, (time.perf_counter() - began) * 1000)
    return best


def measure() -> list[Row]:
    """All rows of this file."""
    config = configuration()
    text = json.dumps(config)
    named = [("", one) for one in config["args"]] + list({**config["env"], **config["headers"]}.items())

    def look() -> None:
        for name, value in named:
            findings(value, name)

    bare = _best(lambda: json.loads(text))
    return [Row("secrets found in a configuration of 70 values", _best(look), "ms", 5, bare, "reading it as JSON")]
