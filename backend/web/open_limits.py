"""How much of one kind a person or token has open at once in this process."""

from __future__ import annotations

import threading
from collections import Counter

from backend.errors import RateLimited

RETRY_S = 5
"""When to ask again once too many are open; one of them may have ended by then."""


class OpenLimit:
    """Counts what is open, by person or token. `reason` chooses the sentence that refuses one more."""

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self._lock = threading.Lock()
        self._count: Counter[str] = Counter()

    def enter(self, who: str, most: int) -> None:
        """One more is open; 0 = as many as wanted. Raises RateLimited beyond `most`."""
        with self._lock:
            if 0 < most <= self._count[who]:
                raise RateLimited(params={"reason": self._reason, "limit": most, "retry_after": RETRY_S})
            self._count[who] += 1

    def leave(self, who: str) -> None:
        """One of them ended."""
        with self._lock:
            self._count[who] -= 1
            if self._count[who] <= 0:
                del self._count[who]
