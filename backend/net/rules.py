"""Where Patchbay may connect to: the installation's outbound rules, as values."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNICAST = ipaddress.ip_network("2000::/3")
"""All of IPv6 that the internet routes; outside stand site-local, translated and compatible addresses, local NAT64."""
_LOOPBACK = ipaddress.ip_network("127.0.0.0/8")
_NEVER = tuple(
    ipaddress.ip_network(text)
    for text in ("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "3fff::/20")
)


def unwrap(address: Address) -> Address:
    """The IPv4 address inside a mapped, 6to4 or NAT64 address; other addresses as they are."""
    if not isinstance(address, ipaddress.IPv6Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether the whole internet routes `address` (unwrapped first); Teredo never counts."""
    inner = unwrap(address)
    if isinstance(inner, ipaddress.IPv6Address) and (inner.teredo is not None or inner not in _UNICAST):
        return False
    if inner.is_multicast or any(inner in net for net in _NEVER if net.version == inner.version):
        return False
    return inner.is_global


def is_listed(host: str, entries: Iterable[str]) -> bool:
    """Whether a list of hosts (lower case, `*.example.org` for all below one) has this one."""
    name = host.lower().rstrip(".")
    return any(name == entry or (entry.startswith("*.") and name.endswith(entry[1:])) for entry in entries)


def names_loopback(host: str) -> bool:
    """Whether a host says that it is this machine: `localhost`, 127.x.x.x or ::1, written as they usually are.

    Any other name that happens to lead here is somebody else's idea: whoever runs its DNS could change it every minute.
    """
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return address in _LOOPBACK if address.version == 4 else int(address) == 1


@dataclass(frozen=True)
class NetworkRules:
    """Rules for outbound connections.

    `allow`: CIDRs, addresses and host names (`*.example.org` too) that may be reached although they are not public.
    `proxy`: URL of an HTTP proxy, or "". `ca_file`: extra CA bundle, or "". `own_ports`: ports on which Patchbay itself
    listens on this machine, `own_hosts`: host and port under which people reach it; neither is ever reached from here.
    `loopback_for_typed`: an address typed by an admin may be loopback where it says so (`names_loopback`).
    """

    allow: tuple[str, ...] = ()
    proxy: str = ""
    ca_file: str = ""
    own_ports: tuple[int, ...] = ()
    own_hosts: tuple[tuple[str, int], ...] = ()
    loopback_for_typed: bool = False
    max_response_bytes: int = field(default=64 * 1024 * 1024)

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The entries of `allow` that are addresses or CIDRs."""
        return tuple(net for text in self.allow if (net := _network(text)) is not None)

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The entries of `allow` that are host names, lower case."""
        return tuple(text.lower().rstrip(".") for text in self.allow if _network(text) is None)

    def host_allowed(self, host: str) -> bool:
        """Whether `host` is named in `allow`."""
        return is_listed(host, self.hosts)

    def refusal(self, host: str, port: int, address: Address, *, typed: bool) -> str | None:
        """Why `address` may not be connected to: "own_port", "loopback", "private"; None when it may."""
        inner = unwrap(address)
        if (host.lower().removesuffix("."), port) in self.own_hosts or (port in self.own_ports and is_own(inner)):
            return "own_port"
        if any(inner in net or address in net for net in self.networks) or self.host_allowed(host):
            return None
        if inner.is_loopback:
            return None if typed and self.loopback_for_typed and names_loopback(host) else "loopback"
        return None if is_public(address) else "private"


def is_own(address: Address) -> bool:
    """Whether `address` belongs to this machine: only then can a socket be bound to it."""
    if address.is_loopback or address.is_unspecified:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
    return True


def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
