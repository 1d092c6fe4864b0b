"""An index that holds whole texts, so that a search for words reads nothing else."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement

NOTHING = "SELECT 1"


class CoveringTexts(models.Index):
    """Only SQLite keeps it, where a search is the work of the process that answers.

    Postgres' indexes hold no long texts.
    """

    def create_sql(
        self, model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor, using: str = "", **kwargs: Any
    ) -> Statement:
        """The statement that makes it; elsewhere than in SQLite one that does nothing."""
        statement = super().create_sql(model, schema_editor, using, **kwargs)
        return statement if schema_editor.connection.vendor == "sqlite" else Statement(NOTHING)

    def remove_sql(self, model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor, **kwargs: Any) -> str:
        """The statement that drops it; elsewhere than in SQLite one that does nothing."""
        dropped = super().remove_sql(model, schema_editor, **kwargs)
        return dropped if schema_editor.connection.vendor == "sqlite" else NOTHING
