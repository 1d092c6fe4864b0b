"""The installation's rules for the programs it starts and connections it keeps, as values for the pure rooms."""

from __future__ import annotations

import os
from functools import lru_cache

from django.conf import settings

from backend.accounts.teams.allowances import allowed
from backend.tools.box.finding import NO_BOX, find_box
from backend.tools.programs.bundled import bundled_dirs, shared_places
from backend.tools.servers import PoolLimits, ProgramLimits, StdioRules, passed_on


@lru_cache(maxsize=1)
def _base_env() -> dict[str, str]:
    return passed_on(os.environ, settings.PATCHBAY.stdio_env)


def stdio_rules() -> StdioRules:
    """Which programs may be started here, and with what environment."""
    env = settings.PATCHBAY
    return StdioRules(
        allowed=env.stdio_allowed,
        commands=(*env.stdio_commands, *allowed().commands) if env.stdio_commands else (),
        own_env=tuple(env.stdio_own_env),
        base_env=_base_env(),
        extra_path=bundled_dirs(),
        home_root=env.data / "homes",
        box=find_box(env.stdio_box) if env.stdio_allowed and env.stdio_box != "off" else NO_BOX,
        hidden=(env.data,),
        shared=shared_places(),
        packages=env.data / "packages",
        limits=ProgramLimits(
            memory_mb=env.stdio_memory_mb,
            file_mb=env.stdio_file_mb,
            home_mb=env.stdio_home_mb,
            files=env.stdio_files,
            processes=env.stdio_processes,
            cpu_s=env.stdio_cpu_s,
            box_processes=env.stdio_box_processes,
        ),
    )


def pool_limits() -> PoolLimits:
    """Bounds of the pool: a message may be as large as a blob."""
    env = settings.PATCHBAY
    return PoolLimits(
        message_bytes=int(env.max_blob_mb * 1024 * 1024), hold_s=env.elicitation_hold_s, longest_s=env.call_max_s
    )
