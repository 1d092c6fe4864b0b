"""What a connection needs to know: the resolved configuration of a server, and the installation's rules for stdio.

A `ServerConfig` is complete: secrets are decrypted and stand in `headers`, `env` or `url`, named again in `masks` so
that nothing which comes back can show them. Values only; who may build one is decided above.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from backend.errors import McpPolicyDenied
from backend.tools.bundled import node_commands, node_package

Transport = Literal["stdio", "http", "sse"]

BASE_NAMES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM")
"""Names that every stdio server gets where they are set; HOME is replaced by a private directory."""

DEFAULT_EXTRA_NAMES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_EXTRA_INDEX_URL"),
    *("UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_PYTHON_INSTALL_MIRROR"),
    *("npm_config_registry", "NPM_CONFIG_REGISTRY"),
)
"""Default of PATCHBAY_STDIO_ENV: proxy, certificate and package-index variables, for `npx` and `uvx`."""


@dataclass(frozen=True, slots=True)
class PoolKey:
    """Who may share a connection: same team, server, revision; user and run only where the server says so."""

    team: str
    server: str
    revision: int | str = 1
    user: str | None = None
    run: str | None = None


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """A server, ready to connect to. `slug` is the name under which a document calls it.

    `headers` holds plain, secret and auth headers together. `masks` are the secret strings to hide in everything that
    enters. `typed_address` = a person with the right typed the host, so loopback may be allowed (never for addresses
    from expressions, models or redirects). `url_has_secret` hides the path in messages.
    """

    key: PoolKey
    slug: str
    transport: Transport
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    timeout_s: float = 30.0
    calls: int | None = None  # at once on one connection; None = as the pool's limits say
    session: Literal["shared", "run"] = "shared"
    asks: bool = False
    trust_annotations: bool = False
    auth_type: Literal["none", "api_key", "bearer", "oauth"] = "none"
    url_has_secret: bool = False
    masks: tuple[str, ...] = ()
    typed_address: bool = False

    @property
    def hash(self) -> str:
        """SHA-256 over everything that decides where a call goes and with what; an approval is bound to it."""
        program = [self.command, list(self.args), sorted(self.env.items()), self.cwd]
        parts = [self.transport, self.url, sorted(self.headers.items()), program, self.key.revision]
        return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Bounds: connections in all and per server, calls at once per connection, idle seconds before a connection is
    closed, seconds for connecting, largest message in bytes, stderr lines kept, seconds for which a call is held while
    its server's question waits for a person, seconds that a call may take in all while it tells of its progress."""

    connections: int = 200
    per_server: int = 16
    calls: int = 64
    idle_s: float = 600.0
    connect_s: float = 60.0
    message_bytes: int = 64 * 1024 * 1024
    stderr_lines: int = 200
    hold_s: float = 600.0
    longest_s: float = 3600.0


LOADERS = re.compile(
    r"PATH|HOME|ENV|BASH_ENV|SHELLOPTS|IFS|(LD|DYLD|PYTHON|NODE|PERL5?|RUBY|JAVA|JDK|GIT|NPM_CONFIG|UV|PIP|DOCKER)_?.*",
    re.IGNORECASE,
)
"""Variables that make a program load code from elsewhere: not for servers where commands are listed."""


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """What one program may use, and each that it starts: megabytes of memory and of one file, open files, processes of
    the operating system's user, seconds of processor. 0 = no limit."""

    memory_mb: int = 4096
    file_mb: int = 4096
    files: int = 8192
    processes: int = 8192
    cpu_s: int = 0


@dataclass(frozen=True, slots=True)
class StdioRules:
    """The installation's rules for starting programs, all as values (see `passed_on` and `bundled`).

    `allowed`: may any be started. `commands`: allow-list, empty = any (see `check`). `base_env`: the variables passed
    on. `extra_path`: directories appended to PATH. `home_root`: each server gets a HOME below it.
    """

    allowed: bool = False
    commands: tuple[str, ...] = ()
    base_env: Mapping[str, str] = field(default_factory=dict)
    extra_path: tuple[str, ...] = ()
    home_root: Path = Path("var/homes")
    limits: ProgramLimits = ProgramLimits()

    def check(self, command: str, args: Iterable[str] = (), env: Iterable[str] = ()) -> None:
        """Raise McpPolicyDenied when this program may not be started here. `env` = names that the server itself sets.

        An entry of the list is one word, which the command equals letter by letter (a name is looked up in our own
        PATH, a path is that very path), with any arguments; or a whole command line, which allows just that one. No
        shell reads any of it.
        """
        if not self.allowed:
            raise McpPolicyDenied(params={"reason": "stdio_off"})
        if not self.commands:
            return
        line = [command, *args]
        if not any(words in ([command], line) for words in map(shlex.split, self.commands)):
            raise McpPolicyDenied(params={"reason": "command_not_listed", "command": command})
        for name in env:
            if LOADERS.fullmatch(name):
                raise McpPolicyDenied(params={"reason": "env_not_listed", "name": name})

    def environment(self, config: ServerConfig) -> dict[str, str]:
        """The complete environment of a server: base, private HOME, its own `env`, PATH with the bundled tools.

        The bundled Node.js stands before what our own PATH has: what a preset starts by `npx` must not depend on
        whether the machine has one, and how old. It stands behind a PATH that the server itself sets.
        """
        env = {name: value for name, value in self.base_env.items() if not value.startswith("()")}
        env["HOME"] = str(self.home(config))
        env.update(config.env)
        node = node_commands(node_package(), self.home_root / ".bin")
        given = _directories(env.get("PATH", os.defpath))
        front = [*given, *node] if config.env.get("PATH") else [*node, *given]
        env["PATH"] = os.pathsep.join(dict.fromkeys([*front, *self.extra_path]))
        return env

    def home(self, config: ServerConfig) -> Path:
        """The server's private HOME, made when missing (mode 0700); one per person where each uses their own keys."""
        name = "-".join(filter(None, [config.key.team, config.key.server, config.key.user]))
        safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:120]
        path = (self.home_root / safe).absolute()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path


def _directories(path: str) -> list[str]:
    return [part for part in path.split(os.pathsep) if part]


def passed_on(environ: Mapping[str, str], extra_names: Iterable[str] | None = None) -> dict[str, str]:
    """What of `environ` stdio servers get: the base names and `extra_names` (None = DEFAULT_EXTRA_NAMES)."""
    names = (*BASE_NAMES, *(DEFAULT_EXTRA_NAMES if extra_names is None else extra_names))
    return {name: environ[name] for name in names if name in environ}
