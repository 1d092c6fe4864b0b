"""Django's handle on the room `runs`."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """The room `runs`."""

    name = "backend.runs"
    label = "runs"
    default_auto_field = "django.db.models.BigAutoField"
