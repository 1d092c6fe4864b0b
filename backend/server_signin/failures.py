"""What may go wrong with a sign-in, by the stage of the flow: each has a reason that says what to do."""

from __future__ import annotations

from typing import Any, Literal

from backend.errors import McpAuthFailed

Stage = Literal["challenge", "resource", "issuer", "client", "consent", "token", "identity", "refresh", "revoke"]
STAGES: tuple[Stage, ...] = (
    *("challenge", "resource", "issuer", "client", "consent", "token", "identity", "refresh", "revoke"),
)


def failed(reason: str, stage: Stage, **params: Any) -> McpAuthFailed:
    """The error for a flow that ends at `stage`."""
    return McpAuthFailed(params={"reason": reason, "stage": stage, **params})
