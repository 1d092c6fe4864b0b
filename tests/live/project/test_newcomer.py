"""The whole way of a newcomer: `make run` on a machine without Node.js, a preset, its test, a call of its tool.

Packages are fetched from the registries that the machine is set up for. Where that is not possible these tests fail:
whether a preset starts is exactly what they are about.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from backend.registry.configuration.presets import Preset, presets
from tests.instance import Instance, until

NEEDED = ("make", "sh", "git", "dirname", "realpath")
"""What the README asks for, and what `npx` and `uvx` themselves call of what every machine has."""
FETCHED = [preset for preset in presets() if preset.command in {"npx", "uvx"} and preset.id != "everything"]
ANSWERS = {"DIRECTORY": "{folder}", "REPOSITORY": "{folder}", "DATABASE": "{folder}/data.db", "BRAVE_API_KEY": "a key"}
"""What people type where a preset asks, by its name."""


def bare_path(folder: Path) -> str:
    """A PATH with nothing but make, a shell, git and Python."""
    folder.mkdir()
    for name in NEEDED:
        result = shutil.which(name)
        assert result, f"{name} is missing"
        (folder / name).symlink_to(result)
    (folder / "python3").symlink_to(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")
    return str(folder)


class Newcomer:
    """Somebody with an account and a browser: what they do by the API."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self.token = instance, instance.token()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request that succeeds."""
        status, answer = self.instance.request(method, path, body, self.token)
        assert status < 300, f"{method} {path}: {status} {answer}"
        return answer

    def add(self, **server: Any) -> dict[str, Any]:
        """A registered server."""
        created: dict[str, Any] = self.ask("POST", "/api/mcp/servers", server)
        return created

    def tested(self, server: dict[str, Any]) -> list[str]:
        """The names of a server's tools, after a connection test that succeeded."""
        report = self.ask("POST", f"/api/mcp/servers/{server['id']}/test")
        assert report["ok"], report
        tools = self.ask("GET", f"/api/mcp/servers/{server['id']}/tools")["results"]
        return [tool["name"] for tool in tools]

    def call(self, server: dict[str, Any], tool: str, arguments: dict[str, Any]) -> str:
        """The text that a tool answers."""
        body = {"server": server["slug"], "tool": tool, "arguments": arguments, "confirm": True}
        text: str = self.ask("POST", "/api/mcp/tools/call", body)["text"]
        return text

    def is_started_by_itself(self, server: dict[str, Any], package: str) -> None:
        """It was installed, at a version that is shown, and no package manager stands between."""
        shown = self.ask("GET", f"/api/mcp/servers/{server['id']}")["package"]
        assert shown["name"] == package and shown["version"] and shown["integrity"], shown
        lines = [" ".join(child.cmdline()) for child in self.instance.children()]
        assert any(f"{self.instance.data}/packages/" in line for line in lines), lines
        assert not any("npx-cli" in line or "uv tool" in line or "uvx" in line for line in lines), lines


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomer]:
    """An installation started by `make run` with nothing on PATH but what the README asks for."""
    folder = tmp_path_factory.mktemp("newcomer")
    path = bare_path(folder / "bin")
    assert shutil.which("node", path=path) is None and shutil.which("npx", path=path) is None
    instance = Instance(folder / "data", extra={"PATH": path}, command=("make", "run"))
    try:
        yield Newcomer(instance.start())
        children = instance.children()
        instance.stop(signal.SIGTERM)
        assert psutil.wait_procs(children, timeout=10)[1] == []
    finally:
        instance.kill()


def test_one_line_says_where_to_go(newcomer: Newcomer) -> None:
    instance = newcomer.instance
    announced = [line for line in instance.lines if "/start/" in line]
    assert len(announced) == 1
    assert announced[0].startswith(f"Patchbay {instance.url} is ready")
    status, body = instance.request("GET", "/api/health")
    assert (status, body["status"], body["mode"]) == (200, "ok", "embedded")


def test_make_run_starts_servers_by_npx(newcomer: Newcomer) -> None:
    server = newcomer.add(preset="everything")
    assert "echo" in newcomer.tested(server)
    assert newcomer.call(server, "echo", {"message": "hello"}) == "Echo: hello"
    newcomer.is_started_by_itself(server, "@modelcontextprotocol/server-everything")


def test_make_run_starts_servers_by_uvx(newcomer: Newcomer) -> None:
    server = newcomer.add(name="Clock", transport="stdio", command="uvx", args=["mcp-server-time"])
    assert "get_current_time" in newcomer.tested(server)
    assert "Asia/Shanghai" in newcomer.call(server, "get_current_time", {"timezone": "Asia/Shanghai"})
    newcomer.is_started_by_itself(server, "mcp-server-time")


@pytest.mark.wide
@pytest.mark.parametrize("preset", FETCHED, ids=lambda preset: preset.id)
def test_every_preset_that_is_fetched_starts(newcomer: Newcomer, preset: Preset, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    requests = [field.name for field in (*preset.secrets, *preset.inputs)]
    server = newcomer.add(preset=preset.id, values={name: ANSWERS[name].format(folder=tmp_path) for name in requests})
    assert set(preset.tools) <= set(newcomer.tested(server))


@pytest.mark.wide
def test_work_on_files_runs_over_a_folder_that_was_named(newcomer: Newcomer, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("One note.\n")
    server = newcomer.add(preset="filesystem", name="My notes", values={"DIRECTORY": str(tmp_path)})
    newcomer.tested(server)
    body = {"template": "work-on-files", "uses": {"filesystem": server["slug"]}}
    workflow = newcomer.ask("POST", "/api/workflows", body)
    run = newcomer.ask(
        "POST",
        f"/api/workflows/{workflow['id']}/runs",
        {"inputs": {"folder": str(tmp_path), "pattern": "**/*.md", "file": "OVERVIEW.md"}, "version": "draft"},
    )
    (question,) = until(lambda: newcomer.ask("GET", f"/api/interactions?state=open&run={run['id']}")["results"])
    assert not (tmp_path / "OVERVIEW.md").exists()
    newcomer.ask("POST", f"/api/interactions/{question['id']}/answer", {"action": "accept"})
    path = f"/api/runs/{run['id']}"
    ended = until(lambda: (one := newcomer.ask("GET", path))["state"] in {"SUCCESS", "ERROR"} and one)
    assert ended["state"] == "SUCCESS", ended["error"]
    assert "notes.md" in (tmp_path / "OVERVIEW.md").read_text()
