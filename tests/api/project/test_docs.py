"""The documentation is part of the product: every page in both languages, linked, and inert."""

from __future__ import annotations

import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from backend.project.docs import PAGES
from backend.project.web import assets


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


@pytest.mark.django_db
def test_the_pages_have_the_products_fonts_and_theme() -> None:
    answer = Client().get("/docs/en/start")
    text = answer.content.decode()
    assert '<script src="/static/theme.js"></script>' in text
    if assets() is not None:  # without a built frontend the system's fonts stand in
        for family in ("Inter Variable", "JetBrains Mono Variable"):
            result = re.search(rf'font-family: "{family}";[^}}]*url\("(/static/app/[^"]+\.woff2)"\)', text)
            assert result, family
            assert finders.find(result[1].removeprefix("/static/"))
    nonce = re.search(r"'nonce-([^']+)'", answer.headers["Content-Security-Policy"])
    assert nonce and f'<style nonce="{nonce[1]}">' in text


@pytest.mark.django_db
def test_a_line_that_ends_among_chinese_characters_leaves_no_gap() -> None:
    for page in PAGES:
        text = re.sub(r"<pre>.*?</pre>", "", Client().get(f"/docs/zh/{page}").content.decode(), flags=re.S)
        assert re.findall(r"[\u2e80-\uffef]\n[\u2e80-\uffef]", text) == [], page
    english = Client().get("/docs/en/start").content.decode()
    assert re.search(r"[a-z]\n[a-z]", english)


@pytest.mark.django_db
def test_a_long_name_may_go_on_in_the_next_line_after_one_of_its_words() -> None:
    text = Client().get("/docs/en/scaling").content.decode()
    assert "<code>PATCHBAY_<wbr>MAX_<wbr>CONCURRENT_<wbr>RUNS</code>" in text


@pytest.mark.django_db
def test_a_chinese_stop_is_followed_by_no_space() -> None:
    for page in PAGES:
        html = Client().get(f"/docs/zh/{page}").content.decode()
        text = re.sub(r"<[^>]+>", "", re.sub(r"<(pre|code)>.*?</\1>", "x", html, flags=re.S))
        assert re.findall(r".{6}[。，；：？！] \S", text) == [], page
        assert "**" not in text, page


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_number_keeps_its_per_cent_in_its_line(language: str) -> None:
    text = Client().get(f"/docs/{language}/scaling").content.decode()
    assert "100\u00a0%" in text
    assert re.findall(r"\d %", text) == []
