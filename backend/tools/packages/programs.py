"""Runs npm and uv for the installing step: in a box with the network, and of the disk only what that step writes."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backend.errors import McpUnreachable
from backend.net.masking import Masker
from backend.tools.processes import Program, Reaper, StderrLog
from backend.tools.servers import PoolKey, ServerConfig, StdioRules

STDERR_LINES = 200
_LAST_WORDS_S = 5.0


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and what it said."""

    code: int | None
    output: str
    stderr: list[str]


@dataclass(frozen=True, slots=True)
class Programs:
    """What the programs of one installation get: their HOME below `folder`, `environment` of the server's own, and
    `masks`, the secrets in it."""

    rules: StdioRules
    folder: Path
    environment: Mapping[str, str]
    masks: tuple[str, ...] = ()

    async def run(
        self,
        command: str,
        args: Sequence[str],
        *,
        keep: Sequence[Path],
        cwd: Path,
        variables: Mapping[str, str] | None = None,
    ) -> Ran:
        """Run to its end; it may write `keep`, and gets `variables` besides its own. Raises McpUnreachable where it
        cannot be started."""
        rules = replace(self.rules, allowed=True, commands=(), home_root=self._homes(), kept=tuple(keep))
        config = ServerConfig(
            PoolKey("install", "package"),
            "package",
            "stdio",
            command=command,
            args=tuple(args),
            env={**self.environment, **(variables or {})},
            cwd=str(cwd),
            folders=(),
        )
        reaper, log, output = Reaper(), StderrLog(Masker(self.masks), STDERR_LINES), b""
        try:
            program = await Program.start(config, rules, reaper)
            stdin, stdout, errors = program.process.stdin, program.process.stdout, program.process.stderr
            if stdin is None or stdout is None or errors is None:
                raise RuntimeError("the program was started without pipes")
            listening = asyncio.create_task(log.follow(errors))
            reading = asyncio.create_task(stdout.read())
            try:
                stdin.close()
                await program.gone.wait()
                await asyncio.wait([listening, reading], timeout=_LAST_WORDS_S)
                output = reading.result() if reading.done() else b""
            finally:
                listening.cancel()
                reading.cancel()
                await asyncio.shield(program.end())
        finally:
            await asyncio.shield(asyncio.to_thread(reaper.close))
        return Ran(program.exit_code, output.decode("utf-8", "replace"), log.tail(STDERR_LINES))

    def _homes(self) -> Path:
        return self.folder / "homes"

    def find(self, command: str) -> Path:
        """Where a command is, by the PATH that the programs get. Raises McpUnreachable where it is missing."""
        config = ServerConfig(PoolKey("install", "package"), "package", "stdio", command=command)
        rules = replace(self.rules, home_root=self._homes())
        path = shutil.which(command, path=rules.environment(config)["PATH"])
        if path is None:
            missing = "uv_missing" if command == "uv" else "node_missing"
            raise McpUnreachable(params={"reason": missing, "command": command})
        return Path(path)

    def clear(self) -> None:
        """Remove what they left in their HOME."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self.folder)
