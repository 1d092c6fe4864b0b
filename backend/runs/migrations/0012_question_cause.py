"""Why a question of the kind recovery is asked, which its title told until now: that of a failure was its node's."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def say(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Mark what was asked before."""
    asked = apps.get_model("runs", "Interaction").objects.filter(kind="recovery", cause="")
    asked.filter(title=models.F("node")).update(cause="failure")
    asked.exclude(title=models.F("node")).update(cause="outcome")


class Migration(migrations.Migration):
    dependencies = [("runs", "0011_approvers")]

    operations = [
        migrations.AddField(
            model_name="interaction",
            name="cause",
            field=models.CharField(blank=True, db_default="", default="", max_length=7),
        ),
        migrations.RunPython(say, migrations.RunPython.noop),
    ]
