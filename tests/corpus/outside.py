"""What stands outside of a recorded installation: programs at the paths and ports that its rows name, and its model.

The paths and ports are part of what is recorded, so they are the same on every machine: a folder in the temporary
directory whose `checkout` is a link to this checkout. One process at a time has it (a lock beside the folder).
"""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.instance import ROOT, until
from tests.llm_server import Call, LlmServer, ModelRequest, Reply
from tests.services import CORPUS_PORTS, can_listen

HOME = Path("/tmp/patchbay-corpus")
CHECKOUT = HOME / "checkout"
PYTHON = CHECKOUT / ".venv" / "bin" / "python"
PROGRAM = CHECKOUT / "tests" / "corpus" / "recorder.py"
LEDGER = HOME / "ledger.jsonl"
HOLD = HOME / "ledger.jsonl.hold"
TOOLS_PORT, MODEL_PORT = sorted(CORPUS_PORTS)


@contextlib.contextmanager
def outside() -> Iterator[LlmServer]:
    """The folder, the server over HTTP and the model, empty and held back until `release`."""
    with open(f"{HOME}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _clear()
        HOME.mkdir(exist_ok=True)
        if CHECKOUT != ROOT:
            CHECKOUT.symlink_to(ROOT)
        HOLD.touch()
        for port in (TOOLS_PORT, MODEL_PORT):
            until(partial(can_listen, port), 60)
        command = [sys.executable, str(PROGRAM), str(LEDGER), "--port", str(TOOLS_PORT)]
        tools = subprocess.Popen(command, cwd=HOME, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        model = LlmServer(MODEL_PORT)
        model.otherwise = answer
        try:
            until(_listens, 60)
            yield model.start()
        finally:
            model.stop()
            tools.kill()
            tools.wait()
            _clear()


def _clear() -> None:
    """Remove what an earlier use left; a checkout that really stands there (while recording) stays."""
    for path in HOME.iterdir() if HOME.exists() else ():
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path != ROOT:
            shutil.rmtree(path)


def release() -> None:
    """From now on nothing is held back."""
    HOLD.unlink(missing_ok=True)


def restore(name: str) -> Any:
    """Put back what stood outside when a version was killed, nothing held back; gives its token and runs."""
    left = json.loads((CHECKOUT / "tests" / "corpus" / name / "left.json").read_text())
    LEDGER.write_text(left["ledger"])
    release()
    return left


def calls() -> Counter[str]:
    """What reached the tools, as `tool name`."""
    lines = LEDGER.read_text().splitlines() if LEDGER.exists() else []
    return Counter(f"{call['tool']} {call['name']}" for call in map(json.loads, lines))


def _listens() -> bool:
    with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", TOOLS_PORT)) as to:
        to.connect()
        return True
    return False


def answer(request: ModelRequest) -> Reply:
    """What the model says: by the schema it is asked for, else by the task that the conversation holds."""
    schema = (((request.body.get("response_format") or {}).get("json_schema") or {}).get("schema")) or {}
    task = _task(request)
    if schema:
        return _structured(request, set(schema.get("properties") or {}), task)
    turn = sum(message["role"] == "assistant" for message in request.messages)
    if task.get("hold") == turn and HOLD.exists():
        return Reply(silent=True)
    turns = task.get("turns") or []
    if turn < len(turns):
        return Reply(text=f"Turn {turn}.", calls=[Call(name, arguments) for name, arguments in turns[turn]])
    results = sorted(str(message["content"])[:60] for message in request.messages if message["role"] == "tool")
    return Reply(text=" | ".join([str(task.get("answer", "Done.")), *results]))


def _task(request: ModelRequest) -> dict[str, Any]:
    """The JSON object that a test put into the conversation."""
    decoder = json.JSONDecoder()
    for message in request.messages:
        text = message.get("content")
        at = text.find('{"task"') if isinstance(text, str) else -1
        if isinstance(text, str) and at >= 0:
            result: dict[str, Any] = decoder.raw_decode(text, at)[0]
            return result
    return {}


def _structured(request: ModelRequest, keys: set[str], task: dict[str, Any]) -> Reply:
    """Classes, extracted values, and the questions of a planner."""
    steps = sum(_is_step(message) for message in request.messages)
    plan: list[Any] = task.get("plan") or []
    if task.get("hold") == f"step {steps}" and HOLD.exists():
        return Reply(silent=True)
    known: dict[str, Any] = {
        "name": f"Plan of {task.get('task')}",
        "class": task.get("class"),
        "risk": "LOW",
        "reason": "as the task says",
        "tool": plan[steps][0] if steps < len(plan) else "FINAL",
        "description": f"step {steps}",
        "is_param_error": True,
        "message": "Please complete this.",
        "missing": task.get("missing", []),
        "amount": 12,
        "currency": "CHF",
    }
    if keys and keys <= set(known):
        if task.get("hold") == "structured" and HOLD.exists():
            return Reply(silent=True)
        return Reply(text=json.dumps({key: known[key] for key in keys}))
    return Reply(text=json.dumps(plan[steps][1] if steps < len(plan) else {}))


def _is_step(message: dict[str, Any]) -> bool:
    """Whether a message is the planner's record of a step."""
    with contextlib.suppress(ValueError, TypeError):
        return message["role"] == "assistant" and "tool" in json.loads(message["content"])
    return False


def environment() -> dict[str, str]:
    """What an installation of the corpus is started with, beside its data directory."""
    return {
        "PATCHBAY_RUN_STARTS_PER_15S": "0",
        "PATCHBAY_RETENTION_DAYS": "0",
        "PATCHBAY_AUDIT_DAYS": "0",
        "PATCHBAY_MAX_CONCURRENT_RUNS": "200",
        "PATH": os.environ["PATH"],
    }
