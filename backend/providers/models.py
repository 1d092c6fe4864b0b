"""Providers: where a team's models live, with what key, at what price."""

from __future__ import annotations

from typing import ClassVar

from django.db import models as fields

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.secrets.fields import EncryptedJSONField


def provider_id() -> str:
    """Public id of a provider."""
    return new_id("prv")


class Provider(fields.Model):
    """An OpenAI-compatible endpoint. Everything secret lives in `secrets` = {"api_key", "headers": {name: value}}.

    `models` = [{id, context, input_price, cached_price, output_price, features}], prices per million tokens
    in the team's currency, null = not known; older rows have no `cached_price`.
    `timeout_ms` bounds a whole round. `revision` grows with every change that live connections must not outlive.
    """

    class Visibility(fields.TextChoices):
        """Who sees the provider."""

        TEAM = "team"
        PRIVATE = "private"

    class Credentials(fields.TextChoices):
        """Whose key is used."""

        SHARED = "shared"
        USER = "user"

    id = fields.CharField(primary_key=True, max_length=40, default=provider_id, editable=False)
    team = fields.ForeignKey(Team, on_delete=fields.CASCADE, related_name="providers")
    name = fields.CharField(max_length=200)
    slug = fields.CharField(max_length=63)
    preset = fields.CharField(max_length=80, blank=True)
    base_url = fields.TextField()
    headers = fields.JSONField(default=dict)
    secrets = EncryptedJSONField(default=dict)
    models = fields.JSONField(default=list)
    timeout_ms = fields.PositiveIntegerField(default=600_000)
    connect_timeout_ms = fields.PositiveIntegerField(default=10_000)
    first_token_timeout_ms = fields.PositiveIntegerField(default=120_000)
    idle_timeout_ms = fields.PositiveIntegerField(default=60_000)
    visibility = fields.CharField(max_length=7, choices=Visibility.choices, default=Visibility.TEAM)
    credentials = fields.CharField(
        max_length=6, choices=Credentials.choices, default=Credentials.SHARED, db_default=Credentials.SHARED
    )
    enabled = fields.BooleanField(default=True)
    revision = fields.PositiveIntegerField(default=1)
    status = fields.JSONField(default=dict)
    created_by = fields.ForeignKey(User, on_delete=fields.SET_NULL, null=True, related_name="+")
    created_at = fields.DateTimeField(auto_now_add=True)
    updated_at = fields.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [fields.UniqueConstraint(fields=["team", "slug"], name="provider_slug_once_per_team")]

    def __str__(self) -> str:
        return self.slug
