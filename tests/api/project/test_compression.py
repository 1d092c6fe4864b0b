"""Large JSON goes over the wire as gzip, but never where its size could tell a stranger something."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.test import Client

from backend.project.serving.compression import LEAST
from tests.people import Person

pytestmark = pytest.mark.django_db

OURS = {"sec-fetch-site": "same-origin"}
LARGE = "/api/node-types"


def got(client: Client, path: str = LARGE, **headers: str) -> Any:
    return client.get(path, headers={"accept-encoding": "gzip, deflate, br", **headers})


@pytest.fixture
def browser(bob: Person) -> Client:
    client = Client()
    client.force_login(bob.user)
    return client


def test_a_large_answer_is_compressed_and_says_so(browser: Client) -> None:
    plain = browser.get(LARGE)
    small = got(browser, **OURS)
    assert small["Content-Encoding"] == "gzip" and "Accept-Encoding" in small["Vary"]
    assert gzip.decompress(small.content) == plain.content and json.loads(plain.content)
    assert int(small["Content-Length"]) == len(small.content) < len(plain.content) / 4
    assert not plain.has_header("Content-Encoding") and "Accept-Encoding" in plain["Vary"], "caches keep both apart"


def test_what_a_foreign_page_makes_a_browser_ask_is_not(browser: Client) -> None:
    for site in ("cross-site", "same-site", "none"):
        assert not got(browser, **{"sec-fetch-site": site}).has_header("Content-Encoding")
    assert not got(browser).has_header("Content-Encoding"), "a browser that does not say who asks"


def test_a_program_gets_it_small(bob: Person) -> None:
    assert got(bob.api.client)["Content-Encoding"] == "gzip"


@pytest.mark.parametrize("takes", ["", "br", "identity", "gzip;q=0", "deflate, gzip;q=0.0, br", "sgzip"])
def test_only_who_takes_it_gets_it(browser: Client, takes: str) -> None:
    assert not got(browser, **OURS, **{"accept-encoding": takes}).has_header("Content-Encoding")


@pytest.mark.parametrize("takes", ["gzip", "br, gzip", "gzip;q=0.5", "deflate,gzip", "gzip;q=1.0, *;q=0"])
def test_whoever_takes_it_gets_it(browser: Client, takes: str) -> None:
    assert got(browser, **OURS, **{"accept-encoding": takes}).has_header("Content-Encoding")


def test_small_answers_and_those_that_show_secrets_are_as_they_were(browser: Client, bob: Person) -> None:
    me = got(browser, "/api/me", **OURS)
    assert len(me.content) < LEAST and not me.has_header("Content-Encoding")
    created = browser.post(
        "/api/tokens",
        json.dumps({"name": "x" * 60, "scope": "run"}),
        content_type="application/json",
        headers={"accept-encoding": "gzip", **OURS},
    )
    assert not created.has_header("Content-Encoding")
    page = got(browser, "/", **OURS)
    assert not page.has_header("Content-Encoding"), "the page holds a nonce"
