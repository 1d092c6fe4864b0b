"""What docker-compose.yml runs, run without an engine: its migrate, its processes in its settings, its health check."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests import services
from tests.instance import ROOT, Instance, Reached, ScaledInstance, clean_environment, until

COMPOSE: dict[str, Any] = YAML(typ="safe").load((ROOT / "docker-compose.yml").read_text())["services"]
OURS = ("DATABASE_URL", "REDIS_URL", "PATCHBAY_URL", "PATCHBAY_DATA_DIR", "PATCHBAY_TRUSTED_PROXIES")
"""What is at another place here than in the containers."""


def settings_of(service: str) -> dict[str, str]:
    """A service's environment where nobody sets anything, but for places."""
    values = {name: str(value) for name, value in COMPOSE[service]["environment"].items() if name not in OURS}
    return {name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value) for name, value in values.items()}


def healthy(service: str, port: int) -> bool:
    """What its health check finds."""
    kind, program, *arguments = COMPOSE[service]["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "python")
    line = [sys.executable, *(argument.replace(":8000/", f":{port}/") for argument in arguments)]
    assert line[1:] != arguments, "the port of the container is looked at"
    return subprocess.run(line, env=clean_environment(), stderr=subprocess.DEVNULL).returncode == 0


def run(service: str, instance: Reached) -> subprocess.CompletedProcess[str]:
    """A service's own command, to its end."""
    line = [sys.executable, "-m", "backend.project.cli", *COMPOSE[service]["command"]]
    return subprocess.run(line, cwd=ROOT, env=instance.environment(), capture_output=True, text=True)


@pytest.mark.timeout(300)
def test_an_empty_database_is_prepared_and_served(tmp_path: Path) -> None:
    where = {"DATABASE_URL": services.empty_database(), "REDIS_URL": services.redis()}
    instance = ScaledInstance(tmp_path / "data", workers=1, extra=settings_of("web"), where=where)
    assert settings_of("web") == settings_of("worker") == settings_of("migrate")
    assert [COMPOSE["web"]["command"], COMPOSE["worker"]["command"]] == [
        [process.kind] for process in instance.processes
    ]
    try:
        done = run("migrate", instance)
        assert done.returncode == 0, done.stderr
        assert run("migrate", instance).returncode == 0, "compose runs it each time"
        assert not healthy("web", instance.port)
        instance.start()
        until(lambda: healthy("web", instance.port))
    finally:
        instance.kill()


@pytest.mark.timeout(300)
def test_the_embedded_service_is_healthy_once_it_serves(tmp_path: Path) -> None:
    instance = Instance(tmp_path / "data", extra=settings_of("embedded"))
    assert COMPOSE["embedded"]["command"] == [instance.command[-1]]
    assert not healthy("embedded", instance.port)
    try:
        instance.start()
        until(lambda: healthy("embedded", instance.port))
    finally:
        instance.kill()
