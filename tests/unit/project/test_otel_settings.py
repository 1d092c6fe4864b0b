"""The standard settings of OpenTelemetry as this installation reads them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pydantic import ValidationError

from backend.project.environment import SIGNALS, Environment, Otel
from tests.instance import ROOT, clean_environment


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)


def test_nothing_goes_out_unless_a_collector_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Otel().on
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    assert Otel().endpoint("traces") == "http://localhost:4318/v1/traces" and not Otel().endpoint("logs")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example.org/in/")
    assert Otel().endpoint("metrics") == "https://collector.example.org/in/v1/metrics"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "https://logs.example.org/here")
    assert Otel().endpoint("logs") == "https://logs.example.org/here"
    monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")
    assert not Otel().endpoint("metrics") and Otel().on
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert not any(Otel().endpoint(signal) for signal in SIGNALS)


def test_a_signal_may_have_its_own_headers_and_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20secret, x-team=ops")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "x-key=other")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "2500")
    otel = Otel()
    assert otel.headers("traces") == {"x-key": "a secret", "x-team": "ops"} and otel.headers("logs") == {
        "x-key": "other"
    }
    assert (otel.timeout_s("traces"), otel.timeout_s("logs")) == (2.5, 10.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_TRACES_EXPORTER", "zipkin"),
        ("OTEL_TRACES_SAMPLER_ARG", "1.75001"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a secret without a name"),
    ],
)
def test_what_cannot_be_followed_is_told_at_start_without_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318")
    monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError) as reply:
        Otel()
    assert value not in str(reply.value)


@pytest.mark.parametrize("url", ["traces.example.org/{trace_id}", "https://traces.example.org/"])
def test_the_address_of_traces_has_a_place_for_the_id(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("PATCHBAY_TRACE_URL", url)
    with pytest.raises(ValidationError):
        Environment()


def test_headers_are_taken_out_of_the_environment_that_programs_could_see() -> None:
    code = "import os; from backend.project.environment import environment; environment(); print(sorted(os.environ))"
    ours = {**clean_environment(), "OTEL_EXPORTER_OTLP_HEADERS": "a=b", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=b"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=ours, capture_output=True, text=True, check=True)
    assert "HEADERS" not in done.stdout
