"""Runs that wait since an earlier day go on: nothing they did is asked again, every record is found to be its own."""

from __future__ import annotations

from tests.unit.agents.journals import agent_scene, planner_scene, recorded
from tests.unit.agents.planner_play import message, yes
from tests.unit.engine.play import answer


async def test_an_agent_of_before_goes_on() -> None:
    play, model, tools = agent_scene()
    play.disk = recorded("agent")
    play.open().deliver(answer(play.question().interaction, "accept", values={"to": "eve"}))
    assert (await play.segment.run()).state == "SUCCESS"
    assert tools.calls == [("send", {"to": "eve"})]
    assert len(model.requests) == 1  # the last round; those before stand in the journal
    results = [message["content"] for message in model.requests[0].messages if message["role"] == "tool"]
    assert results == ["three files", "sent"]  # told as on the day it began


async def test_a_planner_of_before_goes_on() -> None:
    stage = planner_scene()
    stage.play.disk = recorded("planner")
    stage.play.open().deliver(message(stage.play.question().interaction, yes()))
    assert (await stage.play.segment.run()).state == "SUCCESS"
    assert stage.tools.calls == [("wipe", {})]
    assert stage.brain.asked == ["next_step", "summary"]
