"""The page and what every answer carries."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from tests.people import Api, Person


@pytest.mark.django_db
def test_the_page_allows_only_its_own_scripts() -> None:
    answer = Client().get("/workflows/anything")
    text = answer.content.decode()
    nonce = re.search(r'name="csp-nonce" content="([^"]+)"', text)
    assert nonce is not None
    policy = answer.headers["Content-Security-Policy"]
    assert f"script-src 'self' 'nonce-{nonce.group(1)}'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "patchbay_csrf" in answer.cookies


@pytest.mark.django_db
def test_every_page_has_a_nonce_of_its_own() -> None:
    first, second = (Client().get("/").headers["Content-Security-Policy"] for _ in range(2))
    assert first != second


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_an_unknown_api_address_is_not_there_for_a_program_that_writes(bob: Person, method: str) -> None:
    client = Client(enforce_csrf_checks=True, headers={"authorization": f"Bearer {bob.token}"})
    for address in ("/api/nonsense", "/api/runs/a/b/c", "/_allauth/nonsense"):
        answer = getattr(client, method)(address, data="{}", content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND"), address


def test_an_unknown_api_address_is_json(nobody: Api) -> None:
    answer = nobody.get("/api/nonsense")
    assert (answer.status, answer.data["code"]) == (404, "NOT_FOUND")
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/mcp", "/metrics", "/hooks/x", "/static/none.js", "/ws/"])
def test_what_programs_ask_for_is_never_answered_with_the_page(nobody: Api, path: str) -> None:
    assert nobody.get(path).status == 404


def test_malformed_json_is_a_400(bob: Person) -> None:
    answer = bob.api.patch("/api/me", b'{"theme": ')
    assert (answer.status, answer.data["code"]) == (400, "VALIDATION_ERROR")


def test_a_method_that_does_not_exist_is_405(bob: Person) -> None:
    assert bob.api.put("/api/me").status == 405


def test_the_schema_is_openapi_3_1(nobody: Api) -> None:
    answer = nobody.client.get("/api/schema", headers={"accept": "application/json"})
    document = json.loads(answer.content)
    assert document["openapi"].startswith("3.1")
    assert "/api/me" in document["paths"]
