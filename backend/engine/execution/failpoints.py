"""Named points at which a test ends the process with SIGKILL, as a power cut would, and what each stands between.

`reached(name)` is a comparison with None unless a point is armed, and only a debugging process or a test can arm one
(`runs.crash`). tests/live/kills goes through every name: started again, the run ends as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

FAILPOINTS: Final = {
    "start.uncommitted": "a run is written down, not committed",
    "inbox.uncommitted": "an answer, cancel, pause or resume is written down, not committed",
    "hint.unsent": "a run or a message is on disk, no worker was told and nobody got an answer to the request",
    "claim.committed": "a run is ours, nothing of it is loaded",
    "claim.loaded": "its history is read, no line is written",
    "inbox.read": "its owner has read a message, the segment has not been given it",
    "begun.uncommitted": "FLOW_START or FLOW_RESUME, not committed",
    "begun.committed": "the same, committed and not published",
    "started.uncommitted": "the start of an effect, not committed",
    "started.committed": "the same, committed and not published",
    "effect.read.before": "a read is about to be called",
    "effect.read.after": "a read was answered, nothing is noted of it",
    "effect.write.before": "a write is about to be called, its start is on disk",
    "effect.write.after": "a write was answered, nothing is noted of it",
    "task.followed": "a call became a task at its server, the handle is on disk, the server was not asked yet",
    "ended.uncommitted": "the end of an effect, not committed",
    "ended.committed": "the same, committed and not published",
    "asked.uncommitted": "a question to a person, not committed",
    "asked.committed": "the same, committed and not published",
    "answered.uncommitted": "an answer in the log, not committed",
    "answered.committed": "the same, committed and not published",
    "blob.uncommitted": "a value too large for its row, not committed",
    "settled.uncommitted": "a step's outcome, not committed",
    "settled.committed": "the same, committed and not published",
    "published": "lines were published, nobody who waits for the disk was told",
    "suspended.uncommitted": "a run leaves its worker to wait, not committed",
    "suspended.committed": "the same, committed and not published",
    "child.uncommitted": "a child run is written down, not committed",
    "child.committed": "a child run is on disk, its parent knows nothing of it",
    "over.uncommitted": "the end of a run, not committed",
    "over.committed": "the same, committed and not published",
    "conversation.uncommitted": "what a conversation keeps of a run that ends is written down, not committed",
    "conversation.committed": "the same, committed and not published",
    "over.untold": "the same, published; parent and children got no hint",
    "handed.uncommitted": "a run is handed over by a process that stops, not committed",
    "handed.committed": "the same, committed and not published",
    "lease.before": "leases are about to be prolonged",
    "lease.after": "leases are prolonged, nothing was looked at",
    "lease.over": "leases ran out, nobody who works under them was told",
    "swept.uncommitted": "what a dead process left running is taken back, not committed",
    "file.uncommitted": "an uploaded file is written down, not committed",
    "file.committed": "an uploaded file is on disk, the request was not answered",
    "delivery.uncommitted": "a trigger's run and delivery are written down, not committed",
    "delivery.committed": "a webhook's run and delivery are on disk, the request was not answered",
    "slot.uncommitted": "a schedule's slot is taken with its run and the next time, not committed",
    "expired.uncommitted": "a question is closed for its time is over, not committed",
    "sign_in.answered": "a person's code was taken for tokens, nothing of them is on disk",
    "sign_in.stored": "a sign-in is on disk, the browser got no answer and no run was told",
    "renewal.answered": "a token was taken for a new one, nothing of it is on disk",
    "renewal.stored": "a new token is on disk, no call has it",
    "call.stored": "the run of a client's call is on disk, the client knows nothing of it",
    "call.ended": "the run of a client's call is over, the client got no answer",
    "a2a.stored": "the run of a client's message is on disk, the client knows nothing of it",
    "a2a.answered": "a client's message has answered a question, the client knows nothing of it",
    "agui.stored": "what a front end's request begins or answers is on disk, the front end knows nothing of it",
}

hook: Callable[[str], None] | None = None
"""Called with every point that is reached; None but for tests."""


def hit(name: str) -> None:
    """The process has come to this point."""
    if hook is not None:
        hook(name)
