"""Values that are read when somebody comes to them: what rendering sees, and one that cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from backend.engine.execution.frame import Scope
from backend.engine.execution.ports import SegmentFault
from backend.engine.language.expressions import render
from backend.engine.language.later import NotHere, with_values, with_values_now
from backend.engine.testing import MemoryLater
from tests.unit.engine.engine_run import answer, flow, played


class Unreadable(MemoryLater):
    """Its disk is away."""

    async def read(self) -> Any:
        raise OSError("the disk is away")


def scope() -> Scope:
    return Scope({"a": MemoryLater({"x": [1, 2]}), "b": MemoryLater("text"), "loop": {"last": {"n": MemoryLater(5)}}})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ a.x[1] }}", 2),
        ("{{ a }}", {"x": [1, 2]}),
        ("{{ a.x }}{{ b }}{{ a.x[0] }}", "[1, 2]text1"),
        ("{{ a.none | default('no') }}", "no"),
        ("{{ b | length }}", 4),
        ("{{ loop.last.n }}", 5),
        ("{{ loop.last }}", {"n": 5}),
        ("{{ loop }}", {"last": {"n": 5}}),
    ],
)
async def test_an_expression_sees_the_value_itself(text: str, expected: Any) -> None:
    values = scope()
    with pytest.raises(NotHere):
        render(text, values)

    async def work() -> Any:
        return render(text, values)

    assert await with_values(work) == expected
    assert with_values_now(lambda: render(text, values)) == expected
    with pytest.raises(NotHere):
        render(text, values)  # nothing is held any longer


async def test_a_value_that_cannot_be_read_leaves_the_run_as_it_was() -> None:
    engine_run = played(
        flow(
            "start -> a -> ask:approved -> b",
            a=("template", {"template": "a"}),
            ask=("approval", {"title": "On?"}),
            b=("template", {"template": "{{ a.text }}b"}),
        )
    )
    assert (await engine_run.run()).state == "WAITING"
    segment = engine_run.open()
    assert (await segment.run()).state == "WAITING"
    segment.state.root.scope["a"] = Unreadable(None)
    with pytest.raises(SegmentFault) as caught:
        await engine_run.on(answer(engine_run.question().interaction))
    assert isinstance(caught.value.__cause__, OSError) and caught.value.entry.node == "b"
    await engine_run.journal.barrier()
    assert engine_run.types_of("b") == ["STEP_INIT"]
    assert (await engine_run.run()).state == "SUCCESS" and engine_run.output("b") == {"text": "ab"}
