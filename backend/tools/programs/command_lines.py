"""What a command line does beside starting the program it names: run code written in it, or fetched from an address.

A list of commands that may be started (`npx`, `python`) means packages and programs, not any code: `npx -c`,
`python -c`, `node -e`, `uvx --from <address>` run whatever the line says. For each launcher known here only the forms
that are plainly harmless pass (a package of the registry, a module, a script by its whole path); every other option
asks the operator, and a shell always does. Programs that are not
known here are taken as what they are: their arguments are their own; those that are known to run a command which their
arguments name (`supergateway --stdio "..."`, `mcp-proxy`, `debugpy -c`) ask, as packages and by themselves.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence

_NPM = re.compile(r"(@[a-z0-9~][\w.~-]*/)?[a-z0-9~][\w.~-]*(@[\w.^~<>=*+-]+)?", re.IGNORECASE)
_BOUND = r"(@|[=<>!~]=?=?)\s*[\w.*+!-]+"
_PYPI = re.compile(rf"(?P<name>[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?)(\[[\w,. -]*\])?({_BOUND}(,\s*{_BOUND})*)?")
_IMAGE = re.compile(r"[a-z0-9][\w.-]*(:\d+)?(/[\w.-]+)*(:[\w.-]+)?(@sha256:[0-9a-f]{64})?", re.IGNORECASE)
_VERSION = re.compile(r"(cpython|pypy)?[@-]?\d+(\.\d+)*")
_FILE = re.compile(r"\.(whl|zip|gz|bz2|xz|tgz|egg|py|pyz|txt|toml)\b", re.IGNORECASE)
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_NODE_FLAG = re.compile(r"--(no-warnings|enable-source-maps|trace-warnings|max-old-space-size=\d+)")
_JAVA_FLAG = re.compile(r"-Xm[sx]\d+[kmg]?|-D(file\.encoding|user\.timezone)=[\w/+-]+", re.IGNORECASE)
_INSTALLERS = frozenset({"pip", "uv", "pipx", "ensurepip", "IPython", "ptpython", "pytest", "setuptools"})
_SHELLS = """
    sh bash dash zsh ksh fish csh tcsh ash busybox toybox cmd powershell pwsh env xargs find nice nohup timeout setsid
    stdbuf script sudo su doas runuser chroot unshare nsenter bwrap flock watch time strace gdb systemd-run at crontab
"""
_LANGUAGES = """
    perl ruby php lua luajit awk gawk mawk sed ed vi vim emacs expect tclsh wish osascript jshell groovy scala kotlin
    erl elixir iex r rscript julia ghci dotnet dnx deno tsx ts-node
"""
_TOOLS = """
    make cmake ninja git hg svn ssh scp rsync curl wget nc ncat socat go cargo npm pnpm pnpx yarn yarnpkg corepack pip
    pipx poetry pdm hatch conda mamba kubectl helm
"""
_RUNNERS = """
    supergateway mcp-proxy mcpo mcp-inspector mcp fastmcp concurrently npm-run-all run-p run-s nodemon cross-env
    cross-env-shell dotenv dotenv-cli env-cmd zx execa onchange chokidar-cli start-server-and-test npm-run nx turbo
    lerna gulp grunt vite-node ts-node-dev ts-node-esm babel-node esbuild esno jiti coffee jest vitest mocha ava webpack
    rollup vite nyc pm degit giget
    debugpy ipython bpython ipykernel jupyter jupyter-lab notebook marimo streamlit gradio pytest tox nox invoke inv
    fabric fab ansible ansible-playbook honcho supervisord gunicorn uvicorn hypercorn flask coverage kernprof scalene
    pyinstrument viztracer pipenv rye pixi virtualenv cookiecutter copier pre-commit
"""
"""Packages and programs that run a command, a module or an address which their own arguments name."""
_SCOPED_RUNNERS = frozenset({"@modelcontextprotocol/inspector", "@modelcontextprotocol/inspector-cli", "@nrwl/cli"})
_ALWAYS = frozenset(f"{_SHELLS} {_LANGUAGES} {_TOOLS}".split())
_RUN = frozenset(_RUNNERS.split())


def _rest(args: Sequence[str], plain: frozenset[str], valued: dict[str, Callable[[str], bool]]) -> list[str] | None:
    """What follows the options in front; None where one of them is not among these, or has another value."""
    left = list(args)
    while left and left[0].startswith("-"):
        name, equals, value = left.pop(0).partition("=")
        if name in plain and not equals:
            continue
        if name not in valued or not (equals or left):
            return None
        if not valued[name](value if equals else left.pop(0)):
            return None
    return left


def _npm_package(text: str) -> bool:
    return bool(_NPM.fullmatch(text))


def _pypi_packages(text: str) -> bool:
    parts = re.split(r",(?=\s*[A-Za-z])", text)
    return all(_PYPI.fullmatch(part.strip()) and not _FILE.search(part) for part in parts)


def _same(name: str, other: str) -> bool:
    return re.sub(r"[-_.]+", "-", name).lower() == re.sub(r"[-_.]+", "-", other).lower()


def _python(args: Sequence[str]) -> bool:
    left = list(args)
    while left and left[0] in {"-u", "-I", "-E", "-s", "-B", "-O", "-OO", "-P", "-q"}:
        left.pop(0)
    if left[:1] == ["-m"]:
        module = left[1] if len(left) > 1 else ""
        top = module.partition(".")[0]
        if not _MODULE.fullmatch(module) or top in sys.stdlib_module_names or top in _INSTALLERS:
            return False
        return not _is_launcher(top.replace("_", "-"))
    return bool(left) and left[0].startswith("/")


def _node(args: Sequence[str]) -> bool:
    left = list(args)
    while left and _NODE_FLAG.fullmatch(left[0]):
        left.pop(0)
    return bool(left) and left[0].startswith("/")


def _npx(args: Sequence[str]) -> bool:
    quiet = frozenset({"-y", "--yes", "-q", "--quiet", "--no", "--no-install", "--prefer-offline", "--offline", "--"})
    left = _rest(args, quiet, {}) or [""]
    if not _npm_package(left[0]):
        return False
    scope, slash, name = left[0].lower().rpartition("/")
    name = name.partition("@")[0]
    if slash:
        return f"{scope}/{name}" not in _SCOPED_RUNNERS and _plain_name(name) not in _LAUNCHERS.keys() | _ALWAYS
    return not _is_launcher(name)


def _uvx(args: Sequence[str]) -> bool:
    source: list[str] = []

    def from_(text: str) -> bool:
        source.append(text)
        return _pypi_packages(text) and "," not in text.partition("[")[0]

    versions = {"--python": _is_version, "-p": _is_version}
    quiet = frozenset({"-q", "--quiet", "--isolated", "--offline", "--no-progress", "--refresh", "--no-cache", "-n"})
    left = _rest(args, quiet, {"--from": from_, "--with": _pypi_packages, **versions})
    if not left:
        return not args  # alone it says how it is used
    match = _PYPI.fullmatch(left[0])
    if match is None or _is_launcher(re.sub(r"[-_.]+", "-", match["name"])) or _FILE.search(left[0]):
        return False
    package = _PYPI.fullmatch(source[-1]) if source else match
    return package is not None and _same(package["name"], match["name"])


def _is_version(text: str) -> bool:
    return bool(_VERSION.fullmatch(text))


def _uv(args: Sequence[str]) -> bool:
    return list(args[:2]) == ["tool", "run"] and _uvx(args[2:])


def _bun(args: Sequence[str]) -> bool:
    if args[:1] == ["x"]:
        return _npx(args[1:])
    return bool(args) and args[0].startswith("/")


def _docker(args: Sequence[str]) -> bool:
    if args[:1] != ["run"]:
        return False
    plain = frozenset({"-i", "--interactive", "--rm", "--init", "--read-only", "-q", "--quiet"})
    valued: dict[str, Callable[[str], bool]] = {
        "-e": lambda text: True,
        "--env": lambda text: True,
        "--name": lambda text: True,
        "--network": lambda text: text == "none",
        "--pull": lambda text: text in {"always", "missing", "never"},
        "--memory": lambda text: bool(re.fullmatch(r"\d+[kmg]?", text)),
    }
    left = _rest(args[1:], plain, valued) or [""]
    return bool(_IMAGE.fullmatch(left[0]))


def _java(args: Sequence[str]) -> bool:
    left = list(args)
    while left and _JAVA_FLAG.fullmatch(left[0]):
        left.pop(0)
    return len(left) > 1 and left[0] == "-jar" and left[1].startswith("/")


_LAUNCHERS: dict[str, Callable[[Sequence[str]], bool]] = {
    "python": _python,
    "pypy": _python,
    "node": _node,
    "nodejs": _node,
    "npx": _npx,
    "bunx": _npx,
    "bun": _bun,
    "uvx": _uvx,
    "uv": _uv,
    "docker": _docker,
    "podman": _docker,
    "java": _java,
}


def _plain_name(command: str) -> str:
    """The program's name without directory, ending and version: `/usr/bin/python3.11` is `python`."""
    name = re.sub(r"\.(exe|cmd|bat|com)$", "", re.split(r"[/\\]", command)[-1].strip().lower())
    return re.sub(r"[\d.]+$", "", name) or name


def _is_launcher(command: str) -> bool:
    name = _plain_name(command)
    return name in _LAUNCHERS or name in _ALWAYS or name in _RUN


def runs_inline_code(command: str, args: Sequence[str]) -> bool:
    """Whether the line runs, or may run, code that it carries itself or names by address.

    A path is looked at as what it is called and as what it leads to.
    """
    names = {_plain_name(command)}
    if os.sep in command:
        names.add(_plain_name(os.path.realpath(command)))
    if names & (_ALWAYS | _RUN):
        return True
    return any(not _LAUNCHERS[name](args) for name in names & _LAUNCHERS.keys())
