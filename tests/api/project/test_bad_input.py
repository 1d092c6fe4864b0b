"""Bodies, cursors and numbers that nobody should send: each is refused with its reason, none is a defect of ours."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.people import Person

WRITES = [
    "/api/mcp/servers",
    "/api/mcp/servers/test",
    "/api/mcp/tools/call",
    "/api/secrets",
    "/api/tokens",
    "/api/workflows",
    "/api/workflows/import",
]
LISTS = [
    "/api/interactions",
    "/api/mcp/declarations",
    "/api/mcp/servers",
    "/api/runs",
    "/api/secrets",
    "/api/teams/members",
    "/api/tokens",
    "/api/workflows",
]


@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"name": ' + b"[" * 300 + b"]" * 300 + b"}",
        b'{"name": NaN}',
        b'{"name": 1e999}',
        b'{"name": "a", "name": "b"}',
        b'{"name": "\xff"}',
        b'{"name": ',
        b"[]",
        b"null",
    ],
    ids=["endless", "deep", "nan", "infinite", "doubled", "latin", "torn", "list", "null"],
)
def test_a_body_that_is_no_good_is_a_400_that_says_why(adam: Person, path: str, body: bytes) -> None:
    reply = adam.api.post(path, body)
    assert (reply.status, reply.data["code"]) == (400, "VALIDATION_ERROR"), reply.text
    assert reply.data["fields"] and all(texts[0] for texts in reply.data["fields"].values())


@pytest.mark.parametrize("path", WRITES)
def test_a_body_above_the_limit_is_413(adam: Person, settings: Any, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_graph_mb", 0.001)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 2000
    reply = adam.api.post(path, {"name": "x" * 200_000})
    assert (reply.status, reply.data["code"]) == (413, "TOO_LARGE") and reply.data["hint"]


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "place",
    ["", "x", "2026-01-01T00:00:00+00:00", "9999-12-31T23:59:59-23:59|1", "0001-01-01T00:00:00+23:59|1", "now|1"],
)
def test_what_is_no_cursor_is_refused_by_name(adam: Person, path: str, place: str) -> None:
    cursor = base64.urlsafe_b64encode(place.encode()).decode() or "%00"
    reply = adam.api.get(f"{path}?cursor={cursor}")
    assert reply.status == 400 and list(reply.data["fields"]) == ["cursor"]


def test_a_cursor_of_another_kind_of_key_is_refused(adam: Person) -> None:
    for key in ("srv_1", "\0", "é"):
        cursor = base64.urlsafe_b64encode(f"2026-01-01T00:00:00+00:00|{key}".encode()).decode()
        assert adam.api.get(f"/api/mcp/declarations?cursor={cursor}").status == 400


@pytest.mark.parametrize("path", LISTS)
def test_limits_are_whole_numbers_above_zero_and_capped(adam: Person, path: str) -> None:
    for limit in ("0", "-1", "x", "1.5"):
        assert list(adam.api.get(f"{path}?limit={limit}").data["fields"]) == ["limit"]
    assert adam.api.get(f"{path}?limit=100000").status == 200
