"""Django's handle on the room `providers`."""

from django.apps import AppConfig


class ProvidersConfig(AppConfig):
    """The room `providers`."""

    name = "backend.providers"
    label = "providers"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what becomes of a member's own providers when the member leaves, and when a team is deleted."""
        from backend.accounts.teams import deletion_hooks
        from backend.providers import ownership
        from backend.providers.user_credentials import PROVIDERS

        deletion_hooks.count_private_items("providers", PROVIDERS.count_private, ownership.released)
        deletion_hooks.before_team_delete(ownership.close_all)
