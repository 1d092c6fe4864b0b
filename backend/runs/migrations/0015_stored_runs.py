from django.db import migrations, models

from backend.runs.log.stored_runs import COUNT_FROM_HERE


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0014_lists'),
    ]

    operations = [
        migrations.CreateModel(
            name='StoredChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.CharField(max_length=40)),
                ('runs', models.BigIntegerField()),
                ('events', models.BigIntegerField()),
            ],
        ),
        migrations.AddIndex(
            model_name='storedchange',
            index=models.Index(fields=['team_id', 'runs', 'events'], name='stored_change'),
        ),
        migrations.RemoveIndex(
            model_name='run',
            name='run_stored',
        ),
        COUNT_FROM_HERE,
    ]
