"""Database work of the door for agents, in threads that end when nobody calls."""

from __future__ import annotations

from backend.database.request_threads import RequestThreads

_THREADS = RequestThreads(8, "a2a")
in_thread = _THREADS.run
