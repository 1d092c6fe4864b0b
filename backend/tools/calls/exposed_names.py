"""What a tool is called towards a model: names that cannot collide and that LLM APIs accept, `server__tool`."""

from __future__ import annotations

import hashlib
import re

MAX_NAME = 64
_ODD = re.compile(r"[^A-Za-z0-9_-]")


def exposed_name(server: str, tool: str) -> str:
    """`server__tool` in the letters that LLM APIs accept, at most 64 of them.

    What had to be changed for that, or could be read as another pair, is marked by a hash of the pair.
    """
    wished = f"{server}__{tool}"
    plain = _ODD.sub("_", wished)
    unmistakable = "__" not in server and not server.endswith("_") and not tool.startswith("_")
    if plain == wished and len(plain) <= MAX_NAME and unmistakable:
        return plain
    mark = hashlib.sha256(wished.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: MAX_NAME - 9]}_{mark}"
