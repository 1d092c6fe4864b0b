"""Runs commands beside an installation without importing everything each time: each is a fork of one process.

`python -m tests.live.kills.commands` reads a command per line, as JSON; its fork reads the keys anew, runs it and ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from types import TracebackType

from tests.instance import ROOT

MARK = "commands:"


class Commands:
    """`said(...)` = how a command ended and what it printed, in this environment."""

    def __init__(self, environment: dict[str, str]) -> None:
        line = [sys.executable, "-m", "tests.live.kills.commands"]
        self._server = subprocess.Popen(
            line, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._read()

    def run(self, *arguments: str) -> tuple[int, str]:
        """(code, words); a negative code is the signal that ended it."""
        assert self._server.stdin is not None
        with tempfile.NamedTemporaryFile("r") as words:
            self._server.stdin.write(json.dumps([words.name, *arguments]) + "\n")
            self._server.stdin.flush()
            code = int(self._read())
            return code, words.read()

    def _read(self) -> str:
        assert self._server.stdout is not None
        for line in self._server.stdout:
            if line.startswith(MARK):
                return line.removeprefix(MARK).strip()
        raise AssertionError("the commands' process is over")

    def __enter__(self) -> Commands:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(20)
        if self._server.stdout is not None:
            self._server.stdout.close()


def _run(words: str, arguments: list[str]) -> int:
    """One command, in a process of its own."""
    file = os.open(words, os.O_WRONLY)
    os.dup2(file, 1)
    os.dup2(file, 2)
    from django.core.management import call_command
    from django.core.management.base import CommandError

    from backend.project.environment import environment, secret_keys
    from backend.secrets import cipher

    cipher.configure(secret_keys(environment()))
    try:
        call_command(*arguments)
    except CommandError as error:
        print(error)
        return 1
    return 0


def main() -> None:
    """Import, then fork for each line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")
    import django

    django.setup()
    from django.core.management import load_command_class

    for name in ("backup", "restore", "migrate"):
        load_command_class("backend.project", name)
    print(MARK, "0", flush=True)
    for line in sys.stdin:
        words, *arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = _run(words, arguments)
            finally:
                sys.stdout.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(MARK, os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
