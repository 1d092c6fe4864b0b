"""What goes wrong in the database while a run works is nobody's answer: the run waits it out and goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.instance import until
from tests.live.scaled.shop import DOCUMENT, Shop
from tests.llm_server import Call, Gate, LlmServer

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def shop(tmp_path: Path, llm: LlmServer) -> Iterator[Shop]:
    shop = Shop(tmp_path, llm)
    try:
        yield shop
    finally:
        shop.instance.kill()


def test_a_locked_table_at_the_gate_is_not_told_to_the_model(shop: Shop, llm: LlmServer) -> None:
    thinking = Gate()
    llm.reply(calls=[Call("ledger__pay", {"name": "the bill"})], gate=thinking)
    llm.reply(text="It is paid.", times=None)
    workflow = shop.ask("POST", "/api/workflows", {"name": "Pay", "graph": DOCUMENT})["id"]
    run = shop.ask("POST", f"/api/workflows/{workflow}/runs", {"version": "draft", "inputs": {}})["id"]
    llm.wait_for_request(1)
    with shop.database() as connection:
        connection.execute("LOCK TABLE registry_tool IN ACCESS EXCLUSIVE MODE")
        thinking.open()
        until(lambda: shop.is_released(run), 90)
    until(lambda: shop.ask("GET", f"/api/runs/{run}")["state"] in {"SUCCESS", "ERROR", "CANCELLED"}, 90)
    ended = shop.ask("GET", f"/api/runs/{run}")
    assert (ended["state"], ended["outputs"]) == ("SUCCESS", {"text": "It is paid."})
    assert shop.ledger.read_text().splitlines() == ["write the bill"]
    results = [message for message in llm.requests[-1].messages if message["role"] == "tool"]
    assert "write the bill" in json.dumps(results) and "fail" not in json.dumps(results).lower()
