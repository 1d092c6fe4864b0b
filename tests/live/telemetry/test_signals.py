"""Metrics and lines of the log, as a collector gets them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.api.runs.conftest import graph, node
from tests.instance import until
from tests.live.telemetry.conftest import Traced, calling, named
from tests.otlp_receiver import OtlpReceiver

FAILS = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("end", "end", {"outputs": {"n": "{{ start.a.b }}"}}),
    ],
    "start -> end",
)


def test_metrics_and_log_lines_go_out_and_lines_name_their_trace(tmp_path: Path, collector: OtlpReceiver) -> None:
    more = {"PATCHBAY_LOG_FORMAT": "json", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20secret,x-team=ops"}
    traced = Traced(tmp_path, collector, **more, OTEL_EXPORTER_OTLP_COMPRESSION="gzip", OTEL_SERVICE_NAME="bench")
    try:
        run = traced.run(calling("look", "wipe"))
        question = until(lambda: traced.get(f"/api/interactions?state=open&run={run}")["results"])[0]
        until(lambda: [{"state": "waiting"}, 1] in collector.metrics().get("patchbay.runs", []))
        assert collector.metrics()["patchbay.questions.open"] == [[{}, 1]]
        assert {row[0]["part"] for row in collector.metrics()["patchbay.up"]} >= {"database", "workers"}
        traced.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"})
        traced.ended(run)
        whole = named(traced.spans_of(run), "invoke_workflow traced")
        assert whole.resource["service.name"] == "bench"
        failed = traced.run(FAILS)
        trace = traced.ended(failed, "ERROR")["trace"]
        line = until(lambda: next((line for line in collector.logs() if "the run failed" in line["body"]), None))
        assert line["trace"] == trace and line["attributes"]["patchbay.run.id"] == failed
        assert line["severity"] == "INFO" and line["scope"] == "backend.runs.worker.segments"
        printed = until(lambda: [json.loads(text) for text in traced.instance.lines if "the run failed" in text])[0]
        assert (printed["trace_id"], printed["run"]) == (trace, failed) and printed["span_id"] == line["span"]
        assert all(request["headers"]["x-key"] == "a secret" for request in collector.requests())
    finally:
        traced.instance.kill()
