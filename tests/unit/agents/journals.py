"""Journals of runs that wait, as JSON: recorded with the code of an earlier day, played on with that of today.

`python -m tests.unit.agents.journals` records them anew; that is done only for another shape of the scenes below, with
the code of the day that is to be kept.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from backend.engine.execution.ports import Entry
from backend.engine.testing import Disk
from backend.llm.testing import ScriptedModel, wants
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource
from backend.tools.types import Question, Risk, ToolSpec
from tests.unit.agents.planner_run import READ, WIPE, Brain, Stage, spec
from tests.unit.engine.engine_run import EngineRun, flow

RECORDED = Path(__file__).parent / "recorded"
Json = Any


def agent_scene() -> tuple[EngineRun, ScriptedModel, ScriptedToolSource]:
    """An agent that has looked and now waits for a person's word on what it sends."""
    specs = [ToolSpec("kb", "look", annotations=READ), ToolSpec("kb", "send")]
    tools = ScriptedToolSource("kb", specs=specs, look=["three files"], send=["sent"])
    model = ScriptedModel(wants(("look", {})), wants(("send", {"to": "bob"})), "Done.")
    about = {"provider": "llm", "model": "m", "query": "Tell Bob.", "tools": {"servers": [{"server": "kb"}]}}
    source = GatedToolSource(tools, PolicyTable())
    return EngineRun(flow("start -> a", a=("agent", about)), {}, {"kb": source}, models={"llm": model}), model, tools


def planner_scene() -> Stage:
    """A planner of MEDIUM risk that runs without asking, and waits for a person's word on its second step."""
    look, wipe = spec("look", annotations=READ), spec("wipe", annotations=WIPE)
    plan = [("box__look", "Look around."), ("box__wipe", "Wipe it.")]
    brain = Brain(plan, risk=("MEDIUM", "it changes files"))
    return Stage(brain, [look, wipe], {"look": ["three files"], "wipe": ["wiped"]}, auto=True)


def recorded(name: str) -> Disk:
    """What is on the disk of a recorded run."""
    lines = [_entry(stored) for stored in json.loads((RECORDED / f"{name}.json").read_text())]
    return Disk(lines=lines, fence=1, last_seq=max(line.seq for line in lines))


def _entry(stored: Json) -> Entry:
    question = stored["question"]
    if question is not None:
        risk = question["risk"]
        question = Question(**{**question, "risk": Risk(**risk) if risk else None})
    path = tuple((node, index) for node, index in stored["path"])
    return Entry(**{**stored, "question": question, "path": path})


async def _record() -> None:
    engine_run, _, _ = agent_scene()
    stage = planner_scene()
    for name, value in (("agent", engine_run), ("planner", stage.engine_run)):
        end = await value.run()
        assert end.state == "WAITING", end
        lines = [asdict(line) for line in value.disk.lines]
        (RECORDED / f"{name}.json").write_text(json.dumps(lines, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    asyncio.run(_record())
