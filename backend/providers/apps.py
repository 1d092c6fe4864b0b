"""Django's handle on the room `providers`."""

from django.apps import AppConfig


class ProvidersConfig(AppConfig):
    """The room `providers`."""

    name = "backend.providers"
    label = "providers"
    default_auto_field = "django.db.models.BigAutoField"
