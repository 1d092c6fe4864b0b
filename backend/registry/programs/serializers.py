"""What requests about the programs of servers may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.web.fields import Text


class FolderSerializer(serializers.Serializer[Any]):
    """A file or folder that a box shows."""

    path = Text(help_text="Absolute.")
    write = serializers.BooleanField(required=False, default=False)

    def validate_path(self, value: str) -> str:
        """Somewhere on this machine, whatever the folder a program is started in."""
        if not value.startswith("/") or "\0" in value:
            raise serializers.ValidationError("must be an absolute path")
        return value


class NewPackageSerializer(serializers.Serializer[Any]):
    """A version to be used from now on."""

    version = Text(max_length=200, help_text="The one that is offered.")
