"""Django's handle on the room `oauth`."""

from django.apps import AppConfig


class OAuthConfig(AppConfig):
    """The room `oauth`."""

    name = "backend.oauth"
    label = "oauth"
    default_auto_field = "django.db.models.BigAutoField"
