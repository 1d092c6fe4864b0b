"""The documentation is part of the product: every page in both languages, linked, and inert."""

from __future__ import annotations

import pytest
from django.test import Client

from backend.project.docs import PAGES


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_exists_in_both_languages(language: str, name: str) -> None:
    answer = Client().get(f"/docs/{language}/{name}")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert f'<html lang="{language}">' in text
    assert "<h1>" in text
    assert 'aria-current="page"' in text
    assert "unsafe" not in answer.headers["Content-Security-Policy"]


@pytest.mark.django_db
def test_docs_alone_leads_to_the_readers_language() -> None:
    assert Client().get("/docs", headers={"accept-language": "zh-CN"}).headers["Location"] == "/docs/zh/start"
    assert Client().get("/docs").headers["Location"] == "/docs/en/start"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/docs/en/nothing", "/docs/xx/start", "/docs/en/..%2f..%2fREADME"])
def test_what_is_not_a_page_is_404(path: str) -> None:
    assert Client().get(path).status_code == 404
