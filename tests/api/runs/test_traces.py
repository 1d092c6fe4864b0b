"""What a run's log becomes as spans: loops, people, retries, errors, content, and a process that begins anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode, format_span_id, format_trace_id

from backend.net import traces
from backend.runs.live.hub import HUB
from backend.runs.worker.worker import Worker
from backend.telemetry.following import Follower
from backend.telemetry.sampling import sampler_of, samples_by
from backend.telemetry.spans import Spans
from tests.api.registry.conftest import programs as programs
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


class Traced:
    """What came of runs. `anew()` = as another process has it, which has seen nothing yet."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []
        self.content = False
        self._follower: Follower | None = None

    def anew(self) -> None:
        """Begin to follow."""
        self.close()
        follower = Follower(
            lambda servers: Spans(self.spans.append, Resource({}), servers.transport_of, content=self.content),
            lambda trace: True,
            recent_s=15.0,
            linger_s=0.01,
        )
        follower.start()
        self._follower, HUB.on_committed = follower, follower.committed

    def close(self) -> None:
        """Make spans of what was committed, and end."""
        HUB.on_committed = None
        if self._follower is not None:
            self._follower.stop(30)
            self._follower = None

    def of(self, run: str) -> dict[str, ReadableSpan]:
        """The run's spans by name, once its own (`run`) is there; segments as `segment 1` and on."""
        until(lambda: any(self._ends(span, run) for span in list(self.spans)))
        results: dict[str, ReadableSpan] = {}
        for span in self.spans:
            if (span.attributes or {}).get("patchbay.run.id") == run:
                count = sum(name.startswith("segment") for name in results) + 1
                name = f"segment {count}" if span.name == "segment" else span.name
                results["run" if name.startswith("invoke_workflow ") else name] = span
        return results

    @staticmethod
    def _ends(span: ReadableSpan, run: str) -> bool:
        return span.name.startswith("invoke_workflow") and (span.attributes or {}).get("patchbay.run.id") == run


@pytest.fixture
def traced() -> Iterator[Traced]:
    traced = Traced()
    traced.anew()
    yield traced
    traced.close()


def started(person: Person, document: dict[str, Any]) -> str:
    reply = start(person, make_workflow(person, document))
    assert reply.status == 202, reply.data
    return str(reply.data["id"])


def ended(run: str) -> str:
    return str(until(lambda: (now := state(run)) in {"SUCCESS", "ERROR", "CANCELLED"} and now))


def id_of(span: ReadableSpan) -> int:
    return int(span.context.span_id)


def parent_of(span: ReadableSpan) -> int:
    assert span.parent is not None
    return int(span.parent.span_id)


def test_steps_of_rounds_lie_in_the_step_of_their_container(worker: Worker, bob: Person, traced: Traced) -> None:
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("each", "iteration", {"items": [1], "output": "{{ inner.text }}"}),
            node("inner", "template", {"template": "{{ item }}"}, parent="each"),
            node("end", "end", {"outputs": {}}),
        ],
        "start -> each",
        "each -> end",
    )
    run = started(bob, document)
    assert ended(run) == "SUCCESS"
    spans = traced.of(run)
    whole, each = spans["run"], spans["iteration each"]
    assert parent_of(spans["template inner"]) == id_of(each) and parent_of(each) == id_of(whole)
    assert whole.parent is None and not any(name.startswith("segment") for name in spans)
    assert {span.context.trace_id for span in spans.values()} == {whole.context.trace_id}
    assert format_trace_id(whole.context.trace_id) == traces.trace_id(run)
    assert format_span_id(whole.context.span_id) == traces.run_span(run)


APPROVES = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("ask", "approval", {"title": "A secret title"}),
        node("end", "end", {"outputs": {"text": "{{ ask.approved }}"}}),
    ],
    "start -> ask",
    "ask:approved -> end",
)


def test_a_run_that_waited_has_segments_and_another_process_ends_its_spans(
    worker: Worker, bob: Person, traced: Traced
) -> None:
    run = started(bob, APPROVES)
    question = until(lambda: bob.api.get(f"/api/interactions?state=open&run={run}").data["results"])[0]
    until(lambda: any(span.name == "segment" for span in list(traced.spans)))
    traced.anew()
    assert bob.api.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"}).status == 200
    assert ended(run) == "SUCCESS"
    spans = traced.of(run)
    first, second, ask = spans["segment 1"], spans["segment 2"], spans["approval ask"]
    assert (first.attributes or {})["patchbay.segment.outcome"] == "stopped" and not first.links
    assert [link.context.span_id for link in second.links] == [id_of(first)]
    assert parent_of(first) == parent_of(second) == parent_of(ask) == id_of(spans["run"])
    assert first.start_time is not None and ask.start_time is not None and second.start_time is not None
    assert first.start_time <= ask.start_time < second.start_time, "its beginning was read from the log"
    assert len(traced.spans) == len({span.context.span_id for span in traced.spans})
    assert "A secret title" not in "".join(span.to_json() for span in traced.spans)


def test_a_retry_is_a_trace_of_its_own_with_a_link_and_an_error_is_its_code_alone(
    worker: Worker, bob: Person, traced: Traced
) -> None:
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("end", "end", {"outputs": {"n": "{{ start.a.b }}"}}),
        ],
        "start -> end",
    )
    run = started(bob, document)
    assert ended(run) == "ERROR"
    failed = traced.of(run)["run"]
    code = bob.api.get(f"/api/runs/{run}").data["error"]["code"]
    assert failed.status.status_code is StatusCode.ERROR and failed.status.description == code
    assert (traced.of(run)["end end"].attributes or {})["error.type"] == code
    again = bob.api.post(f"/api/runs/{run}/retry", {}).data["id"]
    assert ended(again) == "ERROR"
    retried = traced.of(again)["run"]
    assert retried.context.trace_id != failed.context.trace_id
    assert [link.context.span_id for link in retried.links] == [id_of(failed)]


def test_content_is_on_spans_where_a_setting_says_so(worker: Worker, bob: Person, ledger: Path, traced: Traced) -> None:
    def calls() -> str:
        tool: dict[str, Any] = {"server": "ledger", "tool": "look", "arguments": {"name": "n0"}}
        nodes = [node("start", "start", {"inputs": {"type": "object"}}), node("call", "tool", tool)]
        document = graph([*nodes, node("end", "end")], "start -> call", "call -> end")
        run = started(bob, document)
        assert ended(run) == "SUCCESS"
        return run

    without = traced.of(calls())["tools/call look"].attributes or {}
    assert "gen_ai.tool.call.arguments" not in without and "n0" not in str(dict(without))
    traced.content = True
    traced.anew()
    reply = traced.of(calls())["tools/call look"].attributes or {}
    assert reply["gen_ai.tool.call.arguments"] == '{"name": "n0"}' and "n0" in str(reply["gen_ai.tool.call.result"])


def test_a_run_says_its_trace_and_where_it_is_shown(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    trace, workflow = "4b" * 16, make_workflow(bob, APPROVES)
    own = start(bob, workflow).data
    assert own["trace"] is None and bob.api.get(f"/api/runs/{own['id']}").data["trace_url"] is None
    body = start(bob, workflow, traceparent=f"00-{trace}-{'00f0' * 4}-01").data
    assert body["trace"] == trace
    monkeypatch.setattr(settings.PATCHBAY, "trace_url", "https://traces.example.org/{trace_id}?tab=all")
    shown = bob.api.get(f"/api/runs/{body['id']}").data
    assert shown["trace_url"] == f"https://traces.example.org/{trace}?tab=all"


@pytest.mark.parametrize(
    ("sampler", "share", "caller", "kept"),
    [
        ("parentbased_always_on", 1, "", True),
        ("parentbased_always_on", 1, "00", False),
        ("parentbased_always_off", 1, "01", True),
        ("always_on", 1, "00", True),
        ("always_off", 1, "01", False),
        ("traceidratio", 0, "01", False),
        ("parentbased_traceidratio", 0, "", False),
    ],
)
def test_which_traces_are_kept(sampler: str, share: float, caller: str, kept: bool) -> None:
    text = f"00-{'4b' * 16}-{'00f0' * 4}-{caller}" if caller else ""
    trace = traces.RunTrace("run_1", "", text)
    assert samples_by(sampler_of(sampler, share))(trace) is kept
