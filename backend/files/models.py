"""Blobs and files: bytes stored once per team, and names for them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id


def blob_id() -> str:
    """Public id of a blob (`$ref` in events)."""
    return new_id("blob")


def file_id() -> str:
    """Public id of a file."""
    return new_id("file")


class Blob(models.Model):
    """Bytes, stored once per team and hash."""

    id = models.CharField(primary_key=True, max_length=40, default=blob_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="blobs", db_index=False)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    data = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "sha256"], name="blob_once_per_team")]
        indexes: ClassVar = [models.Index(fields=["team", "id", "size"], name="blob_sizes")]

    def __str__(self) -> str:
        return f"{self.sha256[:12]} ({self.size})"


class File(models.Model):
    """A named blob: `{"$file": id, name, mime, size}` in values.

    `size` = the blob's, which never changes, so that a team's can be added up in an index; 0 = not noted here yet (of a
    file that an earlier version made).
    """

    id = models.CharField(primary_key=True, max_length=40, default=file_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="files", db_index=False)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="files")
    name = models.CharField(max_length=255)
    mime = models.CharField(max_length=127)
    size = models.BigIntegerField(default=0, db_default=0)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["team", "size"], name="file_sizes")]

    def __str__(self) -> str:
        return self.name
