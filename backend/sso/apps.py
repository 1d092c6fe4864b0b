"""Django's handle on the room `sso`."""

from django.apps import AppConfig


class SsoConfig(AppConfig):
    """The room `sso`."""

    name = "backend.sso"
    label = "sso"
    default_auto_field = "django.db.models.BigAutoField"
