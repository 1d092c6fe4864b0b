"""Django's handle on the room `workflows`."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    """The room `workflows`."""

    name = "backend.workflows"
    label = "workflows"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the registry who uses its servers."""
        from backend.registry import usage
        from backend.workflows.selectors import workflows_by_server

        usage.register(workflows_by_server)
