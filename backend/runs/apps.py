"""Django's handle on the room `runs`."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """The room `runs`."""

    name = "backend.runs"
    label = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let sockets learn of lost rights."""
        from backend.runs.sockets import connect_signals

        connect_signals()
