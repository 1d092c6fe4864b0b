"""The code node: a function on values, what it printed, and how it fails."""

from __future__ import annotations

from typing import Any

from backend.errors import CodeError
from tests.unit.engine.engine_run import EngineRun, flow, played


def code(source: str, inputs: Any = None, **more: Any) -> Any:
    return ("code", {"source": source, "inputs": inputs or {}}, more)


DOUBLE = "def main(n):\n    print('n is', n, '{{ start.n }}')\n    return {'twice': 2 * n}"


async def ended(source: str, inputs: Any = None, body: Any = None, **more: Any) -> EngineRun:
    engine_run = played(
        flow("start -> c -> fin", c=code(source, inputs, **more), fin=("end", {"outputs": {"c": "{{ c }}"}})), body
    )
    await engine_run.run()
    return engine_run


async def test_main_is_called_with_values_and_its_dict_is_the_output() -> None:
    engine_run = await ended(DOUBLE, {"n": "{{ start.n }}"}, {"n": 21})
    assert engine_run.output("c") == {"twice": 42, "stdout": "n is 21 {{ start.n }}\n"}
    assert engine_run.types_of("c") == ["STEP_INIT", "STEP_INPUT", "STEP_LOG", "STEP_OUTPUT"]
    (log,) = [line for line in engine_run.events if line.type == "STEP_LOG"]
    assert log.data == {"level": "info", "text": "n is 21 {{ start.n }}\n"}


async def test_what_it_printed_is_there_when_it_fails_and_the_error_has_its_line() -> None:
    engine_run = await ended("def main():\n    print('so far')\n    import requests")
    assert engine_run.types_of("c") == ["STEP_INIT", "STEP_INPUT", "STEP_LOG", "STEP_ERROR"]
    error = engine_run.last("c").data
    assert error["code"] == "CODE_ERROR"
    assert {**error["params"], "error": ""} == {"reason": "module", "line": 3, "module": "requests", "error": ""}
    message, hint = CodeError(params=error["params"]).text("en")
    assert message == "Line 3: there is no module requests here." and "patchbay.tools" in hint


async def test_a_failure_is_handled_as_its_node_says() -> None:
    engine_run = await ended("def main():\n    return {'x': 1 / 0}", on_error="continue", retry={"max": 1})
    assert [line.type for line in engine_run.events if line.node == "c"].count("STEP_RETRY") == 1
    assert engine_run.last("c").data["params"]["error"] == "ZeroDivisionError: division by zero"


async def test_a_bound_is_named_in_the_sentence() -> None:
    error = (await ended("def main():\n    return {'x': 'x' * 2 * 1024 * 1024}")).last("c").data
    assert CodeError(params=error["params"]).text("en")[0] == "main returned more than 1 MB."


async def test_inputs_that_are_no_object_are_named() -> None:
    error = (await ended(DOUBLE, "{{ start.n }}", {"n": 3})).last("c").data
    assert error["code"] == "VALIDATION_ERROR" and error["params"]["field"] == "inputs"


async def test_its_own_stdout_stands() -> None:
    assert (await ended("def main():\n    print('x')\n    return {'stdout': 1}")).output("c") == {"stdout": 1}
