"""What tests start can be stopped by SIGINT, however the tests themselves were started (see `test_checks`)."""

from __future__ import annotations

import signal
import subprocess
import sys


def test_sigint_ends_what_a_test_started() -> None:
    text = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN, flush=True); signal.pause()"
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ignored = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL if ignored == "True" else signal.SIGINT)
        process.wait(30)
    assert ignored == "False"
