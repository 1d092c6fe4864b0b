"""Whether a failed step is tried again, and whether a failed write may have happened. Pure."""

from __future__ import annotations

from typing import Final

from backend.engine.document.types import Retry
from backend.errors import PatchbayError

LONGEST_WAIT_S: Final = 3600.0

PERMANENT: Final = frozenset(
    {
        "TEMPLATE_ERROR",
        "GRAPH_INVALID",
        "MCP_AUTH_FAILED",
        "MCP_TOOL_NOT_FOUND",
        "MCP_INVALID_PARAMS",
        "MCP_POLICY_DENIED",
        "NETWORK_BLOCKED",
        "LLM_AUTH_FAILED",
        "SERVER_NOT_APPROVED",
        "SECRET_MISSING",
        "RESULT_TOO_LARGE",
        "BUDGET_EXCEEDED",
        "REPLAY_MISMATCH",
        "WORKER_LOST",
        "CANCELLED",
        "VALIDATION_ERROR",
        "FORBIDDEN",
        "NOT_FOUND",
        "CONFLICT",
    }
)
"""Codes that trying again cannot help."""

REFUSED: Final = (PERMANENT - {"RESULT_TOO_LARGE", "CANCELLED", "WORKER_LOST"}) | {
    "MCP_EXECUTION_ERROR",
    "HTTP_ERROR",
    "RATE_LIMITED",
}
"""Codes that say for sure that a write did not happen, or answered for itself."""


def may_have_happened(error: PatchbayError) -> bool:
    """Whether a write that failed so may have happened. `params["sent"] = False` says that nothing was sent."""
    return error.code not in REFUSED and error.params.get("sent") is not False


def repeat_after(policy: Retry, attempt: int, error: PatchbayError, *, unknown: bool, wrote: bool) -> float | None:
    """Seconds until the next try after `attempt` (from 1) failed, or None where there is none.

    `unknown`: the outcome of a write of this attempt is unknown; `wrote`: a write was started in it. An answer that
    asks to wait (`params["retry_after"]`) is given that time; where it asks for more than `LONGEST_WAIT_S` that is all.
    """
    if attempt > policy.max or unknown or error.code in PERMANENT:
        return None
    if policy.codes is not None and error.code not in policy.codes:
        return None
    if wrote and not policy.writes:
        return None
    retry_after = error.params.get("retry_after")
    wait = float(retry_after) if isinstance(retry_after, int | float) else 0.0
    return max(policy.delay(attempt), wait) if wait <= LONGEST_WAIT_S else None
