"""What a command line of Docker or Podman says: its image, and the variables that it hands on by name alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_STARTERS = re.compile(r"(?:.*[\\/])?(?:docker|podman|nerdctl)(?:\.exe)?", re.IGNORECASE)
_SWITCH = re.compile(r"-[itdP]+|--(?:rm|init|interactive|tty|detach|privileged|read-only|publish-all|no-healthcheck)")
_ENV = ("-e", "--env")
_NAME = re.compile(r"[A-Za-z_]\w{0,200}")


class Container(NamedTuple):
    """`handed_on`: names of variables whose values come from the environment that it is started in."""

    image: str
    handed_on: list[str]


def container_of(command: str, words: Sequence[str]) -> Container | None:
    """The container that `docker run …` starts; None where this is no such line."""
    if not _STARTERS.fullmatch(command) or "run" not in words:
        return None
    names: list[str] = []
    rest = iter(words[words.index("run") + 1 :])
    for word in rest:
        if not word.startswith("-"):
            return Container(word, names)
        flag, equals, value = word.partition("=")
        if not equals and not _SWITCH.fullmatch(word):
            value = next(rest, "")
        if flag in _ENV and _NAME.fullmatch(value):
            names.append(value)
    return Container("", names)
