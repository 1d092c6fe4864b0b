"""Who comes in at `/mcp`, and what is refused before anything is read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.live.mcp_server.conftest import ASKS, Offering

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def bearer(token: str) -> dict[str, str]:
    """The header of a token."""
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer pb_nonsense", "Basic YTpi"])
def test_without_a_members_token_nothing_is_read(offering: Offering, header: str) -> None:
    answer = offering.post(b"{not even json", **({"authorization": header} if header else {}))
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json()["code"] == "UNAUTHENTICATED"
    assert answer.json()["hint"]


def test_a_token_in_the_address_is_none(offering: Offering) -> None:
    status, _ = offering.patchbay.request("POST", f"/mcp?token={offering.token}&access_token={offering.token}", LIST)
    assert status == 401


def test_a_token_that_was_ended_opens_nothing_any_more(offering: Offering) -> None:
    created = offering.ask("POST", "/api/tokens", {"name": "short"})
    assert offering.post(LIST, **bearer(created["token"])).status_code == 200
    offering.patchbay.request("DELETE", f"/api/tokens/{created['id']}", None, offering.token)
    assert offering.post(LIST, **bearer(created["token"])).status_code == 401


@pytest.mark.parametrize("name", ["evil.example", "evil.example:8000", "localhost.evil.example", ""])
def test_another_host_is_refused(offering: Offering, name: str) -> None:
    assert offering.post(LIST, **bearer(offering.token), host=name).status_code in {400, 421}


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1"])
def test_a_page_of_another_origin_is_refused(offering: Offering, origin: str) -> None:
    assert offering.post(LIST, **bearer(offering.token), origin=origin).status_code == 403


def test_a_page_of_ours_may(offering: Offering) -> None:
    assert offering.post(LIST, **bearer(offering.token), origin=offering.patchbay.url).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_it_is_spoken_by_post(offering: Offering, method: str) -> None:
    status, answer = offering.patchbay.request(method, "/mcp", None, offering.token)
    assert (status, answer["code"]) == (405, "METHOD_NOT_ALLOWED")


def test_a_body_above_4_mb_is_refused(offering: Offering) -> None:
    text = json.dumps({**LIST, "params": {"cursor": "x" * 4 * 1024 * 1024}}).encode()
    assert offering.post(text, **bearer(offering.token)).status_code == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":1,"method":7}'])
def test_what_is_no_request_is_refused(offering: Offering, body: bytes) -> None:
    answer = offering.post(body, **bearer(offering.token))
    assert 400 <= answer.status_code < 500 or "error" in message_of(answer.text)


def message_of(text: str) -> Any:
    """The JSON-RPC message of an answer, as JSON or as the event of a stream."""
    result = re.search(r"^data: (.*)$", text, re.MULTILINE)
    return json.loads(result.group(1) if result else text)


def test_every_answer_has_the_headers_that_all_of_ours_have(offering: Offering) -> None:
    for answer in (offering.post(LIST, **bearer(offering.token), **{"x-request-id": "abc-1"}), offering.post(LIST)):
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"].startswith(("no-store", "no-cache"))
        assert answer.headers["x-request-id"]
    named = offering.post(LIST, **bearer(offering.token), **{"x-request-id": "abc-1"})
    assert named.headers["x-request-id"] == "abc-1"


def test_a_program_approves_nothing_even_where_its_token_may_answer(offering: Offering) -> None:
    flow = offering.offer(ASKS)
    answers = offering.restricted(scopes=["read", "run", "answer"])
    request = offering.session(lambda client: client.call_tool(flow["slug"], {}), token=answers)
    key = request.structured_content["answer_at"][0].rsplit("/", 1)[1]
    for tool in ("answer", "approve", "answer_question", "tasks/update"):
        with pytest.raises(MCPError, match="There is no tool"):
            offering.session(lambda client: client.call_tool(tool, {"id": key}), token=answers)  # noqa: B023 - called within this round
    assert offering.ask("GET", "/api/interactions?state=open")["results"]
