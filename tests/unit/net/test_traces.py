"""A `traceparent` as others send it, and as it goes out."""

from __future__ import annotations

import pytest

from backend.errors.log_context import LOG_CONTEXT, LogContext
from backend.net import traces

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
GIVEN = f"00-{TRACE}-{SPAN}-01"
UNKEPT = f"00-{TRACE}-{SPAN}-00"


@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        (GIVEN, GIVEN),
        (f" {GIVEN} ", GIVEN),
        (f"00-{TRACE}-{SPAN}-03", GIVEN),
        (f"00-{TRACE}-{SPAN}-00", f"00-{TRACE}-{SPAN}-00"),
        (f"cc-{TRACE}-{SPAN}-01-what-later-versions-add", GIVEN),
        (f"00-{TRACE}-{SPAN}-01-more", ""),
        (f"ff-{TRACE}-{SPAN}-01", ""),
        (f"00-{TRACE.upper()}-{SPAN}-01", ""),
        (f"00-{'0' * 32}-{SPAN}-01", ""),
        (f"00-{TRACE}-{'0' * 16}-01", ""),
        ("", ""),
        ("nonsense", ""),
        ("0" * 10_000, ""),
    ],
)
def test_only_a_well_formed_traceparent_counts(given: str, accepted: str) -> None:
    assert traces.accepted(given) == accepted


def test_a_run_below_another_one_has_its_trace() -> None:
    assert traces.trace_id("run_2", "run_1") == traces.trace_id("run_1") != traces.trace_id("run_2")
    assert traces.trace_id("run_2", "run_1", GIVEN) == traces.trace_id("run_1", "", GIVEN) == TRACE


def test_what_goes_out_names_the_call_and_nothing_where_no_traces_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    token = traces.RUN.set(traces.RunTrace("run_1", "", GIVEN))
    try:
        assert traces.outgoing() == "" and traces.with_header([]) == []
        monkeypatch.setattr(traces, "sampled", lambda run: True)
        assert traces.outgoing() == f"00-{TRACE}-{traces.run_span('run_1')}-01"
        with traces.calling("eff_1"):
            expected = f"00-{TRACE}-{traces.call_span('eff_1')}-01"
            assert traces.with_header([]) == [(b"traceparent", expected.encode())]
            assert traces.with_header([(b"Traceparent", b"own")]) == [(b"Traceparent", b"own")]
            assert traces.at_work("step_1", "") == (TRACE, traces.call_span("eff_1"))
        assert traces.at_work("step_1", "") == (TRACE, traces.step_span("step_1"))
    finally:
        traces.RUN.reset(token)


def test_of_a_callers_trace_nobody_learns_but_the_server_that_it_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    request = LOG_CONTEXT.set(LogContext("req-1", traceparent=GIVEN))
    try:
        assert traces.handed_on() == ""
        monkeypatch.setattr(traces, "sampled", lambda run: True)
        assert traces.handed_on() == GIVEN
        assert traces.outgoing() == "" and traces.with_header([(b"accept", b"*/*")]) == [(b"accept", b"*/*")]
        run = traces.RUN.set(traces.RunTrace("run_1", "", GIVEN))
        try:
            assert traces.handed_on() == "" and traces.outgoing().startswith(f"00-{TRACE}-")
        finally:
            traces.RUN.reset(run)
    finally:
        LOG_CONTEXT.reset(request)


def test_a_request_is_a_span_of_its_callers_trace_only_where_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def request_with(caller: str = "") -> traces.Request | None:
        return traces.request("POST", "/mcp", "/mcp", "http", caller)

    assert request_with(GIVEN) is None
    monkeypatch.setattr(traces, "served", lambda request, status, end: None)
    monkeypatch.setattr(traces, "sampled", lambda run: run.caller != UNKEPT)
    assert request_with(UNKEPT) is None
    own, called = request_with(), request_with(GIVEN)
    assert own is not None and called is not None
    assert own.trace_id != called.trace_id == TRACE and own.span != called.span
    for request in (own, called):
        assert traces.accepted(request.traceparent) == request.traceparent and traces.names_request(request.traceparent)
    assert not traces.names_request(GIVEN)
    assert own.called_by(GIVEN) == f"00-{TRACE}-{own.span}-01" and own.kept
    assert own.called_by(UNKEPT) == f"00-{TRACE}-{own.span}-00" and not own.kept
