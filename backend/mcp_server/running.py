"""Runs that MCP clients start, look at and cancel: what each function does happens in a thread, under the actor."""

from __future__ import annotations

import json
from typing import Any, NotRequired, TypedDict, cast

from django.conf import settings
from django.db.models import Q

from backend.accounts.actor import Actor
from backend.errors import McpExecutionError, McpInvalidParams, NotFound
from backend.files.services import file_of
from backend.json_types import JsonObject
from backend.mcp_server.called import Called
from backend.mcp_server.offers import Offer, offer_for, offered_to
from backend.runs import responses, selectors
from backend.runs.log.encoding import decode
from backend.runs.models import TERMINAL, Interaction, Run, RunState
from backend.runs.starting import services, steering
from backend.tools.mcp.binary import kept_bytes, packed_again
from backend.web.lookup import storable

VIA = "mcp"
"""What such a run says of how it was started."""
MOST_RESULTS = 50
"""Workflows that one search gives."""
MOST_BYTES = 16 * 1024 * 1024
"""Of pictures and other files that one answer carries."""
MOST_EVENTS = 200
"""Events of a run of one tool, of which one says how it failed."""


class ToolAnswer(TypedDict):
    """What a server's tool answered, as it did."""

    content: list[JsonObject]
    structured: JsonObject | None
    is_error: bool


class RunAnswer(TypedDict):
    """Where a run stands, as a client is told. `answer_at` = the pages where people answer what it asks.

    `tool` = what the tool of a collection answered, where it did.
    """

    run: str
    workflow: str
    state: str
    url: str
    tool: NotRequired[ToolAnswer]
    outputs: JsonObject | None
    error: JsonObject | None
    answer_at: list[str]


class OfferAnswer(TypedDict):
    """A workflow as `list_workflows` gives it."""

    name: str
    title: str
    description: str
    version: int | None
    url: str


def started(actor: Actor, what: Called | Offer, inputs: JsonObject, run_id: str) -> Run:
    """The run of a call, durable. Raises what `start_run` does."""
    actor.require_scope("run")
    run, _ = services.start_run(
        actor, what.workflow, inputs, what.version, run_id=run_id, via=VIA, through=actor.collection
    )
    return run


def answer_of(run: Run, language: str) -> RunAnswer:
    """Where the run stands, from the row as it is."""
    shape = responses.run_whole(run, language)
    error = shape["error"]
    asks = open_questions(run) if run.state == RunState.WAITING else []
    asks = [question for question in asks if question.kind != "client"]  # only the front end can answer, in no inbox
    of_tool = tool_answer(run, shape["outputs"]) if run.workflow.hidden and run.state in TERMINAL else None
    answer: RunAnswer = {
        "run": run.pk,
        "workflow": run.workflow.slug,
        "state": str(run.state),
        "url": url_of(run.pk),
        "outputs": shape["outputs"] if run.state == RunState.SUCCESS else None,
        "error": {name: error[name] for name in ("code", "message", "hint", "node")} if error else None,
        "answer_at": [f"{settings.PUBLIC_URL}/inbox/{question.pk}" for question in asks],
    }
    return answer if of_tool is None else {**answer, "tool": of_tool}


def tool_answer(run: Run, outputs: JsonObject) -> ToolAnswer | None:
    """What the tool of a collection's run answered, also where it failed by its own word or the arguments were wrong.

    None where it was never called.
    """
    if run.state == RunState.SUCCESS:
        parts = outputs.get("content")
        content = with_bytes(run, parts if isinstance(parts, list) else [])
        return cast("ToolAnswer", {"content": content, "structured": outputs.get("structured"), "is_error": False})
    code = (decode(run.error) or {}).get("code")
    words = _error_blocks(run, str(code)) if code in {McpExecutionError.code, McpInvalidParams.code} else None
    return {"content": with_bytes(run, words), "structured": None, "is_error": True} if words else None


def _error_blocks(run: Run, code: str) -> list[Any]:
    """What a failed call told of itself: the tool's own words, or which arguments were wrong."""
    events = [json.loads(text) for _, text in selectors.event_texts(run.pk, 0, MOST_EVENTS)]
    details = [event["data"].get("detail") for event in events if event["type"] == "STEP_ERROR"]
    detail = details[-1] if details and isinstance(details[-1], dict) else {}
    if isinstance(fields := detail.get("fields"), dict):
        lines = [f"{field}: {', '.join(map(str, texts))}" for field, texts in fields.items()]
        return [{"type": "text", "text": "\n".join([code, *lines])}]
    return list(detail.get("content") or ())


def run_of(key: str) -> Run:
    """The row of a run that the caller may see."""
    return Run.objects.get(pk=key)


def with_bytes(run: Run, content: list[Any]) -> list[JsonObject]:
    """The blocks as the tool sent them; of what is too large for an answer, or gone, where it is to be had."""
    blocks, room = [], MOST_BYTES
    for block in content:
        room -= kept_bytes(block)
        try:
            blocks.append(packed_again(block, lambda key: file_of(run.team_id, key)[0]) if room >= 0 else _left(run))
        except NotFound:
            blocks.append(_left(run))
    return blocks


def _left(run: Run) -> JsonObject:
    return {"type": "text", "text": f"A file, which stands in the run: {url_of(run.pk)}"}


def open_questions(run: Run) -> list[Interaction]:
    """What the run, or one below it, asks and nobody has answered. The row `run.waiting` may be behind an answer."""
    rows = Interaction.objects.filter(Q(run=run) | Q(root_run=run), state=Interaction.State.OPEN)
    return list(
        rows.select_related("run__workflow", "root_run__workflow", "root_run__started_by").order_by("created_at")
    )


def plain(answer: RunAnswer) -> JsonObject:
    """The answer as any JSON object."""
    return cast("JsonObject", {name: value for name, value in answer.items() if name != "tool"})


def url_of(run: str) -> str:
    """The run's page, for members."""
    return f"{settings.PUBLIC_URL}/runs/{run}"


def standing(run: Run, language: str, over: bool) -> RunAnswer | None:
    """Where the run stands once it ended or asks a person, or with `over` in any case; else None."""
    services.reread(run)
    stands = run.state in TERMINAL or bool(answer_of(run, language)["answer_at"])
    return answer_of(run, language) if stands or over else None


def run_answer(actor: Actor, key: str, language: str) -> RunAnswer:
    """Where a run of the team stands. Raises NotFound, Forbidden."""
    actor.require_scope("read")
    return answer_of(selectors.run_for(actor, key), language)


def cancelled(actor: Actor, key: str, language: str) -> RunAnswer:
    """End a run. Raises NotFound, Forbidden, Conflict where it has ended."""
    actor.require_scope("run")
    return answer_of(steering.run_cancel(actor, selectors.run_for(actor, key)), language)


def workflows(actor: Actor, search: str) -> list[OfferAnswer]:
    """The offered workflows whose name or description holds all of the words."""
    actor.require_scope("read")
    rows = offered_to(actor)
    for word in search.split()[:10] if storable(search) else ():
        rows = rows.filter(description__icontains=word) | rows.filter(name__icontains=word)
    return [
        {
            "name": row.slug,
            "title": row.name,
            "description": row.description,
            "version": row.published_version,
            "url": f"{settings.PUBLIC_URL}/workflows/{row.pk}",
        }
        for row in rows[:MOST_RESULTS]
    ]


def workflow_text(actor: Actor, slug: str) -> JsonObject:
    """What a workflow takes and gives. Raises NotFound."""
    actor.require_scope("read")
    offer = offer_for(actor, slug)
    hints = offer.hints()
    return {
        "name": offer.name,
        "title": offer.workflow.name,
        "description": offer.workflow.description,
        "version": offer.version,
        "input_schema": offer.input_schema(),
        "output_schema": offer.output_schema(),
        "read_only": hints.read_only,
        "asks_a_person": hints.asks,
        "url": offer.url,
    }


def status_text(actor: Actor, slug: str, language: str) -> JsonObject:
    """The newest run of an offered workflow; {} before the first. Raises NotFound."""
    actor.require_scope("read")
    newest: Any = (
        selectors.runs_of_workflow(actor, offer_for(actor, slug).workflow.pk).order_by("-queued_at", "-pk").first()
    )
    return plain(answer_of(newest, language)) if newest is not None else {}
