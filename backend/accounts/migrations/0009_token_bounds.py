"""Tokens may be bound to workflows and networks; those that are there are bound to none."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """See the module."""

    dependencies = [("accounts", "0008_audit_chain")]

    operations = [
        migrations.AddField("apitoken", "networks", models.JSONField(db_default=[], default=list)),
        migrations.AddField("apitoken", "workflows", models.JSONField(db_default=[], default=list)),
    ]
