"""Every program that is started stands in the audit trail: which, by the hash of its configuration, and for whom.

Written before the program is started; where it cannot be written, nothing is.
"""

from __future__ import annotations

from backend.accounts.audit.trail import audit_in_team
from backend.database.threads import in_thread
from backend.registry.programs.packages import started_from
from backend.tools.servers import ServerConfig


def note_start(config: ServerConfig) -> None:
    """Say that a program is about to be started. Touches the database: not on the loop."""
    key = config.key
    facts = {"server": config.slug, "command": config.command, "hash": config.program}
    audit_in_team(key.team, config.started_by, "program.started", "server", key.server[:40], **facts)


async def before_start(config: ServerConfig) -> ServerConfig:
    """The same from the loop, for connections that are kept; gives what to start, with its package installed."""
    await in_thread(note_start, config)
    return await started_from(config)
