"""Seed property 1: a server's configuration that was accepted is whole, is stored, and is read back as it was sent."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.registry.connecting.connections import config_of
from backend.registry.models import Server
from tests.people import Person

pytestmark = [pytest.mark.wide, pytest.mark.django_db]

PRINTABLE = string.ascii_letters + string.digits + " !#$%&'()*+,-./:;<=>?@[]^_`{|}~"
NAME = st.text(string.ascii_letters + "网络 ", min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
WORD = st.text(string.ascii_letters + string.digits, min_size=1, max_size=12)
VALUE = st.text(PRINTABLE, max_size=30).filter(lambda text: "${" not in text)
HEADERS = st.dictionaries(WORD.map(lambda word: f"X-{word}-Info"), VALUE, max_size=3)
SECRET_HEADERS = st.dictionaries(WORD.map(lambda word: f"X-{word}-Sec"), VALUE.filter(bool), max_size=3)
ENV = st.dictionaries(WORD.map(lambda word: f"V{word}_INFO"), st.text(PRINTABLE + "é字\n", max_size=30), max_size=3)
COMMON = {
    "name": NAME,
    "description": st.text(string.printable, max_size=50).filter(lambda text: "\x00" not in text),
    "timeout_ms": st.integers(1, 3_600_000),
    "visibility": st.sampled_from(["team", "private"]),
    "enabled": st.booleans(),
    "session": st.sampled_from(["shared", "run"]),
    "asks": st.booleans(),
    "trust_annotations": st.booleans(),
}
REMOTE = st.fixed_dictionaries(
    {
        **COMMON,
        "transport": st.sampled_from(["http", "sse"]),
        "url": WORD.map(lambda word: f"https://{word.lower()}.example/{word}"),
        "auth_type": st.sampled_from(["none", "api_key", "bearer"]),
        "api_key": st.text(PRINTABLE.strip(), min_size=8, max_size=40)
        .map(str.strip)
        .filter(lambda key: "${" not in key and len(key) >= 4),
        "api_key_header": WORD.map(lambda word: f"X-{word}"),
        "headers": HEADERS,
        "secret_headers": SECRET_HEADERS,
    }
)
PROGRAM = st.fixed_dictionaries(
    {
        **COMMON,
        "transport": st.just("stdio"),
        "command": WORD,
        "args": st.lists(st.text(PRINTABLE + "字\n", max_size=30), max_size=5),
        "env": ENV,
        "secret_env": st.dictionaries(WORD.map(lambda word: f"S{word}"), VALUE.filter(bool), max_size=3),
        "cwd": st.sampled_from(["", "/srv"]),
    }
)
WRITE_ONLY = {"api_key", "secret_headers", "secret_env"}
KEEP = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@settings(max_examples=150, deadline=None, suppress_health_check=KEEP)
@given(st.one_of(REMOTE, PROGRAM))
def test_property_1_what_was_accepted_is_stored_whole(adam: Person, config: dict[str, Any]) -> None:
    reply = adam.api.post("/api/mcp/servers", config)
    assert reply.status == 201, reply.text
    shown = adam.api.get(f"/api/mcp/servers/{reply.data['id']}").data
    for field, value in config.items():
        if field == "name":
            assert shown["name"] == value.strip()
        elif field not in WRITE_ONLY:
            assert shown[field] == value, field
    for field in ("url", "transport", "auth_type"):
        assert field in shown
    assert set(shown.get("secret_headers", {})) == set(config.get("secret_headers", {}))
    assert set(shown.get("secret_env", {})) == set(config.get("secret_env", {}))
    complete = config_of(Server.objects.get(id=shown["id"]))
    if config["transport"] == "stdio":
        assert dict(complete.env) == {**config["env"], **config["secret_env"]}
        assert list(complete.args) == config["args"]
    else:
        expected = {**config["headers"], **config["secret_headers"]}
        if config["auth_type"] == "bearer":
            expected["Authorization"] = f"Bearer {config['api_key']}"
        elif config["auth_type"] == "api_key":
            expected[config["api_key_header"]] = config["api_key"]
        assert dict(complete.headers) == expected and complete.url == config["url"]


@settings(max_examples=100, deadline=None, suppress_health_check=KEEP)
@given(REMOTE, st.sets(st.sampled_from(sorted(COMMON))))
def test_property_1_a_patch_changes_nothing_but_what_it_names(
    adam: Person, config: dict[str, Any], names: set[str]
) -> None:
    created = adam.api.post("/api/mcp/servers", {**config, "visibility": "team"}).data
    change = {name: config[name] for name in names}
    shown = adam.api.patch(f"/api/mcp/servers/{created['id']}", change)
    assert shown.status == 200, shown.text
    for field, value in created.items():
        if field not in names | {"updated_at", "status"}:
            assert shown.data[field] == value, field
