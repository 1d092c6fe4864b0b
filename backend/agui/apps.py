"""Django's handle on the room `agui`."""

from django.apps import AppConfig


class AguiConfig(AppConfig):
    """The room `agui`."""

    name = "backend.agui"
    label = "agui"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let what front ends asked go with the runs that answered it."""
        from backend.agui.lifecycle import runs_go
        from backend.runs.lifecycle.retention import before_runs_go

        before_runs_go(runs_go)
