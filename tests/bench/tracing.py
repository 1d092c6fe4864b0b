"""What tracing costs a trivial run: blocks of runs with it and without it, in turns, in this process.

A collector of its own process takes the spans, with the settings that an installation has unless told otherwise: 512
spans at once, or what there is after five seconds. A block makes spans for three such batches and more, so they go out
while its runs are going on; what is left goes out before the next block, so that none pays for another's. Few runs meet
a batch: so the time of a run is the mean of its block, and its CPU all that the process used until the block's spans
were out.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, NamedTuple

from django.conf import settings

from backend.project.environment import Otel
from tests.bench.in_process import Installation, chain
from tests.bench.report import Row
from tests.otlp_receiver import otlp_receiver

RUNS = 400
"""Of a block; a run has four spans."""
BLOCKS = 6
SETTLES_S = Otel().bsp_schedule_delay / 1000 + 0.5
MOST = 1.05


def _run(here: Installation, workflow: Any) -> float:
    """Milliseconds from the start of one run until its durable end is known."""
    from backend.database.ids import new_id
    from backend.runs.live.hub import HUB
    from backend.runs.live.run_waiters import RunWaiter
    from backend.runs.models import TERMINAL, Run
    from backend.runs.starting.services import start_run

    key = new_id("run")
    with RunWaiter(HUB, key) as wait:
        began = time.perf_counter()
        start_run(here.actor, workflow, {}, "draft", run_id=key)
        while Run.objects.values_list("state", flat=True).get(pk=key) not in TERMINAL:
            if not wait.next(60):
                raise SystemExit("a run does not end")
        return (time.perf_counter() - began) * 1000


class Block(NamedTuple):
    """Milliseconds of a run, as the mean of the block's."""

    time: float
    cpu: float


def _block(here: Installation, workflow: Any) -> Block:
    began = time.process_time()
    taken = statistics.fmean(_run(here, workflow) for _ in range(RUNS))
    time.sleep(SETTLES_S)
    return Block(taken, (time.process_time() - began) * 1000 / RUNS)


def measure() -> list[Row]:
    """All rows of this file."""
    from backend.net import traces
    from backend.project.logs import Context
    from backend.project.operations.metrics import figures
    from backend.runs.live.hub import HUB
    from backend.telemetry.starting import Telemetry

    here = Installation()
    workflow = here.workflow(chain(1, "set_variable", {"values": {"x": 1}}))
    with otlp_receiver() as collector:
        settings.PATCHBAY._otel = Otel(
            exporter_otlp_endpoint=collector.url, metrics_exporter="none", logs_exporter="none"
        )
        telemetry = Telemetry(figures, Context())
        telemetry.start()
        hooks: Any = (HUB.on_committed, traces.sampled)
        blocks: dict[bool, list[Block]] = {True: [], False: []}
        try:
            for on in (True, False):  # once for what is loaded on first use
                HUB.on_committed, traces.sampled = hooks if on else (None, None)
                _block(here, workflow)
            for number in range(2 * BLOCKS):
                on = (number + number // 2) % 2 == 0  # on, off, off, on: neither is always first
                HUB.on_committed, traces.sampled = hooks if on else (None, None)
                blocks[on].append(_block(here, workflow))
            came = len(collector.spans())
        finally:
            telemetry.stop()
            here.worker.stop(5)
    if came < 4 * BLOCKS * RUNS:
        raise SystemExit(f"only {came} spans came to the collector")
    traced, bare = (Block(*map(statistics.median, zip(*blocks[on], strict=True))) for on in (True, False))
    return [
        Row(
            "a trivial run with tracing, against one without",
            traced.time / bare.time,
            "x",
            MOST,
            1.0,
            f"{bare.time:.2f} ms",
        ),
        Row("its CPU, what goes out included", traced.cpu / bare.cpu, "x", MOST, 1.0, f"{bare.cpu:.2f} ms without"),
    ]
