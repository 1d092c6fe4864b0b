"""The audit trail, read over the API."""

from __future__ import annotations

from typing import Any

from asgiref.sync import async_to_sync

from tests.people import Person


def deeds(person: Person, query: str = "") -> list[dict[str, Any]]:
    answer = person.api.get(f"/api/audit{query}")
    assert answer.status == 200, answer.text
    return list(answer.data["results"])


def exported(person: Person, query: str) -> str:
    answer = person.api.client.get(f"/api/audit/export{query}")
    assert answer.status_code == 200

    async def read() -> bytes:
        return b"".join([part async for part in answer])

    return async_to_sync(read)().decode()
