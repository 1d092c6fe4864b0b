"""What a request begins: a run of its own, an answer to one that waits, or a look at the thread. All is durable first.

The same id on the same thread is the same request, whichever process hears it: it is answered by the same run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from django.db import IntegrityError

from backend.accounts.actor import Actor
from backend.agui import conversing
from backend.agui.asking import FrontEndRequest
from backend.agui.attaching import attached
from backend.agui.inputs import inputs_of, text_input_of
from backend.agui.models import Request
from backend.agui.questions import called_in, give, open_questions, questions_of, take
from backend.agui.responses import VIA
from backend.agui.tools import declared, refuse_taken
from backend.database.bulk_insert import insert
from backend.engine.execution import failpoints
from backend.errors import Conflict, NotFound, ValidationFailed
from backend.files.fetching import Fetched
from backend.json_types import JsonObject, JsonValue
from backend.runs.conversations.lines import stop_after
from backend.runs.conversations.past import past_up_to
from backend.runs.conversations.turns import head_of, keep_turn, require_room, title_of
from backend.runs.graphs import input_schema
from backend.runs.models import TERMINAL, Conversation, Run, RunClientTools, RunState, Turn
from backend.runs.queue.inbox import durable_transaction
from backend.runs.starting.services import Cause, start_run
from backend.web.lookup import storable
from backend.workflows.models import Workflow
from backend.workflows.selectors import runnable_graph


@dataclass(frozen=True)
class Begun:
    """What a stream tells. `mark` = what the ids of its messages begin with; `run` None = only what was said before.

    `stands` = it is known that nothing moves unless somebody answers. `before` = what was said before it, where the
    client is to be told.
    """

    mark: str
    run: Run | None
    after: int = 0
    stands: bool = False
    before: list[JsonObject] | None = None
    state: JsonObject = field(default_factory=dict)


def offered(actor: Actor, team: str, slug: str) -> Workflow:
    """The workflow at an address. Raises NotFound, which says nothing of workflows that are not offered."""
    if team != actor.team.slug or not storable(slug):
        raise NotFound
    rows = Workflow.objects.filter(team=actor.team, slug=slug, expose_as_agui=True, published_version__isnull=False)
    row = rows.defer("draft").first()
    if row is None or not (actor.workflows is None or row.pk in actor.workflows):
        raise NotFound
    return row


def begins(actor: Actor, workflow: Workflow, request: FrontEndRequest) -> bool:
    """Whether a request is to start something: it did not come before, and answers nothing. Raises Forbidden."""
    _require(actor)
    key = conversing.digest(workflow, actor, request.thread, request.request)
    return not (request.resume or request.results or Request.objects.filter(key=key).exists())


def begin(actor: Actor, workflow: Workflow, request: FrontEndRequest, fetched: Mapping[str, Fetched]) -> Begun:
    """Begin what a request asks, or find what it began. `fetched` = the files that it names by address.

    Raises what `start_run` does, and ValidationFailed.
    """
    _require(actor)
    key = conversing.digest(workflow, actor, request.thread, request.request)
    try:
        with durable_transaction():
            begun = _again(key, request) or _begun(actor, workflow, request, key, fetched)
    except IntegrityError:  # the same request, or the first two of a thread, at once: it is there now
        with durable_transaction():
            begun = _again(key, request) or _begun(actor, workflow, request, key, fetched)
    failpoints.hit("agui.stored")
    return begun


def _require(actor: Actor) -> None:
    actor.require("editor")
    actor.require_scope("run")


def _again(key: str, request: FrontEndRequest) -> Begun | None:
    """What the same request began before."""
    row = Request.objects.select_related("run").filter(key=key).first()
    if row is None:
        return None
    mark = _mark(row)
    kept: list[JsonObject] = [
        message.model_dump(mode="json", by_alias=True)
        for message in request.messages
        if not message.id.startswith(f"{mark}.")
    ]
    return Begun(mark, row.run, row.after, before=kept)


def _mark(row: Request) -> str:
    return f"{row.run_id}.{row.pk}"


def _begun(
    actor: Actor, workflow: Workflow, request: FrontEndRequest, key: str, fetched: Mapping[str, Fetched]
) -> Begun:
    talk = conversing.digest(workflow, actor, request.thread)
    conversation = conversing.conversation_at(workflow, talk, lock=True)
    if request.resume or request.results:
        return _gone_on(actor, conversation, request, key)
    document = runnable_graph(actor, workflow, None)
    schema = input_schema(document.text)
    if text_input_of(schema) is not None and request.user_message is None:
        return _looked_at(conversation)
    refuse_taken(actor, document.text, request.tools)
    parent = head_of(conversation) if conversation is not None else None
    if conversation is not None:
        require_room(conversation)
        _refuse_asking(conversation)
    else:
        conversation = conversing.new_conversation(workflow, actor, talk, title_of(_text(request)))
        insert(conversation)
    files = (
        attached(actor, request.user_message.parts, fetched)
        if request.user_message is not None and request.user_message.parts
        else []
    )
    past = past_up_to(conversation.pk, parent.pk if parent is not None else None).messages
    inputs = inputs_of(schema, request, files, list(past))
    kept = partial(_keep, key, conversation, parent, request, files)
    cause = Cause(VIA, workflow.pk, kept, conversation=conversation.pk, document=document)
    run, _ = start_run(actor, workflow, inputs, cause=cause)
    before = None
    if parent is not None and not any(message.role == "assistant" for message in request.messages):
        before = [*conversing.history(conversation, parent.pk), *_last(request)]
    return Begun(_mark(Request.objects.get(key=key)), run, before=before)


def _keep(
    key: str,
    conversation: Conversation,
    parent: Turn | None,
    request: FrontEndRequest,
    files: list[JsonValue],
    run: Run,
) -> None:
    """What is kept of a request, in the transaction that stores its run."""
    keep_turn(conversation, parent, _text(request), files, run)
    if tools := declared(request.tools):
        RunClientTools.objects.create(run=run, tools=tools)
    Request.objects.create(run=run, key=key)


def _gone_on(actor: Actor, conversation: Conversation | None, request: FrontEndRequest, key: str) -> Begun:
    """The run that asked goes on with the client's answers."""
    head = head_of(conversation) if conversation is not None else None
    run = Run.objects.filter(pk=head.run).first() if head is not None else None
    if run is None:
        name = "resume" if request.resume else request.results[0].place
        raise ValidationFailed(fields={name: ["answers nothing: this thread has not asked anything"]})
    questions, called = questions_of(run, request.resume), called_in(run, request.results)
    stop = stop_after(run.pk, [question.pk for question in (*questions, *called)])
    row = Request.objects.create(run=run, key=key, after=run.last_seq if stop is None else stop)
    taken = take(actor, questions, request.resume) + give(actor, called, request.results)
    return Begun(_mark(row), run, row.after, stands=not taken)


def _looked_at(conversation: Conversation | None) -> Begun:
    """Nothing is said: what was said before, and the run that has not ended, where there is one."""
    if conversation is None:
        return Begun("look", None, before=[])
    head = head_of(conversation)
    run = Run.objects.filter(pk=head.run).first() if head is not None else None
    if run is None or run.state in TERMINAL:
        before = conversing.history(conversation, conversation.head or None)
        return Begun("look", None, before=before, state=conversing.state_after(conversation))
    return Begun(f"{run.pk}.0", run, before=conversing.history(conversation, conversation.head))


def _refuse_asking(conversation: Conversation) -> None:
    """Raise Conflict while the last turn waits for an answer: a new message would wait behind it unseen."""
    waiting = Run.objects.filter(conversation=conversation.pk, conversation__gt="", state=RunState.WAITING)
    for run in waiting:
        if open_questions(run):
            raise Conflict(params={"reason": "question_open"}, detail={"run": run.pk})


def _text(request: FrontEndRequest) -> str:
    return request.user_message.text if request.user_message is not None else ""


def _last(request: FrontEndRequest) -> list[JsonObject]:
    return [request.messages[-1].model_dump(mode="json", by_alias=True)] if request.user_message is not None else []
