"""Why a program ended: its exit code or signal by name, and the line on stderr that decides, as a reader would pick it.

The patterns are the words of the programs themselves (npm, uv, Docker, Node.js, Python, and servers as they are
commonly written). What fits none of them is said with the line that most looks like the cause.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

from backend.errors import McpUnreachable, PatchbayError
from backend.tools.types import JsonObject

LINE_CHARS = 300
_LAST = 15
"""Lines from the end among which a missing variable is looked for: what was said long before is of another matter."""
_SHELL_SIGNAL = 128
"""A shell or wrapper (npx, docker) ends with this plus the number of the signal that ended what it started."""

_NPM_404 = re.compile(
    r"npm (?:error|ERR!) 404\s+(?:The requested resource )?'?(@?[\w./~-]+?)(?:@[^'\s]*)?'?"
    r" (?:is not in (?:this|the npm) registry|could not be found or you do not have permission)"
)
_NPM_CODE = re.compile(r"npm (?:error|ERR!) code E404")
_UV_404 = re.compile(r"Because (\S+) was not found in the package registry|No solution found .* dependencies")
_DOCKER = re.compile(
    r"Cannot connect to the Docker daemon|docker daemon is not running|permission denied.*docker\.sock"
)
_BOX = re.compile(r"^bwrap: |^the box could not be made: ")
_NAME = r"[`'\"]?\$?\{?([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[`'\"]?\}?"
_REQUIRED = r"missing|required|undefined|unset|please set|must (?:be )?set|to set|provide|needs?|no"
_LACKING = r"missing|required|undefined|unset|not (?:set|provided|defined|found)|must"
_VARIABLE = (
    re.compile(rf"(?:{_REQUIRED})\b[^\n]{{0,60}}?{_NAME}", re.IGNORECASE),
    re.compile(rf"{_NAME}[^\n]{{0,60}}?(?:{_LACKING})"),
    re.compile(rf"KeyError: {_NAME}"),
)
_UPPER = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_NOISE = re.compile(
    r"^\s+at\s|^Node\.js v|^npm notice|A complete log of this run|Log files were not written|^\s*[~^]+\s*$"
    r"|^Traceback \(|^\s+File \"|^\s*at \S+ \("
)
_CAUSE = re.compile(
    r"\b\w*(?:error|exception|fatal|panic|failed|failure|denied|refused|missing|required|usage)\b", re.IGNORECASE
)
_EXCEPTION = re.compile(r"^(?:Uncaught )?[\w.]*(?:Error|Exception|Exit|Interrupt)\b")


def signal_name(code: int) -> str | None:
    """The name of the signal that ended a program ("SIGKILL"), where one did."""
    number = -code if code < 0 else code - _SHELL_SIGNAL if code > _SHELL_SIGNAL else 0
    if code > 0 and number not in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT, signal.SIGBUS):
        return None  # above 128 other codes are a program's own
    try:
        return signal.Signals(number).name if number else None
    except ValueError:
        return None


def exit_error(code: int | None, stderr: Sequence[str]) -> PatchbayError:
    """The error for a program that ended with `code` (None = not known) after it wrote `stderr`."""
    params: JsonObject = {"exit_code": "?" if code is None else code}
    special = _special(stderr)
    if special is not None:
        return McpUnreachable(params={**special, **params})
    name = None if code is None else signal_name(code)
    if name is not None:
        return McpUnreachable(params={"reason": "signal", "signal": name, **params})
    for line in reversed(stderr[-_LAST:]):
        if missing := missing_variable(line):
            facts = {"reason": "variable_missing", "name": missing, "line": _cut(line)}
            return McpUnreachable(params={**facts, **params})
    line = deciding_line(stderr)
    if line:
        return McpUnreachable(params={"reason": "exited_stderr", "line": line, **params})
    return McpUnreachable(params={"reason": "exited", **params})


def _special(stderr: Sequence[str]) -> JsonObject | None:
    """What has a cause of its own: `{reason, line, …}`."""
    for line in stderr:
        if match := _NPM_404.search(line):
            return {"reason": "npm_not_found", "package": match[1], "line": _cut(line)}
        if match := _UV_404.search(line):
            text = " ".join(part.strip(" `->") for part in stderr[-4:]) if not match[1] else line
            return {"reason": "uv_not_found", "line": _cut(text)}
        if _BOX.search(line):
            return {"reason": "box", "line": _cut(line)}
        if _DOCKER.search(line):
            return {"reason": "docker_daemon", "line": _cut(line)}
    if any(_NPM_CODE.search(line) for line in stderr):
        return {"reason": "npm_not_found", "package": "?", "line": deciding_line(stderr)}
    return None


def missing_variable(line: str) -> str:
    """The environment variable that `line` says is missing, or ""."""
    for pattern in _VARIABLE:
        match = pattern.search(line)
        if match and _UPPER.fullmatch(match[1]):
            return match[1]
    return ""


def deciding_line(stderr: Sequence[str]) -> str:
    """The line that most looks like the cause: an exception's own line, else one that speaks of a failure, else the
    last."""
    lines = [line for line in stderr if line.strip() and not _NOISE.search(line)]
    for pattern in (_EXCEPTION, _CAUSE):
        fitting = [line for line in lines if pattern.search(line)]
        if fitting:
            return _cut(fitting[-1])
    return _cut(lines[-1]) if lines else ""


def _cut(line: str) -> str:
    text = " ".join(line.split())
    return text if len(text) <= LINE_CHARS else f"{text[: LINE_CHARS - 1]}…"
