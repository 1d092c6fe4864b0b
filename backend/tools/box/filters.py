"""The system calls that no boxed program needs: a seccomp filter, as the kernel reads it.

It denies rather than allows: a list of what is allowed would break some server with every new libc. What is denied
reaches beyond the process (other processes' memory, keys of the kernel, mounts, new namespaces, modules, clocks) or
has been the way out of many boxes (io_uring, bpf, userfaultfd).
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from functools import cache

_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NR, _ARCH, _FIRST, _SECOND = 0, 4, 16, 24
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_PACKET, _AF_VSOCK = 17, 40
INTERNET = (2, 10, 16)
"""Families of sockets: IPv4, IPv6, and netlink, by which libraries ask for the machine's addresses."""


def _numbers(text: str) -> dict[str, int]:
    return {name: int(number) for name, _, number in (pair.partition("=") for pair in text.split())}


_EVERYWHERE = _numbers(
    """
    io_uring_setup=425 io_uring_enter=426 io_uring_register=427 open_tree=428 move_mount=429 fsopen=430
    fsconfig=431 fsmount=432 fspick=433 clone3=435 pidfd_getfd=438 process_madvise=440 mount_setattr=442
    quotactl_fd=443 open_tree_attr=467
    """
)
_X86_64 = _numbers(
    """
    ptrace=101 process_vm_readv=310 process_vm_writev=311 kcmp=312 perf_event_open=298 add_key=248
    request_key=249 keyctl=250 bpf=321 userfaultfd=323 fanotify_init=300 mount=165 umount2=166 pivot_root=155
    chroot=161 unshare=272 setns=308 kexec_load=246 kexec_file_load=320 init_module=175 finit_module=313
    delete_module=176 swapon=167 swapoff=168 reboot=169 acct=163 quotactl=179 syslog=103 vhangup=153
    open_by_handle_at=304 name_to_handle_at=303 sethostname=170 setdomainname=171 settimeofday=164
    clock_settime=227 iopl=172 ioperm=173 clone=56 ioctl=16 socket=41
    """
)
_AARCH64 = _numbers(
    """
    ptrace=117 process_vm_readv=270 process_vm_writev=271 kcmp=272 perf_event_open=241 add_key=217
    request_key=218 keyctl=219 bpf=280 userfaultfd=282 fanotify_init=262 mount=40 umount2=39 pivot_root=41
    chroot=51 unshare=97 setns=268 kexec_load=104 kexec_file_load=294 init_module=105 finit_module=273
    delete_module=106 swapon=224 swapoff=225 reboot=142 acct=89 quotactl=60 syslog=116 vhangup=58
    open_by_handle_at=265 name_to_handle_at=264 sethostname=161 setdomainname=162 settimeofday=170
    clock_settime=112 clone=220 ioctl=29 socket=198
    """
)
_MACHINES = {"x86_64": (0xC000003E, _X86_64), "aarch64": (0xC00000B7, _AARCH64)}
_UNKNOWN = {"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"}
"""Answered as by a kernel without them: libraries then take the older way."""
_LOOKED_INTO = {"clone", "ioctl", "socket"}


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _refuse(number: int, error: int) -> bytes:
    """Answer this call with an error."""
    return _step(_JEQ, number, 0, 1) + _step(_RET, _ERRNO | error)


def _looking(number: int, argument: int, values: Iterable[int], error: int, code: int = _JEQ) -> bytes:
    """Answer this call with an error where its argument is one of the values (or, `_JSET`, has a bit of one)."""
    body = _step(_LD, argument)
    for value in values:
        body += _step(code, value, 0, 1) + _step(_RET, _ERRNO | error)
    body += _step(_LD, _NR)
    return _step(_JEQ, number, 0, len(body) // 8) + body


def _only(number: int, argument: int, values: Iterable[int], error: int) -> bytes:
    """Answer this call with an error unless its argument is one of the values."""
    body = _step(_LD, argument)
    for value in values:
        body += _step(_JEQ, value, 0, 1) + _step(_RET, _ALLOW)
    body += _step(_RET, _ERRNO | error)
    return _step(_JEQ, number, 0, len(body) // 8) + body


@cache
def program(families: tuple[int, ...] | None = None, machine: str = "") -> bytes | None:
    """The filter for this machine, None where its system calls are not known. `families` = of sockets that may be
    made; None = all but those to the network's raw frames and to the host of a virtual machine."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, numbers = known
    calls = {**_EVERYWHERE, **numbers}
    code = _step(_LD, _ARCH) + _step(_JEQ, architecture, 1, 0) + _step(_RET, _KILL) + _step(_LD, _NR)
    if numbers is _X86_64:
        code += _step(_JGE, _X32, 0, 1) + _step(_RET, _ERRNO | errno.ENOSYS)
    code += _looking(calls["clone"], _FIRST, (_NEW_NAMESPACES,), errno.EPERM, _JSET)
    code += _looking(calls["ioctl"], _SECOND, (_TIOCSTI, _TIOCLINUX), errno.EPERM)
    if families is None:
        code += _looking(calls["socket"], _FIRST, (_AF_PACKET, _AF_VSOCK), errno.EACCES)
    else:
        code += _only(calls["socket"], _FIRST, families, errno.EACCES)
    for name, number in calls.items():
        if name not in _LOOKED_INTO:
            code += _refuse(number, errno.ENOSYS if name in _UNKNOWN else errno.EPERM)
    return code + _step(_RET, _ALLOW)
