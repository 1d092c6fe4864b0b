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
        from backend.registry.configuration.user_credentials import SERVERS
        from backend.registry.servers import ownership

        deletion_hooks.count_private_items("servers", SERVERS.count_private, ownership.released)
        deletion_hooks.before_team_delete(ownership.close_all)
