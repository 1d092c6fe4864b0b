from django.db import migrations, models

from backend.registry.tools.definitions import tokens_of_definition


def count_tokens(apps, schema_editor):
    """What is listed already has its tokens too, before it is listed anew."""
    tools = apps.get_model('registry', 'Tool')
    keys = list(tools.objects.values_list('pk', flat=True))
    for start in range(0, len(keys), 500):
        rows = tools.objects.filter(pk__in=keys[start : start + 500])
        batch = list(rows.only('pk', 'server__slug', 'definition').select_related('server'))
        for row in batch:
            row.tokens = tokens_of_definition(row.server.slug, row.definition)
        tools.objects.bulk_update(batch, ['tokens'])


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0014_by_name'),
    ]

    operations = [
        migrations.AddField(
            model_name='tool',
            name='tokens',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.RunPython(count_tokens, migrations.RunPython.noop),
    ]
