"""Spans as OpenTelemetry's conventions have them: runs, segments, steps, rounds with models, calls of tools.

Names and attributes are those of the conventions for GenAI and MCP where there are some, else `patchbay.*`. What was
said to models and tools, and what they answered, is on no span unless `content` says so; of an error only its code is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, SpanLimits
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv._incubating.attributes import mcp_attributes as mcp
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.semconv.attributes.http_attributes import (
    HTTP_REQUEST_METHOD,
    HTTP_RESPONSE_STATUS_CODE,
    HTTP_ROUTE,
)
from opentelemetry.semconv.attributes.network_attributes import NETWORK_TRANSPORT
from opentelemetry.semconv.attributes.url_attributes import URL_PATH, URL_SCHEME
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from backend.engine.document.ids import Path, step_id
from backend.net import traces
from backend.net.traces import RunTrace
from backend.runs.log.batch import About
from backend.tools.calls.contents import GET, READ
from backend.version import VERSION

Attributes = dict[str, Any]
SCOPE = InstrumentationScope("patchbay", VERSION)
UNSET = Status(StatusCode.UNSET)
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"})
AGENTS = frozenset({"agent", "planner"})
"""Nodes whose steps are invocations of an agent."""
_PARAMS = {
    "temperature": gen_ai.GEN_AI_REQUEST_TEMPERATURE,
    "top_p": gen_ai.GEN_AI_REQUEST_TOP_P,
    "top_k": gen_ai.GEN_AI_REQUEST_TOP_K,
    "max_tokens": gen_ai.GEN_AI_REQUEST_MAX_TOKENS,
    "seed": gen_ai.GEN_AI_REQUEST_SEED,
    "frequency_penalty": gen_ai.GEN_AI_REQUEST_FREQUENCY_PENALTY,
    "presence_penalty": gen_ai.GEN_AI_REQUEST_PRESENCE_PENALTY,
}
_USED = {
    "input_tokens": gen_ai.GEN_AI_USAGE_INPUT_TOKENS,
    "output_tokens": gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS,
    "cached_tokens": gen_ai.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
    "reasoning_tokens": gen_ai.GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
}
TRANSPORTS = {"stdio": "pipe", "http": "tcp", "sse": "tcp"}
"""`network.transport` of a server of MCP, by how its messages travel."""


@dataclass(slots=True)
class Begun:
    """A step or a call that has begun; `data` of the line that says so, `span` = its id."""

    ts: float
    span: str
    parent: str
    node: str
    step: str
    attempt: int
    data: Mapping[str, Any]
    events: list[Event] = field(default_factory=list)


@dataclass(slots=True)
class Time:
    """The time for which one worker has a run; `before` = the fence of the one before it."""

    fence: int
    ts: float
    before: int | None = None


def nanoseconds(ts: float) -> int:
    """Epoch seconds as OpenTelemetry counts."""
    return int(ts * 1_000_000_000)


class Spans:
    """Makes spans and hands them on. `transport_of(team, server)` = how its messages travel, "" = it speaks no MCP."""

    def __init__(
        self,
        emit: Callable[[ReadableSpan], None],
        resource: Resource,
        transport_of: Callable[[str, str], str],
        *,
        content: bool,
    ) -> None:
        self._emit, self._resource, self._transport_of, self._content = emit, resource, transport_of, content
        limits = SpanLimits()
        self._longest: int | None = limits.max_span_attribute_length

    def run(self, about: About, team: str, conversation: str, end: float, type_: str, data: Mapping[str, Any]) -> None:
        """A run that ended."""
        trace = about.trace
        attributes: Attributes = {
            gen_ai.GEN_AI_OPERATION_NAME: "invoke_workflow",
            gen_ai.GEN_AI_WORKFLOW_NAME: about.slug,
            "patchbay.run.id": trace.run,
            "patchbay.run.state": {"FLOW_SUCCESS": "success", "FLOW_CANCEL": "cancelled"}.get(type_, "error"),
            "patchbay.run.trigger": about.trigger,
            "patchbay.team.id": team,
            "patchbay.workflow.id": about.workflow,
            "patchbay.workflow.version": "draft" if about.version is None else str(about.version),
        }
        if conversation:
            attributes[gen_ai.GEN_AI_CONVERSATION_ID] = conversation
        links = []
        if about.origin is not None:
            of = SpanContext(
                int(about.origin.trace_id, 16), int(traces.run_span(about.origin.run), 16), False, _SAMPLED
            )
            links.append(Link(of, {"patchbay.link": about.trigger}))
        parent, remote = "", False
        if about.below:
            parent = traces.child_span(trace.run)
        elif trace.caller:
            parent, remote = traces.caller_span(trace.caller), not traces.names_request(trace.caller)
        self._span(
            trace,
            f"invoke_workflow {about.slug}",
            traces.run_span(trace.run),
            parent,
            (about.queued_at, end),
            _failed(attributes, str(data.get("code") or "INTERNAL") if type_ == "FLOW_FAILED" else ""),
            kind=SpanKind.SERVER if remote else SpanKind.INTERNAL,
            failed=type_ == "FLOW_FAILED",
            links=links,
            remote=remote,
        )

    def request(self, request: traces.Request, status: int, end: float) -> None:
        """A request that was answered, with this status; 0 = its client left before it was."""
        attributes: Attributes = {
            HTTP_REQUEST_METHOD: request.method if request.method in METHODS else "_OTHER",
            HTTP_ROUTE: request.route,
            URL_PATH: request.path,
            URL_SCHEME: request.scheme,
        }
        if status:
            attributes[HTTP_RESPONSE_STATUS_CODE] = status
        failed = status >= 500
        self._span(
            RunTrace("", "", request.traceparent),
            f"{attributes[HTTP_REQUEST_METHOD]} {request.route}".replace("_OTHER", "HTTP"),
            request.span,
            traces.caller_span(request.caller) if request.caller else "",
            (request.began, end),
            _failed(attributes, str(status) if failed else ""),
            kind=SpanKind.SERVER,
            failed=failed,
            remote=bool(request.caller),
        )

    def segment(self, about: About, time: Time, end: float, outcome: str) -> None:
        """A segment of a run that has several. `outcome` = "stopped" (it waits), "ended", "interrupted"."""
        trace = about.trace
        links = []
        if time.before is not None:
            before = int(traces.segment_span(trace.run, time.before), 16)
            of = SpanContext(int(trace.trace_id, 16), before, False, _SAMPLED)
            links.append(Link(of, {"patchbay.link": "goes_on_from"}))
        self._span(
            trace,
            "segment",
            traces.segment_span(trace.run, time.fence),
            traces.run_span(trace.run),
            (time.ts, end),
            {"patchbay.run.id": trace.run, "patchbay.segment": time.fence, "patchbay.segment.outcome": outcome},
            links=links,
        )

    def step(self, about: About, node_type: str, begun: Begun, end: float, type_: str, data: Mapping[str, Any]) -> None:
        """A step that ended, all its attempts. `node_type` = of its node; what a planner makes up has none."""
        kind = node_type if begun.parent == "" or "name" not in begun.data else "planned"
        attributes: Attributes = {
            "patchbay.run.id": about.trace.run,
            "patchbay.step.id": begun.step,
            "patchbay.node.id": begun.node,
            "patchbay.node.type": kind,
            "patchbay.step.state": type_.removeprefix("STEP_").lower(),
        }
        name = f"{kind} {begun.node}"
        if kind in AGENTS:
            name = f"invoke_agent {begun.node}"
            attributes[gen_ai.GEN_AI_OPERATION_NAME] = "invoke_agent"
            attributes[gen_ai.GEN_AI_AGENT_NAME] = begun.node
        if self._content and isinstance(data.get("output"), dict):
            attributes["patchbay.step.output"] = self._text(data["output"])
        code = str(data.get("code") or "INTERNAL") if type_ == "STEP_ERROR" else ""
        self._span(
            about.trace,
            name,
            begun.span,
            begun.parent or traces.run_span(about.trace.run),
            (begun.ts, end),
            _failed(attributes, code),
            failed=bool(code),
            events=begun.events,
        )

    def round(self, about: About, begun: Begun, end: float, data: Mapping[str, Any]) -> None:
        """A round with a model that was answered, or failed."""
        request, usage = begun.data, data.get("usage") or {}
        model = str(request.get("model") or "")
        attributes: Attributes = {
            gen_ai.GEN_AI_OPERATION_NAME: "chat",
            gen_ai.GEN_AI_PROVIDER_NAME: str(request.get("provider") or ""),
            gen_ai.GEN_AI_REQUEST_MODEL: model,
            "patchbay.run.id": about.trace.run,
            "patchbay.call": str(data.get("call") or ""),
        }
        params = request.get("params")
        if isinstance(params, dict):
            attributes |= {to: params[name] for name, to in _PARAMS.items() if _is_number(params.get(name))}
        attributes |= {to: usage[name] for name, to in _USED.items() if _is_number(usage.get(name))}
        if usage.get("cost"):
            attributes["patchbay.usage.cost"] = usage["cost"]
        if data.get("model"):
            attributes[gen_ai.GEN_AI_RESPONSE_MODEL] = str(data["model"])
        error = data.get("error")
        if error is None:
            attributes[gen_ai.GEN_AI_RESPONSE_FINISH_REASONS] = [str(data.get("finish") or "")]
        if self._content:
            if isinstance(request.get("messages"), list):
                attributes[gen_ai.GEN_AI_INPUT_MESSAGES] = self._text(_messages(request["messages"]))
            if error is None:
                attributes[gen_ai.GEN_AI_OUTPUT_MESSAGES] = self._text(_reply(data))
        code = str(error.get("code")) if isinstance(error, dict) else ""
        self._span(
            about.trace,
            f"chat {model}".rstrip(),
            begun.span,
            begun.parent,
            (begun.ts, end),
            _failed(attributes, code),
            kind=SpanKind.CLIENT,
            failed=bool(code),
        )

    def call(self, about: About, team: str, begun: Begun, end: float, data: Mapping[str, Any]) -> None:
        """A call of a tool that was answered, or failed."""
        server, tool = str(begun.data.get("server") or ""), str(begun.data.get("tool") or "")
        attributes: Attributes = {
            gen_ai.GEN_AI_OPERATION_NAME: "execute_tool",
            gen_ai.GEN_AI_TOOL_NAME: tool,
            gen_ai.GEN_AI_TOOL_CALL_ID: str(begun.data.get("call") or ""),
            "patchbay.run.id": about.trace.run,
            "patchbay.server": server,
        }
        name, kind = f"execute_tool {tool}", SpanKind.INTERNAL
        transport = self._transport_of(team, server)
        if transport:
            reads = tool in (READ, GET)
            name, kind = tool if reads else f"tools/call {tool}", SpanKind.CLIENT
            attributes[mcp.MCP_METHOD_NAME] = tool if reads else "tools/call"
            attributes[NETWORK_TRANSPORT] = TRANSPORTS[transport]
        if begun.data.get("run"):
            attributes["patchbay.child.id"] = str(begun.data["run"])
        if self._content:
            arguments, answer = begun.data.get("arguments"), data.get("structured") or data.get("content")
            attributes[gen_ai.GEN_AI_TOOL_CALL_ARGUMENTS] = self._text(arguments)
            attributes[gen_ai.GEN_AI_TOOL_CALL_RESULT] = self._text(answer)
        error = data.get("error")
        code = str(error.get("code")) if isinstance(error, dict) else "tool_error" if data.get("is_error") else ""
        self._span(
            about.trace,
            name,
            begun.span,
            begun.parent,
            (begun.ts, end),
            _failed(attributes, code),
            kind=kind,
            failed=bool(code),
        )

    def _text(self, value: Any) -> str:
        """As JSON, as long as an attribute may be."""
        text = json.dumps(value, ensure_ascii=False)
        return text if self._longest is None else text[: self._longest]

    def _span(
        self,
        trace: RunTrace,
        name: str,
        span: str,
        parent: str,
        times: tuple[float, float],
        attributes: Attributes,
        *,
        kind: SpanKind = SpanKind.INTERNAL,
        failed: bool = False,
        events: Sequence[Event] = (),
        links: Sequence[Link] = (),
        remote: bool = False,
    ) -> None:
        number, (begin, end) = int(trace.trace_id, 16), times
        above = SpanContext(number, int(parent, 16), remote, _SAMPLED) if parent else None
        self._emit(
            ReadableSpan(
                name,
                SpanContext(number, int(span, 16), False, _SAMPLED),
                above,
                self._resource,
                attributes,
                events,
                links,
                kind,
                status=Status(StatusCode.ERROR, attributes.get(ERROR_TYPE)) if failed else UNSET,
                start_time=nanoseconds(min(begin, end)),
                end_time=nanoseconds(end),
                instrumentation_scope=SCOPE,
            )
        )


def above_step(run: str, path: Path, data: Mapping[str, Any]) -> str:
    """The span that a step lies in: of the step around it, or of the container whose round it belongs to; "" = the
    run's."""
    if data.get("parent"):
        return traces.step_span(str(data["parent"]))
    return traces.step_span(step_id(run, path[:-1], path[-1][0])) if path else ""


def _failed(attributes: Attributes, code: str) -> Attributes:
    return {**attributes, ERROR_TYPE: code} if code else attributes


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _messages(messages: list[Any]) -> list[Any]:
    """Messages as the conventions have them: `{role, parts}`."""
    out = []
    for message in messages:
        if not isinstance(message, dict):
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "content": content or ""}]
        calls = [_called(call) for call in message.get("tool_calls") or []]
        out.append({"role": message.get("role"), "parts": [*parts, *calls]})
    return out


def _reply(data: Mapping[str, Any]) -> list[Any]:
    parts: list[Any] = [{"type": "text", "content": data.get("text") or ""}]
    if data.get("reasoning"):
        parts.append({"type": "reasoning", "content": data["reasoning"]})
    parts += [_called(call) for call in data.get("tool_calls") or []]
    return [{"role": "assistant", "parts": parts, "finish_reason": data.get("finish")}]


def _called(call: Any) -> Any:
    fields = call if isinstance(call, dict) else {}
    inner = fields.get("function")
    function = inner if isinstance(inner, dict) else fields
    return {
        "type": "tool_call",
        "id": fields.get("id"),
        "name": function.get("name"),
        "arguments": function.get("arguments"),
    }
