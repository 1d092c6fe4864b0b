"""Programs over stdio, well-behaved and hostile: each failure has its code, and the process and its pool stay up."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from backend.errors import (
    McpExecutionError,
    McpParseError,
    McpPolicyDenied,
    McpProtocolError,
    McpTimeout,
    McpUnreachable,
    ResultTooLarge,
)
from backend.tools.box.folders import Folder
from backend.tools.calls.dropping import drop_connection
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.selected import SelectedToolSource
from backend.tools.calls.testing import PlainEffects, PolicyTable, ScriptedToolSource
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from backend.tools.servers import PoolKey, PoolLimits, ServerConfig, StdioRules
from tests.live.servers.conftest import NETWORK, PROGRAMS, SDK_S, Caller, node_server, outside, pid_of, program, until
from tests.looking import inside

Call = Callable[[ServerConfig], Caller]
READS = PolicyTable(default=ToolRules(policy="allow", effect_override="read"))
ROOT = Path(__file__).resolve().parents[3]


async def gone(*pids: int, within: float = 8.0) -> bool:
    """Wait until none of the processes lives (a zombie does not live)."""
    await until(lambda: not any(_lives(pid) for pid in pids), within)
    return True


def _lives(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


async def test_a_call_reaches_the_server_and_comes_back(caller: Call) -> None:
    result = await caller(program())("echo", {"text": "grüße, 你好"})
    assert result.text == "grüße, 你好" and not result.is_error
    assert result.content == [{"type": "text", "text": "grüße, 你好"}]


async def test_progress_and_the_idempotency_key_travel_with_the_call(caller: Call, tmp_path: Path) -> None:
    effects = PlainEffects()
    call = caller(program(folders=(Folder(str(PROGRAMS)), Folder(str(tmp_path), write=True))))
    await call("progress", effects=effects)
    assert effects.progress == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]
    noted = await call("note", {"file": str(tmp_path / "notes"), "line": "once"})
    assert json.loads(noted.text)["patchbay/idempotencyKey"] == "test:call"


async def test_many_calls_share_one_connection(pool: Pool, caller: Call) -> None:
    call = caller(program())
    answers = await asyncio.gather(*(call("echo", {"text": str(n)}) for n in range(100)))
    assert [answer.text for answer in answers] == [str(n) for n in range(100)]
    assert [row["connects"] for row in pool.stats()] == [1]


async def test_a_tool_error_is_a_result_and_an_rpc_error_is_an_error(caller: Call) -> None:
    call = caller(program())
    assert (await call("error")).is_error
    with pytest.raises(McpExecutionError) as caught:
        await call("rpc_error")
    assert caught.value.params["why"] == "the database is on fire" and caught.value.detail["data"] == {"hot": True}


async def test_cancelling_reaches_the_server_and_leaves_the_connection(pool: Pool, caller: Call) -> None:
    call = caller(program())
    await call("echo", {"text": "ready"})
    sleeping = asyncio.create_task(call("sleep", {"seconds": 60}))
    async with pool.use(program()) as live:
        await until(lambda: any("sleeping" in line for line in live.stderr.tail()))
    sleeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sleeping
    async with pool.use(program()) as live:
        await until(lambda: any("cancelled" in line for line in live.stderr.tail()))
    assert (await call("echo", {"text": "still here"})).text == "still here"
    assert pool.stats()[0]["connects"] == 1


async def test_a_call_that_takes_too_long_times_out_and_the_connection_stays(pool: Pool, caller: Call) -> None:
    call = caller(program())
    with pytest.raises(McpTimeout):
        await call("sleep", {"seconds": 60}, timeout_s=0.2)
    assert (await call("echo", {"text": "on"})).text == "on"
    assert pool.stats()[0]["connects"] == 1


async def test_a_server_killed_with_calls_pending_fails_them_all_at_once_and_comes_back(
    pool: Pool, caller: Call
) -> None:
    call = caller(program())
    await call("echo", {"text": "ready"})
    pending = [asyncio.create_task(call("sleep", {"seconds": 60})) for _ in range(50)]
    async with pool.use(program()) as live:
        await until(lambda: sum("sleeping" in line for line in live.stderr.tail(200)) == 50)
    os.kill(pid_of(pool), signal.SIGKILL)
    async with asyncio.timeout(2):
        failures = await asyncio.gather(*pending, return_exceptions=True)
    assert {type(failure) for failure in failures} == {McpUnreachable}
    assert {failure.params["reason"] for failure in failures} == {"signal"}  # type: ignore[union-attr]
    assert (await call("echo", {"text": "again"})).text == "again"
    assert pool.stats()[0]["connects"] == 2


async def test_an_idle_server_that_dies_is_noticed_and_made_anew(
    pool: Pool, caller: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.tools.mcp.pool.STABLE_S", 0.0)
    call = caller(program())
    await call("echo", {"text": "ready"})
    os.kill(pid_of(pool), signal.SIGKILL)
    await until(lambda: pool.stats()[0]["connects"] == 2)
    assert (await call("echo", {"text": "again"})).text == "again"


async def test_a_server_that_dies_in_mid_call_says_how(caller: Call) -> None:
    with pytest.raises(McpUnreachable) as caught:
        await caller(program())("die")
    assert caught.value.params == {"reason": "signal", "signal": "SIGKILL", "exit_code": -9}


@pytest.mark.wide
async def test_fifty_megabytes_come_through_and_more_than_allowed_fails_that_call_only(stdio: StdioRules) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(message_bytes=60_000_000))
    try:
        call = Caller(McpToolSource(pool, program(), result_bytes=60_000_000))
        assert len((await call("big", {"bytes": 50_000_000})).text) == 50_000_000
        with pytest.raises(ResultTooLarge):
            await call("big", {"bytes": 70_000_000})
        assert (await call("echo", {"text": "alive"})).text == "alive"
        assert pool.stats()[0]["connects"] == 1
    finally:
        await pool.close()


async def test_a_command_that_does_not_exist(caller: Call) -> None:
    config = ServerConfig(PoolKey("team", "none"), "none", "stdio", command="no-such-program-anywhere")
    with pytest.raises(McpUnreachable) as caught:
        await caller(config)("echo")
    assert caught.value.params == {"reason": "command_missing", "command": "no-such-program-anywhere"}


async def test_a_file_that_cannot_be_executed_and_a_directory_that_is_not_there(caller: Call, tmp_path: Path) -> None:
    file = tmp_path / "script"
    file.write_text("#!/bin/sh\n")
    with pytest.raises(McpUnreachable) as caught:
        await caller(ServerConfig(PoolKey("team", "a"), "a", "stdio", command=str(file)))("echo")
    assert caught.value.params["reason"] == "not_executable"
    with pytest.raises(McpUnreachable) as caught:
        await caller(ServerConfig(PoolKey("team", "b"), "b", "stdio", command="true", cwd="/no/such/place"))("echo")
    assert caught.value.params["reason"] == "cwd_missing"


async def test_a_server_that_crashes_on_start_shows_its_last_words(caller: Call) -> None:
    with pytest.raises(McpUnreachable) as caught:
        await caller(program("crash"))("echo")
    line = "Traceback: the package 'left-pad' is missing"
    assert caught.value.params == {"reason": "exited_stderr", "exit_code": 3, "line": line}
    assert "left-pad" in caught.value.detail["stderr"][0]


async def test_a_server_that_hangs_at_start_times_out_and_is_ended(stdio: StdioRules) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(connect_s=0.5))
    try:
        with pytest.raises(McpTimeout) as caught:
            await Caller(McpToolSource(pool, program("hang")))("echo")
        assert caught.value.params["reason"] == "start"
    finally:
        await pool.close()
    assert not _children_running("stdio_server.py", "hang")


async def test_a_server_that_says_nothing_is_waited_for_as_long_as_its_timeout_says(pool: Pool, caller: Call) -> None:
    async with asyncio.timeout(SDK_S):
        with pytest.raises(McpTimeout) as caught:
            await caller(program("hang", timeout_s=0.5))("echo")
    assert caught.value.params["reason"] == "connect", "nothing was called, so nothing may have happened"


async def test_unparsed_output_is_shown(stdio: StdioRules) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(connect_s=3))
    try:
        with pytest.raises(McpParseError) as caught:
            await Caller(McpToolSource(pool, program("unparsed")))("echo")
        assert caught.value.params["reason"] == "stdout" and "<html>" in caught.value.detail["raw"]
    finally:
        await pool.close()


@pytest.mark.parametrize("mode", ["banner", "latin", "impatient"])
async def test_servers_with_bad_manners_work_all_the_same(caller: Call, mode: str) -> None:
    assert (await caller(program(mode))("echo", {"text": "fine"})).text == "fine"


async def test_a_server_that_wants_the_old_greeting_is_remembered(pool: Pool, caller: Call) -> None:
    call = caller(program("impatient"))
    await call("echo", {"text": "one"})
    assert pool.stats()[0]["era"] == "legacy"


async def test_another_protocol_version_and_a_program_that_only_echoes(caller: Call) -> None:
    with pytest.raises(McpProtocolError) as caught:
        await caller(program("version"))("echo")
    assert caught.value.params["reason"] == "version"
    with pytest.raises(McpProtocolError):
        await caller(ServerConfig(PoolKey("team", "cat"), "cat", "stdio", command="cat"))("echo")


async def test_results_of_the_wrong_shape_or_schema_are_protocol_errors(caller: Call) -> None:
    with pytest.raises(McpProtocolError) as caught:
        await caller(program("wrong"))("echo", {"text": "x"})
    assert caught.value.params["reason"] == "shape"
    with pytest.raises(McpProtocolError) as caught:
        await caller(program())("structured")
    assert caught.value.params["reason"] == "output_schema"
    assert caught.value.detail["structured"] == {"n": "not a number"}


async def test_values_that_json_should_not_hold(caller: Call) -> None:
    call = caller(program())
    assert (await call("odd", {"kind": "nan"})).structured == {"n": None, "m": None}
    assert (await call("odd", {"kind": "nul"})).text == "a\x00b"
    for kind in ("surrogate", "half"):
        with pytest.raises(McpParseError) as caught:
            await call("odd", {"kind": kind})
        assert caught.value.params["reason"] == "message" and '"result"' in caught.value.detail["raw"]
    assert (await call("echo", {"text": "still here"})).text == "still here"


async def test_two_thousand_tools_are_all_listed_and_an_endless_list_is_not(pool: Pool) -> None:
    tools = await McpToolSource(pool, program("many")).list_tools()
    assert [tool.name for tool in tools] == [f"tool_{n}" for n in range(2000)]
    with pytest.raises(McpProtocolError) as caught:
        await McpToolSource(pool, program("endless")).list_tools()
    assert caught.value.params["reason"] == "endless_list"


async def test_hostile_schemas_spoil_their_own_tools_only(pool: Pool, caller: Call) -> None:
    call = caller(program("schemas"))
    assert (await call("fine")).text == "called fine"
    assert (await call("recursion", {"c": {"c": {}}})).text == "called recursion"
    began = time.thread_time()
    refused = {}
    for tool in ("circle", "remote", "local_file", "bad_pattern", "nonsense", "misshapen", "deep", "huge", "bomb"):
        try:
            await call(tool)
        except McpProtocolError as error:
            refused[tool] = error.params["reason"]
            assert error.params["tool"] == tool
    assert refused == {
        "remote": "schema_reference",
        "local_file": "schema_reference",
        "bad_pattern": "schema_invalid",
        "nonsense": "schema_invalid",
        "misshapen": "schema_invalid",
        "deep": "schema_too_deep",
        "huge": "schema_too_large",
        "circle": "schema_too_costly",
        "bomb": "schema_too_costly",
    }
    assert (await call("pattern", {"a": "a" * 100})).text == "called pattern"
    with pytest.raises(Exception, match="MCP_INVALID_PARAMS"):
        await call("pattern", {"a": "a" * 5000 + "!"})
    assert time.thread_time() - began < 2, "the event loop's thread checked them itself"


async def test_an_answer_nested_too_deeply_to_be_read_fails_as_such(pool: Pool) -> None:
    with pytest.raises(McpParseError) as caught:
        await McpToolSource(pool, program("abyss")).list_tools()
    assert caught.value.params["reason"] == "too_deep"


async def test_a_changed_list_is_listed_anew_and_told(pool: Pool) -> None:
    messages: list[int] = []

    async def listed(specs: list[object]) -> None:
        messages.append(len(specs))

    source = McpToolSource(pool, program(), on_listed=listed)  # type: ignore[arg-type]
    call = Caller(source)
    before = len(await source.list_tools())
    assert (await call("grow")).text == "grown_0"
    async with pool.use(program()) as live:
        await until(lambda: live.stale)
    assert len(await source.list_tools()) == before + 1
    assert (await call("grown_0")).text == "called grown_0"
    assert messages == [before, before + 1]


async def test_secrets_are_masked_in_results_and_stderr(pool: Pool, caller: Call) -> None:
    config = program(masks=("hunter2secret",))
    result = await caller(config)("secret", {"value": "hunter2secret"})
    assert "hunter2" not in json.dumps(result.as_json()) and "••••••" in result.text
    async with pool.use(config) as live:
        await until(lambda: bool(live.stderr.tail()))
        assert "hunter2" not in "\n".join(live.stderr.tail())


async def test_the_environment_is_minimal_and_home_is_private(
    caller: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATCHBAY_SECRET_KEYS", "never")
    result = await caller(program(env={"GIVEN": "yes"}))("environment")
    results = json.loads(result.text)
    assert results["env"]["GIVEN"] == "yes" and "PATCHBAY_SECRET_KEYS" not in results["env"]
    assert results["env"]["HOME"] == str(tmp_path / "homes" / "team-plain") == results["cwd"]
    assert "VIRTUAL_ENV" not in results["env"]
    assert results["env"]["PATH"].startswith(str(tmp_path / "homes" / ".bin"))


async def test_nothing_is_started_where_it_is_not_allowed(tmp_path: Path) -> None:
    for rules, reason in (
        (StdioRules(allowed=False, home_root=tmp_path), "stdio_off"),
        (StdioRules(allowed=True, commands=("uvx",), home_root=tmp_path), "command_not_listed"),
    ):
        pool = Pool(NETWORK, rules)
        with pytest.raises(McpPolicyDenied) as caught:
            await McpToolSource(pool, program()).list_tools()
        assert caught.value.params["reason"] == reason
        await pool.close()


async def test_closing_ends_the_whole_process_tree_even_of_a_stubborn_server(stdio: StdioRules) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits())
    pids: list[int] = []
    for mode in ("plain", "stubborn"):
        inner = json.loads((await Caller(McpToolSource(pool, program(mode)))("pids")).text)
        pids += outside(next(inside(row["pid"]) for row in pool.stats() if row["server"] == mode), inner)
    assert all(_lives(pid) for pid in pids) and len(pids) == 4
    await pool.close()
    assert await gone(*pids, within=1)


@pytest.mark.wide
async def test_closing_does_not_wait_for_a_server_that_hangs_at_start(stdio: StdioRules) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(connect_s=600))
    waiting = asyncio.create_task(McpToolSource(pool, program("hang", timeout_s=600)).list_tools())
    await until(lambda: bool(_children_running("stdio_server.py", "hang")))
    await pool.close()
    with pytest.raises(McpUnreachable) as caught:
        await waiting
    assert caught.value.params["reason"] == "closing"
    await until(lambda: not _children_running("stdio_server.py", "hang"))


async def test_dropping_a_server_ends_its_program_and_a_new_revision_gets_a_new_one(pool: Pool, caller: Call) -> None:
    old = program()
    await caller(old)("echo", {"text": "old"})
    pid = pid_of(pool)
    new = ServerConfig(PoolKey("team", "plain", 2), "plain", "stdio", command=old.command, args=old.args)
    await caller(new)("echo", {"text": "new"})
    await pool.drop_server("plain", keep_revision=2)
    assert await gone(pid)
    assert [row["server"] for row in pool.stats()] == ["plain"]
    await pool.drop_server("plain")
    assert pool.stats() == []


async def test_a_connection_that_is_let_go_of_is_made_anew_for_the_next_call(pool: Pool, caller: Call) -> None:
    call = caller(program())
    await call("echo", {"text": "old"})
    pid = pid_of(pool)
    behind = SelectedToolSource(GatedToolSource(call.source, PolicyTable()), ["echo"])
    await drop_connection(behind)
    assert await gone(pid)
    assert (await call("echo", {"text": "new"})).text == "new"
    assert pool.stats()[0]["pid"] != pid
    await drop_connection(ScriptedToolSource("box", go=["x"]))  # nothing to let go of


async def test_an_idle_connection_is_closed_and_made_again_when_wanted(stdio: StdioRules) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(idle_s=0.2))
    try:
        call = Caller(McpToolSource(pool, program()))
        await call("echo", {"text": "x"})
        pid = pid_of(pool)
        assert await gone(pid)
        assert pool.stats() == []
        assert (await call("echo", {"text": "y"})).text == "y"
    finally:
        await pool.close()


async def test_the_cap_per_server_makes_room_by_closing_idle_connections(stdio: StdioRules) -> None:
    pool = Pool(NETWORK, stdio, PoolLimits(per_server=2))
    try:
        configs = [
            ServerConfig(PoolKey("t", "s", run=run), "s", "stdio", command=sys.executable, args=program().args)
            for run in ("r1", "r2", "r3")
        ]
        for config in configs:
            await Caller(McpToolSource(pool, config))("echo", {"text": "x"})
        assert len(pool.stats()) == 2
        async with pool.use(configs[1]), pool.use(configs[2]):
            with pytest.raises(McpUnreachable) as caught:
                await McpToolSource(pool, configs[0]).list_tools()
        assert caught.value.params == {"reason": "too_many", "limit": 2}
        await pool.drop_run("r3")
        assert len(pool.stats()) == 1
    finally:
        await pool.close()


def _children_running(*words: str) -> list[int]:
    return [
        p.pid for p in psutil.process_iter(["cmdline"]) if set(words) <= {Path(w).name for w in p.info["cmdline"] or []}
    ]


async def test_nothing_survives_when_our_process_is_killed_without_a_word(tmp_path: Path) -> None:
    script = f"""
import asyncio, os, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.live.servers.conftest import Caller, NETWORK, program
from backend.tools.mcp.pool import Pool
from backend.tools.servers import StdioRules
from backend.tools.mcp.source import McpToolSource
async def main():
    pool = Pool(NETWORK, StdioRules(allowed=True, home_root=Path({str(tmp_path)!r})))
    for mode in ("plain", "stubborn"):
        print((await Caller(McpToolSource(pool, program(mode)))("pids")).text, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=subprocess.PIPE, cwd=ROOT)
    try:
        if process.stdout is None:
            raise AssertionError("no pipe")
        pids = [*json.loads(await process.stdout.readline()), *json.loads(await process.stdout.readline())]
        reapers = [child.pid for child in psutil.Process(process.pid).children() if "reaper.py" in str(child.cmdline())]
        assert len(pids) == 4 and len(reapers) == 1
    finally:
        process.kill()
        await process.wait()
    assert await gone(*pids, *reapers)


async def test_the_death_of_a_server_is_seen_while_a_child_of_it_holds_its_stdout(pool: Pool, caller: Call) -> None:
    call = caller(program())
    heirs = json.loads((await call("heirs")).text)
    server, child = outside(pid_of(pool), heirs)
    pending = [asyncio.create_task(call("sleep", {"seconds": 60})) for _ in range(5)]
    async with pool.use(program()) as live:
        await until(lambda: sum("sleeping" in line for line in live.stderr.tail()) == 5)
    os.kill(server, signal.SIGKILL)
    async with asyncio.timeout(10):
        failures = await asyncio.gather(*pending, return_exceptions=True)
    assert {failure.params["reason"] for failure in failures} == {"signal"}  # type: ignore[union-attr]
    assert await gone(server, child), "its process group ends with it"
    assert (await call("echo", {"text": "again"})).text == "again"


@pytest.mark.wide
async def test_what_a_server_said_last_is_heard_while_a_child_of_it_holds_its_stdout(caller: Call) -> None:
    call = caller(program())
    await call("heirs")
    assert len((await call("last_words", {"bytes": 5_000_000})).text) == 5_000_000


async def test_a_launcher_that_dies_takes_the_server_it_started_with_it(pool: Pool, caller: Call) -> None:
    """The shell is what Patchbay started; server-everything below it has its stdin and stdout, and goes on."""
    inner = node_server("mcp-server-everything").command
    line = f'"{inner}" stdio <&3 & wait'
    config = ServerConfig(PoolKey("team", "sh"), "sh", "stdio", command="sh", args=("-c", f"exec 3<&0; {line}"))
    call = caller(config)
    assert (await call("echo", {"message": "one"}, policies=READS)).text == "Echo: one"
    shell = pid_of(pool)
    below = [child.pid for child in psutil.Process(shell).children(recursive=True)]
    assert below
    os.kill(shell, signal.SIGKILL)
    assert await gone(shell, *below)
    await until(lambda: pool.stats()[0]["pid"] != shell)
    assert (await call("echo", {"message": "two"}, policies=READS)).text == "Echo: two"
