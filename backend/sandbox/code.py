"""Python source run by `pydantic-monty` in processes of their own, which start with the first call and end when idle.

Nothing of ours is there: no files, sockets, environment or clock; what is not in the interpreter's own small library
cannot be imported. A call has two seconds and 64 MB; a cancel ends it at once.
"""

from __future__ import annotations

import atexit
import json
import sysconfig
from pathlib import Path
from typing import NotRequired, TypedDict

from backend.json_types import JsonObject
from backend.sandbox.pool import Died, Failed, Pool, TooCostly

TIME_S = 2
"""How long the code may run."""
MEMORY_MB = 64
"""How much it may hold."""
RESULT_MB = 1
"""How large what it returns may be, as JSON."""
STDOUT_KB = 64
"""How much of what it prints is kept."""
WORKERS = 4
"""Calls at once; more wait in line."""
_ATTEMPTS = 2
"""Calls of a source whose process was killed by somebody else: nobody saw what the first one did."""
_START_S = 20
"""How long a process may take to start, to compile and to answer, beside the time that the code has."""

INTERPRETER = str(Path(sysconfig.get_path("scripts")) / "monty")
"""What runs the code: the only program that these processes may start."""
_POOL = Pool(WORKERS, programs=(INTERPRETER,))
atexit.register(_POOL.close)


class CodeFailure(TypedDict):
    """Why the code failed: `reason` as in the catalogue, `error` in the interpreter's words, `line` of the source."""

    reason: str
    line: int | None
    error: str
    module: NotRequired[str]
    traceback: NotRequired[str]


class CodeAnswer(TypedDict):
    """What came of it: what `main` returned, or why it failed; and what was printed."""

    outputs: NotRequired[JsonObject]
    failed: NotRequired[CodeFailure]
    stdout: str


async def run_code(source: str, inputs: JsonObject, *, seed: str, now: float) -> CodeAnswer:
    """Call the `main` of a source with these inputs. Never raises for what the code does.

    `seed` = what its chance begins with, `now` = the time that stands still for it (epoch seconds).
    """
    limits = {
        "seconds": TIME_S,
        "memory": MEMORY_MB * 1024 * 1024,
        "result": RESULT_MB * 1024 * 1024,
        "stdout": STDOUT_KB * 1024,
    }
    inputs_json = json.dumps(inputs)
    answer = _failed("died")
    for _ in range(_ATTEMPTS):
        try:
            answer = await _POOL.start("code", source, inputs_json, seed, now, limits, seconds=TIME_S + _START_S)
        except Died:
            continue
        except TooCostly:
            return _failed("time")
        except Failed as error:
            return _failed("raised", str(error))
        if answer.get("failed", {}).get("reason") != "died":
            break
    return answer


def _failed(reason: str, error: str = "") -> CodeAnswer:
    return {"failed": {"reason": reason, "line": None, "error": error}, "stdout": ""}
