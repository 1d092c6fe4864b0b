"""The examples of the OpenAPI document are posted, and the API's answers are compared with those that it shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from backend.project.openapi import examples
from tests.api.isolation.matrix import ROWS
from tests.api.isolation.sending import exchange, send
from tests.api.isolation.table import MEMBERS, OPERATOR, Row
from tests.api.isolation.tenant import Tenant
from tests.openapi_document import openapi_document

pytestmark = [pytest.mark.wide, pytest.mark.django_db]

JSON = "application/json"
ROWS_OF_THE_API = [row for row in ROWS if row.who in (*MEMBERS, OPERATOR) and row.path.startswith("/api/")]
NAMES = {"server": "server", "provider": "provider", "workflow": "workflow", "run": "run"}
"""Members of bodies that name something, and the field of `Tenant` that is named instead of the example's."""

ELSEWHERE = {
    "runs_fork": {"step"},
    "runs_keep": {"node"},
    "interactions_answer": {"values"},
    "servers_own_enter": {"secret_headers.X-Tenant-Key"},
    "servers_off_set": {"servers.0"},
    "collections_add": {"tool"},
}
"""Fields of bodies that name something which only the example's own installation has, so they are refused here."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document()


def operation_of(row: Row, document: dict[str, Any]) -> dict[str, Any]:
    """The document's operation of a row; {} where the document leaves it out."""
    result: dict[str, Any] = document["paths"].get(row.path, {}).get(row.method.lower(), {})
    return result


def resolved(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """The schema that is meant: references followed, of "this or null" this."""
    while True:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        elif len(meant := [part for part in schema.get("oneOf", []) if part.get("type") != "null"]) == 1:
            schema = meant[0]
        elif len(schema.get("allOf", [])) == 1:
            schema = schema["allOf"][0]
        else:
            return schema


def differences(shown: Any, real: Any, schema: dict[str, Any], document: dict[str, Any], where: str) -> Iterator[str]:
    """Where an example and an answer have other members, wherever the schema names members."""
    schema = resolved(schema, document)
    if isinstance(shown, list) and isinstance(real, list) and shown and real:
        yield from differences(shown[0], real[0], schema.get("items", {}), document, f"{where}[]")
    if not (isinstance(shown, dict) and isinstance(real, dict) and "properties" in schema):
        return
    for name in sorted((shown.keys() ^ real.keys()) & set(schema.get("required", []))):
        yield f"{where}.{name} is only in the {'example' if name in shown else 'answer'}"
    for name in sorted(real.keys() - schema["properties"].keys()):
        yield f"{where}.{name} is answered and not described"
    for name in sorted(shown.keys() & real.keys() & schema["properties"].keys()):
        yield from differences(shown[name], real[name], schema["properties"][name], document, f"{where}.{name}")


NOWHERE = {"MCP_UNREACHABLE"}
"""What is answered where an example's address was understood and asked: nobody is there."""


def fitted(body: Any, tenant: Tenant) -> Any:
    """An example's body with the names of what is there."""
    if not isinstance(body, dict):
        return body
    return {
        name: getattr(tenant, NAMES[name]) if name in NAMES and isinstance(value, str) else value
        for name, value in body.items()
    }


def client_of(row: Row, tenant: Tenant) -> Any:
    return tenant.sessions["operator" if row.who == OPERATOR else row.by]


def test_answers_have_the_members_of_the_examples(ours: Tenant, document: dict[str, Any]) -> None:
    compared, wrong = 0, []
    for row in ROWS_OF_THE_API:
        operation = operation_of(row, document)
        shown = examples().get(operation.get("operationId", ""), {}).get("answers", {})
        answer = send(client_of(row, ours), row, ours)
        about = operation.get("responses", {}).get(str(answer.status), {}).get("content", {}).get(JSON)
        if about is None or str(answer.status) not in shown:
            continue  # no JSON, or refused to this tenant
        real = json.loads(answer.text)
        jsonschema.Draft202012Validator({**about["schema"], "components": document["components"]}).validate(real)
        wrong += list(differences(shown[str(answer.status)], real, about["schema"], document, row.name))
        compared += 1
    assert wrong == []
    assert compared > 80


def test_what_the_examples_ask_is_understood(ours: Tenant, document: dict[str, Any]) -> None:
    count, wrong = 0, []
    for row in ROWS_OF_THE_API:
        operation = operation_of(row, document).get("operationId", "")
        for title, body in examples().get(operation, {}).get("asks", {}).items():
            address = row.address(ours)
            answer = exchange(client_of(row, ours), row.method, address, fitted(body, ours), upload=row.upload)
            refused = json.loads(answer.text).get("fields", {}) if answer.code == "VALIDATION_ERROR" else {}
            broken = answer.status >= 500 and answer.code not in NOWHERE
            if broken or not refused.keys() <= ELSEWHERE.get(operation, set()):
                wrong.append(f"{operation}, {title}: {answer.status} {answer.text}")
            count += 1
    assert wrong == []
    assert count > 50
