"""Lines of the log are found by their run and place alone: on Postgres their number's index goes."""

from django.db import migrations

from backend.database.migrating import without_key_index


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0027_queued_and_person'),
    ]

    operations = [without_key_index('runs.logline', 'log_position_once')]
