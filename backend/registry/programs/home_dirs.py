"""Private HOME directories of programs: removed with the server, the person or the team that they were made for.

A directory is named `<team>-<server>[-<person>]` (`tools.servers.StdioRules.home`). A program that is being ended may
write once more, so what was removed is looked at again a moment later, and every worker looks now and then.
"""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from django.db import transaction

from backend.accounts.models import Membership
from backend.registry.models import Server
from backend.registry.programs.rules import stdio_rules

AGAIN_S = 15.0


def _of_servers() -> list[tuple[Path, list[str]]]:
    """Every directory of a registered server with its ids. Those of declared servers are named by a hash."""
    root = stdio_rules().home_root
    directories = [(path, path.name.split("-")) for path in root.iterdir()] if root.is_dir() else []
    return [(path, ids) for path, ids in directories if len(ids) >= 2 and ids[1].startswith("srv_")]


def sweep() -> list[Path]:
    """Remove the directories of servers that are gone and of people who left the team; gives what was removed."""
    directories = _of_servers()
    servers = set(Server.objects.filter(pk__in={ids[1] for _, ids in directories}).values_list("pk", flat=True))
    people = {ids[2] for _, ids in directories if len(ids) > 2}
    members = set(Membership.objects.filter(user__in=people).values_list("team_id", "user_id"))
    gone = [
        path for path, ids in directories if ids[1] not in servers or (len(ids) > 2 and (ids[0], ids[2]) not in members)
    ]
    _remove(gone)
    return gone


def _remove(paths: list[Path]) -> None:
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)


def sweep_after_commit() -> None:
    """Remove what belongs to nobody once the transaction is on disk, and once more when its programs have ended."""
    transaction.on_commit(_sweep_twice)


def _sweep_twice() -> None:
    if gone := sweep():
        again = threading.Timer(AGAIN_S, _remove, [gone])  # the same ones: it asks no database
        again.daemon = True
        again.start()
