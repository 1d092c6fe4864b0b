"""Files within the answers of tools: kept for the run whose call they answer, and deleted with it.

The same bytes within one run are the same file, so a call that is made once more after a crash keeps nothing twice.
"""

from __future__ import annotations

import hashlib

from django.db import transaction

from backend.database.ids import derived_id
from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.errors import ResultTooLarge, TooLarge
from backend.files.models import File
from backend.files.services import blob_store
from backend.runs.models import RunFile
from backend.tools.types import JsonObject


def keep(team: str, run: str, user: str | None, files: list[tuple[bytes, str, str]]) -> list[JsonObject]:
    """Each of (bytes, mime, name) as it stands in a value: `{"$file": id, name, mime, size}`. Raises ResultTooLarge."""
    try:
        with sqlite_write_lock(), transaction.atomic():
            return [_kept(team, run, user, data, mime[:127], name[:255]) for data, mime, name in files]
    except TooLarge as error:
        raise ResultTooLarge(params=error.params) from error


def _kept(team: str, run: str, user: str | None, data: bytes, mime: str, name: str) -> JsonObject:
    key = derived_id("file", run, hashlib.sha256(data).hexdigest(), mime, name)
    blob = blob_store(team, data)
    row = File(pk=key, team_id=team, blob=blob, name=name, mime=mime, size=blob.size, created_by_id=user)
    File.objects.bulk_create([row], ignore_conflicts=True)
    RunFile.objects.bulk_create([RunFile(run_id=run, file_id=key)], ignore_conflicts=True)
    return {"$file": key, "name": name, "mime": mime, "size": len(data)}
