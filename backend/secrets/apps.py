"""Django's handle on the room `secrets`."""

from django.apps import AppConfig


class SecretsConfig(AppConfig):
    """The room `secrets`."""

    name = "backend.secrets"
    label = "secrets"
    default_auto_field = "django.db.models.BigAutoField"
