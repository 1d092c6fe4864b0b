"""A tiny process that outlives ours for a moment: when Patchbay dies, however hard, it ends what Patchbay started.

Run as a script. Lines on stdin: `+<process group>` when a server was started, `-<process group>` when it has ended.
At the end of stdin, which the operating system gives for any kind of death, the groups left get SIGTERM, two seconds
later SIGKILL. It imports nothing but the standard library's smallest parts, so it costs a few megabytes.
"""

import os
import signal
import sys
import time

GRACE_S = 2.0


def send(group: int, number: int) -> bool:
    """Signal a process group; False when nobody is left in it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def main() -> None:
    """Keep the list, then end what is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    left = {group for group in groups if send(group, signal.SIGTERM)}
    deadline = time.monotonic() + GRACE_S
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = {group for group in left if send(group, 0)}
    for group in left:
        send(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
