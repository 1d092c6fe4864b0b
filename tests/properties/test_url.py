"""Seed property 2: only http and https addresses with a host, without user info and fragment, are URLs of a server."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import ValidationFailed
from backend.net.urls import check_url, url_problem
from tests.exhaustive import few

FOUR_NUMBERS = re.compile(r"\d+(\.\d+){3}")  # an address, and one of numbers too large is refused
LABEL = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=12)
HOST = st.one_of(
    st.lists(LABEL, min_size=1, max_size=4).map(".".join).filter(lambda name: not FOUR_NUMBERS.fullmatch(name)),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]"),
)
PATH = st.text(string.ascii_letters + string.digits + "/-_.~%20", max_size=30).map(lambda text: "/" + text)
PORT = st.one_of(st.just(""), st.integers(1, 65535).map(lambda port: f":{port}"))
QUERY = st.one_of(st.just(""), st.text(string.ascii_letters + string.digits + "=&-_", max_size=20).map("?{}".format))
SCHEME = st.sampled_from(["http", "https", "HTTP", "Https"])


@settings(max_examples=few(300))
@given(SCHEME, HOST, PORT, PATH, QUERY)
def test_property_2_every_http_address_with_a_host_is_accepted(
    scheme: str, host: str, port: str, path: str, query: str
) -> None:
    if "%" in path:
        path = path.replace("%", "%25")
    url = f"{scheme}://{host}{port}{path}{query}"
    assert check_url(url) == url


@settings(max_examples=few(300))
@given(st.text(max_size=60))
def test_property_2_any_other_text_is_refused_without_a_crash(text: str) -> None:
    problem = url_problem(text)
    if not text.lower().startswith(("http://", "https://")):
        assert problem is not None
    if problem is not None:
        with pytest.raises(ValidationFailed) as caught:
            check_url(text)
        assert caught.value.fields["url"]


@settings(max_examples=few(200))
@given(SCHEME, HOST, PATH, st.text(string.ascii_letters, min_size=1, max_size=8))
def test_property_2_user_info_fragments_and_other_schemes_are_refused(
    scheme: str, host: str, path: str, word: str
) -> None:
    path = path.replace("%", "")
    assert url_problem(f"{scheme}://{word}@{host}{path}") == "user_info"
    assert url_problem(f"{scheme}://{word}:{word}@{host}{path}") == "user_info"
    assert url_problem(f"{scheme}://{host}{path}#{word}") == "fragment"
    assert url_problem(f"x{word}://{host}{path}") == "scheme"
    assert url_problem(f"{scheme}://{path}") is not None
    assert url_problem(f" {scheme}://{host}") is not None
    assert url_problem(f"{scheme}://{host}\r\nHost: {word}") is not None


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "http",
            "http:",
            "http:/",
            "http://",
            "https:///path",
            "http://?",
            "http://#",
            "//example.org",
            "example.org",
        ),
        *("javascript:alert(1)", "file:///etc/passwd", "ftp://example.org", "data:text/plain,x", "ws://example.org"),
        *("http://example.org:0", "http://example.org:70000", "http://example.org:x", "http://[::1", "http://a..b"),
        *("http://exa mple.org", "http://example.org/\x00", "http://\ud800.org", "http://-a.example", "http://%00"),
        *("http://example.org\\@evil.example", "http:\\\\example.org", "http://ex<ample.org"),
    ],
)
def test_what_looks_like_a_url_and_is_none(text: str) -> None:
    assert url_problem(text) is not None
