"""Many tools: how often the written questions find the right one among five, what that saves, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests import tool_search
from tests.bench.report import Row

TIMES = 5


def measure() -> Iterator[Row]:
    """Measure in this process."""
    questions, tools = tool_search.questions(), tool_search.tools()
    hits = 1 - len(tool_search.misses()) / len(questions)
    yield Row(f"{len(questions)} questions: the right tool among five", 100 * hits, "%", target=90, lower=False)
    whole, searched = tool_search.tokens()
    saved = 100 * (1 - searched / whole)
    yield Row(f"{len(tools)} tools: tokens saved by searching", saved, "%", target=85, lower=False)
    built, request = float("inf"), float("inf")
    for _ in range(TIMES):
        began = time.process_time()
        index = tool_search.index()
        built = min(built, time.process_time() - began)
        began = time.process_time()
        for question, _ in questions:
            index.search(question)
        request = min(request, (time.process_time() - began) / len(questions))
    yield Row(f"{len(tools)} tools: making the index, CPU", 1000 * built, "ms", target=100)
    yield Row("one search, CPU", 1000 * request, "ms", target=10)
