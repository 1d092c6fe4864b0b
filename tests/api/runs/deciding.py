"""People who decide at the screen: their answers, and what they are shown of others' answers."""

from __future__ import annotations

from typing import Any

from tests.people import Api, Person

Waiting = tuple[str, str]
"""(run, question)"""


def waiting_of(reply: Any) -> Waiting:
    assert reply.status == 200 and reply.data["state"] == "WAITING", reply.text
    return reply.data["id"], reply.data["waiting"][0]["interaction"]


def at_screen(person: Person) -> Api:
    """The person as they are signed in."""
    api = Api()
    api.client.force_login(person.user)
    return api


def answer(person: Person, question: str, action: str = "accept", **body: Any) -> Any:
    return at_screen(person).post(f"/api/interactions/{question}/answer", {"action": action, **body})


def shown(person: Person, question: str) -> dict[str, Any]:
    [open_question] = person.api.get(f"/api/interactions?id={question}").data["results"]
    approval: dict[str, Any] = open_question["approval"]
    return approval
