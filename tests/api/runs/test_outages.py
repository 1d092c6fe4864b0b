"""Many questions of one outage: one group by what was called, one answer for all or some, a result for each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from backend.accounts.models import AuditEntry
from backend.errors import InternalError, WorkerLost
from backend.runs.log.encoding import encode
from backend.runs.models import InboxMessage, Interaction, LogLine, RunState
from backend.workflows.models import Workflow
from tests.api.runs.conftest import graph, make_run, make_workflow, node
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
BEGAN = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
NOBODY_KNOWS = "It is not known whether the call happened."


class AskMany:
    """Makes open questions about calls of unknown outcome, each a second after the one before."""

    def __init__(self, who: Person) -> None:
        self._who, self._count = who, 0

    def __call__(self, flow: Workflow, tool: str = "book", count: int = 1, later: float = 0, **more: Any) -> list[str]:
        created = []
        for _ in range(count):
            self._count += 1
            run = make_run(self._who, flow, state=RunState.WAITING)
            values = {
                "kind": "recovery",
                "cause": "outcome",
                "title": f"desk/{tool}",
                "message": NOBODY_KNOWS,
                "tool": encode({"server": "desk", "name": tool}),
                "created_at": BEGAN + timedelta(seconds=later + self._count),
                **more,
            }
            key = f"int_{self._count:04d}"
            Interaction.objects.create(id=key, team=self._who.team, run=run, root_run=run, node="n", **values)
            created.append(key)
        return created


@pytest.fixture
def ask_many(bob: Person) -> AskMany:
    return AskMany(bob)


def groups(person: Person) -> Any:
    reply = person.api.get("/api/interactions/groups")
    assert reply.status == 200, reply.text
    return reply.data["results"]


def answers(person: Person, ids: list[str], **body: Any) -> Any:
    return person.api.post("/api/interactions/answers", {"ids": ids, **body})


def test_a_hundred_questions_of_one_outage_are_one_group(bob: Person, ask_many: AskMany) -> None:
    booking, billing = make_workflow(bob, name="booking"), make_workflow(bob, name="billing")
    booked, paid = ask_many(booking, count=60), ask_many(billing, "pay", count=40)
    [alone] = ask_many(booking, later=3600)
    [approval] = ask_many(booking, kind="approval", cause="")
    [one] = groups(bob)
    assert (one["count"], one["id"]) == (100, f"outage_{booked[0]}")
    shown = [(part["workflow_name"], part["server"], part["tool"], part["count"]) for part in one["parts"]]
    assert shown == [("booking", "desk", "book", 60), ("billing", "desk", "pay", 40)]
    assert [part["id"] for part in one["parts"][1]["questions"]] == paid[::-1]
    listed = bob.api.get("/api/interactions?state=open&alone=true").data["results"]
    assert [row["id"] for row in listed] == [alone, approval] or {row["id"] for row in listed} == {alone, approval}
    assert len(bob.api.get("/api/interactions?state=open&limit=200").data["results"]) > 2


def test_one_answer_is_given_to_each_for_itself(bob: Person, ask_many: AskMany) -> None:
    flow = make_workflow(bob)
    keys = ask_many(flow, count=4)
    bob.api.post(f"/api/interactions/{keys[1]}/answer", {"action": "fail"})
    reply = answers(bob, [*keys, "int_unknown", keys[0]], action="retry", reason="the desk was away")
    assert reply.status == 200, reply.text
    results = {row["id"]: row for row in reply.data["results"]}
    assert list(results) == [*keys, "int_unknown"]
    assert [results[key]["answered"] for key in keys] == [True, False, True, True]
    assert results[keys[1]]["error"]["code"] == "ALREADY_ANSWERED"
    assert results["int_unknown"]["error"]["code"] == "NOT_FOUND"
    rows = Interaction.objects.filter(pk__in=[keys[0], keys[2], keys[3]])
    assert {(row.state, row.answered_by_id) for row in rows} == {("answered", bob.user.pk)}
    assert InboxMessage.objects.filter(interaction__in=keys, kind="answer").count() == 4
    assert AuditEntry.objects.filter(action="interaction.answered").count() == 4
    assert groups(bob) == []


def test_each_question_says_itself_whether_it_may_be_answered_so(bob: Person, ask_many: AskMany) -> None:
    flow = make_workflow(bob)
    [free, mine, other], [approval] = ask_many(flow, count=3), ask_many(flow, kind="approval", cause="")
    Interaction.objects.filter(pk=mine).update(assignees=encode([bob.user.email]))
    Interaction.objects.filter(pk=other).update(assignees=encode(["somebody@example.org"]))
    ids = [free, mine, other, approval]
    refused = answers(bob, ids, action="skip").data["results"]
    assert [row["answered"] for row in refused] == [False] * 4  # a tool's result has to be given
    done = answers(bob, ids, action="skip", values={"result": "booked"}).data["results"]
    assert [row["answered"] for row in done] == [True, True, False, False]
    assert [row["error"]["code"] for row in done[2:]] == ["FORBIDDEN", "VALIDATION_ERROR"]


def test_who_only_reads_and_who_is_elsewhere_answers_none(
    bob: Person, vera: Person, charlie: Person, ask_many: AskMany
) -> None:
    keys = ask_many(make_workflow(bob), count=2)
    assert answers(vera, keys, action="retry").status == 403
    assert [row["error"]["code"] for row in answers(charlie, keys, action="retry").data["results"]] == ["NOT_FOUND"] * 2
    assert groups(charlie) == [] and groups(vera)[0]["count"] == 2
    assert answers(bob, [], action="retry").status == 400 and answers(bob, keys, action="accept").status == 400
    assert Interaction.objects.filter(state="open").count() == 2


def test_a_failure_of_patchbay_is_no_call_of_unknown_outcome(bob: Person, ask_many: AskMany) -> None:
    flow = make_workflow(bob, name="Bookings")
    calls = ask_many(flow, count=2)
    message, hint = InternalError(params={"reason": "repeated", "times": 3}).text("en")
    [failed] = ask_many(flow, cause="failure", title="n", tool="", message=f"{message} {hint}")
    [outage] = groups(bob)
    assert outage["count"] == 2, "it would be asked whether it happened"
    alone = bob.api.get("/api/interactions?alone=true").data["results"]
    assert [(item["id"], item["cause"]) for item in alone] == [(failed, "failure")]
    others = bob.api.get("/api/interactions").data["results"]
    assert {other["id"]: other["cause"] for other in others} == {failed: "failure", **dict.fromkeys(calls, "outcome")}


def test_what_patchbay_asks_is_said_in_the_readers_language(bob: Person, ask_many: AskMany) -> None:
    flow = make_workflow(bob, name="Bookings")
    unknown = WorkerLost(params={"reason": "unknown_outcome", "target": "desk/book"})
    repeated = InternalError(params={"reason": "repeated", "times": 3})
    grew = InternalError(params={"reason": "grew", "times": 2, "amount": 512})
    for error, title in ((unknown, "desk/book"), (unknown, "desk/book"), (repeated, "n"), (grew, "n")):
        cause = "outcome" if error is unknown else "failure"
        ask_many(flow, cause=cause, title=title, message=" ".join(error.text("en")))
    ask_many(flow, title="desk/book", message="Of another version.")
    chinese = {"Accept-Language": "zh"}
    questions = [result["message"] for result in bob.api.get("/api/interactions", **chinese).data["results"]]
    theirs = ["".join(error.text("zh")) for error in (grew, repeated, unknown, unknown)]
    assert questions == ["Of another version.", *theirs]
    parts = bob.api.get("/api/interactions/groups", **chinese).data["results"][0]["parts"]
    assert {part["message"] for part in parts} == {"Of another version.", theirs[-1]}


def test_a_question_says_why_it_is_asked_whatever_its_step_is_called(bob: Person, ask_many: AskMany) -> None:
    flow = make_workflow(bob)
    same = ask_many(flow, count=2, title="n")  # what was called is called as the step
    [failed] = ask_many(flow, cause="failure", title="Book a desk")
    shown = {result["id"]: result["cause"] for result in bob.api.get("/api/interactions").data["results"]}
    assert shown == {**dict.fromkeys(same, "outcome"), failed: "failure"}
    assert groups(bob)[0]["count"] == 2


def test_questions_of_an_outage_are_told_apart_by_step_arguments_and_time(bob: Person, ask_many: AskMany) -> None:
    titled = graph([node("n", "tool", {}) | {"title": "Book a desk"}])
    flow = make_workflow(bob, titled, name="booking")
    long = {"text": "x" * 5000}
    for body in ({"desk": 12, "day": "Monday\nmorning", "with": ["screen"]}, long, "a text", None):
        ask_many(flow, proposal=encode(body))
    [part] = groups(bob)[0]["parts"]
    messages = [question["arguments"] for question in part["questions"]][::-1]
    assert messages[0] == 'desk: 12, day: Monday morning, with: ["screen"]' and messages[2:] == ["a text", ""]
    assert messages[1].endswith("…") and len(messages[1]) < 200
    assert {question["node_title"] for question in part["questions"]} == {"Book a desk"}
    assert len({question["created_at"] for question in part["questions"]}) == 4


def test_a_line_of_an_outage_says_when_its_call_was_made(bob: Person, ask_many: AskMany) -> None:
    flow = make_workflow(bob, name="booking")
    keys = ask_many(flow, count=3)
    for seconds, key in enumerate(keys[:2]):
        run = Interaction.objects.get(pk=key).run
        common: dict[str, Any] = {"run": run, "node": "n", "path": '[["each",1]]', "fence": 1}
        at = datetime(2026, 11, 22, 2, 30, seconds, tzinfo=UTC).timestamp()
        other = {**common, "path": "", "record": "start", "key": "call", "ts": at - 60}
        LogLine.objects.create(position=1, **other)
        LogLine.objects.create(position=2, **common, record="start", key="call", ts=at)
        LogLine.objects.create(position=3, **common, record="ask", key="recovery:call", ts=at + 900, interaction=key)
    [part] = groups(bob)[0]["parts"]
    shown = {question["id"]: question["called_at"] for question in part["questions"]}
    times = ["2026-11-22T02:30:00.000Z", "2026-11-22T02:30:01.000Z", None]
    assert shown == dict(zip(keys, times, strict=True))
