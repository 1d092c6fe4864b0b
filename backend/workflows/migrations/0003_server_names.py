"""Rows for the names of servers that stand in the lists of stored workflows."""

from django.db import migrations


def keep_names(apps, schema_editor):
    workflow, server_name = apps.get_model("workflows", "Workflow"), apps.get_model("workflows", "ServerName")
    rows = (
        server_name(team_id=team, workflow_id=key, name=name)
        for key, team, names in workflow.objects.exclude(servers=[]).values_list("pk", "team_id", "servers").iterator()
        for name in sorted(set(names))
        if len(name) <= 63
    )
    server_name.objects.bulk_create(rows, batch_size=500)


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0002_lists'),
    ]

    operations = [
        migrations.RunPython(keep_names, migrations.RunPython.noop),
    ]
