"""How long an answer asks to wait."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, by `Retry-After` (seconds or a date) or `retry-after-ms`; None where nothing is said."""
    text = (headers.get("retry-after-ms") or "").strip()
    try:
        if text:
            return max(0.0, float(text) / 1000)
        text = (headers.get("retry-after") or "").strip()
        return max(0.0, float(text)) if text else None
    except ValueError:
        pass
    try:
        return max(0.0, round(parsedate_to_datetime(text).timestamp() - time.time(), 1))
    except (ValueError, TypeError, OverflowError):
        return None
