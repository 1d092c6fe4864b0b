"""What a trigger did as lines of JSON: every delivery with all that came, masked, however large."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.db.models import F, Q, QuerySet

from backend.files.models import Blob
from backend.runs.log.encoding import decode
from backend.triggers.masking import EXPORTED, masked
from backend.triggers.models import Delivery, Trigger
from backend.triggers.responses import DeliveryJson, delivery_shapes
from backend.triggers.selectors import deliveries_of

CHUNK = 200
"""Rows that are read at once; what came with them and is large is read one by one."""


def exported(trigger: Trigger, language: str) -> Iterator[str]:
    """Its deliveries, newest first, each a line."""
    for rows in _chunks(deliveries_of(trigger).annotate(size=F("blob__size"))):
        for row, shape in zip(rows, delivery_shapes(rows, language, EXPORTED), strict=True):
            yield _line(row, shape)


def _chunks(rows: QuerySet[Delivery]) -> Iterator[list[Delivery]]:
    """All rows, newest first, a chunk at a time, each a query of its own."""
    rows = rows.order_by("-created_at", "-pk")
    last: Delivery | None = None
    while True:
        more = rows
        if last is not None:
            at = last.created_at
            more = rows.filter(Q(created_at__lte=at), Q(created_at__lt=at) | Q(pk__lt=last.pk))
        chunk = list(more[:CHUNK])
        if chunk:
            yield chunk
        if len(chunk) < CHUNK:
            return
        last = chunk[-1]


def _line(row: Delivery, shape: DeliveryJson) -> str:
    if row.blob_id:
        data = Blob.objects.filter(pk=row.blob_id).values_list("data", flat=True).first()
        shape["request"] = masked(decode(bytes(data).decode()) or {}, EXPORTED) if data is not None else None
    return f"{json.dumps({**shape, 'trigger': row.trigger_id}, ensure_ascii=False)}\n"
