"""The size of a file beside it, so that what a team stores adds up in an index."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from backend.database.migrating import without_own_index

NOTE_SIZES = 'UPDATE files_file SET size = (SELECT b.size FROM files_blob b WHERE b.id = files_file.blob_id)'


def note(_: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Files of before have it too."""
    schema_editor.execute(NOTE_SIZES)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0016_token_audience'),
        ('files', '0002_lists'),
    ]

    operations = [
        migrations.AddField(
            model_name='file',
            name='size',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.RunPython(note, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            database_operations=[without_own_index('files.file', 'team')],
            state_operations=[
                migrations.AlterField(
                    model_name='file',
                    name='team',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='files', to='accounts.team'),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name='file',
            index=models.Index(fields=['team', 'size'], name='file_sizes'),
        ),
    ]
