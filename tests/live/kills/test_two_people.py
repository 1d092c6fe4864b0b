"""The process ends itself while the second of two people says yes: the first yes stays, the write happens once."""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Iterator

import pytest

from tests.browser import Browser
from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import ENDED, Harness, check_log

PAYING = graphs.line(
    graphs.approval(approvers="two_others"),
    graphs.tool("pay", "pay"),
    outputs={"paid": "{{ pay.result }}"},
    ok="approved",
)


@pytest.fixture(scope="module")
def people(harness: Harness) -> list[Browser]:
    """Two who may approve, signed in."""
    assert isinstance(harness.instance, ForkedInstance)
    if not harness.instance.alive:
        harness.instance.start()
    links = [harness.ask("POST", "/api/teams/invitations", {"role": "editor"})["url"] for _ in range(2)]
    return [Browser(harness.instance).join(link, name) for link, name in zip(links, ("Nina", "Otto"), strict=True)]


@pytest.fixture
def alive(people: list[Browser], instance: ForkedInstance) -> Iterator[ForkedInstance]:
    """The installation's process, running."""
    yield instance.start()


def approve(person: Browser, question: str) -> tuple[int, str]:
    """What a yes was answered; nothing, where the process died of it."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        status, answer = person.post(f"/api/interactions/{question}/answer", {"action": "accept"})
        return status, answer["state"] if status == 200 else answer["code"]
    return 0, ""


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("point", "taken"),
    [("inbox.uncommitted", False), ("hint.unsent", True), ("claim.committed", True), ("answered.uncommitted", True),
     ("answered.committed", True), ("started.uncommitted", True)],
)  # fmt: skip
def test_killed_while_the_second_says_yes(
    harness: Harness, people: list[Browser], alive: ForkedInstance, point: str, taken: bool
) -> None:
    """`taken` = the second yes was on disk when the process died."""
    run = harness.start("two-people", PAYING, f"two-people-{point}")
    [question] = until(lambda: [question["id"] for question in harness.questions() if question["run"] == run.id])
    assert approve(people[0], question) == (200, "open")
    alive.kill()
    alive.start(point)
    assert approve(people[1], question)[0] in {0, 200}
    until(lambda: not alive.alive)
    assert alive.died() == KILLED
    alive.start()
    [kept] = harness.ask("GET", f"/api/interactions?id={question}")["results"]
    values = [item["by"] for item in kept["approval"]["given"]]
    assert values == ["nina@example.org", "otto@example.org"][: 1 + taken]
    assert approve(people[0], question)[0] != 200, "hers is not asked for once more"
    assert approve(people[1], question) == ((409, "ALREADY_ANSWERED") if taken else (200, "answered"))
    until(lambda: harness.state(run) in ENDED)
    whole = harness.ask("GET", f"/api/runs/{run.id}")
    assert whole["state"] == "SUCCESS", whole["error"]
    check_log(harness.events(run.id), whole)
    assert harness.ledger.called("write")[f"{run.name}/pay"] == 1
