"""Who an identity provider knows people as."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import User
from backend.database.ids import new_id
from backend.secrets.fields import EncryptedJSONField


def identity_id() -> str:
    """Public id of an identity."""
    return new_id("idn")


class Identity(models.Model):
    """A person as the provider names them: by issuer and subject, for e-mail addresses are given to others.

    `refresh` = what the provider gave to ask again with, without the person; null = it gave nothing. `confirmed_at` =
    when it last said that the person is there, `checked_at` = when it was last asked.
    """

    id = models.CharField(primary_key=True, max_length=40, default=identity_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    refresh = EncryptedJSONField(null=True)
    confirmed_at = models.DateTimeField()
    checked_at = models.DateTimeField(db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_once")]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"
