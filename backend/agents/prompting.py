"""The words that are said to models: files of their own in English and Chinese, which a node may replace with its own.

`prompts/<language>/<name>.md`. A place for a value is written `{name}`; only the names that are given are replaced, in
one pass, so a value that holds braces stays as it is, and so does every other brace of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "zh")

_PLACE = re.compile(r"\{([a-z_]+)\}")


@cache
def prompt_text(name: str, language: str) -> str:
    """A prompt as it stands in its file, without the newline at its end. Raises FileNotFoundError."""
    folder = "zh" if language.startswith("zh") else "en"
    path = files("backend.agents") / "prompts" / folder / f"{name}.md"
    return path.read_text(encoding="utf-8").strip()


def prompt(name: str, language: str, own: Mapping[str, object] | None = None, **values: str) -> str:
    """The prompt `name` with `values` put in. `own` = prompts of the node; an empty one counts as none."""
    override = (own or {}).get(name)
    text = override if isinstance(override, str) and override.strip() else prompt_text(name, language)
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)
