"""The secret keys where they are kept outside the data directory: a file, a systemd credential, a command.

Whoever reads the data directory, or a copy of it, then has no key to what is encrypted there.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

CREDENTIAL = "patchbay_secret_keys"
"""Name of the systemd credential (`LoadCredential=patchbay_secret_keys:…`)."""
PATIENCE_S = 60


class NoKeys(Exception):
    """The place that should have the keys has none; the text says why."""


def keys_from_outside(file: str, credentials: str, command: str) -> list[str]:
    """Keys, newest first, from the first of: the file named, systemd's credential, what the command prints.

    `credentials` = the directory in which systemd puts what a unit may read ($CREDENTIALS_DIRECTORY).

    Empty where none of these is set up. Raises NoKeys where one is and gives nothing: another key would be made, or an
    old one taken, without anybody noticing.
    """
    credential = Path(credentials) / CREDENTIAL if credentials else None
    if file:
        return _keys(_read(Path(file)), f"PATCHBAY_SECRET_KEYS_FILE ({file})")
    if credential is not None and credential.exists():
        return _keys(_read(credential), f"The credential {CREDENTIAL}")
    if command:
        return _keys(_printed(command), "PATCHBAY_SECRET_KEYS_COMMAND")
    return []


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, ValueError) as error:
        raise NoKeys(f"Patchbay cannot read its secret keys from {path}: {error}") from None


def _printed(command: str) -> str:
    try:
        line = shlex.split(command)
        done = subprocess.run(line, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=True)
        return done.stdout.decode()
    except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
        why = f"it took longer than {PATIENCE_S} s" if isinstance(error, subprocess.TimeoutExpired) else _why(error)
        raise NoKeys(f"PATCHBAY_SECRET_KEYS_COMMAND gave no secret keys: {why}.") from None


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with {error.returncode}"
    return getattr(error, "strerror", None) or "it is no command"


def _keys(text: str, where: str) -> list[str]:
    keys = [part.strip() for part in text.replace(",", "\n").splitlines() if part.strip()]
    if not keys:
        raise NoKeys(f"{where} has no secret keys in it.")
    return keys
