"""Fixtures for tests with real server processes: configurations, a pool per test, servers by name."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from backend.net.rules import NetworkRules
from backend.tools.box.finding import find_box
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.testing import PlainEffects, PolicyTable
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.programs.bundled import bundled_dirs, shared_places
from backend.tools.servers import PoolKey, PoolLimits, ServerConfig, StdioRules, passed_on
from backend.tools.types import CallContext, ToolResult
from tests import forkserver

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
NODE_SERVERS = HERE / "node" / "node_modules" / ".bin"
SDK_S = 9.0
"""Who waits for longer than this waits as long as the SDK does, which is ten seconds."""
NETWORK = NetworkRules(loopback_for_typed=True)


def rules_below(folder: Path) -> StdioRules:
    """Programs may be started, boxed as this machine allows, with a HOME below a directory."""
    return StdioRules(
        allowed=True,
        base_env=passed_on(os.environ),
        extra_path=bundled_dirs(),
        home_root=folder / "homes",
        box=find_box(os.environ.get("PATCHBAY_STDIO_BOX", "")),
        shared=shared_places(),
    )


@pytest.fixture
def stdio(tmp_path: Path) -> StdioRules:
    """Programs may be started, with a HOME below the test's directory."""
    return rules_below(tmp_path)


@pytest.fixture
async def pool(stdio: StdioRules) -> AsyncIterator[Pool]:
    """A pool that is closed after the test, with all its programs."""
    pool = Pool(NETWORK, stdio, PoolLimits())
    yield pool
    await pool.close()


def program(mode: str = "plain", **more: Any) -> ServerConfig:
    """Our hand-written stdio server in one of its modes."""
    body = {"timeout_s": 20.0, "trust_annotations": True, **more}
    arguments = (str(PROGRAMS / "stdio_server.py"), mode)
    return ServerConfig(PoolKey("team", mode), mode, "stdio", command=sys.executable, args=arguments, **body)


def at(url: str, transport: Any = "http", **more: Any) -> ServerConfig:
    """A server by its URL, typed by an admin."""
    body = {"timeout_s": 20.0, "typed_address": True, **more}
    return ServerConfig(PoolKey("team", url), "remote", transport, url=url, **body)


def node_server(name: str, *arguments: str) -> ServerConfig:
    """A server from npm."""
    command = NODE_SERVERS / name
    if not command.exists():
        pytest.fail(f"{name} is missing: run `npm ci` in {HERE / 'node'} (make test does)")
    return ServerConfig(
        PoolKey("team", name), name, "stdio", command=str(command), args=arguments, trust_annotations=True
    )


@dataclass
class Caller:
    """Calls tools of one server through pool and gate."""

    source: McpToolSource

    async def __call__(self, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> ToolResult:
        effects = more.pop("effects", None) or PlainEffects()
        policies = more.pop("policies", None) or PolicyTable()
        gated = GatedToolSource(self.source, policies)
        return await gated.call_tool(tool, arguments or {}, CallContext(effects, "call", **more))


@pytest.fixture
def caller(pool: Pool) -> Callable[[ServerConfig], Caller]:
    """`caller(config)` gives `await call("tool", {...})`."""
    return lambda config: Caller(McpToolSource(pool, config))


def pid_of(pool: Pool) -> int:
    """The process of the pool's first connection."""
    pid = pool.stats()[0]["pid"]
    assert isinstance(pid, int), pid
    return pid


async def until(condition: Callable[[], bool], within: float = 60.0) -> None:
    """Wait for a state. TimeoutError when it does not come."""
    async with asyncio.timeout(within):
        while True:
            if condition():
                return
            await asyncio.sleep(0.01)


def certificate(directory: Path) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1: (certificate, key)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    created = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = directory / "certificate.pem", directory / "key.pem"
    certificate_file.write_bytes(created.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate_file, key_file


def started(*command: str) -> Iterator[int]:
    """Start a program that prints its port, give the port, kill it."""
    process = forkserver.double("-f", *command)
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def odd_http() -> Iterator[str]:
    """Base URL of the HTTP server that answers in every way."""
    for port in started(str(PROGRAMS / "http_server.py")):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def hosting() -> Iterator[str]:
    """Base URL of a server that behaves as hosted ones do."""
    for port in started(str(PROGRAMS / "sdk_server.py"), "s3cr3t-in-path"):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def hosted(hosting: str) -> str:
    """The hosted server's base URL with its secret, not expired, nothing cancelled so far."""
    httpx2.get(f"{hosting}/reset")
    return f"{hosting}/s3cr3t-in-path"


def outside(leader: int, inner: list[int]) -> list[int]:
    """The numbers that processes of a boxed program have here, where it was started as `leader`."""
    known = {}
    for item in [leader, *(child.pid for child in psutil.Process(leader).children(recursive=True))]:
        numbers = re.findall(r"NSpid:(.*)", Path(f"/proc/{item}/status").read_text())[0].split()
        known[len(numbers), int(numbers[-1])] = item
    depth = max(depth for depth, _ in known)
    return [known[depth, number] for number in inner]
