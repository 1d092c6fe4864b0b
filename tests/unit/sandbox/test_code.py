"""Python in the sandbox: what it may do, what ends it, and what nobody reaches from within."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from backend.sandbox import code
from backend.sandbox.code import CodeAnswer, run_code
from backend.sandbox.pool import Pool
from backend.workflows.code_modules import SANDBOX
from tests.looking import inside


@pytest.fixture(autouse=True)
def own_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    pool = Pool(code.WORKERS, programs=(code.INTERPRETER,))
    monkeypatch.setattr(code, "_POOL", pool)
    yield pool
    pool.close()


def below() -> list[psutil.Process]:
    return list(psutil.Process(os.getpid()).children(recursive=True))


async def run(source: str, **inputs: Any) -> CodeAnswer:
    return await run_code(source, inputs, seed="seed", now=1_700_000_000.5)


async def failed(source: str, **inputs: Any) -> tuple[str, int | None, str]:
    answer = await run(source, **inputs)
    assert "failed" in answer, answer
    failure = answer["failed"]
    return failure["reason"], failure["line"], failure["error"]


async def test_main_gets_the_inputs_by_name_and_returns_the_outputs() -> None:
    answer = await run(
        "def main(a, b=2, **more):\n    print('hi', a)\n    return {'sum': a + b, 'more': more}", a=1, c="é"
    )
    assert answer == {"outputs": {"sum": 3, "more": {"c": "é"}}, "stdout": "hi 1\n"}


async def test_values_are_those_of_json() -> None:
    deep: Any = []
    for _ in range(150):
        deep = [deep]
    value = {"n": None, "yes": True, "big": 2**70, "f": 0.5, "t": '\U0001f600"\\', "list": [1, [2]], "deep": deep}
    assert (await run("def main(v):\n    return {'v': v, 't': (1, 2), 3: 4}", v=value))["outputs"] == {
        "v": value,
        "t": [1, 2],
        "3": 4,
    }


async def test_the_modules_that_an_import_does_not_complain_about_are_there() -> None:
    refused = {}
    for module in sorted(SANDBOX):
        line = "from __future__ import annotations" if module == "__future__" else f"import {module}"
        answer = await run(f"{line}\ndef main():\n    return {{}}")
        if "outputs" not in answer:
            refused[module] = answer
    assert refused == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_docs_name_the_modules_that_are_there(language: str) -> None:
    text = (Path(__file__).parents[3] / "docs" / language / "workflows.md").read_text(encoding="utf-8")
    [named] = re.findall(r"`asyncio`[\s`a-z0-9]+`unicodedata`", text)
    assert set(re.findall(r"[a-z0-9]+", named)) == SANDBOX - {"__future__"}


@pytest.mark.parametrize("module", ["requests", "socket", "subprocess", "ctypes", "urllib.request", "backend.project"])
async def test_other_modules_are_named_with_their_line(module: str) -> None:
    answer = await run(f"import json\n\ndef main():\n    import {module}\n    return {{}}")
    assert answer["failed"]["reason"] == "module" and answer["failed"]["line"] == 4
    assert module.startswith(answer["failed"]["module"])


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def main():\n    return {'t': open('/etc/passwd').read()}", 2),
        ("from pathlib import Path\ndef main():\n    return {'t': Path('/etc/passwd').read_text()}", 3),
        ("import os\ndef main():\n    return {'t': os.listdir('/')}", 3),
        ("def main():\n    open('/tmp/patchbay-was-here', 'w').write('x')\n    return {}", 2),
    ],
)
async def test_there_are_no_files(source: str, line: int) -> None:
    assert (await failed(source))[:2] == ("raised", line)


async def test_there_is_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATCHBAY_TEST_SECRET", "s3cret")
    answer = await run(
        "import os\ndef main():\n    return {'v': os.getenv('PATCHBAY_TEST_SECRET'), 'all': dict(os.environ)}"
    )
    assert "s3cret" not in str(answer)


async def test_a_class_of_python_leads_nowhere() -> None:
    for source in (
        "def main():\n    return {'c': str(().__class__.__bases__[0].__subclasses__())}",
        "def main():\n    return {'c': str(main.__globals__)}",
        "def main():\n    return {'c': __import__('os').system('id')}",
        "def main():\n    return {'c': str(json.__loader__)}",
    ):
        assert (await failed(source))[0] == "raised"


async def test_code_that_spins_ends() -> None:
    assert (await failed("def main():\n    while True:\n        pass"))[0] == "time"
    assert (await run("def main():\n    return {}"))["outputs"] == {}


async def test_time_stands_still_and_chance_is_given() -> None:
    source = (
        "import time, random\nfrom datetime import datetime, date\ndef main():\n    time.sleep(3600)\n"
        "    return {'t': time.time(), 'd': str(datetime.now()), 'r': random.random()}"
    )
    first = (await run(source))["outputs"]
    assert (first["t"], first["d"]) == (1_700_000_000.5, "2023-11-14 22:13:20.500000")
    assert (await run(source))["outputs"] == first
    assert (await run_code(source, {}, seed="other", now=1_700_000_000.5))["outputs"] != first


async def test_code_that_allocates_ends() -> None:
    for source in (
        "def main():\n    x = []\n    while True:\n        x.append('x' * 100000)",
        "def main():\n    return {'x': 'x' * 10**9}",
        "def main():\n    return {'x': 2 ** (10 ** 8)}",
        "x = [0] * 10**9\ndef main():\n    return {}",
    ):
        assert (await failed(source))[0] == "memory"


async def test_code_that_recurses_ends() -> None:
    reason, line, error = await failed("def main():\n    return main()")
    assert (reason, line) == ("raised", 2) and "RecursionError" in error


async def test_what_prints_without_end_is_kept_to_64_kb() -> None:
    answer = await run("def main():\n    for _ in range(1000):\n        print('x' * 1000)\n    return {'done': True}")
    assert answer["outputs"] == {"done": True}
    assert answer["stdout"].startswith("x" * 1000) and 64 * 1024 <= len(answer["stdout"]) < 65 * 1024 + 100
    printed = await run("def main():\n    while True:\n        print('x' * 100000)")
    assert printed["failed"]["reason"] == "time" and len(printed["stdout"]) < 66 * 1024


async def test_a_result_has_one_megabyte() -> None:
    assert len(inside(await run("def main():\n    return {'x': 'é' * 500000}"))["outputs"]["x"]) == 500000
    assert (await failed("def main():\n    return {'x': 'é' * 600000}"))[0] == "result_too_large"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1", ("no_main", None)),
        ("def main():\n    return [1]", ("not_object", None)),
        ("def main():\n    pass", ("not_object", None)),
        ("def main(a):\n    return {}", ("call", None)),
        ("def main():\n    return {'x': {1, 2}}", ("call", None)),
        ("def main():\n    return {'x': main}", ("call", None)),
        ("def main():\n    x = [1\n    return {}", ("syntax", 2)),
        ("def main():\n    yield 1", ("syntax", 2)),
        ("def main():\n    return {'x': 1 / 0}", ("raised", 2)),
        ("def main():\n    f()\ndef f():\n    raise ValueError('a {{b}}')", ("raised", 4)),
        ("y = undefined\ndef main():\n    return {}", ("raised", 1)),
    ],
)
async def test_a_failure_says_where_and_what(source: str, expected: tuple[str, int | None]) -> None:
    reason, line, _ = await failed(source)
    assert (reason, line) == expected or (reason == "syntax" and expected[0] == "syntax")


async def test_nothing_of_one_call_is_there_in_the_next() -> None:
    await run("import json\nsecret = 's3cret'\ndef main():\n    return {}")
    assert "NameError" in (await failed("def main():\n    return {'s': secret}"))[2]


async def until_one_works(before: set[int]) -> psutil.Process:
    while True:
        for process in below():
            if process.pid not in before and process.name().startswith("monty"):
                return process
        await asyncio.sleep(0.01)


SPIN = "def main():\n    while True:\n        pass"


async def test_a_cancel_ends_the_process() -> None:
    call = asyncio.create_task(run(SPIN))
    process = await until_one_works(set())
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    _, alive = psutil.wait_procs([process], timeout=10)
    assert not alive


async def test_a_call_whose_process_is_killed_is_made_once_more() -> None:
    call = asyncio.create_task(run(SPIN))
    process = await until_one_works(set())
    parent = process.parent()
    assert parent is not None
    parent.kill()
    _, alive = psutil.wait_procs([process], timeout=10)
    assert not alive, "the interpreter goes with it"
    second = await until_one_works({process.pid})
    second.parent().kill()
    answer = await call
    assert answer["failed"]["reason"] == "died"
    assert (await run("def main():\n    return {}"))["outputs"] == {}


async def test_an_interpreter_that_is_killed_ends_its_call_only() -> None:
    call = asyncio.create_task(run(SPIN))
    first = await until_one_works(set())
    first.kill()
    (await until_one_works({first.pid})).kill()
    assert (await call)["failed"]["reason"] == "died"
    assert (await run("def main():\n    return {}"))["outputs"] == {}


async def test_what_is_idle_ends() -> None:
    pool = Pool(1, idle_s=0.05)
    before = {process.pid for process in below()}
    await pool.start("errors", {}, {}, 1000)
    (worker,) = (process for process in below() if process.pid not in before)
    assert psutil.wait_procs([worker], timeout=10)[1] == []
    assert await pool.start("errors", {}, {}, 1000) == []
    pool.close()
