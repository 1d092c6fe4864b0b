"""Django's handle on the room `accounts`."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """The room `accounts`."""

    name = "backend.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
