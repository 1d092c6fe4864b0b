"""Django's handle on the room `registry`."""

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    """The room `registry`."""

    name = "backend.registry"
    label = "registry"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what becomes of a member's own servers when the member leaves, and when a team is deleted."""
        from backend.accounts.teams import deletion_hooks
        from backend.registry import ownership
        from backend.registry.user_credentials import SERVERS

        deletion_hooks.count_private_items("servers", SERVERS.count_private, ownership.released)
        deletion_hooks.before_team_delete(ownership.close_all)
