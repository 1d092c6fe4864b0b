"""Memberships that the identity provider gives, and takes away again; those that are there were given by people."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """See the module."""

    dependencies = [("accounts", "0009_token_bounds")]

    operations = [
        migrations.AddField("membership", "managed", models.BooleanField(db_default=False, default=False)),
    ]
