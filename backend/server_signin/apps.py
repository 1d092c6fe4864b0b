"""Django's handle on the room `server_signin`."""

from django.apps import AppConfig


class ServerSigninConfig(AppConfig):
    """The room `server_signin`."""

    name = "backend.server_signin"
    label = "server_signin"
    default_auto_field = "django.db.models.BigAutoField"
