"""How `make test` runs its checks: all of them, and what fails has failed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checks import Check, run, slowest


def part(folder: Path, name: str, text: str) -> Check:
    """A part of pytest with one file of tests, which knows nothing of this project."""
    home = folder / name
    home.mkdir()
    (home / "pytest.ini").write_text("[pytest]\n")
    (home / "test_it.py").write_text(text)
    cache = home / "cache"
    bare = ["-p", "no:django", "-p", "no:playwright", "-p", "no:schemathesis", "-p", "no:hypothesispytest"]
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(home / "pytest.ini"), *bare, "-o", f"cache_dir={cache}"]
    return Check(name, [*command, str(home)], home, cache)


def test_every_check_runs_and_what_fails_is_named(tmp_path: Path) -> None:
    good = Check("good", [sys.executable, "-c", "open('ran', 'w').close()"], tmp_path)
    bad = Check("bad", [sys.executable, "-c", "raise SystemExit(3)"], tmp_path)
    broken = part(tmp_path, "broken", "def test_no():\n    assert 1 == 2\n")
    assert run([[bad, good], [broken]], os.environ) == ["bad", "broken"]
    assert (tmp_path / "ran").exists()


def test_what_passes_only_by_itself_has_failed_and_is_named_unsteady(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
from pathlib import Path

def test_first_time():
    with open("tries", "a") as tries:
        tries.write("x")
    assert Path("tries").read_text() == "xx"

def test_steady():
    with open("steady", "a") as tries:
        tries.write("x")
"""
    assert run([[part(tmp_path, "unsteady", text)]], os.environ) == ["unsteady"]
    assert (tmp_path / "unsteady" / "steady").read_text() == "x"
    assert "unsteady (failed beside others, passed by itself): test_it.py::test_first_time" in capsys.readouterr().out


def test_the_slowest_tests_are_told(tmp_path: Path) -> None:
    text = """
import time

def test_long():
    began = time.process_time()
    while time.process_time() - began < 0.2:
        pass

def test_short():
    pass
"""
    check = part(tmp_path, "timed", text)
    assert run([[check]], os.environ) == []
    [longest] = slowest([[[check]]], 1)
    assert longest.endswith(" s test_it.py::test_long")


def test_a_process_that_a_test_leaves_behind_holds_nothing_up(tmp_path: Path) -> None:
    """It has the part's output open as long as it lives, here until its own limit."""
    leaves = """
import subprocess
from pathlib import Path

left = subprocess.Popen(["sleep", "600"], start_new_session=True)
Path("left").write_text(str(left.pid))
"""
    check = Check("leaves", [sys.executable, "-W", "ignore", "-c", leaves], tmp_path, limit=60)
    try:
        assert run([[check]], os.environ) == []
    finally:
        os.kill(int((tmp_path / "left").read_text()), signal.SIGKILL)


@pytest.mark.wide
def test_a_part_that_does_not_end_fails_and_says_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
import threading

def test_stuck():
    threading.Event().wait()
"""
    check = part(tmp_path, "stuck", text)._replace(limit=12.0)
    assert run([[check]], os.environ) == ["stuck"]
    reply = capsys.readouterr().out
    assert "in test_stuck" in reply
    assert "did not end within 12.0 s" in reply


def test_a_program_of_a_test_can_be_interrupted_where_this_process_cannot() -> None:
    file = Path(__file__).with_name("test_interrupted.py")
    command = f"trap '' INT; exec {sys.executable} -m pytest -q -p no:cacheprovider -n 0 {file}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
