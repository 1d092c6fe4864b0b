"""The installation's rules for the outside world as values for the pure rooms: programs, addresses."""

from __future__ import annotations

import os
from functools import lru_cache

from django.conf import settings

from backend.net.rules import NetworkRules
from backend.tools.servers import PoolLimits, StdioRules, bundled_dirs, passed_on


@lru_cache(maxsize=1)
def _base_env() -> dict[str, str]:
    return passed_on(os.environ, settings.PATCHBAY.stdio_env)


def stdio_rules() -> StdioRules:
    """Which programs may be started here, and with what environment."""
    env = settings.PATCHBAY
    return StdioRules(
        allowed=env.stdio_allowed,
        commands=tuple(env.stdio_commands),
        base_env=_base_env(),
        extra_path=bundled_dirs(),
        home_root=env.data / "homes",
    )


def pool_limits() -> PoolLimits:
    """Bounds of the pool: a message may be as large as a blob."""
    env = settings.PATCHBAY
    return PoolLimits(message_bytes=int(env.max_blob_mb * 1024 * 1024), hold_s=env.elicitation_hold_s)


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
