"""Blobs and files: stored once per team and content, read by those who may."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.database.ids import derived_id
from backend.engine.execution import failpoints
from backend.errors import NotFound, TooLarge
from backend.files import parts
from backend.files.models import Blob, File

_STORE = (
    "INSERT INTO files_blob (id, team_id, sha256, size, data, created_at) VALUES (%s, %s, %s, %s, %s, %s) "
    "ON CONFLICT DO NOTHING"
)

_reached: list[Callable[[Actor, str], bool]] = []
BlobValues = tuple[str, str, str, int, bytes, Any]
"""id, team, SHA-256, size, bytes, time as the driver takes it."""

UNKNOWN = "application/octet-stream"
_TEXTS = {".log": "text/plain", ".md": "text/markdown", ".toml": "application/toml"} | dict.fromkeys(
    (".yaml", ".yml"), "application/yaml"
)


def reached_by(reached: Callable[[Actor, str], bool]) -> None:
    """`reached(actor, key)` = whether a token bound to workflows comes to a file; what names it is in rooms above."""
    _reached[:] = [reached]


def mime_of(name: str, declared: str | None) -> str:
    """What kind of file it is: as the client says; where it does not know, by the name's ending."""
    if declared and declared != UNKNOWN:
        return declared
    return _TEXTS.get(PurePath(name).suffix.lower()) or mimetypes.guess_type(name)[0] or UNKNOWN


def blob_key(team_id: str, sha256: str) -> str:
    """The public id of a team's blob: the same bytes have the same id."""
    return derived_id("blob", team_id, sha256)


def store_blobs(cursor: Any, rows: Sequence[BlobValues]) -> None:
    """Insert the blobs that are not there yet, in the caller's transaction; all of them are there when it commits.

    Postgres: those that are there are held, for a sweep may be deleting what nothing named until now.
    """
    left = list(rows)
    while left:
        cursor.executemany(_STORE, left)
        if connection.vendor != "postgresql":
            return
        marks = ",".join(["%s"] * len(left))
        cursor.execute(
            f"SELECT id FROM files_blob WHERE id IN ({marks}) ORDER BY id FOR KEY SHARE",  # noqa: S608 - only marks
            [row[0] for row in left],
        )
        held = {key for (key,) in cursor.fetchall()}
        left = [row for row in left if row[0] not in held]


def blob_store(team_id: str, data: bytes) -> Blob:
    """The team's blob with these bytes, made when it is new. Raises TooLarge."""
    key, sha256 = store_bytes(team_id, data)
    return Blob.from_db(
        connection.alias, ("id", "team_id", "sha256", "size", "data"), (key, team_id, sha256, len(data), data)
    )


def store_bytes(team_id: str, data: bytes) -> tuple[str, str]:
    """(id, SHA-256) of the team's blob with these bytes, made when it is new. Raises TooLarge."""
    if len(data) > settings.PATCHBAY.max_blob_mb * 1024 * 1024:
        raise TooLarge(params={"limit": settings.PATCHBAY.max_blob_mb})
    sha256 = hashlib.sha256(data).hexdigest()
    key, now = blob_key(team_id, sha256), timezone.now()
    database = connections[DEFAULT_DB_ALIAS]
    with database.cursor() as cursor:
        row = (key, team_id, sha256, len(data), data, database.ops.adapt_datetimefield_value(now))
        store_blobs(cursor, [row])
    return key, sha256


@transaction.atomic
def file_create(actor: Actor, name: str, mime: str, data: bytes, key: str | None = None) -> File:
    """A named file of the team; `key` = the id that it is to have."""
    transaction.on_commit(lambda: failpoints.hit("file.committed"))
    blob = blob_store(actor.team.id, data)
    fields = {} if key is None else {"pk": key}
    file = File.objects.create(
        team=actor.team,
        blob=blob,
        name=name[:255],
        mime=mime[:127],
        size=blob.size,
        created_by=actor.user,
        **fields,
    )
    audit(actor, "file.created", "file", file.id, name=file.name, size=blob.size)
    failpoints.hit("file.uncommitted")
    return file


def files_known(team_id: str, keys: set[str]) -> dict[str, dict[str, Any]]:
    """By id, those of these files that the team has, as they stand in values: `{"$file", name, mime, size}`."""
    rows = File.objects.filter(team=team_id, pk__in=keys).values_list("pk", "name", "mime", "blob__size")
    return {key: {"$file": key, "name": name, "mime": mime, "size": size} for key, name, mime, size in rows}


def file_for(actor: Actor, key: str) -> tuple[bytes, str, str]:
    """(bytes, mime, name) of a file or blob of the actor's team. Raises NotFound."""
    if actor.workflows is not None and not _reached[0](actor, key):
        raise NotFound
    return file_of(actor.team.id, key)


def file_of(team_id: str, key: str) -> tuple[bytes, str, str]:
    """(bytes, mime, name) of a file or blob of a team, for its runs. Raises NotFound, TooLarge."""
    file = File.objects.select_related("blob").filter(team=team_id, pk=key).first()
    if file is not None:
        return bytes(file.blob.data), file.mime, file.name
    blob = Blob.objects.filter(team=team_id, pk=key).first()
    if blob is None:
        raise NotFound
    return parts.text_of(team_id, key, bytes(blob.data)), "application/json", f"{key}.json"
