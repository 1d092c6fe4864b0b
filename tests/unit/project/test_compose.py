"""docker-compose.yml says what the product understands: settings, commands and names that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from backend.project import cli
from backend.project.environment import Environment

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load((ROOT / "docker-compose.yml").read_text())
    return loaded


def ours(compose: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The services of our own image."""
    return ((name, service) for name, service in compose["services"].items() if service.get("build"))


def test_every_setting_exists(compose: dict[str, Any]) -> None:
    known = {f"PATCHBAY_{name.upper()}" for name in Environment.model_fields} | {"DATABASE_URL", "REDIS_URL"}
    for name, service in ours(compose):
        assert service["environment"].keys() <= known, name


def test_every_process_of_the_scaled_mode_is_told_where_the_others_are(compose: dict[str, Any]) -> None:
    scaled = {name for name, service in ours(compose) if "REDIS_URL" in service["environment"]}
    assert scaled == {"web", "worker", "migrate"}
    where = {(compose["services"][n]["environment"]["DATABASE_URL"], n) for n in scaled}
    assert len({url for url, _ in where}) == 1
    for name in scaled:
        settings = Environment(
            DATABASE_URL=compose["services"][name]["environment"]["DATABASE_URL"],
            REDIS_URL=compose["services"][name]["environment"]["REDIS_URL"],
        )
        assert settings.mode == "scaled" and not settings.stdio_allowed


def test_every_command_exists(compose: dict[str, Any]) -> None:
    commands = set(re.findall(r"^patchbay \[?(\w+)\]?", cli.__doc__ or "", re.MULTILINE))
    assert {"run", "web", "worker", "migrate"} <= commands
    for name, service in ours(compose):
        assert service["command"][0] in commands, name


def test_what_is_named_is_there(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert set(service.get("depends_on", ())) <= compose["services"].keys(), name
        for other, condition in service.get("depends_on", {}).items():
            if condition["condition"] == "service_healthy":
                assert compose["services"][other]["healthcheck"], (name, other)
        assert {volume.split(":")[0] for volume in service.get("volumes", ())} <= compose["volumes"].keys(), name
        assert {config["source"] for config in service.get("configs", ())} <= compose.get("configs", {}).keys(), name


def test_what_there_are_several_of_takes_no_port(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert not (service.get("deploy", {}).get("replicas", 1) > 1 and "ports" in service), name


def test_a_worker_has_time_to_hand_over(compose: dict[str, Any]) -> None:
    grace = int(compose["services"]["worker"]["stop_grace_period"].removesuffix("s"))
    assert grace >= Environment().handover_s + 20


def test_the_entrances_variables_are_nginxs(compose: dict[str, Any]) -> None:
    """A single dollar would be filled in by compose."""
    content = compose["configs"]["entrance"]["content"]
    assert not re.search(r"(?<!\$)\$(?!\$)", content)
    assert content.count("{") == content.count("}") and "proxy_set_header Upgrade" in content


def test_the_entrance_alone_says_who_asks(compose: dict[str, Any]) -> None:
    """Whatever stands in a private network could name any client, were all of them believed."""
    entrance = compose["services"]["entrance"]["networks"]["default"]["ipv4_address"]
    for name, service in ours(compose):
        reply = service["environment"].get("PATCHBAY_TRUSTED_PROXIES")
        assert reply is None or reply.startswith(entrance + "${PATCHBAY_TRUSTED_PROXIES:+"), name
    [body] = compose["networks"]["default"]["ipam"]["config"]
    subnet, others = (ip_network(re.sub(r"\$\{\w+:-(.*?)\}", r"\1", body[part])) for part in ("subnet", "ip_range"))
    address = ip_address(re.sub(r"\$\{\w+:-(.*?)\}", r"\1", entrance))
    assert address in subnet and address not in others
