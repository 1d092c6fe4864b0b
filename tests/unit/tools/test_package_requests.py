"""Which package a command line asks for, and which lines are left to npx and uvx."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.tools.packages.requests import request_of


@pytest.mark.parametrize(
    ("line", "spec", "command", "args"),
    [
        ("npx -y @modelcontextprotocol/server-everything", "@modelcontextprotocol/server-everything", "", []),
        ("npx --yes pkg@1.2.3 --port 3", "pkg@1.2.3", "", ["--port", "3"]),
        ("npx -y pkg@latest -y", "pkg@latest", "", ["-y"]),
        ("/usr/bin/npx pkg@^1 -- x", "pkg@^1", "", ["--", "x"]),
        ("npx -y --package=@a/b run it", "@a/b", "run", ["it"]),
        ("npx -p @a/b@2 run", "@a/b@2", "run", []),
        ("uvx mcp-server-time --local-timezone UTC", "mcp-server-time", "mcp-server-time", ["--local-timezone", "UTC"]),
        ("uvx pkg@1.2", "pkg==1.2", "pkg", []),
        ("uvx pkg@latest", "pkg", "pkg", []),
        ("uvx pkg[cli]==1.0 x", "pkg[cli]==1.0", "pkg", ["x"]),
        ("uvx -q --from pkg>=1,<2 cmd x", "pkg>=1,<2", "cmd", ["x"]),
        ("uv tool run --python 3.12 --with a,b pkg", "pkg", "pkg", []),
    ],
)
def test_plain_lines_name_a_package(line: str, spec: str, command: str, args: list[str]) -> None:
    words = line.split()
    result = request_of(words[0], words[1:], {})
    assert result is not None
    assert (result.spec, result.command, list(result.args)) == (spec, command, args)


@pytest.mark.parametrize(
    "line",
    [
        *("npx", "npx -c id", "npx -y github:a/b", "npx -y git+https://x/y", "npx -y ./here", "npx -y https://x/y.tgz"),
        *(
            "npx --registry http://x pkg",
            "npx -p a -p b run",
            "node x.js",
            "npm exec pkg",
            "uvx",
            "uvx --from git+https://x y",
        ),
        *("uvx --from ./here x", "uvx --index-url http://x pkg", "uvx --with git+https://x pkg", "uvx pkg.whl"),
        *("uv run pkg", "uvx -p /usr/bin/python pkg", "python -m pkg"),
    ],
)
def test_whatever_is_not_plain_is_left_as_it_is(line: str) -> None:
    words = line.split()
    assert request_of(words[0], words[1:], {}) is None


def test_a_server_that_says_itself_how_to_install_is_told_apart(tmp_path: Path) -> None:
    plain = request_of("npx", ["pkg"], {"API_KEY": "x"})
    own = request_of("npx", ["pkg"], {"npm_config_registry": "http://registry.example"})
    assert plain is not None and own is not None and plain.environment == ()
    assert own.environment == (("npm_config_registry", "http://registry.example"),) and own.digest != plain.digest
    for name in ("PATH", "HOME", "npm_config_prefix", "UV_CACHE_DIR", "UV_PYTHON", "XDG_CACHE_HOME"):
        assert request_of("npx", ["pkg"], {name: "/x"}) is None, name
    (tmp_path / "node_modules").mkdir()
    assert request_of("npx", ["pkg"], {}, str(tmp_path)) is None, "npx takes the folder's own"
