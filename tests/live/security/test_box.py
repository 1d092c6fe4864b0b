"""Hostile programs in their box, in every kind of it: registered over the API, each attempt is a call of its tool.

A kind that this machine does not give is skipped, and says so. `make test` tries everything in the kind that is taken
here, and in the others what shows that files, processes and the network are kept away; `make test-wide` the rest.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from backend.tools.box.finding import find_box
from backend.tools.box.launcher import landlock_version
from tests.instance import Instance, until
from tests.live.security.programs.hostile import ATTEMPTS
from tests.services import free_port

PROGRAM = Path(__file__).parent / "programs" / "hostile.py"
KINDS = {"bwrap": "bubblewrap", "launcher": "namespaces and Landlock", "landlock": "Landlock"}
ATTEMPTED = [name for name in ATTEMPTS if not name.startswith(("fork", "preload", "keep", "fill_the_home"))]
"""Those that do not have a test of their own."""
ABSTRACT = f"patchbay-hostile-{os.getpid()}"
PRELOADED = """
#include <fcntl.h>
__attribute__((constructor)) static void mark(void) { open("%s", O_CREAT | O_WRONLY, 0600); }
"""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="boxes are Linux's")


@dataclass
class Installation:
    """An installation with a hostile program in it, and what lies around it."""

    instance: Instance
    token: str
    kind: str
    around: dict[str, Any]
    folder: Path

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request that succeeds."""
        status, answer = self.instance.request(method, path, body, self.token)
        assert status < 300, f"{method} {path}: {status} {answer}"
        return answer

    def add(self, name: str, **more: Any) -> dict[str, Any]:
        """The hostile program as a server."""
        body = {"name": name, "transport": "stdio", "command": sys.executable, "timeout_ms": 60_000}
        arguments = [str(PROGRAM), str(self.folder / "linked")]
        created: dict[str, Any] = self.ask("POST", "/api/mcp/servers", {**body, "args": arguments, **more})
        return created

    def tries(self, tool: str, server: str = "hostile") -> dict[str, Any]:
        """What came of an attempt."""
        call = {"server": server, "tool": tool, "arguments": self.around, "confirm": True}
        report: dict[str, Any] = json.loads(self.ask("POST", "/api/mcp/tools/call", call)["text"])
        return report


@pytest.fixture(scope="module", params=list(KINDS))
def installation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One per kind of box."""
    if find_box(request.param).kind == "limits":
        pytest.skip(f"no box by {KINDS[request.param]} can be made on this machine")
    folder = tmp_path_factory.mktemp("hostile")
    instance = Instance(folder / "data", begins="migrated", forked=True)
    instance.extra |= {
        "PATCHBAY_STDIO_BOX": request.param,
        "PATCHBAY_STDIO_PROCESSES": "2000",
        "PATCHBAY_STDIO_BOX_PROCESSES": "300",
        "PATCHBAY_STDIO_HOME_MB": "300",
        "PATCHBAY_SECRET_KEYS": "planted: Zq7planted-installation-key-9fXw2",
        "AWS_SECRET_ACCESS_KEY": "ours",
    }
    instance.start()
    try:
        who = {"token": re.split("[/#]", instance.link)[-1], "email": "alice@example.org"}
        who |= {"password": "Zq7planted-password-9fXw2", "name": "Alice", "team": "Team", "language": "en"}
        assert instance.request("POST", "/api/setup", who)[0] == 200
        assert instance.process is not None
        outside, linked = folder / "outside", folder / "linked"
        other = instance.data / "homes" / "team_x-srv_other"
        for path in (outside, linked, other):
            path.mkdir(parents=True)
        (outside / "secret").write_text("not for everybody")
        (other / "planted").write_text("another's")
        (linked / "way").symlink_to(outside)
        (linked / "upwards").symlink_to("../outside")
        around = {"data": str(instance.data), "port": instance.port, "outside": str(outside), "linked": str(linked)}
        around |= {"pid": instance.process.pid, "net": os.path.realpath("/proc/self/ns/net"), "free": free_port()}
        with socket.socket(socket.AF_UNIX) as local, socket.socket(socket.AF_UNIX) as abstract:
            local.bind(str(outside / "socket"))
            local.listen()
            abstract.bind(f"\0{ABSTRACT}")
            abstract.listen()
            token = instance.token("alice@example.org")
            installation = Installation(instance, token, request.param, {**around, "abstract": ABSTRACT}, folder)
            installation.add("Hostile", network=False)
            yield installation
    finally:
        instance.kill()


@pytest.mark.parametrize("attempt", ATTEMPTED)
def test_it_is_held(installation: Installation, attempt: str) -> None:
    came = installation.tries(attempt)
    assert came["held"], came["why"]
    assert not (installation.folder / "outside" / "planted").exists(), "whatever it believes"
    assert not (installation.instance.data / "planted").exists()


def test_what_multiplies_is_stopped(installation: Installation) -> None:
    if os.geteuid() == 0 and not find_box(installation.kind).groups:
        pytest.skip("root is bounded by control groups only, and none can be made on this machine")
    came = installation.tries("fork_for_ever")
    assert came["held"], came["why"]
    assert installation.instance.request("GET", "/api/me", token=installation.token)[0] == 200


def test_what_fills_its_home_is_ended_and_said_so(installation: Installation) -> None:
    server = installation.add("Filler", network=False)
    call = {"server": "filler", "tool": "fill_the_home", "arguments": installation.around, "confirm": True}
    status, answer = installation.instance.request("POST", "/api/mcp/tools/call", call, installation.token)
    (home,) = (path for path in (installation.instance.data / "homes").iterdir() if server["id"] in path.name)
    parts = list(home.glob("part-*"))
    assert status == 502 and "300 MB" in answer["message"], answer
    assert len(parts) < 400, "it was ended before it was through"
    for path in parts:
        path.unlink()
    assert installation.tries("read_the_key", "filler")["held"], "with room again it starts again"


def test_what_is_preloaded_runs_inside_only(installation: Installation) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler to make a library with")
    mark, source = installation.folder / "outside" / "preloaded", installation.folder / "preloaded.c"
    source.write_text(PRELOADED % mark)
    library = installation.folder / "linked" / "preloaded.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    installation.add("Preloaded", network=False, env={"LD_PRELOAD": str(library)})
    assert installation.tries("preload_into_what_makes_the_box", "preloaded")["held"] and not mark.exists()


def test_nothing_stays_behind(installation: Installation) -> None:
    if installation.kind == "landlock" and not find_box(installation.kind).groups:
        pytest.skip("neither a namespace nor a control group to find such a process by")
    installation.tries("keep_a_process_behind")
    assert _sleeping()
    installation.ask("PATCH", "/api/mcp/servers/hostile", {"timeout_ms": 50_000})
    installation.tries("hold_capabilities")
    until(lambda: not _sleeping(), 15)


def _sleeping() -> list[int]:
    matches = []
    for item in psutil.process_iter(["cmdline", "status"]):
        if item.info["cmdline"] == ["sleep", "98765"] and item.info["status"] != psutil.STATUS_ZOMBIE:
            matches.append(item.pid)
    return matches


def test_a_program_is_found_through_links_below_links(installation: Installation) -> None:
    ways, project = installation.folder / "ways", installation.folder / "project"
    for path in (ways, project):
        path.mkdir()
    (ways / "project").symlink_to(project)
    (project / "environment").symlink_to(Path(sys.executable).parent.parent)
    command = ways / "project" / "environment" / "bin" / Path(sys.executable).name
    installation.add("Linked", command=str(command), folders=[{"path": str(ways)}, {"path": str(PROGRAM.parent)}])
    assert installation.tries("read_the_database", "linked")["held"]


def test_the_registry_shows_what_it_is_in(installation: Installation) -> None:
    shown = installation.ask("GET", "/api/mcp/servers/hostile")["boxed_as"]
    assert shown["kind"] == ("bwrap" if installation.kind == "bwrap" else "launcher") and shown["network"] is False
    assert {"path": str(installation.folder / "linked"), "write": True} in shown["folders"]
    assert shown["memory_mb"] == 4096 and shown["file_mb"] == 4096 and shown["home_mb"] == 300


def test_a_declared_folder_is_seen_and_a_switch_gives_the_network(installation: Installation) -> None:
    outside = str(installation.folder / "outside")
    named = [{"path": str(PROGRAM.parent)}, {"path": outside}]
    installation.add("Shown", folders=named, network=True)
    assert not installation.tries("read_outside", "shown")["held"]
    assert installation.tries("write_outside", "shown")["held"], "it was named to be read"
    assert not installation.tries("reach_patchbay", "shown")["held"], "the network is this machine's"
    installation.ask(
        "PATCH", "/api/mcp/servers/shown", {"folders": [named[0], {"path": str(installation.instance.data)}]}
    )
    assert installation.tries("read_the_database", "shown")["held"], "what is hidden cannot be declared"


def test_with_the_network_on_only_what_goes_by_ip_is_reached(installation: Installation) -> None:
    installation.add("Online", network=True)
    assert not installation.tries("reach_patchbay", "online")["held"], "the network is this machine's: see security.md"
    for attempt in ("reach_a_local_socket", "send_raw_frames", "leave_the_control_group", "read_the_key"):
        came = installation.tries(attempt, "online")
        assert came["held"], (attempt, came["why"])
    if (
        installation.kind != "bwrap" and landlock_version() >= 6
    ):  # elsewhere they belong to the network: see security.md
        assert installation.tries("reach_an_abstract_socket", "online")["held"]


def test_a_server_that_somebody_opened_is_open_and_says_so(installation: Installation) -> None:
    created = installation.add("Open", box="open")
    assert created["boxed_as"]["kind"] == "open" and created["boxed_as"]["reason"] == "decided"
    assert not installation.tries("read_outside", "open")["held"]
    docker = {"name": "Docker", "transport": "stdio", "command": "docker", "args": ["run", "-i", "x"]}
    assert installation.ask("POST", "/api/mcp/servers", docker)["boxed_as"]["reason"] == "trusted_command"
