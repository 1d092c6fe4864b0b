"""The name of the program that started a run as a column of its own, so that its runs are found by an index."""

import json

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def name(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Runs since `caller` is kept have it in there."""
    runs = apps.get_model("runs", "Run").objects
    for key, caller in list(runs.filter(caller__gt="", caller_name="").values_list("pk", "caller")):
        runs.filter(pk=key).update(caller_name=json.loads(caller)["name"])


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0016_token_audience'),
        ('files', '0002_lists'),
        ('runs', '0024_caller'),
        ('workflows', '0008_offers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='caller_name',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('caller__gt', '')), fields=['team', 'caller_name', '-queued_at', '-id'], name='run_of_caller'),
        ),
        migrations.RunPython(name, migrations.RunPython.noop),
    ]
