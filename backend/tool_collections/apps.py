"""Django's handle on the room `tool_collections`."""

from django.apps import AppConfig


class ToolCollectionsConfig(AppConfig):
    """The room `tool_collections`."""

    name = "backend.tool_collections"
    label = "tool_collections"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hear of entries that go."""
        from backend.tool_collections import lifecycle

        lifecycle.connect_signals()
