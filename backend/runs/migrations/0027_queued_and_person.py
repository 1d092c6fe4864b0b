"""Queued runs are looked for by their age, a person's runs in no order: most of two indexes of all runs goes."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0018_audit_indexes'),
        ('files', '0003_sizes'),
        ('runs', '0026_pattern_indexes'),
        ('workflows', '0008_offers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='run',
            name='runs_run_state_36d014_idx',
        ),
        migrations.RemoveIndex(
            model_name='run',
            name='runs_run_started_ccf67b_idx',
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('state', 'QUEUED')), fields=['queued_at'], name='run_longest_queued'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['started_by'], name='run_of_person'),
        ),
    ]
