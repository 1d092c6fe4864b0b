"""Traces of real runs, as a collector gets them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import until
from tests.live.telemetry.conftest import CLIENT, INTERNAL, SERVER, Traced, calling, named
from tests.llm_server import Call, LlmServer, has_result, llm_server
from tests.otlp_receiver import Span

pytest_plugins = ()


def agent() -> dict[str, Any]:
    config = {"provider": "scripted", "model": "m", "query": "Look it up", "tools": {"servers": [{"server": "ledger"}]}}
    nodes = [node("start", "start", {"inputs": {"type": "object"}}), node("work", "agent", config)]
    return graph([*nodes, node("end", "end", {"outputs": {}})], "start -> work", "work -> end")


def scripted(traced: Traced, llm: LlmServer) -> None:
    traced.model(llm)
    llm.reply(text="I look.", calls=[Call("ledger__look", {"name": "secret name"})])
    llm.reply(text="Done.", when=has_result("secret name"))


def request_of(traced: Traced, whole: Span) -> Span:
    """The request that started a run, which stands alone above it."""

    def requests() -> list[Span]:
        return [span for span in traced.collector.spans() if span.trace == whole.trace and span.kind == SERVER]

    [request] = until(requests)
    assert isinstance(request, Span) and request.parent == ""
    return request


def test_a_run_with_an_agent_is_a_tree_of_spans_by_the_conventions_and_without_content(traced: Traced) -> None:
    with llm_server() as llm:
        scripted(traced, llm)
        run = traced.run(agent())
        traced.ended(run)
        requests = [item.headers.get("traceparent") for item in llm.requests if "chat" in item.path]
    spans = traced.spans_of(run)
    whole, work = named(spans, "invoke_workflow traced"), named(spans, "invoke_agent work")
    call = named(spans, "tools/call look")
    rounds = [span for span in spans if span.name == "chat m"]
    assert {span.trace for span in spans} == {whole.trace} and whole.parent == request_of(traced, whole).id
    assert work.parent == whole.id and {span.parent for span in (*rounds, call)} == {work.id}
    assert len(rounds) == 2 and all(span.start >= work.start and span.end <= work.end for span in (*rounds, call))
    assert whole.attributes["gen_ai.operation.name"] == "invoke_workflow" and whole.kind == INTERNAL
    assert whole.attributes["patchbay.run.state"] == "success"
    assert work.attributes["gen_ai.operation.name"] == "invoke_agent"
    reply = rounds[0].attributes
    assert reply["gen_ai.operation.name"] == "chat" and reply["gen_ai.provider.name"] == "scripted"
    assert reply["gen_ai.request.model"] == "m" and reply["gen_ai.usage.input_tokens"] >= 0
    assert rounds[0].kind == call.kind == CLIENT
    assert reply["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert call.attributes["mcp.method.name"] == "tools/call" and call.attributes["gen_ai.tool.name"] == "look"
    assert call.attributes["gen_ai.operation.name"] == "execute_tool"
    assert call.attributes["network.transport"] == "pipe"
    assert "secret name" not in str(spans) and "Look it up" not in str(spans)
    assert whole.resource["service.name"] == "patchbay"
    assert requests == [f"00-{whole.trace}-{span.id}-01" for span in rounds]


@pytest.mark.wide
def test_a_run_that_was_killed_and_goes_on_stays_one_trace_with_a_link(traced: Traced) -> None:
    run = traced.run(calling("look", "look", "look", seconds=1.0))
    until(lambda: traced.ledger.exists() and len(traced.ledger.read_text().splitlines()) == 2)
    traced.instance.kill()
    traced.instance.start()
    traced.ended(run)
    spans = traced.spans_of(run)
    whole = named(spans, "invoke_workflow traced")
    assert {span.trace for span in spans} == {whole.trace}
    assert [span.name for span in spans if span.name.startswith("tool ")] == ["tool s0", "tool s1", "tool s2"]
    first, second = (span for span in spans if span.name == "segment")
    assert first.parent == second.parent == whole.id
    assert first.attributes["patchbay.segment.outcome"] == "interrupted" and not first.links
    assert [link[:2] for link in second.links] == [[first.trace, first.id]]
    ids = [span.id for span in spans]
    assert len(ids) == len(set(ids))
    assert {span.parent for span in spans} <= {request_of(traced, whole).id, *ids}
