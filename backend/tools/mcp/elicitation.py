"""Questions that a server puts in mid-call, as questions to a person.

Servers of protocol 2026-07-28 end the round with `input_required` and wait; the answers go back with the next round.
Servers of the handshake era ask while the call stands open (see `holding`); to them the capability is declared only
where a server's setting `asks` is on, so the others do not ask. Sampling and roots are never declared, to no one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.client.session import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult

from backend.errors import Cancelled, McpProtocolError
from backend.net.urls import url_problem
from backend.tools.types import Answer, JsonObject, Question, ToolResultJson


async def never_called(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    """Stands for "we can ask people" when capabilities are declared; rounds are driven by `source`, not by this."""
    return ElicitResult(action="decline")


def questions_of(value: ToolResultJson, server: str, tool: str) -> Iterator[tuple[str, Question]]:
    """(id, question) of each request in a journaled round. Raises McpProtocolError for what we never offered."""
    for identity, request in (value.get("input_required") or {}).items():
        if not isinstance(request, dict) or request.get("method") != "elicitation/create":
            raise McpProtocolError(params={"reason": "capability", "why": str(request)[:200]})
        params = request.get("params")
        yield identity, question_of(params if isinstance(params, dict) else {}, server, tool)


def question_of(params: JsonObject, server: str, tool: str, *, expires_in_s: float | None = None) -> Question:
    """The params of an `elicitation/create` as a question. Raises McpProtocolError for an address that is none."""
    message = str(params.get("message") or "")[:4000]
    schema: Any = params.get("requestedSchema")
    if params.get("mode") == "url":
        url = str(params.get("url") or "")
        if url_problem(url) is not None:
            raise McpProtocolError(params={"reason": "elicitation_url", "why": url[:200]})
        message, schema = f"{message}\n{url}", {"type": "object", "properties": {}}
    return Question(
        kind="elicitation",
        title=tool,
        message=message,
        tool={"server": server, "name": tool},
        schema=schema,
        proposal=_defaults(schema),
        expires_in_s=expires_in_s,
    )


def _defaults(schema: Any) -> JsonObject:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {name: part["default"] for name, part in properties.items() if isinstance(part, dict) and "default" in part}


def answer_json(answer: Answer, question: Question) -> JsonObject:
    """A person's answer as the server expects it: `{action, content?}`; defaults fill what was left out."""
    if answer.action == "cancel":
        raise Cancelled(params={"by": answer.by})
    if answer.action != "accept":
        return {"action": "decline"}
    if not (question.schema or {}).get("properties"):
        return {"action": "accept"}
    content: JsonObject = {}
    for values in (question.proposal, answer.values):
        if isinstance(values, dict):
            content |= values
    return {"action": "accept", "content": content}


def held_answer(answer: Answer, question: Question) -> JsonObject:
    """The answer to a question in the middle of a held call; nobody's answer (see `EffectHandle`) puts it aside."""
    if answer.action != "accept" and not answer.by:
        return {"action": "cancel"}
    return answer_json(answer, question)
