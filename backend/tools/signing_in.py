"""Calls that meet a sign-in which is missing or over: how their error says where, and for whom, a person must sign in.

Such an error says for sure that the call was not made. A run waits for the person (`engine.execution.signing_in`);
where nobody can be waited for the error is what it says.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from backend.errors import PatchbayError

_LET_FAIL = "let_fail"
MARK = "sign_in"
"""The member of an error's params that holds a `WantedSignIn`."""


class NeededSignIn(TypedDict):
    """A sign-in that is wanted: at which server (its id, and the name that documents use), of whom (`user` None = of
    the team). `stamp` = the sign-in that does not hold any more, "" where there was none: another one is a new one.
    `machine` = it is Patchbay's own, whose credentials were refused."""

    server: str
    slug: str
    user: str | None
    stamp: str
    machine: NotRequired[bool]


def needed_sign_in(error: PatchbayError) -> NeededSignIn | None:
    """The sign-in that a call failed for; None where it failed for something else."""
    return needed_in(error.code, error.params)


def needed_in(code: object, params: object) -> NeededSignIn | None:
    """The same of a journaled error."""
    mark = params.get(MARK) if code == "MCP_AUTH_FAILED" and isinstance(params, dict) else None
    if not isinstance(mark, dict):
        return None
    user = mark.get("user")
    needed: NeededSignIn = {
        "server": str(mark.get("server") or ""),
        "slug": str(mark.get("slug") or ""),
        "user": user if isinstance(user, str) else None,
        "stamp": str(mark.get("stamp") or ""),
    }
    if mark.get("machine") is True:
        needed["machine"] = True
    return needed


def let_fail(error: PatchbayError) -> None:
    """A person does not want to wait for the sign-in: the error is final, for whoever called as well."""
    not_sure(error)
    error.params = {**error.params, _LET_FAIL: True}


def is_let_fail(error: PatchbayError) -> bool:
    """Whether a person let the call fail. That is no answer to a model: it could mend nothing."""
    return error.code == "MCP_AUTH_FAILED" and error.params.get(_LET_FAIL) is True


def not_sure(error: PatchbayError) -> None:
    """Take the mark away: the call may have been made after all, so nothing repeats it."""
    error.params = {name: value for name, value in error.params.items() if name != MARK}
