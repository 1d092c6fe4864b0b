"""Looking rows up by what a request says: an id, or a slug."""

from __future__ import annotations

import re
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

from backend.errors import NotFound

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

M = TypeVar("M", bound=Model)


def storable(text: str) -> bool:
    """Whether every database takes `text`; a name that none holds names nothing."""
    return _UNSTORABLE.search(text) is None


def by_reference(rows: QuerySet[M], reference: str, lock: bool = False) -> M:
    """The one of `rows` whose id or slug is `reference`. Raises NotFound."""
    if lock:
        rows = rows.select_for_update()
    row = rows.filter(Q(id=reference) | Q(slug=reference)).first() if storable(reference) else None
    if row is None:
        raise NotFound
    return row
