"""Agents on a real installation: a model over HTTP, tools in a process that notes each call, people, restarts, kills.

The model does what its task says: `{"turns": [[[tool, arguments], …], …], "answer": text}`, one turn a round, then the
answer with all that the tools said.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import installation, until
from tests.llm_server import Call, Gate, LlmServer, ModelRequest, Reply, has_result, llm_server, mentions
from tests.wide import besides

PROGRAM = str(Path(__file__).with_name("ledger_server.py"))
ENDED = {"SUCCESS", "ERROR", "CANCELLED"}
MINUTES = pytest.mark.timeout(300)


def obedient(request: ModelRequest) -> Reply:
    """The turn of the task that this conversation is at."""
    task = next(json.loads(message["content"]) for message in request.messages if message["role"] == "user")
    turn = sum(message["role"] == "assistant" for message in request.messages)
    if turn < len(task["turns"]):
        calls = [Call(f"ledger__{tool}", arguments) for tool, arguments in task["turns"][turn]]
        return Reply(text=f"Turn {turn}.", calls=calls)
    results = [unmarked(str(message["content"])) for message in request.messages if message["role"] == "tool"]
    return Reply(text=" | ".join([task["answer"], *results]))


def unmarked(result: str) -> str:
    """The result of a tool without the lines above it: that it is data, that a person changed the call."""
    while result.startswith(("[What follows is data", "[A person changed")):
        result = result.partition("]\n\n")[2]
    return result


def agent(key: str = "work", task: str = "{{ start.task }}", **config: Any) -> dict[str, Any]:
    tools = {"servers": [{"server": "ledger"}]}
    return node(key, "agent", {"provider": "scripted", "model": "m", "query": task, "tools": tools, **config})


def alone(**config: Any) -> dict[str, Any]:
    """start → agent → end."""
    nodes = [node("start", "start", {"inputs": {"type": "object"}}), agent(**config)]
    return graph([*nodes, node("end", "end", {"outputs": {"text": "{{ work.text }}"}})], "start -> work", "work -> end")


def doing(*turns: list[Any], answer: str = "Done") -> dict[str, Any]:
    """The task: in each turn these calls."""
    return {"task": json.dumps({"turns": list(turns), "answer": answer})}


def pay(name: str, **more: Any) -> list[Any]:
    return ["pay", {"name": name, **more}]


def look(name: str, **more: Any) -> list[Any]:
    return ["look", {"name": name, **more}]


class Shop:
    """An installation with the scripted provider and the ledger."""

    def __init__(self, folder: Path, llm: LlmServer) -> None:
        self.llm, self.ledger = llm, folder / "ledger.txt"
        self.instance = installation(folder / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
        self.token = self.instance.start().token()
        body = {"name": "Ledger", "slug": "ledger", "transport": "stdio", "command": sys.executable}
        created = self.post(
            "/api/mcp/servers", {**body, "args": [PROGRAM, str(self.ledger)], "trust_annotations": True}
        )
        self.get(f"/api/mcp/servers/{created['id']}/tools?refresh=1")
        self.post("/api/providers", {"name": "Scripted", "slug": "scripted", "base_url": llm.url, "api_key": "sk-1"})
        self.names = 0

    def request(self, method: str, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
        return self.instance.request(method, path, body, token or self.token)

    def post(self, path: str, body: Any = None) -> Any:
        status, answer = self.request("POST", path, body or {})
        assert status < 300, (path, status, answer)
        return answer

    def get(self, path: str) -> Any:
        status, answer = self.request("GET", path)
        assert status == 200, (path, status, answer)
        return answer

    def name(self) -> str:
        """A name for a call that no other test uses."""
        self.names += 1
        return f"n{self.names}"

    def workflow(self, document: dict[str, Any]) -> str:
        return str(self.post("/api/workflows", {"name": self.name(), "graph": document})["id"])

    def start(self, workflow: str, inputs: dict[str, Any]) -> str:
        return str(self.post(f"/api/workflows/{workflow}/runs", {"version": "draft", "inputs": inputs})["id"])

    def run(self, inputs: dict[str, Any], document: dict[str, Any] | None = None) -> str:
        return self.start(self.workflow(document or alone()), inputs)

    def open(self, run: str) -> list[Any]:
        return list(self.get(f"/api/interactions?state=open&run={run}")["results"])

    def question(self, run: str) -> Any:
        return until(lambda: self.open(run))[0]

    def answer(self, question: Any, action: str = "accept", **more: Any) -> tuple[int, Any]:
        return self.request("POST", f"/api/interactions/{question['id']}/answer", {"action": action, **more})

    def agree(self, run: str, **more: Any) -> Any:
        question = self.question(run)
        status, answer = self.answer(question, **more)
        assert status == 200, answer
        return question

    def ended(self, run: str, state: str = "SUCCESS") -> Any:
        result = until(lambda: (one := self.get(f"/api/runs/{run}"))["state"] in ENDED and one, 30)
        assert result["state"] == state, result["error"]
        return result

    def text(self, run: str) -> str:
        return str(self.ended(run)["outputs"]["text"])

    def events(self, run: str, type_: str = "") -> list[Any]:
        result = self.get(f"/api/runs/{run}/events")["results"]
        assert [item["seq"] for item in result] == list(range(1, len(result) + 1))
        return [item for item in result if type_ in ("", item["type"])]

    def calls(self) -> Counter[str]:
        return Counter(self.ledger.read_text().splitlines() if self.ledger.exists() else [])

    def requests_about(self, name: str) -> int:
        """How often the model was asked in conversations about this name."""
        return sum(name in item.text for item in self.llm.requests)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with llm_server() as llm:
        llm.otherwise = obedient
        shop = Shop(tmp_path_factory.mktemp("shop"), llm)
        try:
            yield shop
        finally:
            shop.instance.kill()


# -- approvals, one by one -------------------------------------------------------------------------------------------


@MINUTES
def test_at_the_very_start_with_changed_arguments(shop: Shop) -> None:
    wished, real = shop.name(), shop.name()
    run = shop.run(doing([pay(wished)]))
    question = shop.agree(run, values={"name": real})
    assert (question["kind"], question["node"], question["proposal"]) == ("approval", "work", {"name": wished})
    assert question["risk"]["level"] == "MEDIUM" and question["risk"]["reasons"]
    assert shop.text(run) == f"Done | write {real}"
    assert (shop.calls()[f"write {wished}"], shop.calls()[f"write {real}"]) == (0, 1)
    [request] = shop.events(run, "TOOL_REQUEST")
    assert request["data"]["arguments"] == {"name": real}


@pytest.mark.wide
@MINUTES
def test_in_a_branch(shop: Shop) -> None:
    name = shop.name()
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("choose", "if", {"conditions": [{"left": "{{ start.yes }}", "op": "is_true"}]}),
            agent(),
            node("other", "template", {"template": "not this way"}),
            node("end", "end", {"outputs": {"text": "{{ work.text }}{{ other.text }}"}}),
        ],
        "start -> choose",
        "choose:true -> work",
        "choose:false -> other",
        "work -> end",
        "other -> end",
    )
    run = shop.run({**doing([pay(name)]), "yes": True}, document)
    shop.agree(run)
    assert shop.text(run) == f"Done | write {name}"


@MINUTES
def test_beside_a_parallel_branch_that_goes_on(shop: Shop) -> None:
    name, beside = shop.name(), shop.name()
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            agent(),
            node("look", "tool", {"server": "ledger", "tool": "look", "arguments": {"name": beside, "seconds": 0.1}}),
            node("after", "template", {"template": "[{{ look.result }}]"}),
            node("end", "end", {"outputs": {"text": "{{ work.text }} {{ after.text }}"}}),
        ],
        "start -> work",
        "start -> look",
        "look -> after",
        "work -> end",
        "after -> end",
    )
    run = shop.run(doing([pay(name)]), document)
    question = shop.question(run)
    until(lambda: any(event["node"] == "after" for event in shop.events(run, "STEP_OUTPUT")))
    until(lambda: shop.get(f"/api/runs/{run}")["state"] == "WAITING")
    assert shop.get(f"/api/runs/{run}")["waiting"] == [{"kind": "person", "interaction": question["id"]}]
    shop.agree(run)
    assert shop.text(run) == f"Done | write {name} [read {beside}]"
    assert shop.calls()[f"read {beside}"] == 1


@pytest.mark.wide
@MINUTES
def test_twice_in_a_row(shop: Shop) -> None:
    first, second = shop.name(), shop.name()
    run = shop.run(doing([pay(first)], [pay(second)]))
    one = shop.agree(run)
    two = until(lambda: [question for question in shop.open(run) if question["id"] != one["id"]])[0]
    assert two["proposal"] == {"name": second}
    shop.agree(run)
    assert shop.text(run) == f"Done | write {first} | write {second}"
    assert shop.requests_about(f"write {first}") == 2, "each round is asked once"


@pytest.mark.wide
@MINUTES
def test_beside_parallel_calls_in_flight(shop: Shop) -> None:
    before, name, after = shop.name(), shop.name(), shop.name()
    run = shop.run(doing([look(before, seconds=0.6), pay(name), look(after)]))
    until(lambda: shop.calls()[f"read {before}"] == 1)
    shop.agree(run)
    assert shop.text(run) == f"Done | read {before} | write {name} | read {after}"
    assert {shop.calls()[value] for value in (f"read {before}", f"write {name}", f"read {after}")} == {1}


@pytest.mark.wide
@MINUTES
def test_two_runs_of_one_workflow_are_asked_apart(shop: Shop) -> None:
    workflow, yes, no = shop.workflow(alone()), shop.name(), shop.name()
    runs = [shop.start(workflow, doing([pay(name)])) for name in (yes, no)]
    questions = [shop.question(run) for run in runs]
    assert [question["proposal"]["name"] for question in questions] == [yes, no]
    assert shop.answer(questions[1], "decline", reason="Too dear.")[0] == 200
    shop.agree(runs[0])
    assert shop.text(runs[0]) == f"Done | write {yes}"
    assert "Too dear." in shop.text(runs[1]), "the model reads why"
    assert (shop.calls()[f"write {yes}"], shop.calls()[f"write {no}"]) == (1, 0)


@MINUTES
def test_of_two_clicks_and_two_people_one_is_heard(shop: Shop) -> None:
    name = shop.name()
    other = shop.post("/api/tokens", {"name": "other"})["token"]
    run = shop.run(doing([pay(name)]))
    question = shop.question(run)
    path, together = f"/api/interactions/{question['id']}/answer", threading.Barrier(4)

    def click(token: str) -> tuple[int, Any]:
        together.wait()
        return shop.request("POST", path, {"action": "accept"}, token)

    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(click, [shop.token, shop.token, shop.token, other]))
    assert sorted(status for status, _ in texts) == [200, 403, 409, 409], "a new token answers no approval"
    assert {body["code"] for status, body in texts if status == 409} == {"ALREADY_ANSWERED"}
    assert shop.text(run) == f"Done | write {name}" and shop.calls()[f"write {name}"] == 1


# -- what is remembered, what runs by itself, what expires -----------------------------------------------------------


@MINUTES
@pytest.mark.parametrize(
    ("scope", "asked"),
    [
        *besides(("once", [True, True, True, True])),
        ("run", [True, False, True, True]),
        *besides(("tool", [True, False, False, False])),
    ],
)
def test_what_an_approval_is_remembered_for(shop: Shop, scope: str, asked: list[bool]) -> None:
    """Calls in turn: the first, another in its run, the same in the next run, and one with other arguments there."""
    names = [shop.name() for _ in range(3)]
    workflow = shop.workflow(alone())
    seen: list[bool] = []
    first = shop.start(workflow, doing([pay(names[0])], [pay(names[1])]))
    second: str | None = None
    for turn in range(4):
        if turn == 2:
            assert shop.ended(first)
            second = shop.start(workflow, doing([pay(names[0])], [pay(names[2])]))
        run = second or first
        count = 1 + turn % 2

        def decided(run: str = run, value: int = count) -> bool:
            return bool(shop.open(run)) or len(shop.events(run, "TOOL_REQUEST")) >= value

        until(decided)
        seen.append(bool(shop.open(run)))
        if seen[-1]:
            shop.agree(run, remember=scope if turn == 0 else "once")
            until(lambda: len(shop.events(run, "TOOL_RESPONSE")) >= count)  # noqa: B023 - called within this round
    assert seen == asked
    assert shop.ended(first) and shop.ended(second or "")
    if scope == "tool":
        elsewhere = shop.run(doing([pay(names[0])]))
        assert shop.question(elsewhere), "another workflow asks"


@pytest.mark.wide
@MINUTES
def test_exactly_these_arguments_are_remembered(shop: Shop) -> None:
    same, other = shop.name(), shop.name()
    workflow = shop.workflow(alone())
    first = shop.start(workflow, doing([pay(same)]))
    shop.agree(first, remember="arguments")
    shop.ended(first)
    again = shop.start(workflow, doing([pay(same)], [pay(other)]))
    assert shop.question(again)["proposal"] == {"name": other}
    assert shop.calls()[f"write {same}"] == 2
    shop.agree(again)
    shop.ended(again)


@MINUTES
@pytest.mark.parametrize("who", ["node", *besides("person")])
def test_auto_execute_asks_at_high_risk_only(shop: Shop, who: str) -> None:
    quiet, loud = shop.name(), shop.name()
    assert shop.request("PATCH", "/api/me", {"auto_execute": who == "person"})[0] == 200
    run = shop.run(doing([pay(quiet)], [["wipe", {"name": loud}]]), alone(auto_execute=who == "node"))
    question = shop.question(run)
    assert shop.request("PATCH", "/api/me", {"auto_execute": False})[0] == 200
    assert question["tool"]["name"] == "wipe" and question["risk"]["level"] == "HIGH"
    assert shop.calls()[f"write {quiet}"] == 1
    shop.answer(question, "decline", reason="No.")
    shop.ended(run)
    assert shop.calls()[f"wipe {loud}"] == 0


@pytest.mark.wide
@MINUTES
def test_questions_that_nobody_answers_expire(shop: Shop) -> None:
    names = {"decline": shop.name(), "fail": shop.name()}
    runs = {how: shop.run(doing([pay(name)]), alone(expires_s=0.2, on_expire=how)) for how, name in names.items()}
    for how, run in runs.items():
        question = until(lambda: shop.get(f"/api/interactions?run={run}")["results"])[0]  # noqa: B023 - called within this round
        assert question["expires_at"] and question["on_expire"] == how
    assert "expired" in shop.text(runs["decline"]), "the model reads why"
    assert shop.ended(runs["fail"], "ERROR")["error"]["code"] == "NODE_TIMEOUT"
    for how, run in runs.items():
        [late] = shop.get(f"/api/interactions?run={run}")["results"]
        assert late["state"] == "expired" and shop.answer(late)[0] == 409
        assert shop.calls()[f"write {names[how]}"] == 0


# -- a kill ----------------------------------------------------------------------------------------------------------

SAID = "It is all there and paid for."


@dataclass
class Killed:
    """What went on when the installation was killed: runs by what they were at, and the names of their calls."""

    runs: dict[str, str]
    names: dict[str, str]
    requests: dict[str, int]  # how often the model had been asked in each
    slug: str


@pytest.fixture(scope="module")
def killed(shop: Shop) -> Killed:
    """An agent between rounds, one inside a round, one in a write, one whose workflow waits; then SIGKILL, and on."""
    names = {at: shop.name() for at in ("between", "between_look", "inside", "writing", "below")}
    inputs = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    inner = graph(
        [
            node("start", "start", {"inputs": inputs}),
            node("ok", "approval", {"title": "Pay {{ start.name }}?"}),
            node("pay", "tool", {"server": "ledger", "tool": "pay", "arguments": {"name": "{{ start.name }}"}}),
            node("end", "end", {"outputs": {"paid": "{{ pay.result }}"}}),
        ],
        "start -> ok",
        "ok:approved -> pay",
        "pay -> end",
    )
    created = shop.post("/api/workflows", {"name": f"Paying {names['below']}", "graph": inner})
    shop.post(f"/api/workflows/{created['id']}/publish")
    slug = str(created["slug"])
    calls = [Call(f"workflow__{slug}", {"name": names["below"]})]
    shop.llm.reply(calls=calls, when=lambda asked: names["below"] in asked.text and len(asked.messages) == 1)
    shop.llm.reply(text="So it is paid.", when=lambda asked: names["below"] in asked.text and len(asked.messages) > 1)
    gate = Gate()
    shop.llm.reply(text=SAID, gate=gate, when=lambda asked: f"read {names['inside']}" in asked.text)

    runs = {
        "between": shop.run(doing([look(names["between_look"])], [pay(names["between"])])),
        "inside": shop.run(doing([look(names["inside"])], answer=SAID)),
        "writing": shop.run(doing([pay(names["writing"], seconds=60)])),
        "below": shop.run({"task": f"Pay {names['below']}."}, alone(tools={"servers": [], "workflows": [slug]})),
    }
    shop.question(runs["between"])
    shop.agree(runs["writing"])
    question = shop.agree(runs["below"])
    assert (question["tool"], question["risk"]["level"]) == ({"server": "workflow", "name": slug}, "MEDIUM")
    until(lambda: [item for item in shop.open(runs["below"]) if item["run"] != runs["below"]])
    for waiting in ("between", "below"):
        until(lambda: shop.get(f"/api/runs/{runs[waiting]}")["state"] == "WAITING")  # noqa: B023 - called within this round
    until(lambda: shop.calls()[f"write {names['writing']}"] == 1)
    gate.release(3)
    gate.wait_sent(3)
    until(lambda: any(event["data"]["call"] == "round:2" for event in shop.events(runs["inside"], "TEXT_ADD")))
    requests = {at: shop.requests_about(names[at]) for at in runs}
    shop.instance.kill()
    gate.open()
    shop.instance.start()
    return Killed(runs, names, requests, slug)


@MINUTES
def test_killed_between_rounds_neither_model_nor_tool_is_asked_again(shop: Shop, killed: Killed) -> None:
    run, seen, name = killed.runs["between"], killed.names["between_look"], killed.names["between"]
    assert shop.requests_about(name) == killed.requests["between"] == 2
    shop.agree(run)
    assert shop.text(run) == f"Done | read {seen} | write {name}"
    assert (shop.requests_about(name), shop.calls()[f"read {seen}"], shop.calls()[f"write {name}"]) == (3, 1, 1)
    usage = shop.get(f"/api/runs/{run}")["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["tool_calls"]) == (33, 21, 2)


@MINUTES
def test_killed_inside_a_round_only_the_model_is_asked_again(shop: Shop, killed: Killed) -> None:
    run, seen = killed.runs["inside"], killed.names["inside"]
    assert killed.requests["inside"] == 2
    assert shop.text(run) == f"{SAID} | read {seen}"
    assert (shop.requests_about(seen), shop.calls()[f"read {seen}"]) == (3, 1)
    text = ""
    for event in shop.events(run, "TEXT_ADD"):
        if event["data"]["call"] == "round:2":
            text = text[: event["data"]["offset"]] + event["data"]["text"]
    assert text == f"{SAID} | read {seen}", "what was streamed before the kill is not there twice"
    assert [event["data"]["call"] for event in shop.events(run, "LLM_RESPONSE")] == ["round:1", "round:2"]
    assert shop.get(f"/api/runs/{run}")["usage"]["input_tokens"] == 22


@MINUTES
def test_killed_in_a_write_of_an_agent_a_person_decides(shop: Shop, killed: Killed) -> None:
    run, name = killed.runs["writing"], killed.names["writing"]
    question = until(lambda: [item for item in shop.open(run) if item["kind"] == "recovery"])[0]
    assert shop.answer(question, "skip", values={"result": "It was paid."})[0] == 200
    assert shop.text(run) == "Done | It was paid." and shop.calls()[f"write {name}"] == 1


@MINUTES
def test_killed_while_a_workflow_that_is_a_tool_waits_for_a_person(shop: Shop, killed: Killed) -> None:
    run, name = killed.runs["below"], killed.names["below"]
    [question] = shop.open(run)
    assert (question["root_run"], question["workflow_name"]) == (run, f"Paying {name}")
    [child] = shop.get(f"/api/runs/{run}")["children"]
    assert (child["state"], child["id"]) == ("WAITING", question["run"])
    assert shop.get(f"/api/runs/{run}")["waiting"] == [{"kind": "child", "run": child["id"]}]
    assert shop.answer(question)[0] == 200
    assert shop.text(run) == "So it is paid."
    [request] = shop.events(run, "TOOL_REQUEST")
    [response] = shop.events(run, "TOOL_RESPONSE")
    assert (request["data"]["server"], request["data"]["run"]) == ("workflow", child["id"])
    assert response["data"]["structured"] == {"paid": f"write {name}"} and shop.calls()[f"write {name}"] == 1
    assert shop.get(f"/api/runs/{child['id']}")["parent_run"] == run
    assert shop.get(f"/api/runs/{run}")["usage"]["tool_calls"] == 2, "its own call and that of the run below it"


# -- budgets ---------------------------------------------------------------------------------------------------------


@MINUTES
def test_budgets_of_the_run_and_of_the_team_hold(shop: Shop) -> None:
    names = [shop.name() for _ in range(4)]
    task = doing(*[[look(name)] for name in names])
    document = {**alone(), "budgets": {"tokens": 30}}
    run = shop.run(task, document)
    shop.ended(run)
    [exceeded] = shop.events(run, "BUDGET_EXCEEDED")
    assert (exceeded["data"]["budget"], exceeded["data"]["limit"]) == ("tokens", 30)
    assert sum(shop.calls()[f"read {name}"] for name in names) == 2

    assert shop.request("PATCH", "/api/teams/current", {"budget": {"tokens_per_day": 1}})[0] == 200
    try:
        run = shop.run(task)
        assert shop.ended(run, "ERROR")["error"]["code"] == "BUDGET_EXCEEDED"
        assert sum(shop.calls()[f"read {name}"] for name in names) == 2, "nothing is begun where nothing is left"
    finally:
        shop.request("PATCH", "/api/teams/current", {"budget": {"tokens_per_day": None}})


# -- what could not be called ------------------------------------------------------------------------------------------


@pytest.mark.wide
def test_a_call_whose_server_went_away_before_it_began_stands_in_the_log(shop: Shop) -> None:
    name = shop.name()
    body = {"name": f"Fleeting {name}", "slug": f"fleeting-{name}", "transport": "stdio", "command": sys.executable}
    server = shop.post("/api/mcp/servers", {**body, "args": [PROGRAM, str(shop.ledger)], "trust_annotations": True})
    call = Call(f"fleeting-{name}__pay", {"name": name})
    shop.llm.reply(calls=[call], when=mentions(name))
    document = alone(query=name, tools={"servers": [{"server": f"fleeting-{name}"}]})
    shop.llm.reply(text="It cannot be paid now.", when=has_result("MCP_UNREACHABLE"))
    run = shop.run({"task": name}, document)
    question = shop.question(run)
    changed = {"command": str(shop.ledger.with_name("nothing"))}
    status, answer = shop.request("PATCH", f"/api/mcp/servers/{server['id']}", changed)
    assert status == 200, answer
    assert shop.answer(question)[0] == 200
    assert shop.text(run) == "It cannot be paid now." and not shop.calls()[f"write {name}"]
    assert shop.events(run, "TOOL_REQUEST") == [], "the call never began"
    (line,) = [event["data"] for event in shop.events(run, "STEP_LOG") if event["data"]["level"] == "warning"]
    assert f"fleeting-{name}__pay" in line["text"] and line["code"] == "MCP_UNREACHABLE"
