from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0005_example'),
    ]

    operations = [
        migrations.AddField(
            model_name='workflow',
            name='tests_required',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
