"""Who sends: a member by token, to which agent, in which language; and how they hear of what was refused."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from a2a.server.context import ServerCallContext
from a2a.utils.errors import (
    A2AError,
    ContentTypeNotSupportedError,
    InternalError,
    InvalidParamsError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from starlette.exceptions import HTTPException

from backend.a2a.offered import Agent
from backend.a2a.placing import NotTaken, fields_of
from backend.a2a.wording import word
from backend.accounts.actor import Actor
from backend.database.storage_errors import storage_problem
from backend.errors import InternalError as OwnFailure
from backend.errors import NotFound, PatchbayError
from backend.errors.log_context import request_id

log = logging.getLogger(__name__)

CALLER = "patchbay.caller"
"""The name under which a request's scope and its context hold who sends."""
BY_STATUS = frozenset({401, 403, 429})
"""Refusals that are told by HTTP's status, with the contract's body: they concern who asks, not what."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends to which agent."""

    actor: Actor
    agent: Agent
    language: str

    def word(self, key: str, **values: object) -> str:
        """A sentence in the caller's language."""
        return word(key, self.language, **values)


class Refused(HTTPException):
    """What the endpoint is to answer with HTTP's status; the SDK lets exceptions of this kind through."""

    def __init__(self, error: PatchbayError) -> None:
        super().__init__(error.status, error.code)
        self.error = error


def caller_of(context: ServerCallContext) -> Caller:
    """Who sends this request."""
    caller: Caller = context.state[CALLER]
    return caller


@contextmanager
def refusals(caller: Caller) -> Iterator[None]:
    """Tell of what is refused, or fails, inside as the protocol's errors, in the caller's language."""
    try:
        yield
    except (A2AError, Refused):
        raise
    except NotTaken as error:
        inputs = ", ".join(fields_of(caller.agent.schema()))
        raise ContentTypeNotSupportedError(caller.word(f"not_{error.kind}", inputs=inputs)) from error
    except PatchbayError as error:
        raise refusal(error, caller) from error
    except Exception as error:
        problem = storage_problem(error)
        if problem is None:
            log.exception("a request at /a2a failed")
            problem = OwnFailure()
        raise refusal(problem, caller) from error


def refusal(error: PatchbayError, caller: Caller) -> Exception:
    """A refusal as the protocol's error, or as one that the endpoint answers with a status."""
    if error.status in BY_STATUS:
        return Refused(error)
    if isinstance(error, NotFound):
        return TaskNotFoundError(caller.word("no_task"))
    refusal = error.as_json(caller.language)
    message = f"{refusal['message']} {refusal['hint']}".strip()
    data = {"code": error.code, "request_id": request_id()}
    if error.status >= 500:
        return InternalError(message, data)
    if not error.fields:
        return UnsupportedOperationError(message, data)
    named = [
        {"field": field, "message": sentence}
        for field, sentences in refusal["fields"].items()
        for sentence in sentences
    ]
    lines = [f"{item['field']}: {item['message']}" for item in named]
    return InvalidParamsError(" ".join([message, "; ".join(lines)]), {**data, "errors": named})
