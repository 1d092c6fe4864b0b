"""The process that does the work: reads one JSON line, writes one, until its input ends. Started by `pool`.

It is run as a file, alone: it knows nothing of the rest, no environment, no secret, no network of ours.
"""

from __future__ import annotations

import json
import resource
import runpy
import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

MEMORY = 1024 * 1024 * 1024
MOST = 20
"""Messages given back for one value."""
LONGEST = 500
"""Characters of one message."""


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
    errors: list[list[Any]] = _wording()["explain"](schema, value)
    return errors


@cache
def _wording() -> dict[str, Any]:
    """The file beside this one, which cannot be imported here: this process knows no packages of ours."""
    return runpy.run_path(str(Path(__file__).with_name("wording.py")))


def _patterns(backtracks: int) -> Any:
    import jsonschema_rs

    limits = {"size_limit": 1_000_000, "dfa_size_limit": 2_000_000}
    return jsonschema_rs.FancyRegexOptions(backtrack_limit=backtracks, **limits)


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer outside itself: {uri}")


WORK: dict[str, Callable[..., list[list[Any]]]] = {"errors": errors, "explain": explain}


def main() -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin.buffer:
        try:
            asked = json.loads(line)
            answer: dict[str, Any] = {"value": WORK[asked["work"]](*asked["given"])}
        except (Exception, RecursionError) as error:  # noqa: BLE001 - whatever it is, the other side is to know
            answer = {"error": f"{type(error).__name__}: {error}"[:LONGEST]}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
