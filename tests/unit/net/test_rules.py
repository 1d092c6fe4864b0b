"""Which addresses may be connected to."""

from __future__ import annotations

import ipaddress

import pytest

from backend.net.rules import NetworkRules, is_public, names_loopback, unwrap


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *(
            "100.64.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
        ),
        *("255.255.255.255", "192.88.99.1", "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "2002:a00:1::", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
        *("64:ff9b:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "::127.0.0.1", "100::1"),
        *("::ffff:0:127.0.0.1", "3fff::1", "4000::1", "5f00::1", "fe80::5efe:7f00:1", "64:ff9b::a9fe:a9fe"),
    ],
)
def test_addresses_that_are_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))
    assert NetworkRules().refusal("host", 80, ipaddress.ip_address(text), typed=False) is not None


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::"]
)
def test_addresses_that_are_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))
    assert NetworkRules().refusal("host", 80, ipaddress.ip_address(text), typed=False) is None


def test_unwrapping_finds_the_address_inside() -> None:
    inside = ipaddress.ip_address("10.0.0.1")
    for text in ("::ffff:10.0.0.1", "2002:a00:1::", "64:ff9b::a00:1", "10.0.0.1"):
        assert unwrap(ipaddress.ip_address(text)) == inside


def test_loopback_is_for_typed_addresses_where_the_installation_allows_it() -> None:
    here = ipaddress.ip_address("127.0.0.1")
    open_rules = NetworkRules(loopback_for_typed=True)
    assert open_rules.refusal("localhost", 80, here, typed=True) is None
    assert open_rules.refusal("localhost", 80, here, typed=False) == "loopback"
    assert NetworkRules().refusal("localhost", 80, here, typed=True) == "loopback"
    assert open_rules.refusal("x", 80, ipaddress.ip_address("10.0.0.1"), typed=True) == "private"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "app.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "::1"])
def test_a_host_that_says_it_is_this_machine(host: str) -> None:
    assert names_loopback(host)


@pytest.mark.parametrize(
    "host", ["2130706433", "127.1", "0x7f.1", "0.0.0.0", "[::ffff:127.0.0.1]", "[::]", "loop.example", "localhost.evil"]
)
def test_a_host_that_only_leads_to_this_machine(host: str) -> None:
    here = ipaddress.ip_address("127.0.0.1")
    assert not names_loopback(host)
    assert NetworkRules(loopback_for_typed=True).refusal(host, 80, here, typed=True) == "loopback"


def test_our_own_host_is_refused_wherever_it_leads() -> None:
    rules = NetworkRules(own_hosts=(("patchbay.example", 443),), allow=("patchbay.example", "0.0.0.0/0"))
    there = ipaddress.ip_address("93.184.216.34")
    assert rules.refusal("Patchbay.example.", 443, there, typed=True) == "own_port"
    assert rules.refusal("patchbay.example", 8443, there, typed=True) is None


def test_the_allow_list_takes_networks_addresses_and_names() -> None:
    rules = NetworkRules(allow=("10.1.0.0/16", "192.168.1.7", "db.internal", "*.corp.example"))

    def refused(host: str, text: str) -> str | None:
        return rules.refusal(host, 443, ipaddress.ip_address(text), typed=False)

    assert refused("x", "10.1.2.3") is None and refused("x", "10.2.0.1") == "private"
    assert refused("x", "::ffff:10.1.2.3") is None
    assert refused("x", "192.168.1.7") is None and refused("x", "192.168.1.8") == "private"
    assert refused("DB.internal.", "10.9.9.9") is None and refused("a.corp.example", "10.9.9.9") is None
    assert refused("corp.example", "10.9.9.9") == "private" and refused("evilcorp.example", "10.9.9.9") == "private"


@pytest.mark.parametrize("text", ["127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1", "127.0.0.53"])
def test_our_own_port_is_never_reached_whatever_is_allowed(text: str) -> None:
    rules = NetworkRules(allow=("0.0.0.0/0", "::/0", "localhost"), own_ports=(8000,), loopback_for_typed=True)
    address = ipaddress.ip_address(text)
    assert rules.refusal("localhost", 8000, address, typed=True) == "own_port"
    assert rules.refusal("localhost", 8001, address, typed=True) is None
