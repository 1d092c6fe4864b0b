# By hand: what stood in the clear in configurations of before secrets were searched for by value

from django.db import migrations

from backend.registry.configuration.plain_secrets import hidden_in, move

FIELDS = ('headers', 'env', 'args', 'url', 'url_secret', 'secrets')


def move_to_secrets(apps, schema_editor):
    """Servers send what they sent, so their revisions stay, and approvals with them. The audit trail forgets it too."""
    server, audit = apps.get_model('registry', 'Server'), apps.get_model('accounts', 'AuditEntry')
    for row in list(server.objects.order_by('pk')):
        moved = move(row)
        if not moved.places:
            continue
        server.objects.filter(pk=row.pk).update(**{name: getattr(row, name) for name in FIELDS})
        for entry in list(audit.objects.filter(target_id=row.pk)):
            found = {name: hidden_in(getattr(entry, name), moved.values) for name in ('data', 'content')}
            changed = {name: value for name, value in found.items() if value is not None}
            if changed:
                audit.objects.filter(pk=entry.pk).update(**changed)
        print(f'{row.slug}: moved to the encrypted secrets: {", ".join(moved.places)}')


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0005_servers_off'),
        ('registry', '0005_server_max_calls'),
    ]

    operations = [
        migrations.RunPython(move_to_secrets, migrations.RunPython.noop),
    ]
