"""What the OpenAPI document allows is sent to every operation as the owner: no defect, and answers as described.

schemathesis makes the requests from the document, the same ones every time; some are wrong on purpose. Where an
address names something, most requests name what is there. Each request's writes are taken back, so all meet the same
installation. Nothing leaves this process: no name has an address, and no program may start.
"""

from __future__ import annotations

import gzip
import io
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
import requests
import schemathesis
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from urllib3 import HTTPHeaderDict, HTTPResponse

from tests.api.security.naming import named
from tests.api.security.seeded import SeededTeam
from tests.instance import scaled
from tests.people import Person

pytestmark = pytest.mark.wide

CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = {GenerationMode.POSITIVE: 2 if scaled() else 5, GenerationMode.NEGATIVE: 1 if scaled() else 3}
"""Requests per operation, so that all operations take about ten seconds in both modes together."""
LEFT_OUT = {"/api/health", "/api/ready"}
"""They say how web and worker are, and no worker runs here (tests/live/project)."""
NAMES_IN_BODIES = {"server": "off", "provider": "providers", "tool": "tools", "workflow": "workflows"}


class TakenBack(Exception):
    """Ends a transaction whose writes nobody wants."""


@pytest.fixture(autouse=True)
def cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """No names, no programs that exist, no limits that would answer for the views."""

    async def nobody(*_: Any, **__: Any) -> NoReturn:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", nobody)
    monkeypatch.setattr(django_settings.PATCHBAY, "stdio_commands", ["no-such-program"])
    monkeypatch.setattr(django_settings.PATCHBAY, "run_starts_per_15s", 0)
    monkeypatch.setattr("backend.tools.mcp.pool.MAX_BACKOFF_S", 0.0)  # nobody is there to be spared


def described(directory: Path) -> dict[str, Any]:
    """The OpenAPI document, without what only says how to sign in: every request here is the owner's."""
    file = directory / "openapi.json"
    call_command("spectacular", "--format", "openapi-json", "--file", str(file))
    document: dict[str, Any] = json.loads(file.read_text())
    document["components"].pop("securitySchemes")
    for operations in document["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)
    return document


def tame(case: Case[Any], names: dict[str, str]) -> None:
    """In place: nothing waits, nothing answers from a thread of its own (it would wait for our transaction)."""
    if case.query and case.query.get("format") == "ndjson":
        del case.query["format"]
    if isinstance(case.body, dict):
        if "wait" in case.body:
            case.body["wait"] = 0
        for name, kind in NAMES_IN_BODIES.items():
            if isinstance(case.body.get(name), str):
                case.body[name] = names[kind]


def sent(case: Case[Any], client: Client) -> requests.Response:
    """The answer to a request whose writes are taken back, as schemathesis reads answers."""
    parts = case.as_transport_kwargs(base_url="http://testserver")
    expected = ("method", "url", "params", "headers", "json", "data", "files")
    request: Any = requests.Request(**{name: parts[name] for name in expected if name in parts}).prepare()
    own = {"content-length", "content-type", "cookie", "authorization", "host"}
    headers = {name: value for name, value in request.headers.items() if name.lower() not in own}
    kind = request.headers.get("Content-Type") or ""
    try:
        with transaction.atomic():
            reply: Any = client.generic(request.method, request.path_url, request.body or b"", kind, headers=headers)
            unread = reply.streaming and reply.is_async  # its lines come from a thread that would wait for this one
            content = b"" if unread else b"".join(reply)
            raise TakenBack
    except TakenBack:
        pass
    if reply.headers.get("Content-Encoding") == "gzip":  # as every client that asks for it
        content = gzip.decompress(content)
        del reply.headers["Content-Encoding"]
    answer = requests.Response()
    answer.status_code, answer._content, answer.request, answer.url = reply.status_code, content, request, request.url
    answer.headers.update(dict(reply.items()))
    answer.raw = HTTPResponse(io.BytesIO(content), HTTPHeaderDict(reply.items()), reply.status_code)
    return answer


def operations(document: dict[str, Any]) -> Iterator[Any]:
    """Every operation that is tried."""
    for result in schemathesis.openapi.from_dict(document).get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        if operation.path not in LEFT_OUT:
            yield operation


def tried(operation: Any, mode: GenerationMode, client: Client, names: dict[str, str], seen: set[int]) -> list[str]:
    """What was wrong with the answers to requests of one operation."""
    there = named(operation.path, names)
    wrong: list[str] = []

    @settings(
        max_examples=EXAMPLES[mode],
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), known=st.sampled_from([True, True, True, False]))
    def look(case: Case[Any], known: bool) -> None:
        tame(case, names)
        case.path_parameters.update(there if known else {})
        answer = sent(case, client)
        seen.add(answer.status_code)
        if answer.status_code == 500:
            wrong.append(f"500 of {case.as_curl_command()}")
        try:
            case.validate_response(answer, checks=CHECKS if answer.content or answer.status_code == 204 else CHECKS[:2])
        except FailureGroup as error:
            wrong.append(str(error))

    look()
    return wrong


@pytest.mark.timeout(600)
def test_no_request_is_a_defect_and_every_answer_is_as_described(
    alice: Person, seeded: SeededTeam, tmp_path: Path
) -> None:
    client = alice.api.client
    client.raise_request_exception = False
    seen: set[int] = set()
    wrong: list[str] = []
    for operation in operations(described(tmp_path)):
        wrong += tried(operation, GenerationMode.POSITIVE, client, seeded.names, seen)
        if operation.body or operation.query:  # else nothing about it can be wrong
            wrong += tried(operation, GenerationMode.NEGATIVE, client, seeded.names, seen)
    assert not wrong, "\n\n".join(wrong[:10])
    assert {200, 201, 202, 204, 400, 404, 409} <= seen
