"""Runs the `main` of a Python source by `pydantic-monty`.

It stands alone: the process of `worker` runs this file by its path. The interpreter is a process below that one, which
knows no file, no socket, no environment and no clock; only texts go in and come out, so that nothing is built here of
what the code made but its JSON.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import cache
from typing import Any

_CALL = """

import json as __json
__json.dumps(main(**__json.loads(__inputs)), ensure_ascii=False)
"""
_LONGEST = 1000
"""Characters of an error that are kept."""
_TRACED = 8000
"""Characters of a traceback that are kept."""
_MODULE = re.compile(r"No module named '([^']*)'")


class Printed:
    """What the code prints, up to a limit; the rest is counted."""

    def __init__(self, limit: int) -> None:
        self._left, self._dropped, self._parts = limit, 0, list[str]()

    def __call__(self, _stream: str, text: str) -> None:
        """One piece of it."""
        data = text.encode()
        if len(data) <= self._left:
            self._left -= len(data)
            self._parts.append(text)
            return
        self._parts.append(data[: self._left].decode(errors="ignore"))
        self._dropped += len(data) - self._left
        self._left = 0

    @property
    def text(self) -> str:
        """All of it, and how much is missing."""
        note = f"\n… {self._dropped} more bytes" if self._dropped else ""
        return "".join(self._parts) + note


def run(source: str, inputs: str, seed: str, now: float, limits: dict[str, int]) -> dict[str, Any]:
    """`{"outputs", "stdout"}` of a call of `main`, or `{"failed": {reason, line, error}, "stdout"}`.

    `inputs` is the JSON of its arguments, `seed` what chance begins with, `now` the only time that there is.
    """
    import pydantic_monty as monty

    printed = Printed(limits["stdout"])
    try:
        with _interpreters(limits["seconds"]).checkout(
            limits={"max_feed_duration_secs": limits["seconds"], "max_memory": limits["memory"]},
            os_policy={"datetime": datetime.fromtimestamp(now, UTC), "sleep": "zero", "random_start": {"seed": seed}},
        ) as session:
            text = session.feed_run(source + _CALL, inputs={"__inputs": inputs}, print_callback=printed)
    except monty.MontyCrashedError as error:
        reason = "time" if error.timed_out else "died"
        return _failed(reason, None, str(error), printed)
    except (monty.MontySyntaxError, monty.MontyRuntimeError) as error:
        return _of_error(error, source, printed)
    if not isinstance(text, str) or len(text.encode()) > limits["result"]:
        return _failed("result_too_large", None, "", printed)
    outputs = json.loads(text)
    if not isinstance(outputs, dict):
        return _failed("not_object", None, _kind(outputs), printed)
    return {"outputs": outputs, "stdout": printed.text}


@cache
def _interpreters(seconds: int) -> Any:
    """The one interpreter that waits for work; it goes with this process."""
    import pydantic_monty as monty

    pool = monty.Monty(min_processes=1, max_processes=1, request_timeout=seconds + 2)
    pool.__enter__()
    return pool


def _of_error(error: Any, source: str, printed: Printed) -> dict[str, Any]:
    text = error.display("type-msg")
    lines = source.count("\n") + 1
    frames = error.traceback()
    inside = [frame.line for frame in frames if frame.line <= lines]
    line = inside[-1] if inside else None
    if text.startswith("TimeoutError: feed time limit"):
        return _failed("time", line, text, printed)
    if text.startswith("MemoryError: memory limit"):
        return _failed("memory", line, text, printed)
    if frames and frames[-1].function_name is None and not text.startswith("TypeError"):  # before anything ran
        return _failed("syntax", line or lines, text.partition(": ")[2], printed)
    traceback = error.display("traceback")[-_TRACED:]
    if frames and frames[-1].line > lines and text == "NameError: name 'main' is not defined":
        return _failed("no_main", None, text, printed)
    if text.startswith("TypeError: main() ") or (frames and frames[-1].line > lines):
        return _failed("call", None, text, printed)
    if (module := _MODULE.search(text)) is not None:
        return _failed("module", line, text, printed, module=module[1])
    return _failed("raised", line, text, printed, traceback=traceback)


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
    return names.get(type(value), "None")


def _failed(reason: str, line: int | None, error: str, printed: Printed, **more: str) -> dict[str, Any]:
    return {"failed": {"reason": reason, "line": line, "error": error[:_LONGEST], **more}, "stdout": printed.text}
