"""The secret keys are kept outside the data directory: in a file, a systemd credential, or behind a command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

pytestmark = pytest.mark.wide

ROOT = Path(__file__).resolve().parents[3]
LOOK = "from django.conf import settings; print(settings.SECRET_KEY); print(*settings.PATCHBAY.secret_keys)"


def manage(data: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PATCHBAY_")}
    env = {**kept, "PATCHBAY_DATA_DIR": str(data), **environment}
    line = [sys.executable, str(ROOT / "manage.py"), *args]
    return subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)


def places(tmp_path: Path, key: str) -> dict[str, dict[str, str]]:
    """Each way to give the keys, as environment."""
    file = tmp_path / "keys.txt"
    file.write_text(f"{key}\n")
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "patchbay_secret_keys").write_text(key)
    return {
        "file": {"PATCHBAY_SECRET_KEYS_FILE": str(file)},
        "credential": {"CREDENTIALS_DIRECTORY": str(credentials)},
        "command": {"PATCHBAY_SECRET_KEYS_COMMAND": f"cat {file}"},
    }


@pytest.mark.parametrize("place", ["file", "credential", "command"])
def test_nothing_of_the_keys_lies_in_the_data_directory(tmp_path: Path, place: str) -> None:
    data, key = tmp_path / "data", Fernet.generate_key().decode()
    outside = places(tmp_path, key)[place]
    created = manage(data, "issue_token", "owner@example.org", **outside)
    assert created.returncode == 0, created.stderr
    session_key, body = manage(data, "shell", "-v", "0", "-c", LOOK, **outside).stdout.split()
    assert body == key
    files = [path for path in data.rglob("*") if path.is_file()]
    assert files and not {"secret.key", "django.key"} & {path.name for path in files}
    for path in files:
        assert key.encode() not in path.read_bytes() and session_key.encode() not in path.read_bytes(), path
    other = Fernet.generate_key().decode()
    (tmp_path / "other").write_text(other)
    refused = manage(data, "rotate_secrets", PATCHBAY_SECRET_KEYS_FILE=str(tmp_path / "other"))
    assert refused.returncode != 0, "what was encrypted cannot be read with another key"


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"PATCHBAY_SECRET_KEYS_FILE": "/no/such/file"}, "/no/such/file"),
        ({"PATCHBAY_SECRET_KEYS_COMMAND": "false"}, "ended with 1"),
        ({"PATCHBAY_SECRET_KEYS_COMMAND": "true"}, "no secret keys"),
        ({"PATCHBAY_SECRET_KEYS_COMMAND": "no-such-command-anywhere"}, "No such file"),
        ({"PATCHBAY_SECRET_KEYS_COMMAND": "'"}, "no command"),
    ],
)
def test_a_place_without_keys_stops_the_start_instead_of_making_new_ones(
    tmp_path: Path, environment: dict[str, str], says: str
) -> None:
    refused = manage(tmp_path / "data", "issue_token", "owner@example.org", **environment)
    assert refused.returncode == 1 and says in refused.stderr and "Traceback" not in refused.stderr
    assert not (tmp_path / "data" / "secret.key").exists()
