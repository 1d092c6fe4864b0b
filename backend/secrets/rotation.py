"""Key rotation and the check at start: every encrypted column of every room, found by its field type, and allauth's."""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import apps
from django.db import connection, transaction

from backend.secrets import cipher
from backend.secrets.fields import EncryptedJSONField
from backend.secrets.models import KeyMark
from backend.secrets.two_factor import check_factors, rotate_factors

_BATCH = 200


def _columns() -> Iterator[tuple[str, str, str]]:
    """(table, key column, encrypted column) of every model that has one."""
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, EncryptedJSONField):
                yield model._meta.db_table, model._meta.pk.column or "", field.column or ""


def _rows(table: str, key: str, column: str, after: str | int | None) -> list[tuple[str | int, str]]:
    quote = connection.ops.quote_name
    where = f"WHERE {quote(column)} IS NOT NULL" + (f" AND {quote(key)} > %s" if after is not None else "")
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {quote(key)}, {quote(column)} FROM {quote(table)} {where} ORDER BY {quote(key)} LIMIT {_BATCH}",  # noqa: S608 - names from our models
            [after] if after is not None else [],
        )
        rows: list[tuple[str | int, str]] = list(cursor.fetchall())
    return rows


def rotate_all() -> int:
    """Encrypt every stored value with the newest key; gives their number. Raises NoKeyFits.

    A value that somebody changed in between is left as it is: what they wrote has the newest key already.
    """
    count = 0
    quote = connection.ops.quote_name
    for table, key, column in _columns():
        update = (
            f"UPDATE {quote(table)} SET {quote(column)} = %s "  # noqa: S608 - names from our models
            f"WHERE {quote(key)} = %s AND {quote(column)} = %s"
        )
        after: str | int | None = None
        while rows := _rows(table, key, column, after):
            with transaction.atomic(), connection.cursor() as cursor:
                for pk, token in rows:
                    cursor.execute(update, [cipher.rotate(token), pk, token])
                    count += 1
            after = rows[-1][0]
    return count + rotate_factors()


def check_keys() -> None:
    """Raise NoKeyFits when the database holds a secret that no configured key can read: a single one is enough."""
    for table, key, column in _columns():
        after: str | int | None = None
        while rows := _rows(table, key, column, after):
            for _, token in rows:
                cipher.decrypt(token)
            after = rows[-1][0]
    check_factors()


def mark_keys() -> None:
    """Check the keys, and leave a mark by which others check theirs. Raises NoKeyFits.

    For installations of several processes: they may have been started with different keys before there is a secret.
    """
    check_keys()
    KeyMark.objects.bulk_create([KeyMark(id=1, mark="marked")], ignore_conflicts=True)
    check_keys()
