"""The process that does the work: reads one JSON line, writes one, until its input ends. Started by `pool`.

It is run as a file, alone: it knows nothing of the rest, no environment, no secret, and `box` shuts it in before the
first piece. The files of its work beside it are loaded with the first piece of their kind.
"""

from __future__ import annotations

import json
import math
import runpy
import signal
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

MOST = 20
"""Messages given back for one value."""
LONGEST = 500
"""Characters of one message."""
_HERE = Path(__file__).parent


def errors(schema: Any, value: Any, backtracks: int) -> list[list[Any]]:
    """`[[path, message], …]` of what does not fit, by the quick engine."""
    import jsonschema_rs

    validator = jsonschema_rs.validator_cls_for(schema)(
        schema, retriever=_refuse, pattern_options=_patterns(backtracks), validate_formats=False
    )
    errors: list[list[Any]] = []
    for error in validator.iter_errors(value):
        if len(errors) == MOST:
            break
        errors.append([list(error.instance_path), error.message[:LONGEST]])
    return errors


def explain(schema: Any, value: Any) -> list[list[Any]]:
    """`[[path, message], …]` of what does not fit, in the words of `wording`."""
    errors: list[list[Any]] = _beside("wording")["explain"](schema, value)
    return errors


def code(*arguments: Any) -> dict[str, Any]:
    """What came of a Python source (`code_work.run`)."""
    answer: dict[str, Any] = _beside("code_work")["run"](*arguments)
    return answer


def document(name: str, mime: str, form: str, sheet: str, data: bytes) -> dict[str, Any]:
    """What stands in a document (`document_work.document`)."""
    answer: dict[str, Any] = _beside("document_work")["document"](data, name, mime, form, sheet)
    return answer


@cache
def _beside(name: str) -> dict[str, Any]:
    """A file beside this one, which cannot be imported here: this process knows no packages of ours."""
    return runpy.run_path(str(_HERE / f"{name}.py"))


def _where(error: BaseException) -> str:
    """The place of ours at which it happened."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).parent == _HERE]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}" if frames else ""


def _patterns(backtracks: int) -> Any:
    import jsonschema_rs

    limits = {"size_limit": 1_000_000, "dfa_size_limit": 2_000_000}
    return jsonschema_rs.FancyRegexOptions(backtrack_limit=backtracks, **limits)


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer outside itself: {uri}")


WORK: dict[str, Callable[..., Any]] = {"errors": errors, "explain": explain, "code": code, "document": document}
GRACE_S = 5
"""After how long beyond its time work ends by itself, whose asker is gone."""


def main(memory: int, programs: list[str]) -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    _beside("box")["shut"](memory, programs)
    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
            more = [sys.stdin.buffer.read(request["bytes"])] if request["bytes"] else []
            signal.alarm(math.ceil(request["seconds"]) + GRACE_S)
            answer: dict[str, Any] = {"value": WORK[request["work"]](*request["given"], *more)}
        except (Exception, RecursionError) as error:  # noqa: BLE001 - whatever it is, the other side is to know
            answer = {"error": f"{type(error).__name__}: {error}"[:LONGEST], "where": _where(error)}
        signal.alarm(0)
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
