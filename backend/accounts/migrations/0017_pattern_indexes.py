"""Indexes that no statement uses go: every start of a run writes an audit row, and a link for it."""

from django.db import migrations

from backend.database.migrating import without_pattern_indexes


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0016_token_audience'),
    ]

    operations = [
        without_pattern_indexes('accounts.auditentry', 'accounts.auditlink'),
    ]
