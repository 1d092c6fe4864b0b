"""Questions of runs that a client asks its member: what may be asked there, and whose answer it is.

Forms, missing parameters and what servers ask go out as forms to clients that declare them, and the member whose token
it is has answered. Approvals, recoveries and budgets are for whoever is signed in: they go out as a link at most, and
what a client says to them is no more than whether its member goes to the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.conf import settings
from django.core import signing

from backend.accounts.actor import Actor
from backend.errors import NotFound
from backend.json_types import JsonObject
from backend.mcp_server.caller import Context
from backend.mcp_server.running import open_questions
from backend.runs.interactions import questions
from backend.runs.interactions.responses import interaction_shape
from backend.runs.log.rows import question_key
from backend.runs.models import Interaction, Run
from backend.tools.types import ELICITED
from backend.web.lookup import storable

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
INSIDE = {"form", "params", "elicitation"}
"""Kinds of question that may be answered in a client."""
PLAIN = {"string", "number", "integer", "boolean"}
"""Types of value that a client's form knows."""
FORM, LINK = "form", "url"
_SALT = "mcp.asked"


class InputRequests(NamedTuple):
    """What a client is to ask, by the names that it answers under, and what it sends back with the answers."""

    requests: dict[str, JsonObject]
    state: str


class Resumed(NamedTuple):
    """What a state that came back says: which run asked, which question stood under which name, and which of them the
    client was given links to, now or in rounds before."""

    run: str
    questions: dict[str, str]
    links: frozenset[str]


def capabilities(ctx: Context) -> dict[str, Any]:
    """What the client declared with this request; nothing in the handshake era."""
    declared = (ctx.meta or {}).get(CAPABILITIES)
    return declared if isinstance(declared, dict) else {}


def ways_of(ctx: Context) -> frozenset[str]:
    """In which ways the client can ask its user within a request of the modern era: "form", "url"."""
    return ways_in(capabilities(ctx))


def ways_in(capabilities: Mapping[str, Any]) -> frozenset[str]:
    """In which ways a client that declares these can ask its user. Who names none means forms."""
    declared = capabilities.get("elicitation")
    if not isinstance(declared, dict):
        return frozenset()
    return frozenset({FORM, LINK} & declared.keys()) if declared else frozenset({FORM})


def requests_of(run: Run, ways: frozenset[str], language: str) -> dict[str, JsonObject]:
    """What the client is to ask, by the question's id; what it declares no way for is left to the inbox."""
    return {question.pk: request for question, request in _requests(run, ways, language)}


def _requests(run: Run, ways: frozenset[str], language: str) -> list[tuple[Interaction, JsonObject]]:
    pairs = [(question, _request(question, ways, language)) for question in open_questions(run)]
    return [(question, request) for question, request in pairs if request is not None]


def in_a_call(
    actor: Actor, run: Run, ways: frozenset[str], language: str, but: frozenset[str] = frozenset()
) -> list[tuple[Interaction, JsonObject]]:
    """What a client is to ask within a call: forms by a token that may answer, links to what a person decides.

    A form that it cannot show, or may not answer, is left to the link of the answer; so are the questions `but`.
    """
    may = ways if actor.in_scope("answer") else ways - {FORM}
    requests = [(question, request) for question, request in _requests(run, may, language) if question.pk not in but]
    return [(question, request) for question, request in requests if _is_link(request) != (question.kind in INSIDE)]


def _is_link(request: JsonObject) -> bool:
    params: Any = request["params"]
    return bool(params["mode"] == LINK)


def input_requests(
    actor: Actor, run: Run, ways: frozenset[str], language: str, but: frozenset[str] = frozenset()
) -> InputRequests | None:
    """What the client is to ask at once, so that the call goes on; None where it can ask nothing of it. `but` = the
    questions to which it was given the links.

    What a server asked stands under the server's own key, as far as that is one question's alone.
    """
    questions = in_a_call(actor, run, ways, language, but)
    if not questions:
        return None
    own = [_own_key(question) for question, _ in questions]
    often = Counter(own)
    names = [
        name if name and often[name] == 1 else question.pk for name, (question, _) in zip(own, questions, strict=True)
    ]
    questions_by_name = {name: question.pk for name, (question, _) in zip(names, questions, strict=True)}
    links = sorted({*but, *(question.pk for question, request in questions if _is_link(request))})
    about = {"run": run.pk, "user": actor.user.pk, "questions": questions_by_name, "links": links}
    requests = {name: request for name, (_, request) in zip(names, questions, strict=True)}
    return InputRequests(requests, signing.dumps(about, salt=_SALT, compress=True))


def _own_key(question: Interaction) -> str:
    """The key under which a server asked; "" for a question of ours."""
    _, elicited, name = question_key(question.run_id, question.pk).partition(ELICITED)
    return name if elicited else ""


def resumed(actor: Actor, state: str) -> Resumed:
    """What a state that came back says. Raises NotFound for one that is not of ours, or not of this member."""
    try:
        about = signing.loads(state, salt=_SALT) if storable(state) else {}
    except signing.BadSignature:
        raise NotFound from None
    if about.get("user") != actor.user.pk:
        raise NotFound
    return Resumed(about["run"], about["questions"], frozenset(about.get("links", ())))


def waits_at_links(run: Run, links: frozenset[str]) -> bool:
    """Whether nothing is asked but what a person was given the link to."""
    open_ids = {question.pk for question in open_questions(run)}
    return bool(open_ids) and open_ids <= links


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
    """Whether a client's form can show it: an object of texts, numbers, switches and choices, one or several."""
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return False
    return all(isinstance(value, dict) and _is_field(value) for value in schema["properties"].values())


def _is_field(value: dict[str, Any]) -> bool:
    """A plain value, or several out of a list of choices."""
    if value.get("type") != "array":
        return value.get("type") in PLAIN
    items = value.get("items")
    return isinstance(items, dict) and bool({"enum", "anyOf"} & items.keys())


def take(actor: Actor, run: Run, answers: Mapping[str, Mapping[str, Any]], client: str) -> bool:
    """Take what the member answered in the `client` of this name; False where they put one of them off.

    What is over is dropped. Of what is not for clients no more counts than that the member does not want to go to the
    page. Raises Forbidden without the scope "answer", ValidationFailed for
    values that do not fit: the question stays open.
    """
    open_by_id = {question.pk: question for question in open_questions(run)}
    put_off = False
    for key, value in answers.items():
        question, action = open_by_id.get(key), value.get("action")
        if question is None:
            continue
        if question.kind not in INSIDE:
            put_off = put_off or action != "accept"
            continue
        if action not in {"accept", "decline"}:
            put_off = True
            continue
        actor.require_scope("answer")
        questions.answer(actor, question, {"action": action, "values": value.get("content")}, client=client)
    return not put_off
