"""Shuts a process of this room in: no network, no files but those of its own libraries, no programs but one it names.

It stands alone: the process of `worker` runs this file by its path. Where the kernel lacks one of the means (Landlock,
seccomp), the others hold; the limits of memory, files and open descriptors hold everywhere.
"""

from __future__ import annotations

import ctypes
import mimetypes
import os
import platform
import resource
import struct
import sys
import sysconfig
from glob import glob
from pathlib import Path

_SET_SECCOMP, _SET_NO_NEW_PRIVS, _FILTER = 22, 38, 2
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF, _VERSION = 444, 445, 446, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")
_LOADERS = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-*.so.1")
"""What the kernel runs to run a program."""
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights on files that a version of Landlock knows."""
_NETWORK_RIGHTS, _SCOPES = 3, 3  # from version 4 on: to bind and to connect; from version 6 on: sockets, signals
_LD, _JEQ, _JGE, _RET = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL, _ERRNO, _EACCES = 0x7FFF0000, 0x80000000, 0x00050000, 13
_X32 = 0x40000000
_CALLS = {
    # socket, ptrace, process_vm_readv, process_vm_writev, bpf, userfaultfd, mount, unshare, setns, open_by_handle_at
    "x86_64": (0xC000003E, (41, 101, 310, 311, 321, 323, 165, 272, 308, 304)),
    "aarch64": (0xC00000B7, (198, 117, 270, 271, 280, 282, 40, 97, 268, 265)),
}
_CALLS_EVERYWHERE = (425, 426, 427, 438)
"""io_uring, by which a process reads and sends past such a filter, and taking another one's descriptors."""
OPEN_FILES = 64
_libc = ctypes.CDLL(None, use_errno=True)


def shut(memory: int, programs: list[str]) -> None:
    """From now on this process, and what it starts, has so many bytes of address space and reaches nothing outside.

    `programs` = files that it may run. Irrevocable.
    """
    for limit, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ):
        resource.setrlimit(limit, (most, most))
    if sys.platform != "linux" or _libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0:
        return
    _landlock(_readable(), programs)
    _seccomp()


def _readable() -> list[str]:
    """What the interpreter and its libraries are read from, and what the system's loader and libraries need."""
    paths = sysconfig.get_paths()
    own = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    own |= {str(Path(__file__).parent), f"{sys.base_prefix}/lib", f"{sys.prefix}/pyvenv.cfg"}
    system = {
        *map(str, mimetypes.knownfiles),
        "/usr/local/lib",
    }  # libraries look types of files up as they are imported
    system |= {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime"}
    return sorted(own | system)


def landlock_version() -> int:
    """0 where the kernel has none."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)))


def _landlock(readable: list[str], programs: list[str]) -> None:
    version = landlock_version()
    if not version:
        return
    handled = _FILE_RIGHTS[min(version, 5)]
    form = struct.pack("=QQQ", handled, _NETWORK_RIGHTS if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _libc.syscall(_CREATE_RULESET, form, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return
    for path in readable:
        _allow(ruleset, path, _READ_FILE | _READ_DIR)
    for path in _DEVICES:
        _allow(ruleset, path, _READ_FILE | _WRITE_FILE)
    for path in (*programs, *(loader for name in _LOADERS for loader in glob(name) if programs)):
        _allow(ruleset, path, _READ_FILE | _EXECUTE)
    _libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # this system has none
    if not os.path.isdir(path):
        rights &= ~_READ_DIR
    _libc.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    os.close(place)


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _seccomp() -> None:
    """Refuse sockets of any kind, and calls that look into other processes or lead out of the box."""
    known = _CALLS.get(platform.machine())
    if known is None:
        return
    architecture, numbers = known
    code = _step(_LD, 4) + _step(_JEQ, architecture, 1, 0) + _step(_RET, _KILL) + _step(_LD, 0)
    if platform.machine() == "x86_64":
        code += _step(_JGE, _X32, 0, 1) + _step(_RET, _ERRNO | _EACCES)
    for number in (*numbers, *_CALLS_EVERYWHERE):
        code += _step(_JEQ, number, 0, 1) + _step(_RET, _ERRNO | _EACCES)
    code += _step(_RET, _ALLOW)
    kept = ctypes.create_string_buffer(code, len(code))
    _libc.prctl(_SET_SECCOMP, _FILTER, struct.pack("@HxxxxxxQ", len(code) // 8, ctypes.addressof(kept)), 0, 0)
