"""What a stdio server's program has, looked at from inside it: only what it needs, and bounded."""

from __future__ import annotations

import json
import os
import stat
import sys
from typing import Any

import pytest

from backend.tools.box.finding import find_box
from tests.instance import Instance
from tests.live.security.conftest import program

ALLOWED = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM", "REGION", "HIDDEN"}
ALLOWED |= {"PWD"}  # of the box
MEBI = 1024 * 1024


@pytest.fixture(scope="module")
def seen(instance: Instance, token: str) -> dict[str, Any]:
    """What the program reports."""
    body = program(env={"REGION": "eu"}, secret_env={"HIDDEN": "shh-it-is-hidden"})
    status, server = instance.request("POST", "/api/mcp/servers", body, token)
    assert status == 201, server
    call = {"server": server["slug"], "tool": "look", "arguments": {}, "confirm": True}
    status, reply = instance.request("POST", "/api/mcp/tools/call", call, token)
    assert status == 200, reply
    report: dict[str, Any] = json.loads(reply["text"])
    return report


def test_the_environment_holds_only_what_was_named(seen: dict[str, Any]) -> None:
    names = {name for name in seen["environment"] if not name.startswith("__") and name != "LC_CTYPE"}
    passed_on = {name for name in os.environ if name.upper().endswith(("PROXY", "_CA_CERTS", "CA_BUNDLE"))}
    indexes = {name for name in names if name.upper().startswith(("UV_", "PIP_", "NPM_CONFIG_", "SSL_", "NODE_"))}
    assert names - ALLOWED - passed_on - indexes == set()
    assert seen["environment"]["REGION"] == "eu"
    assert not any(word in name for name in names for word in ("PATCHBAY", "DJANGO", "DATABASE", "REDIS", "AWS"))


def test_its_home_is_its_own(seen: dict[str, Any], instance: Instance) -> None:
    homes = instance.data / "homes"
    assert seen["home"] == seen["environment"]["HOME"] == seen["cwd"]
    assert seen["home"].startswith(str(homes)) and seen["home_mode"] == "0o700"
    assert stat.S_IMODE(instance.data.stat().st_mode) & 0o077 == 0


def test_it_leads_a_process_group_and_session_of_its_own(seen: dict[str, Any], instance: Instance) -> None:
    """In a box it is counted anew: its first process leads group and session, and nothing of ours has a number."""
    assert seen["group"] == seen["session"] and instance.process is not None
    if find_box().kind == "limits":
        assert seen["pid"] == seen["group"] != seen["parent_group"] == os.getpgid(instance.process.pid)
    else:
        assert seen["group"] != os.getpgid(instance.process.pid) != seen["parent_group"]


def test_no_descriptor_of_ours_is_open_in_it(seen: dict[str, Any]) -> None:
    held = {int(fd): where for fd, where in seen["descriptors"].items() if not where.startswith("/proc/")}
    assert set(held) == {0, 1, 2}
    assert all(where.startswith(("pipe:", "socket:")) for where in held.values())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of other processes are Linux's")
def test_what_it_uses_is_bounded_and_it_cannot_raise_that(seen: dict[str, Any]) -> None:
    limits = {name: tuple(pair) for name, pair in seen["limits"].items()}
    assert limits["core"] == (0, 0)
    assert limits["data"] == limits["file"] == (4096 * MEBI, 4096 * MEBI)
    assert limits["files"][0] == limits["files"][1] <= 8192
    assert limits["processes"][0] == limits["processes"][1] <= 8192
    assert limits["cpu"] == (-1, -1)
    assert tuple(seen["limits_of_a_grandchild"]) == limits["files"]
    assert seen["too_much_memory"] is True
    assert seen["raised"] is True or os.geteuid() == 0  # whoever is root may do anything
