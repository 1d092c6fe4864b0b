"""The audit trail, read over the API."""

from __future__ import annotations

from typing import Any

from tests.people import Person


def entries(person: Person, query: str = "") -> list[dict[str, Any]]:
    answer = person.api.get(f"/api/audit{query}")
    assert answer.status == 200, answer.text
    return list(answer.data["results"])


def exported(person: Person, query: str) -> str:
    reply = person.api.get(f"/api/audit/export{query}")
    assert reply.status == 200, reply.text
    return reply.text
