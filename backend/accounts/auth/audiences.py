"""What a token was made for: the installation, or one collection's address. Whatever lets tokens in asks here."""

from __future__ import annotations

from backend.errors import Unauthenticated

INSTALLATION = ""
"""The audience of tokens that are bound to no collection: the API, `/mcp`, the socket."""


def require_audience(audience: str, requested: str) -> None:
    """Raise Unauthenticated where a token that was `audience` one audience is shown to another.

    An audience is a collection's id, or INSTALLATION. Which collections there are is not told: the same answer for
    another one, for one of another team and for none at all.
    """
    if audience != requested:
        raise Unauthenticated(params={"reason": "token_audience"})
