"""A call that becomes a task: polled by any connection, answered where a client may, cancelled, nobody else's."""

from __future__ import annotations

from typing import Any, Literal

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict, Field

from tests.instance import until
from tests.live.mcp_server.conftest import ASKS, ERAS, FAILS, GREETS, RESTS, Offering, chain, node
from tests.wide import besides

EXTENSION = "io.modelcontextprotocol/tasks"
FORM = chain(
    node("start", "start"),
    node(
        "ask",
        "form",
        {
            "title": "Who?",
            "message": "Say a name",
            "schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        },
    ),
    node("end", "end", {"outputs": {"text": "Hello {{ ask.name }}"}}),
)


class Created(types.Result):
    """The handle of a task."""

    model_config = ConfigDict(populate_by_name=True, extra="allow")
    result_type: Literal["task"] = Field(default="task", alias="resultType")
    task_id: str = Field(alias="taskId")
    status: str


class Task(types.Result):
    """What `tasks/get` gives."""

    model_config = ConfigDict(populate_by_name=True, extra="allow")
    task_id: str = Field(default="", alias="taskId")
    status: str = ""
    result: dict[str, Any] | None = None
    input_requests: dict[str, Any] = Field(default_factory=dict, alias="inputRequests")
    ttl_ms: int | None = Field(default=None, alias="ttlMs")


class TaskParams(types.RequestParams):
    """Which task, and answers."""

    model_config = ConfigDict(populate_by_name=True, extra="allow")
    task_id: str = Field(alias="taskId")
    input_responses: dict[str, Any] | None = Field(default=None, alias="inputResponses")


class Method(types.Request[TaskParams, str]):
    """A method of the extension."""

    method: str
    params: TaskParams


class Tasks(ClientExtension):
    """Declares the extension, and takes handles as they come."""

    identifier = EXTENSION

    def claims(self) -> list[ResultClaim[Any]]:
        """What a call may be answered with."""

        async def resolve(result: Created, ctx: ClaimContext) -> Any:
            raise AssertionError("the tests take the handle themselves")

        return [ResultClaim(result_type="task", model=Created, resolve=resolve)]


async def asks(*_: Any) -> types.ElicitResult:
    """Declares that the client can ask its user; the tests answer by `tasks/update`."""
    return types.ElicitResult(action="cancel")


async def begun(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool; the id of the task that it becomes."""
    answer = await client.session.call_tool(tool, arguments, allow_input_required=True, allow_claimed=True)
    assert isinstance(answer, Created), answer
    assert answer.status == "working"
    return answer.task_id


async def ask(client: Client, method: str, task: str, responses: dict[str, Any] | None = None) -> Task:
    """One request about a task."""
    params = TaskParams(task_id=task, input_responses=responses)
    return await client.session.send_request(Method(method=method, params=params), Task)


def get(offering: Offering, task: str, token: str = "", **more: Any) -> Task:
    """The task as a new connection sees it."""
    return offering.session(
        lambda client: ask(client, "tasks/get", task),
        token=token,
        extensions=[Tasks()],
        elicitation_callback=asks,
        **more,
    )


def started(offering: Offering, flow: dict[str, Any], **arguments: Any) -> str:
    """A task, by a connection that is gone then."""
    return offering.session(lambda client: begun(client, flow["slug"], **arguments), extensions=[Tasks()])


def ended(offering: Offering, task: str) -> Task:
    """The task once it has ended."""
    seen: list[Task] = []

    def over() -> bool:
        seen.append(get(offering, task))
        return seen[-1].status in {"completed", "failed", "cancelled"}

    until(over)
    return seen[-1]


def test_a_task_is_a_run_whose_outputs_another_connection_gets(offering: Offering) -> None:
    flow = offering.offer(GREETS)
    task = started(offering, flow, name="Ada")
    assert offering.ask("GET", f"/api/runs/{task}")["trigger"] == "mcp"
    done = ended(offering, task)
    assert (done.status, done.ttl_ms) == ("completed", 30 * 24 * 3600 * 1000)
    assert done.result is not None
    assert done.result["structuredContent"] == {"text": "Hello Ada"}
    assert done.result["content"] == [{"type": "text", "text": "Hello Ada"}]


def test_one_that_fails_is_completed_with_the_error(offering: Offering) -> None:
    done = ended(offering, started(offering, offering.offer(FAILS)))
    assert done.status == "completed"
    assert done.result is not None
    assert done.result["isError"] is True
    assert done.result["content"][0]["text"].startswith("TEMPLATE_ERROR: ")


def test_a_form_is_filled_in_by_the_clients_member(offering: Offering) -> None:
    task = started(offering, offering.offer(FORM))
    until(lambda: get(offering, task).status == "input_required")
    (key, request), *more = get(offering, task).input_requests.items()
    assert more == []
    assert request["method"] == "elicitation/create"
    assert (request["params"]["mode"], request["params"]["message"]) == ("form", "Who?\nSay a name")
    assert request["params"]["requestedSchema"]["properties"]["name"]["type"] == "string"

    answers = {key: {"action": "accept", "content": {"name": "Bo"}}}
    offering.session(lambda client: ask(client, "tasks/update", task, answers), extensions=[Tasks()])
    done = ended(offering, task)
    assert done.result is not None
    assert done.result["structuredContent"] == {"text": "Hello Bo"}
    offering.session(
        lambda client: ask(client, "tasks/update", task, answers), extensions=[Tasks()]
    )  # too late: dropped
    who = offering.ask("GET", f"/api/interactions?run={task}")["results"][0]
    assert (who["state"], who["answered_by"]) == ("answered", "alice@example.org")


def test_values_that_do_not_fit_leave_the_form_open(offering: Offering) -> None:
    task = started(offering, offering.offer(FORM))
    until(lambda: get(offering, task).status == "input_required")
    (key,) = get(offering, task).input_requests
    answers = {key: {"action": "accept", "content": {"name": 7}}}
    with pytest.raises(MCPError) as refused:
        offering.session(lambda client: ask(client, "tasks/update", task, answers), extensions=[Tasks()])
    assert refused.value.code == types.INVALID_PARAMS
    assert get(offering, task).status == "input_required"


@pytest.mark.parametrize("scopes", [["read", "run", "answer"], []], ids=["every scope", "made without scopes"])
def test_no_client_approves(offering: Offering, scopes: list[str]) -> None:
    task = started(offering, offering.offer(ASKS))
    until(lambda: get(offering, task).status == "input_required")
    (key, request), *_ = get(offering, task).input_requests.items()
    assert request["params"]["mode"] == "url"
    assert request["params"]["url"] == f"{offering.patchbay.url}/inbox/{key}"
    assert "requestedSchema" not in request["params"]
    token = offering.restricted(scopes=scopes) if scopes else offering.token
    answers = {key: {"action": "accept", "content": {}}}
    offering.session(lambda client: ask(client, "tasks/update", task, answers), token=token, extensions=[Tasks()])
    question = offering.ask("GET", f"/api/interactions?run={task}")["results"][0]
    assert question["state"] == "open"


def test_who_cannot_ask_leaves_it_to_the_inbox(offering: Offering) -> None:
    task = started(offering, offering.offer(ASKS))
    until(lambda: offering.ask("GET", f"/api/runs/{task}")["state"] == "WAITING")
    seen = offering.session(lambda client: ask(client, "tasks/get", task), extensions=[Tasks()])
    assert (seen.status, seen.input_requests) == ("working", {})


def test_a_cancelled_task_is_a_cancelled_run(offering: Offering) -> None:
    task = started(offering, offering.offer(RESTS))
    for _ in range(2):  # the second comes too late, and harms nobody
        offering.session(lambda client: ask(client, "tasks/cancel", task), extensions=[Tasks()])
        assert ended(offering, task).status == "cancelled"


def test_a_task_survives_a_kill(offering: Offering) -> None:
    task = started(offering, offering.offer(RESTS))
    offering.patchbay.kill()
    offering.patchbay.start()
    assert get(offering, task).status == "working"


def test_tasks_of_others_do_not_exist(offering: Offering) -> None:
    mine, other = offering.offer(GREETS), offering.offer(GREETS)
    task = started(offering, other, name="a")
    bound = offering.restricted(scopes=["read", "run", "answer"], workflows=[mine["id"]])
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        for key, token in (("run_01nosuch", ""), ("'; --", ""), (task, bound)):
            with pytest.raises(MCPError) as refused:
                offering.session(
                    lambda client: ask(client, method, key, {}),  # noqa: B023 - called within this round
                    token=token,
                    extensions=[Tasks()],
                )
            assert refused.value.code == types.INVALID_PARAMS, (method, key)
            assert task not in refused.value.message


def test_who_does_not_declare_tasks_gets_none(offering: Offering) -> None:
    flow = offering.offer(GREETS)
    assert not offering.session(lambda client: client.call_tool(flow["slug"], {"name": "a"})).is_error
    task = started(offering, flow, name="a")
    with pytest.raises(MCPError, match="tasks extension"):
        offering.session(lambda client: ask(client, "tasks/get", task))


def filled_in(
    offering: Offering, answer: types.ElicitResult, tool: str, token: str = "", era: str = ERAS[1]
) -> tuple[Any, list[Any]]:
    """(the result of a call by a client whose user answers so, what its user was asked)."""
    requests: list[Any] = []

    async def user(context: Any, params: Any) -> types.ElicitResult:
        requests.append(params)
        return answer

    result = offering.session(lambda client: client.call_tool(tool, {}), era, token, elicitation_callback=user)
    return result, requests


@pytest.mark.parametrize("era", ERAS)
def test_without_tasks_too_a_form_is_filled_in_by_the_clients_member(offering: Offering, era: str) -> None:
    flow = offering.offer(FORM)
    yes = types.ElicitResult(action="accept", content={"name": "Cleo"})
    result, requests = filled_in(offering, yes, flow["slug"], era=era)
    assert [(params.mode, params.message) for params in requests] == [("form", "Who?\nSay a name")]
    assert result.structured_content == {"text": "Hello Cleo"}
    (run,) = offering.ask("GET", f"/api/runs?workflow={flow['id']}")["results"]
    assert run["state"] == "SUCCESS"


@pytest.mark.parametrize("era", [*besides(ERAS[0]), ERAS[1]])
def test_a_form_that_is_put_off_waits_in_the_inbox(offering: Offering, era: str) -> None:
    later = types.ElicitResult(action="cancel")
    result, requests = filled_in(offering, later, offering.offer(FORM)["slug"], era=era)
    assert len(requests) == 1
    assert not result.is_error
    assert result.structured_content["state"] == "WAITING"
    assert len(result.structured_content["answer_at"]) == 1


@pytest.mark.parametrize("era", ERAS)
def test_a_token_that_may_not_answer_is_given_the_link(offering: Offering, era: str) -> None:
    token = offering.restricted(scopes=["read", "run"])
    yes = types.ElicitResult(action="accept", content={"name": "Cleo"})
    result, requests = filled_in(offering, yes, offering.offer(FORM)["slug"], token, era)
    assert requests == []
    assert len(result.structured_content["answer_at"]) == 1


@pytest.mark.parametrize("era", ERAS)
def test_an_approval_is_a_link_in_the_client(offering: Offering, era: str) -> None:
    yes = types.ElicitResult(action="accept")
    result, requests = filled_in(offering, yes, offering.offer(ASKS)["slug"], era=era)
    (link,) = result.structured_content["answer_at"]
    assert [(params.mode, params.url) for params in requests] == [("url", link)]
    (question,) = offering.ask("GET", f"/api/interactions?run={result.structured_content['run']}")["results"]
    assert question["state"] == "open"


@pytest.mark.parametrize("state", ["run_01nosuch", "'; --", ""])
def test_a_state_of_others_goes_on_with_nothing(offering: Offering, state: str) -> None:
    flow, other = offering.offer(GREETS), offering.offer(FORM)
    task = started(offering, other)
    for key in (state, task):  # also one of another tool
        with pytest.raises(MCPError, match="requestState"):
            offering.session(
                lambda client: client.session.call_tool(
                    flow["slug"],
                    {},
                    request_state=key,  # noqa: B023 - called within this round
                    input_responses={},
                    allow_input_required=True,
                )
            )
