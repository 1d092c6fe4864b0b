"""Data directories that installations of tests begin with: made once, copied as often as needed.

`empty` is nothing at all, as on a first start. `migrated` has the tables, as after `patchbay migrate`; `owned` has
Alice, her team and its examples too, as after `make token`, with some tokens of hers.

The tables are kept from one test run to the next (`KEPT`), as long as no line of the backend changes: a hundred
migrations take 17 seconds of CPU, more than most single files of tests.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal

from tests import forkserver
from tests.shared_folders import TEMPLATES

Beginning = Literal["empty", "migrated", "owned"]
OWNER = "alice@example.org"
TOKENS = 2
"""Of the owner, in a copy; whoever wants more has them issued."""
SHARED = TEMPLATES
"""Environment variable: where all processes of a test run share them. Without it each process makes its own."""
ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".stamps" / "migrated"
"""Data directories with the tables, by what made them: the code of the backend, its libraries and Python."""
KEPT_MOST = 3
TOKEN = """
import os, sys
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")
import django
django.setup()
from datetime import timedelta
from django.core.management import call_command
from django.utils import timezone
from backend.accounts.models import ApiToken
for _ in range(int(sys.argv[2])):
    call_command("issue_token", sys.argv[1])
if hasattr(ApiToken, "approves_until"):
    ApiToken.objects.update(approves_until=timezone.now() + timedelta(days=90))
"""


def issued(email: str, environment: dict[str, str], count: int = 1) -> str:
    """API tokens, one a line, as `make token` prints them; makes the owner on an empty installation.

    They are from before people alone could approve, so they stand for the person at the screen.
    """
    process = forkserver.popen(["-c", TOKEN, email, str(count)], environment)
    text = process.output()
    tokens = [line for line in text.splitlines() if line.startswith("pb_")]
    assert process.wait() == 0 and len(tokens) == count, text
    return "\n".join(tokens)


def copy(beginning: Beginning, data: Path, environment: dict[str, str]) -> list[str]:
    """Make a data directory that begins so; gives the owner's tokens in it. `environment` configures nothing."""
    folder = _folder()
    _build(folder, environment, owned=True)
    shutil.copytree(folder / beginning, data, dirs_exist_ok=True)
    tokens: list[str] = json.loads((folder / "owned.json").read_text()) if beginning == "owned" else []
    return tokens


def copy_database(file: Path, environment: dict[str, str]) -> None:
    """Make a database of SQLite with the tables and nothing in them, for tests of one process."""
    folder = _folder()
    _build(folder, environment, owned=False)
    for of_before in (file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        of_before.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / "migrated" / "patchbay.sqlite3", file)


def _build(folder: Path, environment: dict[str, str], *, owned: bool) -> None:
    """Make the templates that are missing; who comes meanwhile waits. Each is whole once its mark is there."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "migrated.json").exists():
            _migrate(folder, environment)
        if owned and not (folder / "owned.json").exists():
            _own(folder, environment)


def _migrate(folder: Path, environment: dict[str, str]) -> None:
    shutil.rmtree(folder / "migrated", ignore_errors=True)  # of one that was killed
    kept = KEPT / _of_now()
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT, prefix="making-") as making:
            where = {**environment, "PATCHBAY_DATA_DIR": str(Path(making) / "data")}
            process = forkserver.popen(["-m", "backend.project.cli", "migrate"], where)
            text = process.output()
            assert process.wait() == 0, text
            with suppress(OSError):  # another test run was quicker
                (Path(making) / "data").rename(kept)
        _let_go_of_old()
    shutil.copytree(kept, folder / "migrated")
    (folder / "migrated.json").write_text("{}")


def _of_now() -> str:
    """What the tables depend on, as a name."""
    whole = hashlib.sha256(sys.version.encode())
    for file in (*sorted((ROOT / "backend").rglob("*.py")), ROOT / "requirements" / "test.lock"):
        whole.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return whole.hexdigest()[:20]


def _let_go_of_old() -> None:
    """Keep the newest few: others are of code that is no more."""
    kept = sorted((path for path in KEPT.iterdir() if not path.name.startswith("making-")), key=_built_at, reverse=True)
    for path in kept[KEPT_MOST:]:
        shutil.rmtree(path, ignore_errors=True)


def _built_at(path: Path) -> float:
    return path.stat().st_mtime


def _own(folder: Path, environment: dict[str, str]) -> None:
    shutil.rmtree(folder / "owned", ignore_errors=True)
    shutil.copytree(folder / "migrated", folder / "owned")
    tokens = issued(OWNER, {**environment, "PATCHBAY_DATA_DIR": str(folder / "owned")}, TOKENS).splitlines()
    (folder / "owned.json").write_text(json.dumps(tokens))


@cache
def _folder() -> Path:
    shared = os.environ.get(SHARED)
    folder = Path(shared) if shared else _own_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


_kept: list[tempfile.TemporaryDirectory[str]] = []


def _own_folder() -> Path:
    _kept.append(tempfile.TemporaryDirectory(prefix="patchbay-templates-"))  # goes with this process
    return Path(_kept[0].name)
