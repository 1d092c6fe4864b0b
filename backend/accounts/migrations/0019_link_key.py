"""Links of the chain are found by their team and place alone: on Postgres their number's index goes."""

from django.db import migrations

from backend.database.migrating import without_key_index


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0018_audit_indexes'),
    ]

    operations = [without_key_index('accounts.auditlink', 'one_link_each')]
