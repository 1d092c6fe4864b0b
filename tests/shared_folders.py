"""Where what is made once for many tests lies; named by environment variables. Standard library only."""

from __future__ import annotations

TEMPLATES = "PATCHBAY_TEST_TEMPLATES"
"""The data directories that installations begin with (`data_templates.py`): one for all of a suite."""
