from django.db import migrations, models


def first_owner(apps, schema_editor):
    """The owner who has been there longest becomes the installation's operator."""
    membership = apps.get_model("accounts", "Membership")
    oldest = membership.objects.filter(role="owner").order_by("created_at", "id").first()
    if oldest is not None:
        apps.get_model("accounts", "User").objects.filter(pk=oldest.user_id).update(is_operator=True)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0006_token_approves_until'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='is_operator',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RunPython(first_owner, migrations.RunPython.noop, elidable=True),
    ]
