"""`${secret:name}` in the settings of a server or provider: resolved when connecting, only towards allowed hosts."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from backend.errors import SecretMissing
from backend.secrets.models import Secret

_REFERENCE = re.compile(r"\$\{secret:([a-z][a-z0-9_]{0,62})\}")
PROGRAM = "stdio"
"""The "host" of a program on this machine: a secret goes to one only if its hosts name it (or `*`)."""


class Resolver:
    """Resolves references for one target host and remembers what it gave out, for masking and for the revision."""

    def __init__(self, team_id: str, host: str) -> None:
        self._team_id, self._host = team_id, host.lower()
        self.values: list[str] = []
        self.stamps: list[str] = []

    def __call__(self, text: str) -> str:
        """`text` with its references replaced. Raises SecretMissing (unknown, or not for this host)."""
        return _REFERENCE.sub(lambda match: self._value(match.group(1)), text) if "${secret:" in text else text

    def _value(self, name: str) -> str:
        row = Secret.objects.filter(team_id=self._team_id, name=name).first()
        if row is None or not any(fnmatchcase(self._host, str(host).lower()) for host in row.hosts):
            raise SecretMissing(params={"name": name, "host": self._host})
        value = str(row.value)
        self.values.append(value)
        self.stamps.append(f"{name}@{row.updated_at.timestamp()}")
        return value
