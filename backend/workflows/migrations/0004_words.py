from django.db import migrations

import backend.database.covering


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0003_server_names'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='workflow',
            index=backend.database.covering.CoveringTexts(fields=['team', '-updated_at', '-id', 'name', 'slug', 'description'], name='workflow_words'),
        ),
    ]
