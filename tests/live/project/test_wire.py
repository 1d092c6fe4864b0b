"""Built files go over the wire as they were compressed at build time, with the heads that caches need."""

from __future__ import annotations

import gzip
import http.client
import re
from collections.abc import Iterator

import pytest

from tests.instance import Installation, installation

SMALL = 512
"""Bytes below which nothing is compressed (`frontend/tools/compressed.ts`)."""


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    created = installation(tmp_path_factory.mktemp("wire")).start()
    yield created
    created.kill()


def got(instance: Installation, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """(status, headers by small name, body as it came)."""
    connection = http.client.HTTPConnection(instance.url.removeprefix("http://"), timeout=60)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_scripts_and_styles_are_sent_as_small_as_the_client_takes_them(instance: Installation) -> None:
    _, heads, page = got(instance, "/")
    assert "nonce-" in heads["content-security-policy"] and "content-encoding" not in heads
    files = re.findall(r"/static/app/assets/[\w.-]+\.(?:js|css)", page.decode())
    assert any(file.endswith(".js") for file in files) and any(file.endswith(".css") for file in files)
    for file in files:
        _, plain_heads, plain = got(instance, file)
        assert "content-encoding" not in plain_heads
        if len(plain) < SMALL:
            continue
        sizes = [len(plain)]
        for takes, encoding in (("gzip", "gzip"), ("gzip, deflate, br, zstd", "br")):
            status, heads, body = got(instance, file, accept_encoding=takes)
            assert status == 200 and heads["content-encoding"] == encoding and "Accept-Encoding" in heads["vary"], file
            assert heads["content-type"] == plain_heads["content-type"] and int(heads["content-length"]) == len(body)
            assert "immutable" in heads["cache-control"] and heads["x-content-type-options"] == "nosniff"
            assert encoding != "gzip" or gzip.decompress(body) == plain
            assert len(body) < sizes[-1]
            sizes.append(len(body))
            again = got(instance, file, accept_encoding=takes, if_none_match=heads["etag"])
            assert again[0] == 304 and not again[2] and "Accept-Encoding" in again[1]["vary"]


def test_large_json_is_small_for_programs(instance: Installation) -> None:
    _, heads, body = got(instance, "/api/schema?format=json", accept_encoding="gzip")
    assert heads["content-encoding"] == "gzip" and b'"openapi"' in gzip.decompress(body)
