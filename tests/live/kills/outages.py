"""What is not dead but away, slow, full, refused, wrong or silent for a while: the faults that no signal causes.

Each begins an outage, keeps it up for some seconds and ends it. What a machine cannot do (no compiler for the shim, no
right to mount, to make a control group or a network namespace) is left out, and `left_out` says so.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import psycopg

from tests.instance import ROOT, Process, Reached, until
from tests.live.kills.cgroup import starved
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.own import NAME, OwnScaled
from tests.live.kills.partition import Wire
from tests.live.kills.shim import Shim
from tests.live.kills.storm import Fault
from tests.services import Postgres

LOCKED = ("runs_run", "runs_logline", "runs_interaction", "runs_inboxmessage", "runs_runblob", "registry_server")
"""Tables that something else holds for a while; a run needs each of them at another moment."""
BALLAST_ROOM = 32 * 1024
"""Bytes left on a full disk: too few for a page of the log and its index."""

left_out: dict[str, str] = {}
"""Faults that this machine cannot cause, and why."""


def hold(seconds: float) -> None:
    """Keep an outage up."""
    threading.Event().wait(seconds)


def _with(outage: Callable[[random.Random], contextlib.AbstractContextManager[object]], most_s: float) -> Fault:
    def fault(chance: random.Random) -> None:
        with outage(chance):
            hold(chance.uniform(0.3, most_s))

    return fault


def _shimmed(shim: Shim, faults: dict[str, Fault]) -> dict[str, Fault]:
    """These, where there is a compiler."""
    if shim.works:
        return faults
    left_out.update(dict.fromkeys(faults, "no C compiler for the shim"))
    return {}


def _clock(shim: Shim, chance: random.Random) -> contextlib.AbstractContextManager[None]:
    """A wall clock that jumps, either way, by a second or by hours, and back."""
    return shim.off(ahead_s=chance.choice((-1, 1)) * chance.choice((1.5, 60, 3600)))


def _writing(shim: Shim) -> dict[str, Fault]:
    """A disk that is slow, or that refuses writes."""
    return {
        "slow disk": _with(lambda chance: shim.off(fsync_s=chance.uniform(0.1, 1.0), write_s=0.005), 3.0),
        "refused writes": _with(lambda _: shim.off(refuse=errno.EROFS), 3.0),
        "broken writes": _with(lambda chance: shim.off(refuse=chance.choice((errno.EIO, errno.ENOSPC))), 3.0),
    }


def paused(send: Callable[[signal.Signals], None], seconds: float) -> None:
    """Stand still, and go on."""
    send(signal.SIGSTOP)
    try:
        hold(seconds)
    finally:
        send(signal.SIGCONT)


# -- one process ---------------------------------------------------------------------------------------------------


def on_one_process(instance: ForkedInstance, wire: Wire, shim: Shim) -> dict[str, Fault]:
    """The embedded mode: its file, its disk, its clock, its memory, its way to the tool server."""
    database = instance.data / "patchbay.sqlite3"

    def out_of_memory(chance: random.Random) -> None:
        if starved(instance.pid, lambda: not instance.alive) or instance.killed(within_s=0.5):
            instance.start()

    def pause(chance: random.Random) -> None:
        paused(lambda number: os.kill(instance.pid, number), chance.uniform(0.3, 3.0))

    return {
        "locked database": _with(lambda _: _locked_file(database), 4.0),
        "tool server away": _with(lambda _: _cut(wire), 3.0),
        "tool server half-open": _with(lambda _: wire.half_open(), 2.0),
        "pause": pause,
        "killed backup": partial(kill_backup, instance, instance.data.parent),
        **_if_possible("full disk", os.path.ismount(instance.data), "no right to mount", _full_disk(instance.data)),
        **_if_possible("out of memory", can_starve(), "no writable control group of memory", out_of_memory),
        **_shimmed(shim, {"clock": _with(partial(_clock, shim), 3.0), **_writing(shim)}),
    }


def can_starve() -> bool:
    from tests.live.kills.cgroup import parent

    return parent() is not None


def _if_possible(name: str, possible: bool, why: str, fault: Fault) -> dict[str, Fault]:
    if possible:
        return {name: fault}
    left_out[name] = why
    return {}


@contextlib.contextmanager
def _locked_file(database: Path) -> Iterator[None]:
    """Another program writes to the database and takes its time."""
    with contextlib.closing(sqlite3.connect(database, timeout=30, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def _full_disk(folder: Path) -> Fault:
    def fault(chance: random.Random) -> None:
        """Something else fills the disk, until there is room for a page or two, and is deleted again."""
        ballast = folder / "ballast"
        try:
            with ballast.open("wb") as file:
                room = os.statvfs(folder)
                left = room.f_bavail * room.f_frsize - chance.choice((0, BALLAST_ROOM))
                with contextlib.suppress(OSError):  # others take of the room meanwhile
                    os.posix_fallocate(file.fileno(), 0, max(left, 1))
                hold(chance.uniform(0.5, 3.0))
        finally:
            ballast.unlink(missing_ok=True)

    return fault


@contextlib.contextmanager
def disk(folder: Path, megabytes: int = 400, inodes: int = 0) -> Iterator[None]:
    """A small disk of its own at this folder, where one may mount; `inodes` = so many files at most."""
    folder.mkdir(parents=True, exist_ok=True)
    size = f"size={megabytes}m" + (f",nr_inodes={inodes}" if inodes else "")
    options = ["-t", "tmpfs", "-o", size, "patchbay-test", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(["mount", *options], capture_output=True).returncode == 0
    try:
        yield
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


@contextlib.contextmanager
def _cut(wire: Wire, process: int = 0) -> Iterator[None]:
    wire.cut(process)
    try:
        yield
    finally:
        wire.mend()


def kill_backup(instance: Reached, folder: Path, chance: random.Random) -> None:
    """A backup that is killed at some moment: it is whole or not there."""
    target = folder / "killed.tar.gz"
    target.unlink(missing_ok=True)
    kill_command(instance.environment(), ["backup", str(target)], chance)
    if target.exists():
        with tarfile.open(target) as whole:
            assert whole.getmembers()


def kill_command(environment: dict[str, str], command: list[str], chance: random.Random) -> None:
    """A command beside the installation that is killed at some moment; what it leaves is in nobody's way."""
    line = [sys.executable, "-m", "backend.project.cli", *command]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(line, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet)
    try:
        process.wait(chance.uniform(0.5, 6.0))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# -- several processes ---------------------------------------------------------------------------------------------


def on_many_processes(instance: OwnScaled, wire: Wire) -> dict[str, Fault]:
    """The scaled mode: one worker is cut off, Postgres is locked, read-only, slow or full, clocks disagree."""
    lease = instance.lease_s

    def pid(chance: random.Random) -> int:
        """A worker's whose connections are its own, not those of relays."""
        apart = instance.apart and instance.apart.worker
        return chance.choice([worker for worker in instance.workers if worker is not apart]).pid

    starve = partial(_starve, instance)
    return {
        **_cut_off(instance, "postgres", lease * 2),
        **_cut_off(instance, "redis", lease * 2),
        **_dropped(instance, wire),
        "worker cut off from the tool server": lambda chance: _hold_cut(wire, pid(chance), chance, lease * 2),
        "worker half-open to the tool server": lambda chance: _hold_half(wire, pid(chance), chance, lease),
        "table lock": _with(lambda chance: _table_lock(instance, chance), 6.0),
        "read-only database": _with(lambda _: _read_only(instance), 4.0),
        "killed backup": partial(kill_backup, instance, instance.data.parent),
        "killed migrate": partial(kill_command, instance.environment(), ["migrate"]),
        **_if_possible("out of memory", can_starve(), "no writable control group of memory", starve),
        **_shimmed(instance.disk, _of_postgres(instance)),
        **_shimmed(instance.disk, {"clock": lambda chance: _clock_of_one(instance, chance)}),
    }


def _cut_off(instance: OwnScaled, service: str, most_s: float) -> dict[str, Fault]:
    """One worker and one of its servers: nothing passes, or one end forgot the connection."""

    def cut(chance: random.Random) -> None:
        _hold_cut(instance.wires(chance.choice(instance.workers))[service], 0, chance, most_s)

    def half_open(chance: random.Random) -> None:
        _hold_half(instance.wires(chance.choice(instance.workers))[service], 0, chance, most_s)

    return {f"worker cut off from {service}": cut, f"worker half-open to {service}": half_open}


def _dropped(instance: OwnScaled, wire: Wire) -> dict[str, Fault]:
    """The kernel drops what one worker and one of its servers send each other, for longer than a lease."""
    lease, apart = instance.lease_s, instance.apart
    kinds = [
        (f"packets to {service} dropped" + (" and connections forgotten" if forgotten else ""), service, forgotten)
        for service in ("postgres", "redis", "the tool server")
        for forgotten in (False, True)
    ]
    if apart is None:
        left_out.update({name: instance.left_out for name, *_ in kinds})
        return {}
    ports = {**apart.ports, "the tool server": wire.port}

    def fault(port: int, forgotten: bool, chance: random.Random) -> None:
        with apart.namespace.drop(port, forgotten=forgotten):
            hold(lease * chance.uniform(1.2, 2.5))

    return {name: partial(fault, ports[service], forgotten) for name, service, forgotten in kinds}


def _hold_cut(wire: Wire, process: int, chance: random.Random, most_s: float) -> None:
    with _cut(wire, process):
        hold(chance.uniform(0.3, most_s))


def _hold_half(wire: Wire, process: int, chance: random.Random, most_s: float) -> None:
    with wire.half_open(process):
        hold(chance.uniform(0.3, most_s))


@contextlib.contextmanager
def _table_lock(instance: OwnScaled, chance: random.Random) -> Iterator[None]:
    """What a migration or a careless person does to one table."""
    with psycopg.connect(instance.postgres.url(NAME)) as connection:
        connection.execute(f"LOCK TABLE {chance.choice(LOCKED)} IN ACCESS EXCLUSIVE MODE")
        yield
        connection.rollback()


@contextlib.contextmanager
def _read_only(instance: OwnScaled) -> Iterator[None]:
    """What a failover does, or an operator who wants to look in peace."""
    with psycopg.connect(instance.postgres.url(), autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
            connection.execute("SELECT pg_reload_conf()")


def _revive(postgres: Postgres) -> None:
    """Start it again if it ended for want of room; it may do so while it recovers."""

    def answers() -> bool:
        if not postgres.running:
            postgres.kill()
            postgres.start()
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(postgres.url(), connect_timeout=2).close()
            return True
        return False

    until(answers, 60)


def _of_postgres(instance: OwnScaled) -> dict[str, Fault]:
    """Postgres on a disk that is slow or full: a full one may end it, and it starts again when there is room."""

    def full(chance: random.Random) -> None:
        with instance.disk.off(refuse=errno.ENOSPC):
            hold(chance.uniform(0.3, 3.0))
        _revive(instance.postgres)

    def slow(chance: random.Random) -> None:
        with instance.disk.off(write_s=chance.uniform(0.01, 0.05), fsync_s=chance.uniform(0.1, 1.0)):
            hold(chance.uniform(0.5, 4.0))

    return {"full disk": full, "slow disk": slow}


def _clock_of_one(instance: OwnScaled, chance: random.Random) -> None:
    """One process of the installation lives in another time."""
    with _clock(instance.clock(chance.choice(instance.processes)), chance):
        hold(chance.uniform(0.3, instance.lease_s * 2))


def _starve(instance: OwnScaled, chance: random.Random) -> None:
    worker: Process = chance.choice(instance.workers)
    if worker.running:
        pid = worker.pid
        starved(pid, lambda: not psutil.pid_exists(pid))
