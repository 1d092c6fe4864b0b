"""Django's handle on the room `registry`."""

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    """The room `registry`."""

    name = "backend.registry"
    label = "registry"
    default_auto_field = "django.db.models.BigAutoField"
