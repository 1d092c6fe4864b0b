"""Runs that wait since an earlier day go on: nothing they did is asked again, every record is found to be its own."""

from __future__ import annotations

from tests.unit.agents.journals import agent_scene, planner_scene, recorded
from tests.unit.agents.planner_run import message, yes
from tests.unit.engine.engine_run import answer


async def test_an_agent_of_before_goes_on() -> None:
    engine_run, model, tools = agent_scene()
    engine_run.disk = recorded("agent")
    engine_run.open().deliver(answer(engine_run.question().interaction, "accept", values={"to": "eve"}))
    assert (await engine_run.segment.run()).state == "SUCCESS"
    assert tools.calls == [("send", {"to": "eve"})]
    assert len(model.requests) == 1  # the last round; those before stand in the journal
    results = [message["content"] for message in model.requests[0].messages if message["role"] == "tool"]
    assert results == ["three files", "sent"]  # told as on the day it began


async def test_a_planner_of_before_goes_on() -> None:
    stage = planner_scene()
    stage.engine_run.disk = recorded("planner")
    stage.engine_run.open().deliver(message(stage.engine_run.question().interaction, yes()))
    assert (await stage.engine_run.segment.run()).state == "SUCCESS"
    assert stage.tools.calls == [("wipe", {})]
    assert stage.brain.asked == ["next_step", "summary"]
