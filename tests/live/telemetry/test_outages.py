"""A collector that refuses, hangs, fails or is slow costs no run anything, and is told of once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.instance import until
from tests.live.telemetry.conftest import Traced, calling
from tests.otlp_receiver import OtlpReceiver, otlp_receiver

SMALL = {
    "OTEL_EXPORTER_OTLP_TIMEOUT": "1000",
    "OTEL_BSP_MAX_QUEUE_SIZE": "8",
    "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "4",
    "OTEL_METRICS_EXPORTER": "none",
    "OTEL_LOGS_EXPORTER": "none",
}


def lines(traced: Traced, text: str) -> list[str]:
    return [line for line in traced.instance.lines if text in line]


@pytest.mark.timeout(400)
def test_runs_end_whatever_the_collector_does_and_it_is_said_once(tmp_path: Path, collector: OtlpReceiver) -> None:
    traced = Traced(tmp_path, collector, **SMALL)
    try:
        for times, how in enumerate(("hang", "refuse"), start=1):
            collector.behave(how)
            for _ in range(4):
                traced.ended(traced.run(calling("look", "look")))
            until(lambda: len(lines(traced, "takes no traces")) == times)  # noqa: B023 - called within this round
            before = len(collector.requests())
            until(lambda: traced.run(calling("look")) and len(collector.requests()) > before + 2)  # noqa: B023 - called within this round
            assert len(lines(traced, "takes no traces")) == times
            collector.behave("ok")
            run = traced.run(calling("look"))
            traced.ended(run)
            until(lambda: traced.run(calling("look")) and len(lines(traced, "takes traces again")) == times)  # noqa: B023 - called within this round
        collector.behave("slow")
        traced.spans_of(traced.run(calling("look")))
        assert len(lines(traced, "takes no traces")) == 2
        assert not lines(traced, "Queue full") and not lines(traced, "Failed to export")
        assert "no answer in 1 s" in lines(traced, "takes no traces")[0]
        assert "it answers 500" in lines(traced, "takes no traces")[1]
        collector.behave("hang")
        traced.ended(traced.run(calling("look")))
        assert traced.instance.stop() == 0
    finally:
        traced.instance.kill()


def test_a_collector_that_redirects_is_not_followed(tmp_path: Path, collector: OtlpReceiver) -> None:
    with otlp_receiver() as other:
        traced = Traced(tmp_path, collector, **SMALL, OTEL_EXPORTER_OTLP_HEADERS="x-key=secret")
        try:
            collector.behave(other.url)
            until(lambda: traced.run(calling("look")) and lines(traced, "takes no traces"))
            assert "it redirects" in lines(traced, "takes no traces")[0]
            traced.ended(traced.run(calling("look")))
            collector.behave("ok")
            traced.spans_of(traced.run(calling("look")))
            assert other.requests() == []
        finally:
            traced.instance.kill()


@pytest.mark.wide
def test_a_collector_that_is_not_there_is_told_of_once(tmp_path: Path, collector: OtlpReceiver) -> None:
    collector.stop()
    traced = Traced(tmp_path, collector, **SMALL)
    try:
        until(lambda: traced.run(calling("look")) and lines(traced, "takes no traces"))
        for _ in range(3):
            traced.ended(traced.run(calling("look")))
        assert traced.instance.stop() == 0
        assert len(lines(traced, "takes no traces")) == 1
    finally:
        traced.instance.kill()
