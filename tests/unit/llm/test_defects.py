"""What is wrong with us while an endpoint is asked is no failure of the endpoint's: it reaches whoever asked.

A run then stops without an end record and is tried again; no fallback model is asked, and nobody is told to look at the
endpoint.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from errno import EMFILE, ENOMEM
from typing import Any

import pytest

from backend.errors import LlmAuthFailed, LlmUnreachable
from backend.errors.trouble import MachineTrouble
from backend.llm.client import Endpoint, open_endpoint
from backend.llm.config import EndpointConfig
from backend.llm.connection_test import endpoint_test
from backend.net.rules import NetworkRules
from tests.llm_server import LlmServer
from tests.looking import inside
from tests.unit.llm.conftest import KEY, RULES, Opener, ask

TROUBLE = {
    "a defect": ZeroDivisionError("ours"),
    "no memory": MemoryError(),
    "no descriptor": OSError(EMFILE, "too many open files"),
    "no memory of the kernel": OSError(ENOMEM, "cannot allocate memory"),
}


@dataclass(frozen=True)
class Stumbling(NetworkRules):
    """Rules that stumble where a connection is checked."""

    error: Exception | None = None

    def refusal(self, *_: Any, **__: Any) -> str:
        raise self.error or AssertionError


def config(llm: LlmServer) -> EndpointConfig:
    return EndpointConfig(slug="scripted", base_url=llm.url, key=KEY, typed_address=True)


@pytest.fixture(params=TROUBLE)
async def stumbling(request: pytest.FixtureRequest, llm: LlmServer) -> AsyncIterator[tuple[Endpoint, Exception]]:
    """An endpoint, and the trouble of ours that every request to it meets."""
    error = TROUBLE[request.param]
    endpoint = await open_endpoint(config(llm), Stumbling(loopback_for_typed=True, error=error))
    yield endpoint, error
    await endpoint.close()


@pytest.mark.parametrize("what", ["chat", "list"])
async def test_it_reaches_the_caller_as_it_is(what: str, stumbling: tuple[Endpoint, Exception]) -> None:
    endpoint, error = stumbling
    with pytest.raises((type(error), MachineTrouble)) as met:
        await (ask(endpoint) if what == "chat" else endpoint.models())
    causes: list[BaseException] = []
    cause: BaseException | None = met.value
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__
    assert error in causes


async def test_what_the_endpoint_does_is_its_own(opened: Opener) -> None:
    endpoint = await opened(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(LlmUnreachable):
        await ask(endpoint)


async def test_a_key_that_no_header_can_hold_is_nobodys_defect(llm: LlmServer, opened: Opener) -> None:
    for fields in ({"key": "sk-密钥"}, {"headers": {"X-Team": "蓝"}}):
        endpoint = await opened(**fields)
        with pytest.raises(LlmAuthFailed) as refused:
            await ask(endpoint)
        assert refused.value.params == {"reason": "characters"}


@pytest.mark.parametrize("trouble", TROUBLE)
async def test_a_person_who_tests_an_endpoint_is_told_what_was_met(trouble: str, llm: LlmServer) -> None:
    rules = Stumbling(loopback_for_typed=True, error=TROUBLE[trouble])
    report = await endpoint_test(config(llm), rules)
    [stage] = [stage for stage in report.stages if stage.error is not None]
    assert stage.error is not None and stage.error.code == "INTERNAL"
    assert type(TROUBLE[trouble]).__name__ in inside(stage.detail)["why"] and not report.ok
    assert RULES.refusal is not None
