"""The installation's rules for outbound connections, as values for the pure rooms."""

from __future__ import annotations

from django.conf import settings

from backend.net.rules import NetworkRules


def network_rules() -> NetworkRules:
    """Which addresses may be connected to."""
    env = settings.PATCHBAY
    return NetworkRules(
        allow=tuple(env.outbound_allow),
        proxy=env.outbound_proxy,
        ca_file=env.ca_file,
        own_ports=(env.port,),
        loopback_for_typed=env.mode == "embedded",
        max_response_bytes=int(env.max_blob_mb * 1024 * 1024),
    )
