"""How much is fuzzed, and how long anything may hold the loop."""

from __future__ import annotations

import os

COUNT = int(os.environ.get("PATCHBAY_FUZZ", "60"))
HOLD_S = 0.05
"""What one call may take of the loop's thread."""
LONGEST: dict[str, float] = {}
"""The longest hold that was seen, by what was drawn."""
