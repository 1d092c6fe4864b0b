"""The indexes of the audit trail end with the time; rows of one moment are put in order when they are read."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0017_pattern_indexes'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='auditentry',
            name='audit_at',
        ),
        migrations.RemoveIndex(
            model_name='auditentry',
            name='audit_actor',
        ),
        migrations.RemoveIndex(
            model_name='auditentry',
            name='audit_action',
        ),
        migrations.RemoveIndex(
            model_name='auditentry',
            name='audit_target',
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['team', '-at'], name='audit_newest'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['team', 'actor', '-at'], name='audit_by_actor'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['team', 'action', '-at'], name='audit_of_action'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['team', 'target_id', '-at'], name='audit_of_target'),
        ),
    ]
