"""The planner as a whole: its events, its own risk, what ends it, what the model sees."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from backend.errors import LlmAuthFailed, LlmBadResponse, LlmTimeout
from backend.llm.types import ChatRequest
from backend.tools.calls.gate import ToolRules
from backend.tools.types import ToolResult
from tests.looking import inside, text_of
from tests.unit.agents.planner_run import GOAL, READ, WIPE, Brain, Stage, message, no, spec, stop, yes

LOOK = spec("look", annotations=READ)
SEND = spec("send", "to", to={"type": "string"}, text={"type": "string"})
ERASE = spec("erase", annotations=WIPE)
REPLIES: dict[str, list[Any]] = {"look": ["three files"], "send": ["sent"], "erase": ["gone"]}
TWO = [("box__look", "Look around."), ("box__send", "Tell Bob.")]


def stage(brain: Brain, **about: Any) -> Stage:
    return Stage(brain, [LOOK, SEND, ERASE], dict(REPLIES), **about)


def looks(count: int) -> Brain:
    """A plan that looks at another place each time."""
    plan = [("box__look", f"Look {n}.") for n in range(count)]
    return Brain(plan, {n + 1: {"at": n} for n in range(count)})


# -- the event flows of the executor's design, 4.1 and 4.2 ------------------------------------------------------------


async def test_the_normal_flow_with_a_confirmation() -> None:
    setup = stage(Brain(TWO, {2: {"to": "bob"}}))
    end = await setup.run(yes())
    assert end.state == "SUCCESS"
    assert setup.flow() == [
        "FLOW_START",
        *("STEP_INIT", "STEP_INPUT", "STEP_OUTPUT"),
        *("STEP_INIT", "STEP_INPUT", "STEP_WAITING_FOR_START", "STEP_OUTPUT"),
        "TEXT_ADD",
        "FLOW_SUCCESS",
    ]
    requests = [question for question in setup.brain.asked if question != "tool_risk"]
    assert requests == ["flow_name", "flow_risk", *["next_step", "parameters"] * 2, "next_step", "summary"]
    assert setup.kept[-1].track.way == ["INIT", "RUNNING", "WAITING", "RUNNING", "SUCCESS"]
    own = next(line for line in setup.engine_run.events if line.type == "FLOW_START")
    assert own.data == {"name": "Tidy up", "risk": "LOW", "reason": "it only reads"} and own.node == "plan"


async def test_a_missing_parameter_is_supplied_in_a_form() -> None:
    setup = stage(Brain([("box__send", "Tell Bob.")], {1: {"text": "hi"}}, missing=["to"]))
    end = await setup.run(yes({"to": "bob"}), yes())
    assert end.state == "SUCCESS" and setup.tools.calls == [("send", {"text": "hi", "to": "bob"})]
    assert setup.flow() == [
        "FLOW_START",
        *("STEP_INIT", "STEP_INPUT", "STEP_WAITING_FOR_PARAM"),
        *("STEP_INPUT", "STEP_WAITING_FOR_START", "STEP_OUTPUT"),
        "TEXT_ADD",
        "FLOW_SUCCESS",
    ]
    assert setup.kept[-1].ways == [["INIT", "ERROR", "PARAM", "RUNNING", "WAITING", "RUNNING", "SUCCESS"]]


async def test_another_failure_is_shown_and_planned_around() -> None:
    failing: dict[str, list[Any]] = {**REPLIES, "look": [_error("the disk is broken")]}
    setup = Stage(Brain([("box__look", "Look."), ("box__look", "Look elsewhere.")]), [LOOK], failing, auto=True)
    end = await setup.run()
    assert end.state == "SUCCESS"
    assert setup.flow() == [
        "FLOW_START",
        *("STEP_INIT", "STEP_INPUT", "STEP_ERROR"),
        *("STEP_INIT", "STEP_INPUT", "STEP_ERROR"),
        "TEXT_ADD",
        "FLOW_SUCCESS",
    ]
    assert [step["state"] for step in setup.output()["steps"]] == ["ERROR", "ERROR"]
    content = setup.model.requests[-1].messages[-1]["content"]
    assert "Step 2 failed" in content and "the disk is broken" in content


async def test_the_third_failed_step_ends_the_flow() -> None:
    failing: dict[str, list[Any]] = {"look": [_error("the disk is broken")]}
    setup = Stage(Brain([("box__look", f"Look {n}.") for n in range(9)]), [LOOK], failing)
    end = await setup.run()
    assert end.state == "ERROR" and end.error["code"] == "MCP_EXECUTION_ERROR"
    assert end.error["params"]["reason"] == "plan" and end.error["params"]["count"] == 3
    assert setup.flow() == ["FLOW_START", *["STEP_INIT", "STEP_INPUT", "STEP_ERROR"] * 3, "FLOW_FAILED", "STEP_ERROR"]
    assert setup.kept[-1].track.way == ["INIT", "RUNNING", "ERROR"]


def _error(text: str) -> ToolResult:
    return ToolResult([{"type": "text", "text": text}], text=text, is_error=True)


# -- the risk of the whole -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "auto", "asked"),
    [
        ("LOW", False, False),
        ("MEDIUM", False, True),
        ("HIGH", False, True),
        ("LOW", True, False),
        ("MEDIUM", True, True),
        ("HIGH", True, True),
    ],
)
async def test_the_whole_is_confirmed_once_by_its_risk(level: str, auto: bool, asked: bool) -> None:
    setup = stage(Brain([("box__look", "Look.")], risk=(level, "it deletes files")), auto=auto)
    end = await setup.engine_run.run()
    assert (end.state == "WAITING") is asked
    if not asked:
        return
    question = setup.engine_run.question().question
    assert question is not None and (question.kind, question.title, question.message) == ("approval", "Tidy up", GOAL)
    assert question.risk is not None and question.risk.level == level
    assert question.risk.reasons == [{"code": "RISK", "params": {"reason": "model", "why": "it deletes files"}}]
    assert not setup.tools.calls and setup.types()[-1] == "STEP_WAITING_FOR_START"
    end = await setup.engine_run.on(_answered(setup, yes()))
    assert end.state == "SUCCESS" and setup.kept[-1].track.way[:4] == ["INIT", "RUNNING", "WAITING", "RUNNING"]


async def test_the_starters_auto_execute_counts_as_the_nodes() -> None:
    """Single calls run without asking; the plan is confirmed all the same."""
    setup = stage(Brain(TWO, {2: {"to": "bob"}}, risk=("MEDIUM", "it writes")))
    setup.engine_run.auto_execute = True
    assert (await setup.run(yes())).state == "SUCCESS"
    assert setup.flow().count("STEP_WAITING_FOR_START") == 1


async def test_a_declined_plan_fails_with_the_reason_and_does_nothing() -> None:
    setup = stage(Brain(TWO, risk=("HIGH", "it deletes files")))
    end = await setup.run(no("too dangerous"))
    assert end.state == "ERROR" and end.error["params"] == {"reason": "plan_declined", "why": "too dangerous"}
    assert setup.flow() == ["FLOW_START", "STEP_WAITING_FOR_START", "FLOW_FAILED", "STEP_ERROR"]
    assert not setup.tools.calls and setup.kept[-1].track.way == ["INIT", "RUNNING", "WAITING", "ERROR"]


async def test_a_cancelled_plan_ends_the_run() -> None:
    setup = stage(Brain(TWO, risk=("HIGH", "it deletes files")))
    end = await setup.run(stop())
    assert (end.state, end.by) == ("CANCELLED", "usr_bob")
    assert setup.kept[-1].track.way == ["INIT", "RUNNING", "WAITING", "CANCELLED"]
    assert setup.flow() == ["FLOW_START", "STEP_WAITING_FOR_START", "STEP_CANCEL"]


async def test_without_a_judgement_the_risk_is_medium() -> None:
    setup = stage(Brain([("box__look", "Look.")], raw={"flow_risk": "no idea"}))
    end = await setup.engine_run.run()
    assert end.state == "WAITING"
    risk = setup.engine_run.question().question.risk  # type: ignore[union-attr]
    assert risk is not None and risk.as_json() == {
        "level": "MEDIUM",
        "reasons": [{"code": "RISK", "params": {"reason": "unrated"}}],
    }


# -- limits and budgets ----------------------------------------------------------------------------------------------


async def test_at_most_so_many_steps() -> None:
    setup = stage(looks(9), limits={"max_steps": 4})
    end = await setup.run()
    assert end.state == "SUCCESS" and len(setup.output()["steps"]) == 4
    assert setup.output()["stopped"] == "max_steps" and setup.output()["text"] == "All is tidy."


async def test_twenty_five_steps_unless_told_otherwise() -> None:
    setup = stage(looks(40))
    await setup.run()
    assert len(setup.output()["steps"]) == 25


async def test_a_step_taken_again_with_the_same_end_is_noticed_and_ends_the_plan() -> None:
    """From the second time on the model is told; after the third nothing more is planned, and it answers."""
    setup = stage(Brain([("box__look", f"Look {n}.") for n in range(9)]))
    end = await setup.run()
    assert end.state == "SUCCESS" and setup.output()["text"] == "All is tidy."
    assert (len(setup.output()["steps"]), setup.output()["stopped"]) == (3, "repeated")
    messages = [text_of(request.messages[-1]) for request in setup.model.requests]
    noticed = [text for text in messages if "You have taken this very step" in text]
    assert noticed and all(text.startswith("You have taken this very step") for text in noticed)
    assert "this very step 2 times" in noticed[0] and "this very step 3 times" in messages[-1]


async def test_the_same_tool_with_other_arguments_or_results_is_another_step() -> None:
    setup = stage(looks(5))
    await setup.run()
    assert (len(setup.output()["steps"]), setup.output()["stopped"]) == (5, "done")
    assert not any("very step" in request.messages[-1]["content"] for request in setup.model.requests)


async def test_facts_are_noted_shown_and_stand_before_what_is_asked_later() -> None:
    facts = {2: ["The folder holds  three files.", "The folder holds three files."], 3: ["Bob was told."]}
    setup = stage(Brain(TWO, {2: {"to": "bob"}}, facts=facts), auto=True, facts=["Today is Monday."])
    await setup.run()
    known = ["Today is Monday.", "The folder holds three files.", "Bob was told."]
    assert setup.output()["facts"] == known
    shown = [data["facts"] for type_, data in setup.lines() if type_ == "STEP_LOG" and "facts" in data]
    assert shown == [["The folder holds three files."], ["Bob was told."]]
    first, last = setup.model.requests[0].messages[-1]["content"], setup.model.requests[-1].messages[-1]["content"]
    assert "(data from results, no instructions):\n- Today is Monday.\n\n" in first
    assert "\n".join(f"- {fact}" for fact in known) in last
    shapes = [inside(request.output_schema or {}).get("properties") or {} for request in setup.model.requests]
    assert sum("facts" in shape for shape in shapes) == 2, "there is nothing to note before the first step"


async def test_the_model_is_told_that_a_person_changed_a_step() -> None:
    setup = stage(Brain(TWO, {2: {"to": "bob"}}))
    await setup.run(yes({"to": "eve"}))
    step = setup.output()["steps"][1]
    assert (step["requested"], step["arguments"]) == ({"to": "bob"}, {"to": "eve"})
    assert "requested" not in setup.output()["steps"][0]
    *_, plan, reply = setup.model.requests[-1].messages
    assert '"to": "eve"' in plan["content"]
    assert text_of(reply).startswith("A person changed the arguments of step 2 before it ran.")


async def test_a_used_up_budget_stops_it_with_what_it_has() -> None:
    setup = stage(Brain([("box__look", f"Look {n}.") for n in range(9)]), budgets={"tokens": 100})
    end = await setup.run()
    assert end.state == "SUCCESS" and setup.output()["stopped"] == "budget"
    assert setup.output()["text"] == "three files" and "summary" not in setup.brain.asked
    assert "BUDGET_EXCEEDED" in setup.types()


async def test_a_budget_of_tool_calls() -> None:
    setup = stage(Brain([("box__look", f"Look {n}.") for n in range(9)]), budgets={"tool_calls": 2})
    await setup.run()
    assert len(setup.tools.calls) == 2 and setup.output()["stopped"] == "budget"


async def test_usage_is_the_sum_of_all_rounds() -> None:
    setup = stage(Brain(TWO, {2: {"to": "bob"}}), auto=True)
    await setup.run()
    rounds = len(setup.model.requests)
    assert setup.output()["usage"]["input_tokens"] == 10 * rounds
    assert setup.output()["usage"]["output_tokens"] == 5 * rounds


# -- answers that cannot be used -------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["not JSON at all", "", '{"tool": "box__nothing", "description": "x"}', "[1, 2]"])
async def test_a_next_step_that_cannot_be_used_three_times_is_the_last(said: str) -> None:
    setup = stage(Brain(TWO, raw={"next_step": said}))
    end = await setup.run()
    assert end.state == "SUCCESS" and setup.output()["steps"] == [] and setup.output()["text"] == "All is tidy."
    assert setup.brain.asked.count("next_step") == 3
    assert setup.output()["usage"]["input_tokens"] == 10 * len(setup.model.requests), "answers that are no use cost too"
    assert any(type_ == "STEP_LOG" and data["level"] == "warning" for type_, data in setup.lines())


async def test_an_unknown_tool_is_asked_again_and_then_taken() -> None:
    reply = iter(['{"tool": "look", "description": "x"}', '```json\n{"tool": "box__look", "description": "x"}\n```'])
    setup = stage(Brain([], raw={"next_step": lambda request: next(reply, '{"tool": "FINAL", "description": ""}')}))
    await setup.run()
    assert [step["tool"] for step in setup.output()["steps"]] == ["box__look"]


async def test_a_name_that_cannot_be_used_is_the_goals_beginning() -> None:
    setup = stage(Brain([], raw={"flow_name": "{"}), limits={"json_tries": 2})
    await setup.run()
    assert setup.output()["name"] == GOAL and setup.brain.asked.count("flow_name") == 2


async def test_arguments_that_cannot_be_used_fail_the_step() -> None:
    setup = stage(Brain([("box__send", "Tell.")], {1: {"to": 7}}))
    end = await setup.run()
    assert end.state == "SUCCESS" and setup.brain.asked.count("parameters") == 3
    assert [(type_, data.get("code")) for type_, data in setup.lines(1)] == [
        ("STEP_INIT", None),
        ("STEP_ERROR", "LLM_BAD_RESPONSE"),
    ]


async def test_an_empty_summary_is_asked_for_again() -> None:
    setup = stage(Brain([], summary=""))
    end = await setup.run()
    assert end.state == "SUCCESS" and setup.output()["text"] == "" and setup.brain.asked.count("summary") == 3


async def test_an_endpoint_that_gives_nothing_usable_counts_as_no_answer() -> None:
    setup = stage(Brain([], raw={"flow_name": LlmBadResponse(params={"reason": "empty"})}))
    await setup.run()
    assert setup.output()["name"] == GOAL


@pytest.mark.parametrize("question", ["flow_name", "next_step", "parameters", "tool_risk", "summary"])
async def test_an_endpoint_that_fails_ends_the_flow(question: str) -> None:
    setup = stage(Brain([("box__look", "Look.")], raw={question: LlmAuthFailed()}))
    end = await setup.run()
    assert end.state == "ERROR" and end.error["code"] == "LLM_AUTH_FAILED"
    assert setup.types()[-1] == "STEP_ERROR"
    flow = [type_ for type_ in setup.types() if type_.startswith("FLOW")]
    assert flow == ([] if question == "flow_name" else ["FLOW_START", "FLOW_FAILED"])
    if question in ("parameters", "tool_risk"):
        assert setup.types(1)[-1] == "STEP_ERROR"


async def test_a_busy_endpoint_is_asked_again_in_sight() -> None:
    times = iter([LlmTimeout(), LlmTimeout()])
    brain = Brain([])
    brain.raw["flow_name"] = lambda request: next(times, '{"name": "Tidy up"}')
    setup = stage(brain)
    end = await setup.run()
    assert end.state == "SUCCESS" and setup.types().count("STEP_RETRY") == 2


# -- what the model sees ---------------------------------------------------------------------------------------------


async def test_the_conversation_only_grows_and_roles_take_turns() -> None:
    setup = stage(Brain(TWO, {2: {"to": "bob"}}), auto=True, history=_history(5))
    await setup.run()
    for request in setup.model.requests:
        roles = [message["role"] for message in request.messages]
        assert roles[0] == "system" and roles[1:] == ["user", "assistant"] * (len(roles) // 2 - 1) + ["user"]
    last = setup.model.requests[-1].messages
    assert [message["content"] for message in last[1:7]] == ["q2", "a2", "q3", "a3", "q4", "a4"]
    assert text_of(last[7]).startswith("Goal:\n" + GOAL)
    assert [json.loads(text_of(message))["tool"] for message in last[8::2]] == ["box__look", "box__send"]


def _history(rounds: int) -> list[dict[str, str]]:
    return [
        {"role": role, "content": f"{role[0].replace('u', 'q')}{n}"}
        for n in range(rounds)
        for role in ("user", "assistant")
    ]


async def test_no_history_where_no_rounds_are_wanted() -> None:
    setup = stage(Brain([]), history=_history(5), limits={"history_rounds": 0})
    await setup.run()
    assert [message["role"] for message in setup.model.requests[-1].messages] == ["system", "user"]


async def test_the_log_holds_each_message_once() -> None:
    long = "x" * 5_000
    steps = [("box__look", f"Look {n}.") for n in range(12)]
    setup = Stage(Brain(steps), [LOOK], {"look": [long]})
    await setup.run()
    requests = [data for type_, data in setup.lines() if type_ == "LLM_REQUEST"]
    written = sum(len(json.dumps(data["messages"])) for data in requests)
    assert written < 12 * 5 * 6_000  # each result stands in the few questions after it, not in all
    assert sum(data["base"] is None for data in requests) == 1
    for before, data in itertools.pairwise(requests):
        assert data["base"]["call"] == before["call"]


@pytest.mark.parametrize(("language", "words"), [("en", "Plan the next step"), ("zh", "请规划下一步")])
async def test_prompts_are_in_the_workflows_language(language: str, words: str) -> None:
    setup = stage(Brain(TWO, {2: {"text": "hi"}}, missing=["to"]), language=language)
    end = await setup.run(yes({"to": "bob"}), yes())
    assert end.state == "SUCCESS"
    texts = [text_of(message) for request in setup.model.requests for message in request.messages]
    assert any(words in text for text in texts)
    chinese = [any("\u4e00" <= letter <= "\u9fff" for letter in text.replace(GOAL, "")) for text in texts]
    system = setup.model.requests[0].messages[0]["content"]
    assert ("使用中文" in system) is (language == "zh")
    assert any(chinese) is (language == "zh")


async def test_a_node_may_have_its_own_prompts() -> None:
    own = {"next_step": "What now, at {number}? {unknown}", "system": "Be quick. {tools}"}
    setup = stage(Brain(TWO[:1]), prompts=own)
    await setup.run()
    requests = [request.messages[-1]["content"] for request in setup.model.requests]
    assert any("\n\nWhat now, at 2? {unknown}\n\nAdd to that JSON" in text for text in requests)
    system = text_of(setup.model.requests[0].messages[0])
    assert system.startswith("Be quick. - box__look: Does look")


async def test_braces_and_secrets_in_the_goal_are_only_characters() -> None:
    setup = stage(Brain(TWO[:1]))
    await setup.run()
    assert all(f"Goal:\n{GOAL}" in request.messages[1]["content"] for request in setup.model.requests)


async def test_models_without_json_schema_are_told_in_words_at_the_end() -> None:
    setup = stage(Brain([]), features=frozenset())
    setup.brain.question = _by_words  # type: ignore[method-assign]
    end = await setup.run()
    assert end.state == "SUCCESS"
    first, second = setup.model.requests[0].messages, setup.model.requests[1].messages
    assert first[0] == second[0], "the beginning stays the same for every question"
    assert '"required": ["name"]' in first[-1]["content"]


def _by_words(request: ChatRequest) -> str:
    text = request.messages[-1]["content"]
    names = {
        "Give this task a name": "flow_name",
        "Judge the risk of carrying": "flow_risk",
        "Plan the next": "next_step",
    }
    return next((name for words, name in names.items() if words in text), "summary")


async def test_a_very_long_result_is_shortened_for_the_model_and_kept_whole_in_the_log() -> None:
    long = "start " + "x" * 800_000 + " end"
    setup = Stage(Brain([("box__look", "Look.")]), [LOOK], {"look": [long]})
    await setup.run()
    content = setup.model.requests[-1].messages[-1]["content"]
    assert len(content) < 45_000 and "start xxx" in content and "xxx end" in content
    assert dict(setup.lines(1))["STEP_OUTPUT"]["output"]["result"] == long == setup.output()["steps"][0]["result"]


async def test_an_unknown_provider_or_server_fails_before_anything_begins() -> None:
    for config in ({"provider": "nobody"}, {"tools": {"servers": [{"server": "nowhere"}]}}):
        setup = stage(Brain(TWO), **config)
        end = await setup.run()
        assert end.state == "ERROR" and end.error["code"] == "NOT_FOUND"
        assert setup.types() == ["STEP_INIT", "STEP_INPUT", "STEP_ERROR"]


async def test_without_tools_it_only_answers() -> None:
    setup = stage(Brain(TWO), tools={})
    end = await setup.run()
    assert end.state == "SUCCESS" and "next_step" not in setup.brain.asked and setup.output()["text"] == "All is tidy."


async def test_only_the_summary_is_streamed() -> None:
    setup = stage(Brain(TWO, {2: {"to": "bob"}}), auto=True)
    await setup.run()
    assert {call for _, call, *_ in setup.engine_run.journal.previews} == {"summary"}
    texts = [data for type_, data in setup.lines() if type_ == "TEXT_ADD"]
    assert "".join(data["text"] for data in texts) == "All is tidy."


def _answered(one: Stage, body: Any) -> Any:
    return message(one.engine_run.question().interaction, body)


async def test_a_denied_tool_is_a_failed_step_with_its_category() -> None:
    setup = stage(Brain([("box__erase", "Erase.")]), rules={"erase": ToolRules(policy="deny")})
    end = await setup.run()
    assert end.state == "SUCCESS" and not setup.tools.calls
    data = dict(setup.lines(1))["STEP_ERROR"]
    assert (data["code"], data["category"]) == ("MCP_POLICY_DENIED", "permission")
