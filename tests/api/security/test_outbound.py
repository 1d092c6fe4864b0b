"""Every trick to make Patchbay reach what it must not, by name, through the doors that people and models steer.

The tester of the trick is an admin who types the address, to whom most is allowed; what is refused to him is refused
to everybody. A listener on all addresses of this machine knows whether anybody came.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import httpcore2
import pytest
from django.conf import settings

from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.conftest import graph, make_workflow, node, until, worker
from tests.api.security.resolver import Listener, Resolver, listening
from tests.instance import scaled
from tests.people import Person

__all__ = ["worker"]

pytestmark = pytest.mark.skipif(scaled(), reason="nothing here depends on the mode")

TRICKS = {
    # loopback, spelt so that a filter of texts does not see it
    "decimal": "2130706433",
    "octal": "0177.0.0.1",
    "octal in one number": "017700000001",
    "hex": "0x7f000001",
    "hex by parts": "0x7f.0x0.0x0.0x1",
    "short": "127.1",
    "mixed bases": "0x7f.1",
    "zero": "0",
    "unspecified": "0.0.0.0",
    "unspecified in IPv6": "[::]",
    "mapped": "[::ffff:127.0.0.1]",
    "mapped in hex": "[::ffff:7f00:1]",
    "translated": "[::ffff:0:127.0.0.1]",
    "compatible": "[::127.0.0.1]",
    "6to4": "[2002:7f00:1::]",
    "NAT64": "[64:ff9b::127.0.0.1]",
    "local NAT64": "[64:ff9b:1::127.0.0.1]",
    "Teredo": "[2001:0:7f00:1::]",
    "long form of mapped": "[0000:0000:0000:0000:0000:ffff:7f00:0001]",
    # what is not public
    "metadata of a cloud": "169.254.169.254",
    "metadata, mapped": "[::ffff:169.254.169.254]",
    "metadata, NAT64": "[64:ff9b::a9fe:a9fe]",
    "metadata in IPv6": "[fd00:ec2::254]",
    "metadata in shared space": "100.100.100.200",
    "private": "10.0.0.1",
    "private, 6to4": "[2002:a00:1::]",
    "link-local": "[fe80::1]",
    "ISATAP": "[fe80::5efe:10.0.0.1]",
    "site-local": "[fec0::1]",
    "unique local": "[fc00::1]",
    "multicast": "224.0.0.1",
    "broadcast": "255.255.255.255",
    "documentation": "[3fff::1]",
    "never given out": "[4000::1]",
    "wide digits": "１０.０.０.１",
    "wide dots": "10。0。0。1",
    "trailing dot": "10.0.0.1.",
    # names, answered by the resolver below
    "a name of loopback": "loop.example",
    "a name of loopback with a dot": "loop.example.",
    "a name of a private address": "inner.example",
    "a name of both": "both.example",
    "a name in IPv6 only": "six.example",
    "punycode": "xn--bcher-kva.example",
    "its letters": "bücher.example",
    "in capitals": "LOOP.EXAMPLE",
}
NAMES = {
    "loop.example": ["127.0.0.1"],
    "inner.example": ["10.0.0.1"],
    "both.example": ["93.184.216.34", "192.168.0.1"],
    "six.example": ["fd00::1"],
    "xn--bcher-kva.example": ["172.16.0.1"],
    "10.0.0.1": ["10.0.0.1"],
}
MALFORMED = {
    "zone id": "http://[fe80::1%25lo]/",
    "zone id, bare": "http://[fe80::1%lo]/",
    "user info": "http://example.org@127.0.0.1/",
    "backslash": "http://example.org\\@127.0.0.1/",
    "another scheme": "gopher://127.0.0.1/",
    "a file": "file:///etc/passwd",
    "a line break": "http://example.org\r\n.evil/",
    "no host": "http:///127.0.0.1/",
}
Door = Callable[[Person, str], tuple[str, str]]


def server_test(who: Person, url: str) -> tuple[str, str]:
    """(code, reason's sentence) of the test of a server that is not saved."""
    reply = who.api.post("/api/mcp/servers/test", {"name": "x", "transport": "http", "url": url})
    assert reply.status == 200 and reply.data["ok"] is False, reply.text
    return reply.data["code"], reply.data["message"]


def sse_test(who: Person, url: str) -> tuple[str, str]:
    """The same over legacy SSE."""
    reply = who.api.post("/api/mcp/servers/test", {"name": "x", "transport": "sse", "url": url})
    assert reply.status == 200 and reply.data["ok"] is False, reply.text
    return reply.data["code"], reply.data["message"]


def provider_test(who: Person, url: str) -> tuple[str, str]:
    """The same of a provider."""
    reply = who.api.post("/api/providers/test", {"name": "x", "base_url": url, "model": "m"})
    assert reply.status == 200 and reply.data["ok"] is False, reply.text
    return reply.data["code"], reply.data["message"]


def used(who: Person, url: str) -> tuple[str, str]:
    """The same of a saved server that is used."""
    created = who.api.post("/api/mcp/servers", {"name": "x", "transport": "http", "url": url})
    if created.status != 201:
        return created.data["code"], created.data["fields"]["url"][0]
    reply = who.api.get(f"/api/mcp/servers/{created.data['id']}/tools?refresh=1")
    return reply.data["code"], reply.data["message"]


DOORS: dict[str, Door] = {"server": server_test, "sse": sse_test, "provider": provider_test, "used": used}


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with listening() as created:
        yield created


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    resolver = Resolver()
    resolver.names = {name: [addresses] for name, addresses in NAMES.items()}
    resolver.install(monkeypatch)
    return resolver


@pytest.mark.parametrize("door", DOORS)
def test_no_spelling_gets_through(adam: Person, resolver: Resolver, listener: Listener, door: str) -> None:
    before, results = listener.came, {}
    for trick, host in TRICKS.items():
        results[trick] = DOORS[door](adam, f"http://{host}:{listener.port}/mcp")[0]
    by_form = {trick for trick, code in results.items() if code == "VALIDATION_ERROR"}
    assert {*results.values()} - {"VALIDATION_ERROR"} == {"NETWORK_BLOCKED"}, results
    assert by_form <= {"octal", "wide digits"}
    assert listener.came == before


@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_plain_address_is_refused_by_its_form(adam: Person, resolver: Resolver, door: str) -> None:
    matches = {trick: DOORS[door](adam, url)[0] for trick, url in MALFORMED.items()}
    assert set(matches.values()) == {"VALIDATION_ERROR"}, matches
    assert resolver.lookups == []


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that a connection was opened to, each refused: nobody leaves this machine in a test."""
    matches: list[str] = []

    async def connect(backend: Any, host: str, *_: Any, **__: Any) -> Any:
        matches.append(host)
        raise httpcore2.ConnectError("nobody there")

    monkeypatch.setattr("httpcore2.AnyIOBackend.connect_tcp", connect)
    return matches


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("inside", ["127.0.0.1", "10.0.0.1", "::ffff:169.254.169.254"])
def test_rebinding_only_what_was_checked_is_connected_to(
    adam: Person, resolver: Resolver, reached: list[str], door: str, inside: str
) -> None:
    """The name answers with a public address first and then with one inside, whoever asks at whatever moment."""
    for first in range(1, 5):
        resolver.names["rebind.example"] = [*[["93.184.216.34"]] * first, [inside]]
        DOORS[door](adam, "http://rebind.example/mcp")
    assert set(reached) == {"93.184.216.34"}


@pytest.mark.parametrize("door", DOORS)
def test_our_own_port_is_reached_under_no_name(
    adam: Person, resolver: Resolver, listener: Listener, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the operator opened the whole machine."""
    before = listener.came
    LOOP.stop()  # the pool keeps the rules that it was made with
    monkeypatch.setattr(settings.PATCHBAY, "port", listener.port)
    monkeypatch.setattr(settings.PATCHBAY, "outbound_allow", ["0.0.0.0/0", "::/0", "ours.example", "patchbay.example"])
    monkeypatch.setattr(settings, "PUBLIC_URL", f"http://patchbay.example:{listener.port}")
    outside = _own_address()
    resolver.names |= {
        "ours.example": [["127.0.0.1"]],
        "patchbay.example": [["93.184.216.34"]],
        "host.example": [[outside]],
    }
    hosts = ["localhost", "127.0.0.1", "127.8.8.8", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "2130706433"]
    hosts += ["ours.example", "patchbay.example", "PATCHBAY.example.", "host.example", outside]
    blocked = "Patchbay itself"
    matches = {host: DOORS[door](adam, f"http://{host}:{listener.port}/mcp") for host in hosts}
    LOOP.stop()
    assert all(code == "NETWORK_BLOCKED" and blocked in text for code, text in matches.values()), matches
    assert listener.came == before


def _own_address() -> str:
    """An address of this machine that is not loopback, where it has one. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        own: str = probe.getsockname()[0]
        return own


def test_an_admin_reaches_this_machine_where_he_says_so(adam: Person, resolver: Resolver, listener: Listener) -> None:
    """So that the tests above prove something: the same address, plainly written."""
    before = listener.came
    for host in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST."):
        assert server_test(adam, f"http://{host}:{listener.port}/mcp")[0] != "NETWORK_BLOCKED"
    assert listener.came >= before + 4


def test_an_editor_types_no_addresses(bob: Person, listener: Listener) -> None:
    for path, body in {
        "/api/mcp/servers": {"name": "x", "transport": "http", "url": f"http://127.0.0.1:{listener.port}/"},
        "/api/mcp/servers/test": {"name": "x", "transport": "http", "url": f"http://127.0.0.1:{listener.port}/"},
        "/api/providers": {"name": "x", "base_url": f"http://127.0.0.1:{listener.port}/"},
        "/api/providers/test": {"name": "x", "base_url": f"http://127.0.0.1:{listener.port}/", "model": "m"},
    }.items():
        assert bob.api.post(path, body).status == 403


def test_a_run_meets_the_same_wall(worker: Worker, adam: Person, resolver: Resolver, listener: Listener) -> None:
    """A tool node and a model's node: to the address of the one, to the endpoint of the other."""
    before = listener.came
    bad = f"http://loop.example:{listener.port}"
    server = adam.api.post("/api/mcp/servers", {"name": "S", "transport": "http", "url": f"{bad}/mcp"}).data
    provider = adam.api.post("/api/providers", {"name": "P", "base_url": f"{bad}/v1", "models": [{"id": "m"}]}).data
    tool = node("use", "tool", {"server": server["slug"], "tool": "find", "arguments": {}}, on_error="continue")
    reply = [{"role": "user", "content": "hello"}]
    model = node("say", "llm", {"provider": provider["slug"], "model": "m", "messages": reply}, on_error="continue")
    start, end = node("start", "start", {"inputs": {"type": "object"}}), node("end", "end", {"outputs": {}})
    document = graph([start, tool, model, end], "start -> use", "use -> say", "say -> end")
    workflow = make_workflow(adam, document)
    run = adam.api.post(f"/api/workflows/{workflow.pk}/runs", {"version": "draft", "inputs": {}}).data["id"]
    until(lambda: adam.api.get(f"/api/runs/{run}").data["state"] == "SUCCESS", 60)
    events = adam.api.get(f"/api/runs/{run}/events").data["results"]
    failed = {event["node"]: event["data"]["code"] for event in events if event["type"] == "STEP_ERROR"}
    assert failed == {"use": "NETWORK_BLOCKED", "say": "NETWORK_BLOCKED"}
    assert listener.came == before
