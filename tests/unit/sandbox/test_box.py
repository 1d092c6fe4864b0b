"""What the processes of the sandbox reach: nothing but their own libraries and what they are given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from backend.sandbox import box, code, documents, pool
from backend.sandbox.code import run_code
from backend.sandbox.documents import read_document

MEMORY = 512 * 1024 * 1024
SHUT = "import runpy, sys; runpy.run_path(sys.argv[1])['shut'](int(sys.argv[2]), sys.argv[4:]); " + (
    "import errno, os, socket, subprocess\n"
    "try:\n    exec(sys.argv[3])\n    print('done')\n"
    "except (OSError, MemoryError) as error:\n    print(type(error).__name__)\n"
)


def tried(attempt: str, *programs: str) -> str:
    """What becomes of a line of Python in a process that is shut in: "done" or the error's name."""
    command = [sys.executable, "-I", "-c", SHUT, box.__file__, str(MEMORY), attempt, *programs]
    return subprocess.run(command, capture_output=True, text=True, cwd="/", env={}, check=False).stdout.strip()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("key")
    return path


@pytest.mark.parametrize(
    "attempt",
    [
        "open({path!r}).read()",
        "open({path!r}, 'w')",
        "open({folder!r} + '/new', 'w')",
        "os.listdir({folder!r})",
        "os.unlink({path!r})",
        "os.rename({path!r}, {folder!r} + '/other')",
        "open('/etc/passwd').read()",
        "open('/proc/self/environ').read()",
        "socket.socket(socket.AF_INET, socket.SOCK_STREAM)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)",
        "subprocess.run(['/bin/sh', '-c', 'true'])",
        "os.execv(sys.executable, [sys.executable, '-c', ''])",
    ],
)
def test_nothing_outside_is_reached(attempt: str, secret: Path) -> None:
    if "socket." not in attempt and not box.landlock_version():
        pytest.skip("this kernel has no Landlock")
    line = attempt.format(path=str(secret), folder=str(secret.parent))
    assert tried(line) == "PermissionError"
    assert secret.read_text() == "key" and list(secret.parent.iterdir()) == [secret]


def test_libraries_are_read_and_memory_ends() -> None:
    assert tried("import openpyxl, pypdf, mammoth, bs4, zoneinfo; zoneinfo.ZoneInfo('Europe/Oslo')") == "done"
    assert tried(f"bytearray({MEMORY})") == "MemoryError"
    assert tried("[open('/dev/null') for _ in range(100)]") == "OSError"


def test_one_program_may_be_run_where_it_is_named() -> None:
    if not box.landlock_version():
        pytest.skip("this kernel has no Landlock")
    call = f"subprocess.run([{code.INTERPRETER!r}, '--version'], check=True, stdout=subprocess.DEVNULL)"
    assert tried(call) == "PermissionError"
    assert tried(call, code.INTERPRETER) == "done"


WORKER = str(Path(box.__file__).with_name("worker.py"))


def shut_in() -> dict[str, bool]:
    """By the memory that they may have: whether the kernel says that the workers of this process are shut in."""
    expected = {}
    for worker in psutil.Process().children():
        if worker.cmdline()[2:3] == [WORKER]:
            state = Path(f"/proc/{worker.pid}/status").read_text()
            expected[worker.cmdline()[3]] = "NoNewPrivs:\t1" in state and "Seccomp:\t2" in state
    return expected


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    created = {
        documents: pool.Pool(1, memory=documents.MEMORY, largest=documents.LARGEST),
        code: pool.Pool(1, programs=(code.INTERPRETER,)),
    }
    for module, own in created.items():
        monkeypatch.setattr(module, "_POOL", own)
    yield
    for own in created.values():
        own.close()


@pytest.mark.usefixtures("pools")
async def test_the_processes_that_work_are_shut_in() -> None:
    await read_document(b"a,b", "a.csv", "text/csv", "text")
    await run_code("def main():\n    return {}", {}, seed="s", now=0.0)
    reply = shut_in()
    assert reply[str(documents.MEMORY)] and reply[str(pool.MEMORY)], reply
