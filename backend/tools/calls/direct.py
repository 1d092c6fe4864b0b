"""Calling a tool directly, outside a run (playground, doors): effects happen and nothing is journaled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from uuid import uuid4

from backend.errors import ApprovalNeedsOthers, ApprovalRequired, PatchbayError
from backend.tools.approvers import ANYONE
from backend.tools.calls.following import followed_here
from backend.tools.types import (
    Answer,
    EffectHandle,
    EffectKind,
    Event,
    FollowedTask,
    JsonLike,
    Question,
    T,
    ToolResultJson,
)

_LOST = frozenset({"MCP_UNREACHABLE", "MCP_TIMEOUT", "MCP_PARSE_ERROR", "MCP_PROTOCOL_ERROR", "RESULT_TOO_LARGE"})
"""Codes that leave open whether a write that was sent has happened."""


def _silent(progress: float, total: float | None, message: str) -> None:
    """Nobody watches the progress."""


@contextmanager
def _doubts(kind: EffectKind) -> Iterator[None]:
    """Errors of a write say where it may have happened."""
    try:
        yield
    except PatchbayError as error:
        if kind == "write" and error.code in _LOST and error.params.get("sent") is not False:
            error.params = {**error.params, "may_have_happened": True}
        raise


class DirectEffects:
    """An EffectContext for one direct call: where the gate would ask, `confirm` says yes, else ApprovalRequired."""

    def __init__(
        self,
        *,
        confirm: bool = False,
        by: str = "",
        progress: Callable[[float, float | None, str], None] = _silent,
    ) -> None:
        self._confirm, self._by, self._progress = confirm, by, progress

    async def effect(
        self,
        key: str,
        call: Callable[[EffectHandle], Awaitable[T]],
        kind: EffectKind,
        *,
        target: str,
        arguments: JsonLike = None,
        started: Event | None = None,
        ended: Callable[[T], Event] | None = None,
    ) -> T:
        """Call it; the idempotency key is new each time."""
        with _doubts(kind):
            return await call(EffectHandle(idempotency_key=f"direct:{uuid4().hex}", progress=self._progress))

    async def follow(
        self,
        key: str,
        task: FollowedTask,
        kind: EffectKind,
        *,
        target: str,
        arguments: JsonLike,
        started: Event,
        ended: Callable[[ToolResultJson], Event],
    ) -> ToolResultJson:
        """Wait for it, as long as a call may take."""
        with _doubts(kind):
            return await followed_here(task)

    async def ask(self, key: str, question: Question) -> Answer:
        """Yes where confirmed and the question is an approval; else ApprovalRequired with the risk in `detail`.

        Raises ApprovalNeedsOthers where others must agree: nobody can be asked here.
        """
        if question.approvers != ANYONE:
            raise ApprovalNeedsOthers(params={"reason": "direct"})
        if self._confirm and question.kind == "approval":
            return Answer("accept", by=self._by)
        risk = question.risk.as_json() if question.risk else None
        raise ApprovalRequired(
            detail={
                "kind": question.kind,
                "risk": risk,
                "tool": question.tool,
                "proposal": question.proposal,
                "evidence": question.evidence,
            }
        )

    def emit(self, key: str, type: str, data: Mapping[str, object]) -> None:
        """Nobody watches the events."""
