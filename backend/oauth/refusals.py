"""How a client is refused: the errors of OAuth 2.1, which programs read."""

from __future__ import annotations


class Refused(Exception):
    """A request of a client that is not granted: `error` by the standard, `why` for who builds the client."""

    def __init__(self, error: str, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.error, self.why, self.status = error, why, status


def invalid_grant(why: str) -> Refused:
    """A code or refresh token that is not, or no longer, good."""
    return Refused("invalid_grant", why)
