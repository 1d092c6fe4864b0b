"""`make bench`: every figure of design.md, "Numbers to reach", that is measured here."""

from __future__ import annotations

import os
import sys
import tempfile


def main() -> None:
    """Measure and print. Shared machines are noisy: read the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="backend.project.settings",
            PATCHBAY_DATA_DIR=folder,
            PATCHBAY_RUN_STARTS_PER_15S="0",
            PATCHBAY_MAX_CONCURRENT_RUNS="200",
        )
        import django

        django.setup()
        from tests.bench import agents, canvas, in_process, over_http, tokens

        over = 0
        for part in (in_process, agents, over_http, tokens, canvas):
            for row in part.measure():
                print(row, flush=True)
                over += row.met is False
    print(f"\n{over} of the figures miss their target on this machine now." if over else "\nAll targets are met.")
    sys.exit(0)


if __name__ == "__main__":
    main()
