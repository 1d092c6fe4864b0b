"""What a connection needs to know: the resolved configuration of a server, and the installation's rules for stdio.

A `ServerConfig` is complete: secrets are decrypted and stand in `headers`, `env` or `url`, named again in `masks` so
that nothing which comes back can show them. Values only; who may build one is decided above.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from backend.errors import McpPolicyDenied, PatchbayError
from backend.net.masking import Masker
from backend.tools.box.finding import NO_BOX, Box
from backend.tools.box.folders import Folder
from backend.tools.packages.requests import Request, request_of
from backend.tools.packages.store import Installed
from backend.tools.programs.bundled import node_commands, node_package
from backend.tools.programs.command_lines import runs_inline_code
from backend.tools.programs.own_variables import not_own

Transport = Literal["stdio", "http", "sse", "openapi", "a2a"]

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


class Bearer(Protocol):
    """The token of a sign-in (OAuth), for one request after another; whoever implements it renews it meanwhile."""

    async def token(self) -> str:
        """The token for a request that begins now. Raises McpAuthFailed where there is none, McpUnreachable."""
        ...

    async def renewed(self, refused: str) -> str | None:
        """Another one than that which the server refused, if there is any. Raises as `token`."""
        ...

    async def stepped_up(self, refused: str, scopes: tuple[str, ...]) -> str | None:
        """Another one with these scopes as well, where that needs no person; None where it does. Raises as `token`."""
        ...

    async def lacks(self, scopes: tuple[str, ...]) -> PatchbayError:
        """The error for a request that needs more scopes than the sign-in has."""
        ...

    def refused(self) -> PatchbayError:
        """The error for a token that the server refuses although it is fresh."""
        ...

    def masks(self) -> tuple[str, ...]:
        """The secrets of now, and of before."""
        ...


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """A server, ready to connect to. `slug` is the name under which a document calls it.

    `headers` holds plain, secret and auth headers together, `query` a key that an API wants in its addresses.
    `masks` are the secret strings to hide in everything that enters. `typed_address` = a person with the right
    typed the host, so loopback may be allowed (never for addresses from expressions, models or redirects).
    `url_has_secret` hides the path in messages. Of a program: `program` is the hash of its whole configuration,
    `approved` whether an operator said yes to it, `started_by` who makes it start; `boxed` = it is started in a
    box, which shows it `folders` (None = those that are plain in its arguments) and, where `network` is on, the
    network. `installed` = the package that is started instead of `npx` or `uvx` (see `packages`).
    """

    key: PoolKey
    slug: str
    transport: Transport
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    timeout_s: float = 30.0
    calls: int | None = None  # at once on one connection; None = as the pool's limits say
    session: Literal["shared", "run"] = "shared"
    asks: bool = False
    trust_annotations: bool = False
    auth_type: Literal["none", "api_key", "bearer", "basic", "oauth"] = "none"
    url_has_secret: bool = False
    masks: tuple[str, ...] = ()
    typed_address: bool = False
    program: str = ""
    approved: bool = False
    started_by: str | None = None
    boxed: bool = True
    folders: tuple[Folder, ...] | None = None
    network: bool = True
    installed: Installed | None = None
    bearer: Bearer | None = field(default=None, compare=False)  # a sign-in, whose token displaces any header
    account: str | None = None  # instead of the revision in `hash`: the same for every sign-in of one account

    def masker(self) -> Masker:
        """Hides the secrets, those of a sign-in as they are renewed too."""
        return Masker(self.masks, None if self.bearer is None else self.bearer.masks)

    @property
    def package(self) -> Request | None:
        """The package that it is started from, where that can be installed beforehand."""
        return request_of(self.command, self.args, self.env, self.cwd) if self.transport == "stdio" else None

    @property
    def hash(self) -> str:
        """SHA-256 over everything that decides where a call goes and with what; an approval is bound to it."""
        program: list[object] = [self.command, list(self.args), sorted(self.env.items()), self.cwd]
        if not self.boxed or self.folders is not None or not self.network:
            folders = None if self.folders is None else [[folder.path, folder.write] for folder in self.folders]
            program.append([self.boxed, folders, self.network])
        parts: list[object] = [self.transport, self.url, sorted(self.headers.items()), program]
        if self.query:
            parts.append(sorted(self.query.items()))
        parts.append(self.key.revision if self.account is None else self.account)
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


@dataclass(frozen=True, slots=True)
class Concern:
    """Why starting a program is for an operator to decide: what of it, and which."""

    kind: Literal["arguments", "variable", "cwd"]
    name: str = ""


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """What one program may use, and each that it starts: megabytes of memory, of one file and of its home in all, open
    files, processes of the operating system's user, seconds of processor. 0 = no limit.

    `box_processes` = processes and threads of one program with all it starts, where control groups can be made; its
    memory is bounded there as a whole as well."""

    memory_mb: int = 4096
    file_mb: int = 4096
    home_mb: int = 8192
    files: int = 8192
    processes: int = 8192
    cpu_s: int = 0
    box_processes: int = 1024


@dataclass(frozen=True, slots=True)
class StdioRules:
    """The installation's rules for starting programs, all as values (see `passed_on` and `bundled`).

    `allowed`: may any be started. `commands`: allow-list, empty = any (see `check`). `own_env`: variables that servers
    may set beside those that are plainly their own (`own_variables`). `base_env`: the variables passed on.
    `extra_path`: directories appended to PATH. `home_root`: each server gets a HOME below it. `box`: what programs
    are started in. `hidden`: places that no box ever shows; `shared`: places of the installation that every box does;
    `kept`: such that are written, by the step that installs packages into `packages` (None = nothing is installed).
    """

    allowed: bool = False
    commands: tuple[str, ...] = ()
    own_env: tuple[str, ...] = ()
    base_env: Mapping[str, str] = field(default_factory=dict)
    extra_path: tuple[str, ...] = ()
    home_root: Path = Path("var/homes")
    limits: ProgramLimits = ProgramLimits()
    box: Box = NO_BOX
    hidden: tuple[Path, ...] = ()
    shared: tuple[str, ...] = ()
    kept: tuple[Path, ...] = ()
    packages: Path | None = None

    def check(
        self,
        command: str,
        args: Iterable[str] = (),
        env: Iterable[str] = (),
        cwd: str = "",
        *,
        home: Path | None = None,
        approved: bool = False,
    ) -> None:
        """Raise McpPolicyDenied when this program may not be started here. `env` = names that the server itself sets.

        An entry of the list is one word, which the command equals letter by letter (a name is looked up in our own
        PATH, a path is that very path); or a whole command line, which allows just that one. No shell reads any of it.
        What a listed program may do beside what its name says (`asks`) needs an operator's word: `approved`.
        """
        if not self.allowed:
            raise McpPolicyDenied(params={"reason": "stdio_off"})
        line = [command, *args]
        if self.commands and not any(words in ([command], line) for words in map(shlex.split, self.commands)):
            raise McpPolicyDenied(params={"reason": "command_not_listed", "command": command})
        if approved:
            return
        for concern in self.asks(command, line[1:], env, cwd, home=home):
            if concern.kind == "variable":
                raise McpPolicyDenied(params={"reason": "env_not_listed", "name": concern.name})
            if concern.kind == "cwd":
                raise McpPolicyDenied(params={"reason": "cwd_outside", "cwd": concern.name})
            raise McpPolicyDenied(params={"reason": "arguments_ask", "command": command})

    def asks(
        self, command: str, args: Iterable[str], env: Iterable[str] = (), cwd: str = "", *, home: Path | None = None
    ) -> list[Concern]:
        """What of this command line is for an operator to decide: where commands are listed, what goes beyond them."""
        if not self.commands:
            return []
        line = [command, *args]
        whole = len(line) > 1 and any(words == line for words in map(shlex.split, self.commands))
        concerns = self.concerns(command, line[1:], env, cwd, home=home)
        return [concern for concern in concerns if not (whole and concern.kind == "arguments")]

    def concerns(
        self, command: str, args: Iterable[str], env: Iterable[str] = (), cwd: str = "", *, home: Path | None = None
    ) -> list[Concern]:
        """What an operator should look at: code in the arguments, variables that programs read, a folder elsewhere."""
        words = list(args)
        concerns: list[Concern] = []
        if runs_inline_code(command, words) or any(map(self._is_data, words)):
            concerns.append(Concern("arguments"))
        concerns += [Concern("variable", name) for name in not_own(env) if name not in self.own_env]
        if cwd and not (home is not None and Path(os.path.realpath(cwd)).is_relative_to(os.path.realpath(home))):
            concerns.append(Concern("cwd", cwd))
        return concerns

    def _is_data(self, argument: str) -> bool:
        """Whether an argument names something in the data directory, where teams put files of their own."""
        text = argument.rpartition("=")[2]
        if not os.path.isabs(text):
            return False
        return Path(os.path.realpath(text)).is_relative_to(os.path.realpath(self.home_root.parent))

    def environment(self, config: ServerConfig) -> dict[str, str]:
        """The complete environment of a server: base, private HOME, its own `env`, PATH with the bundled tools.

        The bundled Node.js stands before what our own PATH has: what a preset starts by `npx` must not depend on
        whether the machine has one, and how old. It stands behind a PATH that the server itself sets.
        """
        env = {name: value for name, value in self.base_env.items() if not value.startswith("()")}
        env["HOME"] = str(self.home(config))
        env.update(config.env)
        node = node_commands(node_package(), self.home_root / ".bin")
        directories = _directories(env.get("PATH", os.defpath))
        front = [*directories, *node] if config.env.get("PATH") else [*node, *directories]
        env["PATH"] = os.pathsep.join(dict.fromkeys([*front, *self.extra_path]))
        return env

    def home(self, config: ServerConfig) -> Path:
        """The server's private HOME, made when missing (mode 0700); one per person where each uses their own keys."""
        path = self.home_of(config.key)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def home_of(self, key: PoolKey) -> Path:
        """Where that directory is, made or not."""
        name = "-".join(filter(None, [key.team, key.server, key.user]))
        safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:120]
        return (self.home_root / safe).absolute()

    def check_start(self, config: ServerConfig) -> None:
        """`check` of what is about to be started."""
        home = self.home_of(config.key)
        self.check(config.command, config.args, config.env, config.cwd, home=home, approved=config.approved)


def _directories(path: str) -> list[str]:
    return [part for part in path.split(os.pathsep) if part]


def passed_on(environ: Mapping[str, str], extra_names: Iterable[str] | None = None) -> dict[str, str]:
    """What of `environ` stdio servers get: the base names and `extra_names` (None = DEFAULT_EXTRA_NAMES)."""
    names = (*BASE_NAMES, *(DEFAULT_EXTRA_NAMES if extra_names is None else extra_names))
    return {name: environ[name] for name in names if name in environ}
