"""A team may demand a second factor of its members; those that are there do not."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """See the module."""

    dependencies = [("accounts", "0010_membership_managed")]

    operations = [
        migrations.AddField("team", "second_factor", models.BooleanField(db_default=False, default=False)),
    ]
