"""Who may give, change and take which role. Pure: roles in, yes or no out.

An owner decides on every role. An admin decides on viewers and editors only: an admin may start programs on the
machine, so who becomes one is for an owner to say. Nobody gives more than they have, and a team never loses its last
owner (`members`, under a lock).
"""

from __future__ import annotations

_DECIDES = {"owner": ("viewer", "editor", "admin", "owner"), "admin": ("viewer", "editor")}
_ORDER = ("viewer", "editor", "admin", "owner")


def may_decide_on(role: str, other: str) -> bool:
    """Whether a member with `role` invites people as `other`, and changes or removes members who are `other`."""
    return other in _DECIDES.get(role, ())


def may_become(role: str, new: str) -> bool:
    """Whether a member with `role` may step down to `new` unasked."""
    return _ORDER.index(new) <= _ORDER.index(role)
