"""Django's handle on the room `accounts`."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """The room `accounts`."""

    name = "backend.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let signing in and out leave its rows in the audit trail, and codes of authenticator apps count once."""
        from backend.accounts.audit.sign_ins import connect_signals
        from backend.accounts.auth import codes_once

        connect_signals()
        codes_once.install()
