"""An MCP server over stdio that tries to get out of its box: one tool per attempt, `{"held": …, "why": …}`.

`held` is true where the attempt did not come through. Arguments say where to try: `data` (the data directory), `port`
(Patchbay's own), `outside` (a folder with a file in it), `linked` (a declared folder with a link out of it), `pid`
(Patchbay's process). It speaks the handshake era only.
"""

from __future__ import annotations

import ctypes
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ATTEMPTS: dict[str, Callable[[dict[str, Any]], Any]] = {}
"""Each gives what it got hold of, or raises; empty and None are nothing."""
libc = ctypes.CDLL(None, use_errno=True)
MEBI = 1024 * 1024


def attempt(function: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Offered as a tool of the function's name."""
    ATTEMPTS[function.__name__] = function
    return function


def called(result: int) -> int:
    """The result of a system call, unless it failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def texts(*patterns: str) -> list[str]:
    """Files that can be read."""
    return [name for pattern in patterns for name in glob.glob(pattern) if os.path.isfile(name) and _read(name)]


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()[:200]
    except OSError:
        return b""


@attempt
def read_the_key(at: dict[str, Any]) -> Any:
    return texts(f"{at['data']}/*key*", f"{at['data']}/*secret*", f"{at['data']}/.*key*")


@attempt
def read_the_database(at: dict[str, Any]) -> Any:
    return texts(f"{at['data']}/*.sqlite*", f"{at['data']}/*.db*", f"{at['data']}/*")


@attempt
def write_into_the_data(at: dict[str, Any]) -> Any:
    """Where it can write, the test looks whether anything came of it: a box may show an empty folder of its own."""
    Path(at["data"], "planted").write_text("x")
    return None


@attempt
def read_homes_of_others(at: dict[str, Any]) -> Any:
    return [name for name in glob.glob(f"{at['data']}/homes/*/planted") if _read(name)]


@attempt
def list_homes_of_others(at: dict[str, Any]) -> Any:
    own = os.path.basename(os.environ["HOME"])
    return [name for name in os.listdir(f"{at['data']}/homes") if name not in (own, ".bin")]


@attempt
def read_outside(at: dict[str, Any]) -> Any:
    return _read(f"{at['outside']}/secret") or os.listdir(at["outside"])


@attempt
def write_outside(at: dict[str, Any]) -> Any:
    Path(at["outside"], "planted").write_text("x")
    return True


@attempt
def read_peoples_homes(at: dict[str, Any]) -> Any:
    return texts("/root/.*", "/home/*/.*", "/root/.ssh/*", "/home/*/.ssh/*")


@attempt
def read_shadow(at: dict[str, Any]) -> Any:
    return _read("/etc/shadow") or _read("/etc/sudoers")


@attempt
def read_environments(at: dict[str, Any]) -> Any:
    known = json.dumps(dict(os.environ))
    matches = []
    for name in glob.glob("/proc/[0-9]*/environ"):
        foreign = [part for part in _read(name).split(b"\0") if part.startswith((b"PATCHBAY", b"AWS", b"DJANGO"))]
        matches += [str(part) for part in foreign if str(part) not in known]
    return matches


@attempt
def see_processes(at: dict[str, Any]) -> Any:
    return [name for name in glob.glob("/proc/[0-9]*/cmdline") if b"backend.project" in _read(name)]


@attempt
def go_through_the_root_of_another(at: dict[str, Any]) -> Any:
    return [pid for pid in (1, at["pid"], os.getppid()) if _read(f"/proc/{pid}/root{at['outside']}/secret")]


@attempt
def read_memory(at: dict[str, Any]) -> Any:
    with open(f"/proc/{at['pid']}/mem", "rb") as file:
        return bool(file)


@attempt
def trace_a_child(at: dict[str, Any]) -> Any:
    child = subprocess.Popen(["sleep", "30"])
    try:
        called(libc.ptrace(16, child.pid, None, None))
        return True
    finally:
        child.kill()
        child.wait()


@attempt
def trace_patchbay(at: dict[str, Any]) -> Any:
    called(libc.ptrace(16, at["pid"], None, None))
    return True


@attempt
def signal_patchbay(at: dict[str, Any]) -> Any:
    os.kill(at["pid"], 0)
    return True


@attempt
def fork_for_ever(at: dict[str, Any]) -> Any:
    created = []
    try:
        for _ in range(3000):
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            created.append(pid)
    finally:
        for pid in created:
            os.kill(pid, signal.SIGKILL)
        for pid in created:
            os.waitpid(pid, 0)
    return len(created)


@attempt
def take_ten_gigabytes(at: dict[str, Any]) -> Any:
    return len(bytearray(10 * 1024 * MEBI))


@attempt
def write_a_huge_file(at: dict[str, Any]) -> Any:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = Path(os.environ["HOME"], "huge")
    try:
        with path.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, 64 * 1024 * MEBI)
        return True
    finally:
        path.unlink(missing_ok=True)


@attempt
def fill_the_home(at: dict[str, Any]) -> Any:
    """File by file, none of them large, as long as nobody ends it."""
    for number in range(400):
        Path(os.environ["HOME"], f"part-{number}").write_bytes(bytes(8 * MEBI))
        time.sleep(0.05)
    return True


@attempt
def fill_the_temporary_folder(at: dict[str, Any]) -> Any:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = Path("/tmp/patchbay-hostile")
    try:
        with path.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, 6 * 1024 * MEBI)
        return True
    finally:
        path.unlink(missing_ok=True)


@attempt
def open_too_many_files(at: dict[str, Any]) -> Any:
    held = []
    try:
        for _ in range(20_000):
            held.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for fd in held:
            os.close(fd)
    return True


@attempt
def listen(at: dict[str, Any]) -> Any:
    """Something that whoever is outside could reach: told by `outside_hears`."""
    with socket.socket() as created:
        created.bind(("0.0.0.0", at["free"]))
        created.listen()
        time.sleep(0)
        return os.path.realpath("/proc/self/ns/net") == at["net"]


@attempt
def reach_patchbay(at: dict[str, Any]) -> Any:
    return socket.create_connection(("127.0.0.1", at["port"]), 3)


@attempt
def reach_metadata(at: dict[str, Any]) -> Any:
    return socket.create_connection(("169.254.169.254", 80), 3)


@attempt
def reach_a_local_socket(at: dict[str, Any]) -> Any:
    with socket.socket(socket.AF_UNIX) as created:
        created.connect(f"{at['outside']}/socket")
        return True


@attempt
def reach_an_abstract_socket(at: dict[str, Any]) -> Any:
    with socket.socket(socket.AF_UNIX) as created:
        created.connect(f"\0{at['abstract']}")
        return True


@attempt
def send_raw_frames(at: dict[str, Any]) -> Any:
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW)


@attempt
def follow_a_link_out(at: dict[str, Any]) -> Any:
    return _read(f"{at['linked']}/way/secret") or _read(f"{at['linked']}/upwards/secret")


@attempt
def make_a_link_out(at: dict[str, Any]) -> Any:
    way = Path(os.environ["HOME"], "way")
    way.unlink(missing_ok=True)
    way.symlink_to(at["outside"])
    return _read(f"{way}/secret") or texts(f"{at['linked']}/../secret")


@attempt
def link_a_file_in(at: dict[str, Any]) -> Any:
    os.link(f"{at['outside']}/secret", os.path.join(os.environ["HOME"], "hard"))
    return True


@attempt
def become_root_by_a_program(at: dict[str, Any]) -> Any:
    mine = Path(os.environ["HOME"], "setuid")
    mine.write_bytes(Path("/usr/bin/id").read_bytes())
    mine.chmod(0o4755)
    status = Path("/proc/self/status").read_text()
    return "NoNewPrivs:\t1" not in status


@attempt
def hold_capabilities(at: dict[str, Any]) -> Any:
    status = Path("/proc/self/status").read_text()
    held = [line for line in status.splitlines() if line.startswith(("CapEff", "CapPrm", "CapBnd"))]
    return [line for line in held if int(line[7:], 16)]


@attempt
def read_the_keyring(at: dict[str, Any]) -> Any:
    return called(libc.syscall(250 if os.uname().machine == "x86_64" else 219, 0, -3, 1, 0, 0)) or True


@attempt
def mount_something(at: dict[str, Any]) -> Any:
    called(libc.mount(b"none", os.environ["HOME"].encode(), b"tmpfs", 0, None))
    return True


@attempt
def mount_control_groups(at: dict[str, Any]) -> Any:
    called(libc.unshare(0x10000000 | 0x00020000 | 0x02000000))
    called(libc.mount(b"none", os.environ["HOME"].encode(), b"cgroup", 0, b"memory"))
    return True


@attempt
def leave_the_control_group(at: dict[str, Any]) -> Any:
    left = []
    for name in glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True)[:20]:
        try:
            Path(name).write_text("0")
            left.append(name)
        except OSError:
            continue
    return left


@attempt
def make_namespaces(at: dict[str, Any]) -> Any:
    called(libc.unshare(0x10000000))
    return True


@attempt
def enter_namespaces(at: dict[str, Any]) -> Any:
    called(libc.setns(os.open(f"/proc/{at['pid']}/ns/mnt", os.O_RDONLY), 0))
    return True


@attempt
def load_into_the_kernel(at: dict[str, Any]) -> Any:
    return called(libc.syscall(321 if os.uname().machine == "x86_64" else 280, 5, None, 0)) or True


@attempt
def use_io_uring(at: dict[str, Any]) -> Any:
    params = ctypes.create_string_buffer(120)
    return called(libc.syscall(425, 8, params)) or True


@attempt
def change_the_kernels_settings(at: dict[str, Any]) -> Any:
    path = Path("/proc/sys/kernel/core_pattern")
    path.write_text(path.read_text())
    return True


@attempt
def open_a_disk(at: dict[str, Any]) -> Any:
    names = [*glob.glob("/dev/[sv]d*"), *glob.glob("/dev/nvme*"), "/dev/mem", "/dev/kmsg"]
    return [name for name in names if _read(name)]


@attempt
def make_a_device(at: dict[str, Any]) -> Any:
    os.mknod(os.path.join(os.environ["HOME"], "device"), 0o600 | 0o020000, os.makedev(1, 1))
    return True


@attempt
def type_into_a_terminal(at: dict[str, Any]) -> Any:
    """Not answered by "no terminal": by the filter, before anybody looks what the descriptor is."""
    result = libc.ioctl(0, 0x5412, b"x")
    return result == 0 or ctypes.get_errno() != 1


@attempt
def preload_into_what_makes_the_box(at: dict[str, Any]) -> Any:
    """What is preloaded runs inside only: the test preloads a library that leaves a mark where it ran."""
    return os.path.exists(f"{at['outside']}/preloaded")


@attempt
def change_the_system(at: dict[str, Any]) -> Any:
    Path("/usr/bin/patchbay-was-here").write_text("x")
    return True


@attempt
def change_the_bundled_programs(at: dict[str, Any]) -> Any:
    matches = []
    for place in (f"{at['data']}/homes/.bin/node", f"{at['data']}/homes/.bin/npx", sys.executable):
        try:
            with open(place, "ab"):
                matches.append(place)
        except OSError:
            continue
    return matches


@attempt
def keep_a_process_behind(at: dict[str, Any]) -> Any:
    """Stays where the connection ends: the test looks for it afterwards."""
    subprocess.Popen(["sleep", "98765"], start_new_session=True)
    return None


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a request; None for what is no request."""
    if method == "initialize":
        info = {"name": "hostile", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ATTEMPTS]}
    if method != "tools/call":
        return {} if method == "ping" else None
    try:
        got = ATTEMPTS[params["name"]](params.get("arguments") or {})
        report = {"held": not got, "why": str(got)[:500]}
    except (OSError, MemoryError, ValueError) as error:
        report = {"held": True, "why": str(error)}
    return {"content": [{"type": "text", "text": json.dumps(report)}]}


def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        unknown = {"error": {"code": -32601, "message": "unknown method"}}
        body = {"jsonrpc": "2.0", "id": message["id"], **({"result": result} if result is not None else unknown)}
        sys.stdout.write(json.dumps(body) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
