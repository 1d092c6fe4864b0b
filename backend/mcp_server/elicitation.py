"""Questions of runs that a client asks its member: what may be asked there, and whose answer it is.

Forms, missing parameters and what servers ask go out as forms to clients that declare them, and the member whose token
it is has answered. Approvals, recoveries and budgets are for whoever is signed in: they go out as a link at most, and
what a client says to them is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from backend.accounts.actor import Actor
from backend.json_types import JsonObject
from backend.mcp_server.caller import Context
from backend.mcp_server.running import open_questions
from backend.runs.interactions import questions
from backend.runs.models import Interaction, Run
from backend.runs.responses import interaction_shape

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
INSIDE = {"form", "params", "elicitation"}
"""Kinds of question that may be answered in a client."""
PLAIN = {"string", "number", "integer", "boolean"}
"""Types of value that a client's form knows."""
FORM, LINK = "form", "url"


def capabilities(ctx: Context) -> dict[str, Any]:
    """What the client declared with this request; nothing in the handshake era."""
    declared = (ctx.meta or {}).get(CAPABILITIES)
    return declared if isinstance(declared, dict) else {}


def ways_of(ctx: Context) -> frozenset[str]:
    """In which ways the client can ask its user: "form", "url"."""
    declared = capabilities(ctx).get("elicitation")
    return frozenset({FORM, LINK} & declared.keys()) if isinstance(declared, dict) else frozenset()


def requests_of(run: Run, ways: frozenset[str], language: str) -> dict[str, JsonObject]:
    """What the client is to ask, by the question's id; what it declares no way for is left to the inbox."""
    asked = {question.pk: _request(question, ways, language) for question in open_questions(run)}
    return {key: request for key, request in asked.items() if request is not None}


def _request(question: Interaction, ways: frozenset[str], language: str) -> JsonObject | None:
    shape = interaction_shape(question, language)
    message = "\n".join(text for text in (shape["title"], shape["message"]) if text)
    schema: Any = shape["schema"]
    if question.kind in INSIDE and FORM in ways and _is_plain(schema):
        params: JsonObject = {"mode": FORM, "message": message, "requestedSchema": schema}
        return {"method": "elicitation/create", "params": params}
    if LINK in ways:
        link = f"{settings.PUBLIC_URL}/inbox/{question.pk}"
        params = {"mode": LINK, "message": message, "url": link, "elicitationId": question.pk}
        return {"method": "elicitation/create", "params": params}
    return None


def _is_plain(schema: Any) -> bool:
    """Whether a client's form can show it: an object of texts, numbers, switches and choices."""
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return False
    return all(isinstance(value, dict) and value.get("type") in PLAIN for value in schema["properties"].values())


def take(actor: Actor, run: Run, answers: Mapping[str, Mapping[str, Any]]) -> bool:
    """Take what the member answered; False where they put one of them off.

    What is over, or not for clients, is dropped. Raises Forbidden without the scope "answer", ValidationFailed for
    values that do not fit: the question stays open.
    """
    asked = {question.pk: question for question in open_questions(run) if question.kind in INSIDE}
    put_off = False
    for key, given in answers.items():
        question, action = asked.get(key), given.get("action")
        if question is None:
            continue
        if action not in {"accept", "decline"}:
            put_off = True
            continue
        actor.require_scope("answer")
        questions.answer(actor, question, {"action": action, "values": given.get("content")})
    return not put_off
