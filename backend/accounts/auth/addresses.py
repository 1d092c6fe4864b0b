"""Which address a request comes from: that of the connection, or the one told by a proxy that the operator named.

HTTP and websockets ask here, so that both believe the same.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def client_address(peer: str, forwarded: str) -> str:
    """The client's: `peer`, or behind trusted proxies the last hop of `X-Forwarded-For` that is none of them."""
    if not forwarded or not _is_trusted(peer):
        return peer
    hops = [hop.strip() for hop in forwarded.split(",")]
    client = next((hop for hop in reversed(hops) if not _is_trusted(hop)), hops[0])
    return peer if parsed(client) is None else client


def parsed(text: str) -> Address | None:
    """The address, None for what is none. An IPv4 address that came over IPv6 is the IPv4 address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def inside(text: str, networks: Iterable[str]) -> bool:
    """Whether this is an address of one of the networks (`10.0.0.0/8`, `2001:db8::/32`)."""
    address = parsed(text)
    return address is not None and any(address in ipaddress.ip_network(network) for network in networks)


def within(networks: list[str], wider: list[str]) -> bool:
    """Whether every one of `networks` lies in one of `wider`; an empty list is the whole world."""
    if not wider:
        return True
    around = [ipaddress.ip_network(item) for item in wider]
    return bool(networks) and all(_in_one(ipaddress.ip_network(network), around) for network in networks)


def _in_one(network: Network, around: list[Network]) -> bool:
    return any(
        int(network.network_address) >= int(item.network_address)
        and int(network.broadcast_address) <= int(item.broadcast_address)
        for item in around
        if item.version == network.version
    )


def _is_trusted(text: str) -> bool:
    """Whether this is the address of one of the proxies that the operator named."""
    return inside(text, settings.PATCHBAY.trusted_proxies)
