"""The installation's rules for outbound connections, as values for the pure rooms."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings

from backend.accounts.teams.allowances import allowed
from backend.net.rules import NetworkRules


def network_rules() -> NetworkRules:
    """Which addresses may be connected to."""
    env, more = settings.PATCHBAY, allowed()
    public = urlsplit(settings.PUBLIC_URL)
    return NetworkRules(
        allow=(*env.outbound_allow, *more.hosts),
        proxy=env.outbound_proxy,
        ca_file=env.ca_file,
        own_ports=(env.port,),
        own_hosts=(((public.hostname or "").lower(), public.port or (443 if public.scheme == "https" else 80)),),
        loopback_for_typed=env.loopback_allowed or (env.allow_loopback is None and more.loopback),
        max_response_bytes=int(env.max_blob_mb * 1024 * 1024),
    )
