"""Which package a command line asks for: the plain forms of `npx` and `uvx`.

What is not plain (a Git address, a folder, `npx -c`, a PATH of its own) is no request: such a server is started as its
line says, and `npx` or `uvx` installs into its home.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

Kind = Literal["npm", "pypi"]

_NPM = re.compile(
    r"(?P<name>(?:@[a-z0-9~][\w.~-]*/)?[a-z0-9~][\w.~-]*)(?:@(?P<wanted>[\w.^~<>=*+ -]+))?", re.IGNORECASE
)
_PYPI = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(?P<extras>\[[\w,. -]*\])?"
    r"\s*(?:@\s*(?P<at>[\w.+!]+)|(?P<bound>(?:===?|~=|!=|<=|>=|<|>)[\w.*+!,<>=~ -]+))?"
)
_COMMAND = re.compile(r"[A-Za-z0-9][\w.-]*")
_VERSION = re.compile(r"(cpython|pypy)?[@-]?\d+(\.\d+)*")
_FILE = re.compile(r"\.(whl|zip|gz|bz2|xz|tgz|egg|py|pyz|txt|toml)$", re.IGNORECASE)
_NPX_FLAGS = frozenset({"-y", "--yes", "-q", "--quiet", "--prefer-offline", "--prefer-online"})
_UVX_FLAGS = frozenset({"-q", "--quiet", "--isolated", "--no-progress", "--offline", "--refresh", "--no-cache", "-n"})
_INSTALLS = re.compile(
    r"npm_config_(registry|@[\w.~-]+:registry|//.*)|(UV_DEFAULT_INDEX|UV_INDEX|UV_INDEX_URL|UV_EXTRA_INDEX_URL"
    r"|UV_NATIVE_TLS|UV_SYSTEM_CERTS|UV_INDEX_\w+_(USERNAME|PASSWORD)|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL)"
    r"|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(REQUESTS|CURL)_CA_BUNDLE",
    re.IGNORECASE,
)
"""Variables of a server's own that say where packages come from: the installing step gets them as well."""
_ELSEWHERE = re.compile(r"npm_config_.*|UV_.*|PIP_.*|PATH|HOME|XDG_.*|PYTHONHOME|VIRTUAL_ENV", re.IGNORECASE)
"""Others that `npx` and `uvx` read: where a server sets one, they are left to do what it says."""


@dataclass(frozen=True, slots=True)
class Request:
    """A package of a registry. `version` = which version ("" = the newest), `command` = which of its programs ("" = its
    only one, or that of its name), `args` what follows for the program, `extras` packages beside it, `python` which
    interpreter, `environment` what its server says about where packages come from."""

    kind: Kind
    name: str
    version: str
    command: str
    args: tuple[str, ...]
    extras: tuple[str, ...] = ()
    python: str = ""
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def spec(self) -> str:
        """As its installer reads it."""
        if self.kind == "npm":
            return f"{self.name}@{self.version}" if self.version else self.name
        return f"{self.name}{self.version}"

    @property
    def digest(self) -> str:
        """Of all that decides which version is taken. (Not of what the program is given.)"""
        parts = [self.kind, self.name, self.version, self.extras, self.python, self.environment]
        return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def request_of(command: str, args: Iterable[str], env: Mapping[str, str], cwd: str = "") -> Request | None:
    """The package that a server is started from; None where it is not, or not plainly."""
    words, name = list(args), PurePath(command).name
    environment = tuple(sorted((key, value) for key, value in env.items() if _INSTALLS.fullmatch(key)))
    if any(_ELSEWHERE.fullmatch(key) for key in env if not _INSTALLS.fullmatch(key)):
        return None
    if name == "npx":
        return None if cwd and Path(cwd, "node_modules").exists() else _npx(words, environment)
    if name == "uvx":
        return _uvx(words, environment)
    return _uvx(words[2:], environment) if name == "uv" and words[:2] == ["tool", "run"] else None


def by_package_manager(command: str, args: Iterable[str]) -> bool:
    """Whether `npx` or `uvx` is started, plainly or not."""
    name = PurePath(command).name
    return name in ("npx", "uvx") or (name == "uv" and list(args)[:2] == ["tool", "run"])


def _npx(left: list[str], environment: tuple[tuple[str, str], ...]) -> Request | None:
    package = ""
    while left and left[0].startswith("-"):
        option, equals, value = left.pop(0).partition("=")
        if option in _NPX_FLAGS and not equals:
            continue
        if option not in ("-p", "--package") or package or not (equals or left):
            return None
        package = value if equals else left.pop(0)
    if not left:
        return None
    command = left.pop(0) if package else ""
    match = _NPM.fullmatch(package or left.pop(0))
    if match is None or (package and not _COMMAND.fullmatch(command)):
        return None
    return Request("npm", match["name"], match["wanted"] or "", command, tuple(left), environment=environment)


def _uvx(left: list[str], environment: tuple[tuple[str, str], ...]) -> Request | None:
    source, python, extras = "", "", list[str]()
    while left and left[0].startswith("-"):
        option, equals, value = left.pop(0).partition("=")
        if option in _UVX_FLAGS and not equals:
            continue
        if option not in ("--from", "--with", "-p", "--python") or not (equals or left):
            return None
        value = value if equals else left.pop(0)
        if option == "--with":
            extras += [part.strip() for part in re.split(r",(?=\s*[A-Za-z])", value)]
        elif option == "--from" and not source:
            source = value
        elif option in ("-p", "--python") and _VERSION.fullmatch(value):
            python = value
        else:
            return None
    if not left:
        return None
    first = left.pop(0)
    parsed = _pypi(source or first)
    if parsed is None or not all(map(_pypi, extras)) or (source and not _COMMAND.fullmatch(first)):
        return None
    name, version = parsed
    command = first if source else name.partition("[")[0]
    return Request("pypi", name, version, command, tuple(left), tuple(extras), python, environment)


def _pypi(text: str) -> tuple[str, str] | None:
    """(name with extras, bound as pip writes it)."""
    match = _PYPI.fullmatch(text.strip())
    if match is None or _FILE.search(text):
        return None
    version = match["at"] or ""
    bound = match["bound"] or (f"=={version}" if version not in ("", "latest") else "")
    return match["name"] + (match["extras"] or "").replace(" ", ""), bound.replace(" ", "")
