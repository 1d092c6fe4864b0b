"""Starts a program in a box where bubblewrap is missing: Landlock, seccomp, and namespaces where they may be made.

Run as a script, on its own: it imports nothing of Patchbay, and little else, as what it imports is most of its start
(JSON alone, by way of regular expressions, was more than the rest). What to do comes by a pipe whose number is the
only argument: lists, each as its name, how many there are and the words, with a zero byte between, which no path and
no argument can hold. Until that pipe ends it waits, so that limits of its process can be set first. It becomes the
program; with namespaces two processes remain beside it, one outside that hands on how it ended, and the first inside.

Exit code 97: the box could not be made, the reason is on stderr.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

FAILED = 97
SIGKILL = 9
NEW_USER, NEW_MOUNT, NEW_PID, NEW_IPC, NEW_UTS, NEW_NET = (
    *(0x10000000, 0x00020000, 0x20000000, 0x08000000, 0x04000000, 0x40000000),
)
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS = 1, 22, 24, 28, 38
NO_ROOT = 0x2F  # uid 0 is nobody special, and that cannot be undone
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights on files that a version of Landlock knows."""
SCOPES = 3  # abstract sockets and signals stay among the boxed, from version 6 on
MOUNT_PRIVATE, NOSUID, NODEV, NOEXEC = 0x40000 | 0x4000, 2, 4, 8

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """`result` of a call, unless it failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def pointer(data: bytes) -> tuple[ctypes.c_void_p, object]:
    """The address of some bytes, which live as long as the reference that is given with it."""
    kept = ctypes.create_string_buffer(data, len(data))
    return ctypes.c_void_p(ctypes.addressof(kept)), kept


def landlock_version() -> int:
    """0 where there is none."""
    return max(0, int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)))


def landlock(read: list[str], write: list[str], devices: list[str]) -> None:
    """Let only these paths be seen; irrevocably, for everything that is started from here."""
    version = landlock_version()
    if not version:
        raise OSError("this kernel has no Landlock")
    handled = RIGHTS[min(version, 5)]
    form = struct.pack("=QQQ", handled, 0, SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 8
    address, kept = pointer(form)
    ruleset = check(libc.syscall(CREATE_RULESET, address, ctypes.c_size_t(size), 0), "landlock_create_ruleset")
    del kept
    readable = EXECUTE | READ_FILE | READ_DIR
    writable = handled & ~(MAKE_CHAR | MAKE_BLOCK)
    rights = ((read, readable), (write, writable), (devices, READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV))
    for paths, allowed in rights:
        for path in paths:
            try:
                fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            only = allowed if os.path.isdir(path) else allowed & OF_FILES
            address, kept = pointer(struct.pack("=Qi", only & handled, fd))
            check(libc.syscall(ADD_RULE, ruleset, 1, address, 0), f"landlock_add_rule {path}")
            os.close(fd)
            del kept
    check(libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def seccomp(program: bytes) -> None:
    """Refuse the system calls that the filter names."""
    filters, kept = pointer(program)
    form = struct.pack("@HxxxxxxQ", len(program) // 8, filters.value)
    address, held = pointer(form)
    check(libc.prctl(PR_SET_SECCOMP, 2, address, 0, 0), "seccomp")
    del kept, held


def powerless() -> None:
    """Give up every capability, for good."""
    libc.prctl(PR_SET_SECUREBITS, NO_ROOT, 0, 0, 0)
    for number in range(64):
        libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    header, kept = pointer(struct.pack("=Ii", 0x20080522, 0))
    none, held = pointer(bytes(24))
    libc.capset(header, none)
    del kept, held
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """mount(2)."""
    encoded = [None if part is None else part.encode() for part in (source, target, kind, data)]
    check(libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]), f"mount {target}")


def unshare(network: bool) -> None:
    """Namespaces of our own, in which nobody is more than he was."""
    user, group = os.getuid(), os.getgid()
    flags = NEW_USER | NEW_MOUNT | NEW_PID | NEW_IPC | NEW_UTS | (0 if network else NEW_NET)
    check(libc.unshare(flags), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    mount(None, "/", None, MOUNT_PRIVATE)


def let_go() -> None:
    """Hold none of the program's streams: whoever reads them hears the end when the program ends."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)


def hand_on(child: int) -> None:
    """End as the child ends, as a shell would say it; whoever else ends here is buried."""
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def bound() -> None:
    """Die with the process that started this one, from now on."""
    check(libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "pdeathsig")


def orphaned(pipe: int) -> bool:
    """Whether the other end of a pipe, which only the parent holds and never writes to, is closed: it died before it
    could be bound to. (Its number tells nothing: it is outside of our namespace, alive or not.)"""
    os.set_blocking(pipe, False)
    try:
        return not os.read(pipe, 1)
    except BlockingIOError:
        return False
    finally:
        os.close(pipe)


def read(raw: bytes) -> dict[str, list[str]]:
    """What came by the pipe: lists of words by name."""
    words = iter(raw.decode("utf-8", "surrogateescape").split("\0")[:-1])
    return {name: [next(words) for _ in range(int(next(words)))] for name in words}


def inside(task: dict[str, list[str]]) -> None:
    """Become the first process of the namespaces and start the program below it."""
    unshare(bool(task["network"]))
    parent = os.getppid()
    living, held = os.pipe()
    first = os.fork()
    if first:
        bound()
        if os.getppid() != parent:
            os._exit(FAILED)
        let_go()
        hand_on(first)
    os.close(held)
    bound()
    if orphaned(living):
        os._exit(FAILED)
    os.setsid()
    mount("proc", "/proc", "proc", NOSUID | NODEV | NOEXEC)
    for place in task["empty"]:
        mount("tmpfs", place, "tmpfs", NOSUID | NODEV, f"size={task['tmp_mb'][0]}m,mode=1777")
    child = os.fork()
    if child:
        let_go()
        hand_on(child)


def main() -> None:
    """Read what to do, make the box, become the program."""
    with open(int(sys.argv[1]), "rb") as pipe:
        raw = pipe.read()
    if not raw:
        sys.exit(FAILED)  # whoever started us is gone
    task = read(raw)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if task["namespaces"]:
        inside(task)
    os.chdir(task["cwd"][0])
    powerless()
    landlock(task["read"], task["write"], task["devices"])
    seccomp(bytes.fromhex(task["filter"][0]))
    try:
        os.execve(task["argv"][0], task["argv"], dict(entry.split("=", 1) for entry in task["env"]))  # noqa: S606 - it becomes the program
    except OSError as error:
        sys.stderr.write(f"{task['argv'][0]}: {error.strerror}\n")
        sys.exit(FAILED)


if __name__ == "__main__":
    try:
        main()
    except OSError as problem:
        sys.stderr.write(f"the box could not be made: {problem}\n")
        sys.exit(FAILED)
