"""What a trigger did as lines of JSON: every delivery with all that came, masked, however large."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.db.models import F

from backend.files.models import Blob
from backend.runs.log.encoding import decode
from backend.triggers.masking import EXPORTED, masked
from backend.triggers.models import Delivery, Trigger
from backend.triggers.responses import DeliveryJson, delivery_shapes
from backend.triggers.selectors import deliveries_of
from backend.web.streams import newest_first

CHUNK = 200
"""Rows that are read at once; what came with them and is large is read one by one."""


def exported(trigger: Trigger, language: str) -> Iterator[str]:
    """Its deliveries, newest first, each a line."""
    for rows in newest_first(deliveries_of(trigger).annotate(size=F("blob__size")), CHUNK):
        for row, shape in zip(rows, delivery_shapes(rows, language, EXPORTED), strict=True):
            yield _line(row, shape)


def _line(row: Delivery, shape: DeliveryJson) -> str:
    if row.blob_id:
        data = Blob.objects.filter(pk=row.blob_id).values_list("data", flat=True).first()
        shape["request"] = masked(decode(bytes(data).decode()) or {}, EXPORTED) if data is not None else None
    return f"{json.dumps({**shape, 'trigger': row.trigger_id}, ensure_ascii=False)}\n"
