"""Which program started a run: by which token or client of OAuth, what a client of MCP calls itself, which trigger.

Kept with the run as names, for they are to be read when the token or the trigger is gone. Never anything that opens.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypedDict

from backend.accounts.actor import Actor
from backend.errors.log_context import program
from backend.runs.log.encoding import decode, encode

Kind = Literal["token", "oauth", "trigger"]


class Caller(TypedDict):
    """As it is kept."""

    kind: Kind
    name: str
    program: str | None


class Stored(NamedTuple):
    """The columns of a run that say it; both "" for a person in the browser."""

    caller: str
    caller_name: str


def stored_caller(actor: Actor, trigger: str = "") -> Stored:
    """What a run keeps of who starts it. `trigger` = the name of one."""
    if trigger:
        return _stored("trigger", trigger, "")
    if actor.token is None:
        return Stored("", "")
    return _stored("oauth" if actor.token.audience else "token", actor.token.name, program())


def caller_in(stored: str) -> Caller | None:
    """What a run kept; None where nobody's program started it, or it is from before that was kept."""
    caller: Caller | None = decode(stored) if stored else None
    return caller


def _stored(kind: Kind, name: str, of: str) -> Stored:
    caller: Caller = {"kind": kind, "name": name, "program": of or None}
    return Stored(encode(caller), name)
