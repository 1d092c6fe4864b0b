"""Which names tell that a value is a credential, and how a document names a secret."""

from __future__ import annotations

import re

_SECRET_NAME = re.compile(
    r"(?:^|[_\-.])(?:api[_-]?key|key|token|secret|password|passwd|pwd|pat|credentials?|auth|authorization|cookie|session)$",
    re.IGNORECASE,
)
_SECRET_CAMEL = re.compile(r"(?:[a-z0-9](?:Key|Token|Secret|Password)|^ak|^sk|^apikey)$")
REFERENCE = re.compile(r"\$\{secret:[a-z][a-z0-9_]{0,62}\}")
"""A secret by its name, in a value that may hold one."""


def is_secret_name(name: str) -> bool:
    """Whether a header, variable or query key of this name usually carries a credential."""
    return bool(_SECRET_NAME.search(name) or _SECRET_CAMEL.search(name))
