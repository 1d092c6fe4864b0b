"""Indexes that no statement uses go: on Postgres, each write of a run had to be entered in them too."""

from django.db import migrations

from backend.database.migrating import without_pattern_indexes


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0025_caller_name'),
    ]

    operations = [
        without_pattern_indexes(
            'runs.run', 'runs.runblob', 'runs.runserver', 'runs.runfile', 'runs.inboxmessage', 'runs.interaction'
        ),
    ]
