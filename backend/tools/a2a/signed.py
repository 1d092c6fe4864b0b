"""A request to an agent with its credentials: a key, or the token of a sign-in, renewed where it is refused."""

from __future__ import annotations

from backend.errors import PatchbayError
from backend.net.rules import NetworkRules
from backend.tools.http.reading import Answer
from backend.tools.mcp.answers import scopes_needed, sign_in_needed
from backend.tools.mcp.faults import of_status
from backend.tools.openapi.requests import Credentials, Request, sign
from backend.tools.openapi.source import Sending
from backend.tools.servers import Bearer, ServerConfig


async def signed_answer(
    config: ServerConfig, rules: NetworkRules, limit: int, request: Request, timeout_s: float
) -> Answer:
    """The answer to a request to the agent's own host. What a token was refused for was not done.

    Raises McpError, NetworkBlocked, ResultTooLarge.
    """
    sign(request, Credentials(config.headers, config.query))
    bearer = config.bearer
    if bearer is None:
        return (await Sending(config, rules, limit).answer(request, timeout_s))[0]
    token: str | None = await _token(bearer)
    retried = False
    while token is not None:
        sent = token
        others = {name: value for name, value in request.headers.items() if name.lower() != "authorization"}
        request.headers = {**others, "Authorization": f"Bearer {token}"}
        answer, _ = await Sending(config, rules, limit).answer(request, timeout_s)
        if answer.status not in (401, 403):
            return answer
        scopes = scopes_needed(answer.headers)
        if answer.status == 403 and scopes is None:
            return answer
        if scopes is None:
            token = await bearer.renewed(sent)
            continue
        token = None if retried else await bearer.stepped_up(sent, scopes)
        if token is None:
            raise await bearer.lacks(scopes)
        retried = True
    raise bearer.refused()


async def _token(bearer: Bearer) -> str:
    """The token. An error says that nothing was sent."""
    try:
        return await bearer.token()
    except PatchbayError as error:
        error.params = {**error.params, "sent": False}
        raise


def locked(config: ServerConfig, answer: Answer, raw: str = "") -> PatchbayError:
    """The error for an answer that lets nobody in, or is no success otherwise."""
    credentials = config.auth_type != "none"
    sign_in = None if credentials else sign_in_needed(answer.status, answer.headers, config.masker())
    return sign_in or of_status(answer.status, had_credentials=credentials, raw=raw)
