"""An installation with its owner at the screen, and what the conformance suite finds there."""

from __future__ import annotations

import http.cookiejar
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.instance import Instance

MANY = {"PATCHBAY_RUN_STARTS_PER_15S": "0", "PATCHBAY_CONNECTIONS_PER_PERSON": "1000"}
"""All scenarios run at once, as one person."""
PERSON = {"name": "Alice", "email": "alice@example.org", "password": "correct horse battery", "team": "Platform"}


@pytest.fixture(scope="module")
def patchbay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """An installation that nobody has signed in to yet."""
    instance = Instance(tmp_path_factory.mktemp("conformance") / "data", extra=MANY, begins="migrated", forked=True)
    yield instance.start()
    assert instance.stop() == 0, instance.lines[-80:]


@pytest.fixture(scope="module")
def cookies(patchbay: Instance) -> dict[str, str]:
    """Those of the owner's browser, who has just used the first link."""
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    opener.open(patchbay.link).close()
    held = {cookie.name: cookie.value or "" for cookie in jar}
    headers = {"content-type": "application/json", "x-csrftoken": held["patchbay_csrf"], "origin": patchbay.url}
    body = json.dumps({"token": patchbay.link.rpartition("/")[2], **PERSON}).encode()
    opener.open(urllib.request.Request(f"{patchbay.url}/api/setup", body, headers)).close()
    return {cookie.name: cookie.value or "" for cookie in jar}


@pytest.fixture
def found(tmp_path: Path) -> Path:
    """Where the suite writes what it found."""
    return tmp_path / "found"
