"""A warm call of a code node's sandbox, beside the same call of the interpreter alone."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Callable, Coroutine
from typing import Any

from backend.sandbox.code import run_code
from tests.bench.report import Row

SOURCE = "def main(n):\n    return {'twice': 2 * n}"
CALLS = 200


async def _ms(call: Callable[[], Coroutine[Any, Any, Any]]) -> list[float]:
    out = []
    for _ in range(CALLS):
        began = time.perf_counter()
        await call()
        out.append((time.perf_counter() - began) * 1000)
    return out


async def _sandboxed() -> tuple[float, float]:
    """(milliseconds of the first call, median of those after it)."""

    async def call() -> None:
        answer = await run_code(SOURCE, {"n": 21}, seed="bench", now=0.0)
        assert answer["outputs"] == {"twice": 42}

    began = time.perf_counter()
    await call()
    first = (time.perf_counter() - began) * 1000
    return first, statistics.median(await _ms(call))


def _bare() -> float:
    """The same call of the interpreter's own pool, in this process."""
    import pydantic_monty

    call = f"{SOURCE}\nimport json as j\nj.dumps(main(**j.loads(given)))"
    times = []
    with pydantic_monty.Monty(min_processes=1, max_processes=1) as pool:
        for _ in range(CALLS):
            began = time.perf_counter()
            with pool.checkout() as session:
                session.feed_run(call, inputs={"given": json.dumps({"n": 21})})
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def measure() -> list[Row]:
    """The figures."""
    first, warm = asyncio.run(_sandboxed())
    return [
        Row("warm code call", warm, "ms", 2, _bare(), "the interpreter alone"),
        Row("first code call, which starts its process", first, "ms"),
    ]
