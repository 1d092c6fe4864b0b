"""Trouble of ours: what stops the work on a run and is never the result of what it was doing.

Only what the outside answered, and what our own rules decided, ends an effect. A database that is away, a full disk, no
memory, a lost lease or a defect of ours says nothing about the call that was under way: whoever meets one of these lets
it pass, no end is recorded, and the run goes on later from what is durable.
"""

from __future__ import annotations

import errno


class Trouble(Exception):
    """Trouble of ours. Not a PatchbayError: no sentence for a model or a person is made of it on the way."""


class MachineTrouble(Trouble):
    """This machine lacks something that an attempt needed; what was attempted is not to blame."""


OUR_ERRNOS = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EROFS,
        errno.EIO,
        errno.ENOMEM,
        errno.EMFILE,
        errno.ENFILE,
    }
)
"""What this machine lacks: space, memory, descriptors, a disk that answers."""


def of_this_machine(error: BaseException | None) -> bool:
    """Whether an error, or what it was raised from, says that this machine lacks something."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:  # `raise error from error` makes a ring
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in OUR_ERRNOS):
            return True
        seen.add(id(error))
        error = error.__cause__
    return False
