"""Django's handle on the room `files`."""

from django.apps import AppConfig


class FilesConfig(AppConfig):
    """The room `files`."""

    name = "backend.files"
    label = "files"
    default_auto_field = "django.db.models.BigAutoField"
