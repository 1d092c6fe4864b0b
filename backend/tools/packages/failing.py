"""Why a package could not be installed, in the words of npm and uv."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.errors import McpUnreachable, PatchbayError
from backend.tools.packages.programs import Ran
from backend.tools.packages.requests import Request
from backend.tools.programs.exits import deciding_line, exit_error

_OFFLINE = re.compile(
    r"code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|EPROTO)"
    r"|Failed to fetch|error sending request|[Cc]onnection refused|dns error|operation timed out|network is unreach",
)
_VERSION = re.compile(r"code ETARGET|No matching version found|there is no version of|only .* (?:is|are) available")
_CAUSE = re.compile(r"dns error|[Cc]onnection|timed out|getaddrinfo|unreachable|Failed to fetch|request to \S+ failed")
_KNOWN = {"npm_not_found", "uv_not_found", "box", "signal"}


def failed(request: Request, ran: Ran) -> PatchbayError:
    """The error for npm or uv that ended so."""
    if any(_OFFLINE.search(line) for line in ran.stderr):
        return _unreachable("install_offline", request, _line(ran.stderr, _CAUSE))
    if any(_VERSION.search(line) for line in ran.stderr):
        return _unreachable("install_version", request, _line(ran.stderr, _VERSION))
    exit_failure = exit_error(ran.code, ran.stderr)
    if exit_failure.params.get("reason") in _KNOWN:
        exit_failure.detail = {"stderr": ran.stderr[-40:]}
        return exit_failure
    failure = _unreachable("install_failed", request, deciding_line(ran.stderr) or f"exit code {ran.code}")
    failure.detail = {"stderr": ran.stderr[-40:]}
    return failure


def changed(request: Request, version: str) -> PatchbayError:
    """The error for a registry that gives other files for a version than before."""
    params = {"reason": "install_changed", "package": request.name, "version": version}
    return McpUnreachable(params=params)


def _unreachable(reason: str, request: Request, line: str) -> PatchbayError:
    return McpUnreachable(params={"reason": reason, "package": request.spec, "line": line})


def _line(stderr: Sequence[str], words: re.Pattern[str]) -> str:
    fitting = [line for line in stderr if words.search(line)]
    return deciding_line(fitting[-1:]) if fitting else deciding_line(stderr)
