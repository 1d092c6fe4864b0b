"""What a call of a tool does: it starts a run, tells how far that is, and answers where it stands in the end.

A client may leave while the run goes on. In the modern era closing the stream of a request is how a client cancels it,
so the run is cancelled too; in the handshake era a lost connection says nothing, and the run goes on. Whatever the
client does, a run that asks a person waits for that person.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
import mcp_types as types
from django.conf import settings
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import validate_mcp_param_headers
from pydantic import TypeAdapter, ValidationError

from backend.accounts.actor import Actor
from backend.database.ids import new_id
from backend.engine.execution import failpoints
from backend.errors import NotFound, PatchbayError, ValidationFailed
from backend.json_types import JsonObject
from backend.mcp_server import elicitation, running, tasks
from backend.mcp_server.called import Called, called
from backend.mcp_server.caller import MODERN, Context, client_of, failure
from backend.mcp_server.handshake import CLIENT, AskedClient, question_id
from backend.mcp_server.heeding import heed
from backend.mcp_server.offers import Offer, may_run
from backend.mcp_server.progress import Progress
from backend.mcp_server.running import RunAnswer
from backend.mcp_server.threads import in_thread, submit
from backend.runs import selectors
from backend.runs.live.hub import HUB
from backend.runs.live.open_requests import open_request
from backend.runs.live.run_waiters import RunWaiter
from backend.runs.models import Run, RunState

log = logging.getLogger(__name__)

_BLOCK: TypeAdapter[types.ContentBlock] = TypeAdapter(types.ContentBlock)
Again = types.CallToolRequestParams | types.GetPromptRequestParams | types.ReadResourceRequestParams
"""What may come again with answers."""
Answer = types.CallToolResult | types.InputRequiredResult | JsonObject
"""The result of a call, what the client is to ask first, or the task that the call has become."""


async def call(ctx: Context, actor: Actor, language: str, params: types.CallToolRequestParams) -> Answer:
    """What a call is answered with.

    Raises MCPError for a tool that is not there, or where we failed ourselves.
    """
    name, arguments = params.name, dict(params.arguments or {})
    heed(ctx)
    try:
        tool = BUILT_IN.get(name) if not actor.collection or name in OF_RUNS else None
        if tool is not None:
            return await tool(ctx, actor, language, arguments)
        actor.require("editor")
        actor.require_scope("run")
        find = partial(_called, ctx, actor, name, arguments)
        if params.request_state is not None:
            return await _again(ctx, actor, language, await in_thread(find), params)
        if tasks.is_requested(ctx):
            return tasks.created(await in_thread(_started, actor, find, arguments, new_id("run")))
        return await _reply(ctx, actor, language, await stood(ctx, actor, language, find, arguments))
    except NotFound:
        raise MCPError(
            types.INVALID_PARAMS, f"There is no tool {name[:80]!r}. tools/list says which there are."
        ) from None
    except PatchbayError as error:
        return refusal(error, language)
    except MCPError:
        raise
    except Exception as error:
        raise failure(error, language) from error


def refusal(error: PatchbayError, language: str) -> types.CallToolResult:
    """What was refused, as a result that a model reads and can act on."""
    body = error.as_json(language)
    lines = [f"{body['code']}: {body['message']}", body["hint"]]
    lines += [f"{field}: {', '.join(sentences)}" for field, sentences in body["fields"].items()]
    return result("\n".join(line for line in lines if line), is_error=True)


def result(text: str, structured: JsonObject | None = None, *, is_error: bool = False) -> types.CallToolResult:
    """A result of one text."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=structured, is_error=is_error
    )


Find = Callable[[], Called | Offer]
"""Reads what is called. Raises NotFound."""


def _called(ctx: Context, actor: Actor, name: str, arguments: JsonObject) -> Called:
    """What has this name. Raises NotFound; MCPError where a header says something else of an argument than the body."""
    tool = called(actor, name)
    if tool.schema is not None and ctx.protocol_version >= MODERN and ctx.request is not None:
        rejected = validate_mcp_param_headers(tool.schema, arguments, ctx.request.headers)
        if rejected is not None:
            raise MCPError(rejected.code, rejected.message)
    return tool


def _started(actor: Actor, find: Find, inputs: JsonObject, run_id: str, progress: Progress | None = None) -> Run:
    tool = find()
    if progress is not None:
        progress.of_tool = tool.is_tool
    return running.started(actor, tool, inputs, run_id)


async def _reply(
    ctx: Context, actor: Actor, language: str, answer: RunAnswer, links: frozenset[str] = frozenset()
) -> Answer:
    """How the run stands; or, where the client can ask its member what the run asks, that it is to ask."""
    return await asking(ctx, actor, language, answer, links) or of_run(answer, language)


async def asking(
    ctx: Context, actor: Actor, language: str, answer: RunAnswer, links: frozenset[str] = frozenset()
) -> types.InputRequiredResult | None:
    """What the client is to ask its member so that the run goes on; None where it can ask nothing, or nothing is.

    `links` = the questions to which it was given the links before.
    """
    ways = elicitation.ways_of(ctx)
    if not ways or not answer["answer_at"]:
        return None
    inputs = await in_thread(_input_requests, actor, answer["run"], ways, language, links)
    if inputs is None:
        return None
    return types.InputRequiredResult.model_validate({"inputRequests": inputs.requests, "requestState": inputs.state})


def _input_requests(
    actor: Actor, key: str, ways: frozenset[str], language: str, links: frozenset[str]
) -> elicitation.InputRequests | None:
    return elicitation.input_requests(actor, Run.objects.get(pk=key), ways, language, links)


async def _again(
    ctx: Context, actor: Actor, language: str, offer: Called, params: types.CallToolRequestParams
) -> Answer:
    """The call comes again with what the client's member answered: it goes on with the run that asked."""
    answer, answered, links = await gone_on(ctx, actor, language, offer, params)
    return await _reply(ctx, actor, language, answer, links) if answered else of_run(answer, language)


async def gone_on(
    ctx: Context, actor: Actor, language: str, offer: Called | Offer, params: Again
) -> tuple[RunAnswer, bool, frozenset[str]]:
    """Where the run stands that had asked, once its questions were answered; whether none of them was put off; and to
    which of them the client was given the links. A person who went to the page is waited for, as long as for a run.

    Raises MCPError for a state that is none of ours, and what `elicitation.take` does.
    """
    answers = {name: response.model_dump(mode="json") for name, response in (params.input_responses or {}).items()}
    try:
        run, answered, links = await in_thread(_taken, actor, offer, str(params.request_state), answers, client_of(ctx))
    except NotFound:
        raise MCPError(types.INVALID_PARAMS, "There is no such requestState.") from None
    with open_request(actor), RunWaiter(HUB, run.pk) as wait, Progress(ctx, run.pk, of_tool=offer.is_tool):
        try:
            waits = answered and bool(links) and await in_thread(elicitation.waits_at_links, run, links)
            return await _answered(run, wait, language, new=waits), answered, links
        except asyncio.CancelledError:
            if not HUB.closing:
                submit(_cancel, actor, run.pk, language)
            raise


def _taken(
    actor: Actor, offer: Called | Offer, state: str, answers: dict[str, dict[str, Any]], client: str
) -> tuple[Run, bool, frozenset[str]]:
    """The run that asked, whether nothing was put off, and what there are links to. Raises as `gone_on`."""
    about = elicitation.resumed(actor, state)
    run = selectors.run_for(actor, about.run)
    if run.workflow_id != offer.workflow.pk or run.trigger != running.VIA:
        raise NotFound
    values = {about.questions[name]: answer for name, answer in answers.items() if name in about.questions}
    return run, elicitation.take(actor, run, values, client), about.links


def of_run(answer: RunAnswer, language: str) -> types.CallToolResult:
    """A run's outputs, or why there are none (yet) and where to look."""
    zh = language == "zh"
    if (tool_answer := answer.get("tool")) is not None:
        return _of_tool(tool_answer)
    if answer["state"] == RunState.SUCCESS:
        outputs = answer["outputs"] or {}
        only = next(iter(outputs.values())) if len(outputs) == 1 else None
        return result(only if isinstance(only, str) else _json(outputs), outputs)
    structured = {name: value for name, value in running.plain(answer).items() if name != "outputs"}
    if answer["error"] is not None or answer["state"] in {RunState.ERROR, RunState.CANCELLED}:
        error = answer["error"] or {"code": "CANCELLED", "message": "", "hint": ""}
        lines = [f"{error['code']}: {error['message']}", str(error["hint"]), f"Run: {answer['url']}"]
        return result("\n".join(line for line in lines if line), structured, is_error=True)
    if answer["answer_at"]:
        links = " ".join(answer["answer_at"])
        text = (
            f"运行在等待人来回答，请在此处理：{links}"
            if zh
            else f"The run waits for a person, who answers here: {links}"
        )
    else:
        text = "运行仍在进行。" if zh else "The run goes on."
    later = f"稍后用 get_run 查看 {answer['run']}。" if zh else f"Ask get_run for {answer['run']} later."
    return result(f"{text}\n{later}\n{answer['url']}", structured)


def _of_tool(answer: running.ToolAnswer) -> types.CallToolResult:
    """What a server's tool answered, as it did; content of a kind that the SDK does not know is left out."""
    content = [block for block in map(_block, answer["content"]) if block is not None]
    return types.CallToolResult(content=content, structured_content=answer["structured"], is_error=answer["is_error"])


def _block(value: JsonObject) -> types.ContentBlock | None:
    try:
        return _BLOCK.validate_python(value)
    except ValidationError:
        return None


async def stood(ctx: Context, actor: Actor, language: str, find: Find, inputs: JsonObject) -> RunAnswer:
    """Start a run and wait until it ended, asks a person, or the time is over.

    Raises NotFound and what `start_run` does.
    """
    key = new_id("run")
    with open_request(actor), RunWaiter(HUB, key) as wait, Progress(ctx, key) as progress:
        starting = submit(_started, actor, find, inputs, key, progress)
        try:
            run = await asyncio.wrap_future(starting)
            failpoints.hit("call.stored")
            answer = await _answered(run, wait, language, new=True)
            failpoints.hit("call.ended")
            client = _client_of(ctx)
            return answer if client is None else await _after_asking(client, actor, language, run, wait, answer)
        except asyncio.CancelledError:
            if ctx.protocol_version >= MODERN and not HUB.closing:
                starting.add_done_callback(lambda done: done.exception() or submit(_cancel, actor, key, language))
            raise


async def _answered(run: Run, wait: RunWaiter, language: str, *, new: bool = False) -> RunAnswer:
    """Where the run stands; a `new` one, or one of which it is known, need not be looked at before it was heard of."""
    deadline = time.monotonic() + settings.PATCHBAY.mcp_wait_s
    over = new and not await wait.changed(settings.PATCHBAY.mcp_wait_s)
    while True:
        answer = await in_thread(running.standing, run, language, over)
        if answer is not None:
            return answer
        over = not await wait.changed(max(0.0, deadline - time.monotonic()))


def _client_of(ctx: Context) -> AskedClient | None:
    """The client, where it is of the handshake era and can show its member a form, or a link."""
    client = ctx.request.scope.get(CLIENT) if ctx.request is not None else None
    return client if client is not None and client.ways else None


async def _after_asking(
    client: AskedClient, actor: Actor, language: str, run: Run, wait: RunWaiter, answer: RunAnswer
) -> RunAnswer:
    """Where the run stands once its questions went out and were answered, or the time for that is over."""
    deadline = time.monotonic() + settings.PATCHBAY.mcp_wait_s
    shown_ids: set[str] = set()
    while answer["answer_at"]:
        requests = await in_thread(_in_a_call, actor, run, client.ways, language)
        for key in requests.keys() - shown_ids:
            await client.ask(question_id(actor, run.pk, key, client.name), requests[key])
        shown_ids |= requests.keys()
        if not requests or not await wait.changed(max(0.0, deadline - time.monotonic())):
            break
        answer = await _answered(run, wait, language)
    return answer


def _in_a_call(actor: Actor, run: Run, ways: frozenset[str], language: str) -> dict[str, JsonObject]:
    """What the client is to ask, by the question's id."""
    return {question.pk: request for question, request in elicitation.in_a_call(actor, run, ways, language)}


def _cancel(actor: Actor, key: str, language: str) -> None:
    try:
        running.cancelled(actor, key, language)
    except PatchbayError as error:  # it ended by itself meanwhile
        log.info("run %s was not cancelled: %s", key, error.code)


# -- tools that every client has --------------------------------------------------------------------------------------


async def _list_workflows(ctx: Context, actor: Actor, language: str, arguments: JsonObject) -> types.CallToolResult:
    rows = await in_thread(running.workflows, actor, _text(arguments, "query", required=False))
    return _structured({"workflows": rows})


async def _run_workflow(ctx: Context, actor: Actor, language: str, arguments: JsonObject) -> types.CallToolResult:
    inputs = arguments.get("inputs", {})
    if not isinstance(inputs, dict):
        raise ValidationFailed(fields={"inputs": ["must be an object"]})
    actor.require("editor")
    actor.require_scope("run")
    name = _text(arguments, "workflow")
    try:
        answer = await stood(ctx, actor, language, partial(called, actor, name), inputs)
    except NotFound:
        raise ValidationFailed(fields={"workflow": ["is not offered; list_workflows says which are"]}) from None
    shown = of_run(answer, language)
    return result(shown.content[0].text, running.plain(answer), is_error=bool(shown.is_error))  # type: ignore[union-attr]


async def _get_run(ctx: Context, actor: Actor, language: str, arguments: JsonObject) -> types.CallToolResult:
    return _structured(await _of_run(arguments, lambda key: in_thread(running.run_answer, actor, key, language)))


async def _cancel_run(ctx: Context, actor: Actor, language: str, arguments: JsonObject) -> types.CallToolResult:
    return _structured(await _of_run(arguments, lambda key: in_thread(running.cancelled, actor, key, language)))


async def _of_run(arguments: JsonObject, look: Callable[[str], Awaitable[RunAnswer]]) -> RunAnswer:
    try:
        return await look(_text(arguments, "run"))
    except NotFound:
        raise ValidationFailed(fields={"run": ["does not exist"]}) from None


def _structured(value: Any) -> types.CallToolResult:
    return result(_json(value), {**value})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _text(arguments: JsonObject, name: str, *, required: bool = True) -> str:
    value = arguments.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value):
        raise ValidationFailed(fields={name: ["must be a text"]})
    return value


Handler = Callable[[Context, Actor, str, JsonObject], Awaitable[types.CallToolResult]]
BUILT_IN: dict[str, Handler] = {
    "list_workflows": _list_workflows,
    "run_workflow": _run_workflow,
    "get_run": _get_run,
    "cancel_run": _cancel_run,
}
READING = frozenset({"list_workflows", "get_run"})
"""Those of them that need no more than to read; all other tools run something."""
OF_RUNS = frozenset({"get_run", "cancel_run"})
"""Those of them that a collection's client has: its runs are the ones that it started."""


def built_in_tools(actor: Actor) -> list[types.Tool]:
    """The tools that every client has, as far as this one may."""
    tools = []
    if actor.in_scope("read"):
        tools += [_LIST, _GET]
    if may_run(actor):
        tools += [_RUN, _CANCEL]
    return [tool for tool in tools if not actor.collection or tool.name in OF_RUNS]


def _schema(required: list[str], **properties: str) -> JsonObject:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "description": text} for name, text in properties.items()},
        "required": [*required],
        "additionalProperties": False,
    }


_READ = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
_LIST = types.Tool(
    name="list_workflows",
    title="List workflows",
    description="Lists the workflows that can be run here: name, title, description.",
    input_schema=_schema([], query="Words that the name or description holds; empty for all."),
    annotations=_READ,
)
_GET = types.Tool(
    name="get_run",
    title="Get a run",
    description="Says where a run stands: its state, outputs, error, and where people answer what it asks.",
    input_schema=_schema(["run"], run="The run's id, as run_workflow gave it."),
    annotations=_READ,
)
_RUN = types.Tool(
    name="run_workflow",
    title="Run a workflow",
    description="Runs a workflow by its name and waits for its outputs; a run that takes longer goes on, see get_run.",
    input_schema={
        "type": "object",
        "properties": {
            "workflow": {"type": "string", "description": "Its name, as list_workflows gives it."},
            "inputs": {"type": "object", "description": "By its input schema: the resource workflow://{name}."},
        },
        "required": ["workflow"],
        "additionalProperties": False,
    },
    annotations=types.ToolAnnotations(read_only_hint=False),
)
_CANCEL = types.Tool(
    name="cancel_run",
    title="Cancel a run",
    description="Ends a run. What it has done already stays done.",
    input_schema=_schema(["run"], run="The run's id."),
    annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True),
)
