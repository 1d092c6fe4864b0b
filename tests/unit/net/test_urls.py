"""The form of a URL: seed property 2, and the single traps."""

from __future__ import annotations

import re
import string
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backend.errors import ValidationFailed
from backend.net.urls import check_url, origin, url_problem
from tests.exhaustive import few

LABEL = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=20)
NAME = st.lists(LABEL, min_size=1, max_size=4).map(".".join)
HOST = NAME.filter(lambda name: not re.fullmatch(r"\d+(\.\d+){3}", name)) | st.ip_addresses(v=4).map(str)
PATH = st.text(string.ascii_letters + string.digits + "/-._~%20".replace("%", ""), max_size=30)


@settings(max_examples=few(200))
@given(st.sampled_from(["http", "https", "HTTP"]), HOST, st.none() | st.integers(1, 65535), PATH)
def test_every_http_url_with_a_host_is_accepted(scheme: str, host: str, port: int | None, path: str) -> None:
    url = f"{scheme}://{host}{'' if port is None else f':{port}'}/{path}"
    assert url_problem(url) is None
    assert check_url(url) == url


ODD = st.builds(
    "{}://{}{}{}/".format, st.sampled_from(["http", "https"]), st.text(max_size=10), st.sampled_from("@#?/"), HOST
)


@settings(max_examples=few(400))
@given(st.text() | ODD)
@example("https://0?@0/")
def test_any_other_text_is_refused(text: str) -> None:
    if url_problem(text) is None:
        parts = urlsplit(text)
        assert parts.scheme in ("http", "https") and parts.hostname
        assert "@" not in parts.netloc and not parts.fragment
    else:
        with pytest.raises(ValidationFailed) as caught:
            check_url(text, "server.url")
        assert list(caught.value.fields) == ["server.url"]


USER_INFO = st.text(st.characters(exclude_characters="/?#\\"), min_size=1, max_size=10)  # else the authority ends


@settings(max_examples=few(200))
@given(HOST, USER_INFO, st.text(max_size=10))
def test_user_info_and_fragments_are_refused(host: str, odd: str, fragment: str) -> None:
    assert url_problem(f"https://{odd}@{host}/") in ("user_info", "characters")
    assert url_problem(f"https://{host}/#{fragment}") in ("fragment", "characters")


@settings(max_examples=few(200))
@given(HOST, st.sampled_from("/?"), st.text(string.ascii_letters + string.digits + "-._~:/?=&", max_size=10))
def test_an_at_sign_behind_the_authority_is_no_user_info(host: str, end: str, rest: str) -> None:
    assert url_problem(f"https://{host}{end}{rest}@{host}/") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "scheme"),
        ("example.org/mcp", "scheme"),
        ("ftp://example.org", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("http:/example.org", "scheme"),
        ("http://", "host"),
        ("http:///path", "host"),
        ("http://?x", "host"),
        ("http://user:pw@example.org", "user_info"),
        ("http://example.org@evil.org", "user_info"),
        ("http://example.org#x", "fragment"),
        ("http://exa mple.org", "characters"),
        ("http://example.org\\@evil.org", "characters"),
        ("http://example.org/\n", "characters"),
        ("http://example.org/\x00", "characters"),
        ("http://example.org:0/", "port"),
        ("http://example.org:/", "port"),
        ("http://example.org:99999/", "port"),
        ("http://example.org:x/", "form"),
        ("http://[::1/", "form"),
        ("http://-bad-.org/", "host"),
        ("http://a..b/", "host"),
        ("http://" + "a" * 5000 + "/", "length"),
    ],
)
def test_what_is_wrong_has_a_name(text: str, why: str) -> None:
    assert url_problem(text) == why


@pytest.mark.parametrize(
    "text", ["http://localhost:8080/mcp", "http://[::1]:3000/mcp", "https://例え.jp/mcp", "https://a.b.c/x?y=1&z=%20"]
)
def test_usual_addresses_are_accepted(text: str) -> None:
    assert url_problem(text) is None


def test_an_origin_has_its_default_port() -> None:
    assert origin("https://Example.org/x") == ("https", "example.org", 443)
    assert origin("http://example.org:8080/y") == ("http", "example.org", 8080)
