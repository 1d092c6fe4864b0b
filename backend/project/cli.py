"""`patchbay` and `make run`: migrate, check the keys, start web and worker, print where to go.

patchbay [run]            start
patchbay token EMAIL      print an API token
patchbay COMMAND …        any of Django's management commands
"""

from __future__ import annotations

import os
import shutil
import sys
import time


def _announce(started: float) -> None:
    from django.conf import settings

    from backend.accounts.services import LINK_MINUTES, link_create

    row, token = link_create()
    purpose = "sign in" if row.user_id else "set up the owner's account"
    print(
        f"Patchbay {settings.PUBLIC_URL} is ready after {time.monotonic() - started:.1f} s. "
        f"To {purpose}, open {settings.PUBLIC_URL}/start/{token} (once, within {LINK_MINUTES} minutes).",
        flush=True,
    )


def run() -> int:
    """Start the embedded instance; returns the exit code."""
    started = time.monotonic()
    from django.conf import settings

    from backend.accounts.migrating import migrate
    from backend.project import embedded  # installs the reactor before anything else of the network
    from backend.secrets.cipher import NoKeyFits
    from backend.secrets.rotation import check_keys

    try:
        migrate()
        check_keys()
        embedded.serve(ready=lambda: _announce(started))
    except embedded.AlreadyRunning as error:
        print(f"Another Patchbay runs on {error}. Stop it, or set PATCHBAY_DATA_DIR.", file=sys.stderr)
        return 1
    except NoKeyFits:
        print(
            f"None of the keys can read the secrets in the database. Put the right key into "
            f"PATCHBAY_SECRET_KEYS or {settings.PATCHBAY.data / 'secret.key'}.",
            file=sys.stderr,
        )
        return 1
    return 0


def main() -> None:
    """The entry point."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")
    match sys.argv[1:]:
        case [] | ["run"]:
            sys.exit(run())
        case ["token", *rest]:
            arguments = ["issue_token", *rest]
        case arguments:
            pass
    from django.core.management import execute_from_command_line

    execute_from_command_line([shutil.which("patchbay") or "patchbay", *arguments])


if __name__ == "__main__":
    main()
