"""Masking: every spelling of a secret, whole texts, pieces and beginnings, at a price that long texts can pay."""

from __future__ import annotations

import base64
import html
import json
import re
import textwrap
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.net.masking import HIDDEN, MaskedStream, Masker

SECRET = 's3cr3t/ä "quoted" & <more>+x'
KEY = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(["MIIEvQIBADANBgkq" * 4, "hkiG9w0BAQEFAASC" * 4, "BKcwggSj"])
KEY += "\n-----END PRIVATE KEY-----\n"
SECRETS = st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=60)


def b64(raw: bytes, safe: bool) -> str:
    return (base64.urlsafe_b64encode if safe else base64.b64encode)(raw).decode()


SPELLINGS = {
    "plain": SECRET,
    "json": json.dumps(SECRET)[1:-1],
    "json in json": json.dumps(json.dumps(SECRET))[3:-3],
    "json with escaped slashes": json.dumps(SECRET)[1:-1].replace("/", "\\/"),
    "url": quote(SECRET, safe=""),
    "url, lower case": re.sub("%..", lambda code: code[0].lower(), quote(SECRET, safe="")),
    "path": quote(SECRET),
    "form": quote_plus(SECRET),
    "html": html.escape(SECRET),
    "hex": SECRET.encode().hex(),
    "HEX": SECRET.encode().hex().upper(),
    "base64": b64(SECRET.encode(), safe=False).rstrip("="),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_is_hidden(name: str) -> None:
    shown = Masker([SECRET]).text(f"before {SPELLINGS[name]} after")
    assert shown.startswith("before ") and shown.endswith(" after") and HIDDEN in shown
    assert len(shown) <= len("before  after") + len(HIDDEN) + 2, (
        shown
    )  # of base64 a last character may depend on others


@given(SECRETS, st.binary(max_size=7), st.binary(max_size=7), st.booleans())
def test_base64_is_found_wherever_the_secret_begins_in_it(secret: str, before: bytes, after: bytes, safe: bool) -> None:
    raw = secret.encode()
    whole = b64(before + raw + after, safe)
    shown = Masker([secret]).text(whole)
    assert HIDDEN in shown
    first, last = -(-len(before) * 8 // 6), (len(before) + len(raw)) * 8 // 6
    assert whole[first:last] not in shown


@given(SECRETS)
def test_a_text_without_the_secret_is_the_text_itself(secret: str) -> None:
    masker = Masker([secret])
    text = "nothing of that: \ud800 kept"
    assert secret in text or masker.text(text) is text
    assert secret not in masker.text(f"\ud800 {secret} \udfff")


def test_a_secret_of_several_lines_is_hidden_line_by_line() -> None:
    masker = Masker([KEY])
    for line in KEY.splitlines():
        if not line.startswith("-----"):
            assert masker.text(f"  {line}\r") == f"  {HIDDEN}\r"
    assert "BKcw" not in masker.text(KEY.replace("\n", "\r\n"))
    assert masker.text(json.dumps({"key": KEY})) == json.dumps({"key": HIDDEN}, ensure_ascii=False)
    for width in (64, 76):
        wrapped = "\n".join(textwrap.wrap(b64(KEY.encode(), safe=False), width))
        assert not [line for line in masker.text(wrapped).splitlines() if len(line.replace(HIDDEN, "")) > 7]


def test_a_number_is_hidden_where_it_is_the_secret() -> None:
    assert Masker(["47114711"]).value({"pin": 47114711, "n": 4711471, "on": True}) == {
        "pin": HIDDEN,
        "n": 4711471,
        "on": True,
    }


@given(st.integers(0, 60), st.sampled_from(sorted(SPELLINGS)))
def test_a_beginning_shows_nothing_of_a_secret_that_the_cut_goes_through(before: int, name: str) -> None:
    text = "x" * before + SPELLINGS[name] + " and more" * 20
    shown = Masker([SECRET]).head(text, 40)
    assert len(shown) <= 40
    assert set(shown[before:].removesuffix("=")) <= set(HIDDEN + " and more") or before >= 40, shown


@given(st.lists(st.integers(1, 9), max_size=40), st.sampled_from(sorted(SPELLINGS)))
def test_pieces_come_to_the_same_as_the_whole(cuts: list[int], name: str) -> None:
    whole = f"a {SPELLINGS[name]} b {SPELLINGS[name]}"
    masker = Masker([SECRET])
    stream, shown, at = MaskedStream(masker), "", 0
    for length in [*cuts, len(whole)]:
        shown += stream.feed(whole[at : at + length])
        at += length
    assert shown + stream.rest() == masker.text(whole)


def test_one_matcher_serves_all_who_hide_the_same_secrets() -> None:
    ours: Any = Masker([SECRET, KEY])
    assert ours._of is Masker([KEY, SECRET])._of
