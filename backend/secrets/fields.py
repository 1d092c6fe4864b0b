"""A model field whose JSON value is encrypted in the database. `null` stays NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

from backend.secrets import cipher

if TYPE_CHECKING:

    class _Text(models.TextField[Any, Any]):
        """Text in the database, any JSON value in Python: what the plugin for models asks a field for."""

        _pyi_private_set_type: Any
        _pyi_private_get_type: Any

else:
    _Text = models.TextField


class EncryptedJSONField(_Text):
    """Any JSON value, encrypted at rest; cannot be searched."""

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        """Decrypt what the database gave."""
        return None if value is None else cipher.decrypt(value)

    def get_prep_value(self, value: Any) -> str | None:
        """Encrypt what goes to the database."""
        return None if value is None else cipher.encrypt(value)

    def to_python(self, value: Any) -> Any:
        """Values in Python are plain."""
        return value
