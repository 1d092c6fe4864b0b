"""Why a value does not fit, for people: made with `jsonschema`, bounded in number, length and time.

Only asked where `jsonschema-rs` has said no. `jsonschema` runs schemas in Python, its patterns without a limit, so only
what is plainly cheap is explained in this process; the rest in one that is killed when its time is over (`sandbox`).
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict

from backend.sandbox.pool import POOL, TooCostly
from backend.sandbox.wording import explain
from backend.tools.schema_cost import Cost
from backend.tools.types import JsonObject, JsonValue

LARGEST = 200_000
"""Characters of a value up to which it is explained; beyond, the quick engine's own words stand."""
CHEAP_STEPS = 20_000
"""Subschemas times characters of a value up to which it is explained in this process."""
CHEAP_SIZE = 4_000_000
"""Characters of a schema times those of a value, likewise: long lists of choices are compared one by one."""
TIME_S = 5.0
"""How long an explanation may take; beyond, the quick engine's own words stand."""
_REMEMBERED = 512
_SLOW = re.compile(r'"(?:pattern|patternProperties|uniqueItems|unevaluated\w+|\$dynamicRef|\$recursiveRef|extends)":')
"""Keywords with which `jsonschema` can take far longer than `jsonschema-rs`."""
_too_slow: OrderedDict[str, None] = OrderedDict()
"""Schemas whose explanation took too long: nobody waits for it again."""

Explained = list[tuple[list[str | int], str]]


def explained(schema: JsonObject, text: str, value: JsonValue, size: int, cost: Cost) -> Explained | None:
    """`[(path, message), …]` for a value that does not fit; None where that cannot be had. Blocks.

    `text`: the schema's JSON; `size`: characters of the value.
    """
    key = hashlib.sha256(text.encode()).hexdigest()
    if size > LARGEST or key in _too_slow:
        return None
    try:
        return _explain(schema, text, value, size, cost) or None
    except TooCostly:
        _too_slow[key] = None
        while len(_too_slow) > _REMEMBERED:
            _too_slow.popitem(last=False)
    except Exception:  # noqa: BLE001 - a hostile schema may make the package raise anything
        return None
    return None


def _explain(schema: JsonObject, text: str, value: JsonValue, size: int, cost: Cost) -> Explained:
    cheap = cost.plain and cost.heaviest * size <= CHEAP_STEPS and len(text) * size <= CHEAP_SIZE
    if cheap and not _SLOW.search(text):
        return [(path, message) for path, message in explain(schema, value)]
    return [(path, message) for path, message in POOL.run("explain", schema, value, seconds=TIME_S)]
