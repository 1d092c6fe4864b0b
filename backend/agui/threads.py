"""Database work of the AG-UI door, in threads that end when nobody calls."""

from __future__ import annotations

from backend.database.request_threads import RequestThreads

_THREADS = RequestThreads(8, "agui")
in_thread = _THREADS.run
