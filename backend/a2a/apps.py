"""Django's handle on the room `a2a`."""

from django.apps import AppConfig


class A2aConfig(AppConfig):
    """The room `a2a`."""

    name = "backend.a2a"
    label = "a2a"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the room of runs what goes with them."""
        from backend.a2a import lifecycle
        from backend.runs.lifecycle.retention import before_runs_go

        before_runs_go(lifecycle.runs_go)
