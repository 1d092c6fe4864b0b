"""Programs get a box; those whose arguments do not plainly say which folders they need stay as they were, marked."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

from backend.tools.box.folders import plain, trusted


def mark(apps: Any, schema_editor: Any) -> None:
    """Leave out of the box what somebody has to decide about."""
    servers = apps.get_model("registry", "Server").objects.filter(transport="stdio")
    for server in servers.only("id", "command", "args", "env", "cwd").iterator():
        unclear = any("····" in arg or arg.startswith("~") or "/../" in arg for arg in server.args)
        broad = plain(server.command, server.args, server.env, server.cwd).broad
        if not trusted(server.command) and (unclear or broad):
            servers.filter(pk=server.pk).update(box="undecided")


class Migration(migrations.Migration):
    """Box, folders and network of a server."""

    dependencies = [("registry", "0009_grant_expressions")]

    operations = [
        migrations.AddField(
            model_name="server",
            name="box",
            field=models.CharField(
                choices=[("boxed", "Boxed"), ("open", "Open"), ("undecided", "Undecided")],
                db_default="boxed",
                default="boxed",
                max_length=9,
            ),
        ),
        migrations.AddField(model_name="server", name="folders", field=models.JSONField(null=True)),
        migrations.AddField(
            model_name="server", name="network", field=models.BooleanField(db_default=True, default=True)
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
