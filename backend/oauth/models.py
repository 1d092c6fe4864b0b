"""What signing in by OAuth keeps: clients that registered, codes on their way to a client, how a token is renewed.

The token itself is a row of `accounts`, with an `audience`. Of codes and refresh tokens only the hashes are kept.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import ApiToken, Team, User
from backend.database.ids import new_id


def registration_id() -> str:
    """Public id of a client that registered itself."""
    return new_id("ocl")


class Registration(models.Model):
    """A client that registered itself (RFC 7591). Whoever asked chose the name; nobody checked it.

    `used_at` = when a member first allowed it; one that nobody allows goes after a day.
    """

    id = models.CharField(primary_key=True, max_length=40, default=registration_id, editable=False)
    name = models.CharField(max_length=200)
    redirect_uris = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["used_at", "created_at"], name="registration_unused")]

    def __str__(self) -> str:
        return self.name


class Code(models.Model):
    """What a member allowed, until the client takes its tokens for it: once, within minutes.

    `client` = its id: of a `Registration`, or the address of its document. `token` = what was given for it: a code that
    comes a second time ends that.
    """

    code_hash = models.CharField(primary_key=True, max_length=64)
    client = models.CharField(max_length=500)
    name = models.CharField(max_length=200)
    redirect_uri = models.CharField(max_length=1000)
    challenge = models.CharField(max_length=128)
    audience = models.CharField(max_length=200)
    scopes = models.JSONField(default=list)
    days = models.IntegerField()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    token = models.ForeignKey(ApiToken, on_delete=models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"code for {self.name}"


class Grant(models.Model):
    """How a client renews its token: by a refresh token that works once and gives the next one."""

    token = models.OneToOneField(ApiToken, on_delete=models.CASCADE, primary_key=True, related_name="grant")
    client = models.CharField(max_length=500)
    refresh_hash = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"grant of {self.token_id}"
