"""Packages that servers are started from: installed once in a step of their own, pinned, never changed unasked.

A real installation, npm and uv, and a registry of ours (`programs/package_registry.py`) that publishes as it is told.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.instance import Instance, owned, until
from tests.services import free_port

pytestmark = pytest.mark.wide

REGISTRY = Path(__file__).parent / "programs" / "package_registry.py"
STARTERS = {"npm": ("npx", ["-y"]), "pypi": ("uvx", list[str]())}
SCRIPT = """
const fs = require('fs'), path = require('path')
const tried = (what) => { try { return what() } catch (error) { return error.code } }
const data = process.env.HOME.split('/packages/')[0]
fs.writeFileSync('script.json', JSON.stringify({
  cache: tried(() => { fs.writeFileSync(`${data}/packages/npm/.cache/planted`, 'x'); return 'written' }),
  others: tried(() => { fs.writeFileSync(`${data}/packages/npm/planted`, 'x'); return 'written' }),
  key: tried(() => fs.readdirSync(data).filter((name) => name !== 'packages' && name !== 'homes')),
  database: tried(() => fs.readFileSync(`${data}/patchbay.sqlite3`).length),
}))
"""


class Registry:
    """Our registry, as a process that can be ended and started again (it forgets)."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Listen."""
        command = [sys.executable, str(REGISTRY), str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None and self.process.stdout.readline() == "ready\n"

    def stop(self) -> None:
        """Be gone."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def publish(self, kind: str, name: str, version: str, **more: Any) -> None:
        """Offer a version."""
        body = json.dumps({"kind": kind, "name": name, "version": version, **more}).encode()
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/publish", data=body, method="POST"), timeout=10)

    def requests(self) -> list[str]:
        """What it was asked for."""
        with urllib.request.urlopen(f"{self.url}/asked", timeout=10) as answer:
            result: list[str] = json.loads(answer.read())
        return result


@dataclass
class Installation:
    """An installation that fetches from our registry."""

    instance: Instance
    registry: Registry
    token: str

    def ask(self, method: str, path: str, body: Any = None, status: int = 0) -> Any:
        """The answer to a request that succeeds, or is refused with `status`."""
        got, answer = self.instance.request(method, path, body, self.token)
        assert got == status if status else got < 300, f"{method} {path}: {got} {answer}"
        return answer

    def add(self, kind: str, package: str, *args: str, name: str = "") -> str:
        """A server that is started from a package; its slug."""
        command, options = STARTERS[kind]
        body = {"name": name or package, "transport": "stdio", "command": command, "args": [*options, package, *args]}
        slug: str = self.ask("POST", "/api/mcp/servers", body)["slug"]
        return slug

    def test(self, server: str) -> Any:
        """The report of a connection test."""
        return self.ask("POST", f"/api/mcp/servers/{server}/test")

    def package(self, server: str) -> Any:
        """What the registry shows of it."""
        return self.ask("GET", f"/api/mcp/servers/{server}")["package"]

    def look(self, server: str) -> Any:
        """What the program says of itself."""
        call = {"server": server, "tool": "look", "arguments": {}, "confirm": True}
        return json.loads(self.ask("POST", "/api/mcp/tools/call", call)["text"])

    @property
    def team(self) -> str:
        """Its id."""
        result: str = self.ask("GET", "/api/me")["team"]["id"]
        return result

    @property
    def packages(self) -> Path:
        """Where they lie."""
        return self.instance.data / "packages"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One for all tests: each has packages of its own."""
    registry = Registry()
    instance = owned(tmp_path_factory.mktemp("packages") / "data")
    instance.extra |= {"npm_config_registry": f"{registry.url}/npm/", "UV_DEFAULT_INDEX": f"{registry.url}/simple"}
    try:
        registry.start()
        instance.start()
        yield Installation(instance, registry, instance.token())
    finally:
        instance.kill()
        registry.stop()


@pytest.mark.parametrize("kind", list(STARTERS))
def test_a_package_is_installed_pinned_and_started_by_itself(installation: Installation, kind: str) -> None:
    name = f"patchbay-plain-{kind}"
    installation.registry.publish(kind, name, "1.0.0")
    server = installation.add(kind, name, "--of", "its own")
    before = installation.package(server)
    assert before["managed"] and before["version"] == ""
    report = installation.test(server)
    assert report["ok"], report
    stages = {stage["name"]: stage for stage in report["stages"]}
    assert stages["install"]["ok"] and stages["install"]["detail"] == {"package": f"{name} 1.0.0"}
    shown = installation.package(server)
    assert (shown["name"], shown["version"], shown["offered"]) == (name, "1.0.0", "")
    assert shown["integrity"].startswith("sha512-" if kind == "npm" else "sha256:") and shown["pinned_at"]
    reply = installation.look(server)
    assert reply["entry"].startswith(str(installation.packages)) and reply["args"] == ["--of", "its own"]
    assert reply["changed"] != "written", "it is read-only for what is started from it"
    (home,) = (
        path
        for path in (installation.instance.data / "homes").iterdir()
        if server_id(installation, server) in path.name
    )
    assert sorted(path.name for path in home.iterdir() if path.name not in (".tmp", ".npm", ".cache")) == []
    actions = [row["action"] for row in installation.ask("GET", "/api/audit?limit=20")["results"]]
    assert "package.pinned" in actions


def server_id(installation: Installation, slug: str) -> str:
    """The id of a server."""
    result: str = installation.ask("GET", f"/api/mcp/servers/{slug}")["id"]
    return result


@pytest.mark.parametrize("kind", list(STARTERS))
def test_a_new_version_is_used_once_somebody_accepts_it(installation: Installation, kind: str) -> None:
    name = f"patchbay-newer-{kind}"
    installation.registry.publish(kind, name, "1.0.0")
    server = installation.add(kind, name)
    installation.ask("POST", f"/api/mcp/servers/{server}/package/look", status=409)
    assert installation.test(server)["ok"]
    installation.registry.publish(kind, name, "1.10.0")
    assert installation.ask("POST", f"/api/mcp/servers/{server}/package/look")["package"]["offered"] == "1.10.0"
    assert installation.test(server)["ok"] and installation.look(server)["version"] == "1.0.0"
    installation.ask("PATCH", f"/api/mcp/servers/{server}", {"timeout_ms": 29_000})
    assert installation.look(server)["version"] == "1.0.0", "the pinned one goes on being used"
    at = f"/api/mcp/servers/{server}/package/update"
    refused = installation.ask("POST", at, {"version": "1.9.0"}, status=409)
    assert "1.9.0" in refused["message"]
    accepted = installation.ask("POST", at, {"version": "1.10.0"})["package"]
    assert (accepted["version"], accepted["offered"]) == ("1.10.0", "")
    assert installation.look(server)["version"] == "1.10.0"


def declaring(installation: Installation, kind: str, package: str) -> tuple[str, str]:
    """(workflow, hash) of a document that declares a server and looks through it; an admin approved it."""
    command, options = STARTERS[kind]
    config = {"server": "mine", "tool": "look", "arguments": {}}
    nodes = [("start", "start", {}), ("see", "tool", config), ("end", "end", {"outputs": {"seen": "{{ see.result }}"}})]
    document = {
        "schema": 1,
        "mcp_servers": {"mine": {"command": command, "args": [*options, package]}},
        "nodes": [{"id": key, "type": type_, "v": 1, "config": created} for key, type_, created in nodes],
        "edges": [
            {"id": a, "source": a, "source_port": "out", "target": b, "target_port": "in"}
            for a, b in (("start", "see"), ("see", "end"))
        ],
    }
    made = installation.ask("POST", "/api/workflows/import", {"name": package, "graph": document})
    [waiting] = installation.ask("GET", "/api/mcp/declarations?state=waiting")["results"]
    installation.ask("POST", f"/api/mcp/declarations/{waiting['hash']}/approve")
    return made["workflow"]["id"], waiting["hash"]


def seen(installation: Installation, workflow: str) -> Any:
    """What a run of the workflow sees of the server that it declares."""
    at = f"/api/workflows/{workflow}/runs"
    run = installation.ask("POST", at, {"version": "draft", "inputs": {}, "wait": 120})
    if run["state"] == "WAITING":
        question = run["waiting"][0]["interaction"]
        installation.ask("POST", f"/api/interactions/{question}/answer", {"action": "accept"})
        run = until(lambda: _ended(installation, run["id"]), 120)
    assert run["state"] == "SUCCESS", run
    reply = run["outputs"]["seen"]
    return json.loads(reply) if isinstance(reply, str) else reply


def _ended(installation: Installation, run: str) -> Any:
    result = installation.ask("GET", f"/api/runs/{run}")
    return result if result["state"] in {"SUCCESS", "ERROR", "CANCELLED"} else None


@pytest.mark.parametrize("kind", list(STARTERS))
def test_a_declared_server_goes_on_with_its_version_until_somebody_accepts_a_newer_one(
    installation: Installation, kind: str
) -> None:
    name = f"patchbay-declared-{kind}"
    installation.registry.publish(kind, name, "1.0.0")
    workflow, digest = declaring(installation, kind, name)
    at = f"/api/mcp/declarations/{digest}/package"
    installation.ask("POST", f"{at}/look", status=409)
    assert seen(installation, workflow)["version"] == "1.0.0"
    installation.registry.publish(kind, name, "1.10.0")
    offered = installation.ask("POST", f"{at}/look")
    assert (offered["state"], offered["package"]["version"]) == ("approved", "1.0.0")
    assert offered["package"]["offered"] == "1.10.0"
    assert seen(installation, workflow)["version"] == "1.0.0"
    assert "1.9.0" in installation.ask("POST", f"{at}/update", {"version": "1.9.0"}, status=409)["message"]
    accepted = installation.ask("POST", f"{at}/update", {"version": "1.10.0"})
    assert (accepted["state"], accepted["package"]["version"], accepted["package"]["offered"]) == (
        "approved",
        "1.10.0",
        "",
    )
    assert seen(installation, workflow)["version"] == "1.10.0", "an older program that still ran is not asked any more"
    shown = [
        result["package"]
        for result in installation.ask("GET", "/api/mcp/declarations")["results"]
        if result["hash"] == digest
    ]
    assert [item["version"] for item in shown] == ["1.10.0"]
    assert "package.updated" in [row["action"] for row in installation.ask("GET", "/api/audit?limit=20")["results"]]


@pytest.mark.parametrize("kind", list(STARTERS))
def test_an_exact_version_in_the_arguments_stays(installation: Installation, kind: str) -> None:
    name = f"patchbay-exact-{kind}"
    for version in ("1.0.0", "2.0.0"):
        installation.registry.publish(kind, name, version)
    server = installation.add(kind, f"{name}@1.0.0")
    assert installation.test(server)["ok"] and installation.look(server)["version"] == "1.0.0"
    assert installation.ask("POST", f"/api/mcp/servers/{server}/package/look")["package"]["offered"] == ""
    command, options = STARTERS[kind]
    installation.ask("PATCH", f"/api/mcp/servers/{server}", {"command": command, "args": [*options, f"{name}@2.0.0"]})
    assert installation.look(server)["version"] == "2.0.0", "an admin's own line decides"


@pytest.mark.parametrize("kind", list(STARTERS))
def test_what_was_installed_starts_without_the_registry(installation: Installation, kind: str) -> None:
    name = f"patchbay-offline-{kind}"
    installation.registry.publish(kind, name, "1.0.0")
    assert installation.test(installation.add(kind, name))["ok"]
    installation.registry.stop()
    try:
        second = installation.add(kind, name, name=f"{name} again")
        assert installation.test(second)["ok"], "another server of the same package shares it"
        installation.instance.stop()
        installation.instance.start()
        assert installation.look(second)["version"] == "1.0.0"
        report = installation.test(installation.add(kind, f"{name}-never-fetched"))
        failed = next(stage for stage in report["stages"] if stage["ok"] is False)
        assert (report["code"], failed["name"]) == ("MCP_UNREACHABLE", "install")
        assert "could not be reached" in report["message"] and f"{name}-never-fetched" in report["message"]
    finally:
        installation.registry.start()


@pytest.mark.parametrize(
    ("kind", "package", "says"),
    [
        ("npm", "patchbay-nothing-there", "patchbay-nothing-there"),
        ("pypi", "patchbay-nothing-there", "was not found"),
        ("npm", "patchbay-versions@9.9.9", "9.9.9"),
        ("pypi", "patchbay-versions@9.9.9", "9.9.9"),
    ],
)
def test_what_cannot_be_installed_is_said_with_the_line_that_decides(
    installation: Installation, kind: str, package: str, says: str
) -> None:
    installation.registry.publish(kind, "patchbay-versions", "1.0.0")
    server = installation.add(kind, package)
    report = installation.test(server)
    failed = next(stage for stage in report["stages"] if stage["ok"] is False)
    assert (report["code"], failed["name"]) == ("MCP_UNREACHABLE", "install"), report
    assert says in report["message"] and report["hint"]
    call = {"server": server, "tool": "look", "arguments": {}, "confirm": True}
    assert says in installation.ask("POST", "/api/mcp/tools/call", call, status=502)["message"]


@pytest.mark.parametrize("kind", list(STARTERS))
def test_many_who_want_one_package_at_once_install_it_once(installation: Installation, kind: str) -> None:
    name = f"patchbay-storm-{kind}"
    installation.registry.publish(kind, name, "1.0.0")
    servers = [installation.add(kind, name, name=f"{name} {number}") for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        reports = list(threads.map(installation.test, servers))
    assert all(report["ok"] for report in reports), reports
    fetched = [path for path in installation.registry.requests() if name in path and path.endswith((".tgz", ".whl"))]
    assert len(fetched) == 1, fetched
    lying = [path for path in (installation.packages / kind).iterdir() if path.name.startswith(name)]
    assert len(lying) == 1, lying


@pytest.mark.parametrize("kind", list(STARTERS))
def test_a_version_whose_files_changed_is_not_installed(installation: Installation, kind: str) -> None:
    name = f"patchbay-twisted-{kind}"
    installation.registry.publish(kind, name, "1.0.0")
    server = installation.add(kind, name)
    assert installation.test(server)["ok"]
    installation.registry.publish(kind, name, "1.0.0", twist="something else")
    shutil.rmtree(installation.packages)
    report = installation.test(server)
    assert not report["ok"] and "other files" in report["message"], report


def test_scripts_of_a_package_see_and_change_nothing_but_their_own_folder(installation: Installation) -> None:
    installation.registry.publish("npm", "patchbay-script", "1.0.0", script=SCRIPT)
    server = installation.add("npm", "patchbay-script")
    assert installation.test(server)["ok"]
    did = json.loads(installation.look(server)["script"])
    assert not isinstance(did["database"], int) and (did["key"] == [] or isinstance(did["key"], str)), did
    assert not [*installation.packages.rglob("planted")], "whatever it believes"


def test_a_package_that_keeps_its_data_beside_its_files_is_told_to_keep_it_in_its_home(
    installation: Installation,
) -> None:
    name = "@modelcontextprotocol/server-memory"
    installation.registry.publish("npm", name, "1.0.0")
    server = installation.add("npm", name, name="Memory")
    home = installation.instance.data / "homes" / f"{installation.team}-{server_id(installation, server)}"
    before = home / ".npm" / "_npx" / "c8e1" / "node_modules" / name / "dist" / "memory.jsonl"
    before.parent.mkdir(parents=True)
    before.write_text("remembered")  # as npx left it, which installed into the home
    assert installation.test(server)["ok"]
    reply = installation.look(server)
    assert reply["told"] == f"{reply['home']}/memory.jsonl" and reply["changed"] != "written"
    assert Path(reply["told"]).read_text() == "remembered"
    own = installation.add("npm", name, name="Memory elsewhere")
    installation.ask("PATCH", f"/api/mcp/servers/{own}", {"env": {"MEMORY_FILE_PATH": "/elsewhere.jsonl"}})
    assert installation.test(own)["ok"] and installation.look(own)["told"] == "/elsewhere.jsonl"


def test_what_a_package_would_have_npm_install_when_it_is_used_is_there_before(installation: Installation) -> None:
    installation.registry.publish("npm", "patchbay-needed", "1.0.0", script=SCRIPT)
    package = json.dumps({"name": "inner", "dependencies": {"patchbay-needed": ">=1"}})
    installation.registry.publish(
        "pypi", "patchbay-pages", "1.0.0", more={"readabilipy/javascript/package.json": package}
    )
    server = installation.add("pypi", "patchbay-pages")
    assert installation.test(server)["ok"]
    assert "patchbay-needed" in installation.look(server)["needed"]
    assert not [*installation.packages.glob("pypi/patchbay-pages-*/**/script.json")], "its scripts do not run"


def test_what_cannot_be_had_by_npm_leaves_the_package_as_it_is(installation: Installation) -> None:
    package = json.dumps({"name": "inner", "dependencies": {"patchbay-nothing-there": ">=1"}})
    installation.registry.publish(
        "pypi", "patchbay-blank", "1.0.0", more={"readabilipy/javascript/package.json": package}
    )
    server = installation.add("pypi", "patchbay-blank")
    assert installation.test(server)["ok"] and installation.look(server)["needed"] == []


def test_a_program_that_the_package_lacks_is_named(installation: Installation) -> None:
    installation.registry.publish("npm", "patchbay-other-program", "1.0.0")
    body = {"name": "Other", "transport": "stdio", "command": "npx"}
    arguments = ["-y", "--package=patchbay-other-program", "nowhere"]
    server = installation.ask("POST", "/api/mcp/servers", {**body, "args": arguments})["slug"]
    report = installation.test(server)
    assert "nowhere" in report["message"] and "patchbay-other-program" in report["hint"]
