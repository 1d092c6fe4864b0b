"""The first call of a process: what takes its time is not looked for on the loop that all runs share."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from backend.net.client import tls_context
from backend.registry.connecting.connections import gated_source
from backend.tools.loop import LOOP
from tests.people import Person

_started: list[int | None] | None = None


def _note(event: str, _: tuple[Any, ...]) -> None:
    if _started is not None and event == "subprocess.Popen":
        _started.append(threading.get_ident())


@pytest.mark.django_db(transaction=True)
def test_what_tries_out_the_machine_does_not_hold_the_loop(adam: Person, settings: Any) -> None:
    global _started
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update={"stdio_box": "launcher"})  # nobody has asked for this one
    created = adam.api.post("/api/mcp/servers", {"name": "far", "transport": "http", "url": "https://far.example/mcp"})
    assert created.status == 201, created.text
    LOOP.stop()  # and with it the pool: what follows is this process's first call
    tls_context.cache_clear()
    sys.addaudithook(_note)  # for good
    matches: list[int | None] = []
    _started = matches
    try:
        LOOP.run(gated_source(adam.team.id, "far", user_id=adam.user.id))
        loop = LOOP.thread
    finally:
        _started = None
    assert matches, "the machine was tried out"
    assert loop not in matches
    assert tls_context.cache_info().currsize == 1, "trust was read by then, too"
