"""One real instance for all tests of this folder, run as people run it: no debugging, keys in the environment."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.instance import Instance

PROGRAM = Path(__file__).parent / "programs" / "inside.py"
EMAIL = "alice@example.org"
PASSWORD = "Zq7planted-password-9fXw2"
FIRST = "bwrap" if shutil.which("bwrap") else "launcher"
"""The kind of box that Patchbay takes here."""
SHOWING = ("read_the_key", "write_outside", "signal_patchbay", "reach_patchbay")
"""What is tried in every kind: one attempt at each of what a box keeps away."""
KEY = "the key of this installation, planted: Zq7planted-installation-key-9fXw2"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make test-wide` what a test tries in another kind of box than the one that is taken here."""
    for item in items:
        if item.path.name != "test_box.py" or not isinstance(item, pytest.Function):
            continue
        params = item.callspec.params
        if params["installation"] != FIRST and params.get("attempt") not in SHOWING:
            item.add_marker("wide")


@pytest.fixture(scope="package")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """Started once; ended whatever happens."""
    instance = Instance(tmp_path_factory.mktemp("security"), begins="migrated", forked=True)
    instance.extra |= {"PATCHBAY_SECRET_KEYS": KEY, "PATCHBAY_RUN_STARTS_PER_15S": "0", "AWS_SECRET_ACCESS_KEY": "ours"}
    instance.start()
    yield instance
    instance.kill()


@pytest.fixture(scope="package")
def token(instance: Instance) -> str:
    """The owner's, who came by the link."""
    who = {"token": re.split("[/#]", instance.link)[-1], "email": EMAIL, "password": PASSWORD}
    status, reply = instance.request("POST", "/api/setup", {**who, "name": "Alice", "team": "Team", "language": "en"})
    assert status == 200, reply
    return instance.token(EMAIL)


def program(**more: Any) -> dict[str, Any]:
    """A server that looks around."""
    return {"name": "Inside", "transport": "stdio", "command": sys.executable, "args": [str(PROGRAM)], **more}
