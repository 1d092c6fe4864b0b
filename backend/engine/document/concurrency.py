"""How many runs of a workflow may go on at once: a document's `concurrency: {key, limit, when_busy}`, read and asked.

`key` is a text over `inputs` ("" = all runs of the workflow share one): runs whose text is the same share `limit`
places. `when_busy` says what a start does that finds none: `queue` (it waits for its turn) or `refuse`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from backend.engine.document.problems import Problems
from backend.engine.language.expressions import pointer_token, render, scan
from backend.tools.types import JsonObject

ROOT: Final = "inputs"
"""What a key may read."""
LARGEST: Final = 1000
LONGEST: Final = 2000
WHEN_BUSY: Final = ("queue", "refuse")


@dataclass(frozen=True, slots=True)
class Concurrency:
    """The setting of one document."""

    key: str
    limit: int
    when_busy: Literal["queue", "refuse"]

    def text(self, inputs: JsonObject) -> str:
        """The key of a run with these inputs. Raises TemplateError, ResultTooLarge."""
        value = render(self.key, {ROOT: inputs})
        return value if isinstance(value, str) else repr(value)


def read_concurrency(raw: JsonObject, problems: Problems) -> Concurrency | None:
    """The setting of a document, None where it has none; what is wrong with it is added to `problems`."""
    if not raw:
        return None
    for key in raw.keys() - {"key", "limit", "when_busy"}:
        problems.add("config_unknown", f"/concurrency/{pointer_token(key)}", severity="warning", field=str(key)[:80])
    text, limit, busy = raw.get("key"), raw.get("limit"), raw.get("when_busy")
    if text is not None and (not isinstance(text, str) or len(text) > LONGEST):
        problems.add("config_type", "/concurrency/key", field="key", expected="string")
        text = None
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LARGEST):
        problems.add("config_wrong", "/concurrency/limit", field="limit", why=f"1 … {LARGEST}")
        limit = None
    if busy is not None and busy not in WHEN_BUSY:
        problems.add("config_choice", "/concurrency/when_busy", field="when_busy", expected=", ".join(WHEN_BUSY))
        busy = None
    _check_key(text or "", problems)
    return Concurrency(text or "", limit or 1, cast(Any, busy or "queue"))


def _check_key(text: str, problems: Problems) -> None:
    references, errors = scan(text, "/concurrency/key")
    for path, error in errors:
        problems.add(f"expression_{error.reason}", path, expression=error.params["expression"])
    for reference in references:
        if reference.root != ROOT:
            problems.add("reference_unknown", reference.pointer, name=reference.root)
