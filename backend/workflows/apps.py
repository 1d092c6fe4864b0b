"""Django's handle on the room `workflows`."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    """The room `workflows`."""

    name = "backend.workflows"
    label = "workflows"
    default_auto_field = "django.db.models.BigAutoField"
