"""A team's named secrets: `${secret:name}` in documents, and what each member proves to a server or provider.

Values are encrypted, written and never read back.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.secrets.fields import EncryptedJSONField


def secret_id() -> str:
    """Public id of a secret."""
    return new_id("sec")


def credential_id() -> str:
    """Public id of a member's own credentials."""
    return new_id("crd")


class Secret(models.Model):
    """One named secret and the hosts that it may be sent to."""

    id = models.CharField(primary_key=True, max_length=40, default=secret_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="secrets")
    name = models.CharField(max_length=63)
    value = EncryptedJSONField()
    hint = models.CharField(max_length=20, blank=True)
    hosts = models.JSONField(default=list)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "name"], name="secret_name_once_per_team")]

    def __str__(self) -> str:
        return self.name


class Credential(models.Model):
    """What one member proves to a server or provider where each member uses their own.

    `values` = {"api_key", "headers": {name: value}, "env": {name: value}}. `target` is the server's or provider's id.
    `stamp` is new with every change, so that no connection made with the values of before is used again. `status` =
    what this person's last test found.
    """

    id = models.CharField(primary_key=True, max_length=40, default=credential_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="credentials", db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="credentials", db_index=False)
    target = models.CharField(max_length=40, db_index=True)
    values = EncryptedJSONField(default=dict)
    stamp = models.CharField(max_length=40)
    status = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "target"], name="credential_once_per_person")]

    def __str__(self) -> str:
        return f"credentials for {self.target}"


class KeyMark(models.Model):
    """The one row by which a process of a scaled installation sees at its start that its key is that of the others.

    Without it, two machines with keys of their own would find out only at the first secret that the other stored.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    mark = EncryptedJSONField()

    def __str__(self) -> str:
        return "the installation's keys"
