"""Which traces are kept, by the SDK's samplers: decided once for a trace, alike in every process."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Decision, ParentBased, Sampler, TraceIdRatioBased
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, TraceFlags, set_span_in_context

from backend.net import traces
from backend.net.traces import RunTrace

REMEMBERED = 4096


def sampler_of(name: str, share: float) -> Sampler:
    """The sampler of this name (`OTEL_TRACES_SAMPLER`)."""
    known = {"always_on": ALWAYS_ON, "always_off": ALWAYS_OFF, "traceidratio": TraceIdRatioBased(share)}
    root: Sampler = known[name.removeprefix("parentbased_")]
    return ParentBased(root) if name.startswith("parentbased_") else root


def samples_by(sampler: Sampler) -> Callable[[RunTrace], bool]:
    """Whether the trace of a run is kept."""

    @lru_cache(maxsize=REMEMBERED)
    def samples(trace: RunTrace) -> bool:
        number, context = int(trace.trace_id, 16), Context()
        if trace.caller:
            flags = TraceFlags(TraceFlags.SAMPLED if traces.caller_samples(trace.caller) else TraceFlags.DEFAULT)
            caller = SpanContext(number, int(traces.caller_span(trace.caller), 16), True, flags)
            context = set_span_in_context(NonRecordingSpan(caller), context)
        result = sampler.should_sample(context, number, "invoke_workflow", SpanKind.INTERNAL, {}, ())
        return result.decision is Decision.RECORD_AND_SAMPLE

    return samples
