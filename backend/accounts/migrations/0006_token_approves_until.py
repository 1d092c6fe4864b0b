"""Tokens that are there keep approving for 90 days, as they did; new ones never do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import migrations, models
from django.utils import timezone

GRACE_DAYS = 90


def keep(apps: Any, schema_editor: Any) -> None:
    """Those that could answer: with the scope "run", or without scopes."""
    tokens = apps.get_model("accounts", "ApiToken")
    answered = [row.pk for row in tokens.objects.only("pk", "scopes") if not row.scopes or "run" in row.scopes]
    for start in range(0, len(answered), 200):
        rows = tokens.objects.filter(pk__in=answered[start : start + 200])
        rows.update(approves_until=timezone.now() + timedelta(days=GRACE_DAYS))


class Migration(migrations.Migration):
    """See the module."""

    dependencies = [("accounts", "0005_servers_off")]

    operations = [
        migrations.AddField("apitoken", "approves_until", models.DateTimeField(null=True)),
        migrations.RunPython(keep, migrations.RunPython.noop),
    ]
