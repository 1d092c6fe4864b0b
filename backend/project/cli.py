"""`patchbay` and `make run`: migrate, check the keys, start web and worker, print where to go.

patchbay [run]            start web and worker in one process (embedded)
patchbay web              scaled: a web process          } with DATABASE_URL and REDIS_URL,
patchbay worker           scaled: a worker process       } after `patchbay migrate`
patchbay migrate          bring the database to this version
patchbay link             print a one-time sign-in link
patchbay token EMAIL      print an API token
patchbay mcp              speak MCP on stdin and stdout for the instance that runs (PATCHBAY_TOKEN)
patchbay COMMAND …        any of Django's management commands
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import NoReturn


def _invitation() -> str:
    """A sentence with a new one-time link."""
    from django.conf import settings

    from backend.accounts.teams.services import LINK_MINUTES, link_create

    row, token = link_create()
    purpose = "sign in" if row.user_id else "set up the owner's account"
    return f"To {purpose}, open {settings.PUBLIC_URL}/start/{token} (once, within {LINK_MINUTES} minutes)."


def _announce(started: float) -> None:
    from django.conf import settings

    print(
        f"Patchbay {settings.PUBLIC_URL} is ready after {time.monotonic() - started:.1f} s. {_invitation()}", flush=True
    )
    _tell_of_boxes()


def _tell_of_boxes() -> None:
    """Say where programs get less than a whole box; beside the start, as finding out takes a moment."""

    def tell() -> None:
        from backend.registry.programs.boxes import lacking

        if lack := lacking():
            print(lack, flush=True)

    threading.Thread(target=tell, name="boxes", daemon=True).start()


def run() -> int:
    """Start the embedded instance; returns the exit code."""
    started = time.monotonic()
    if (problem := _data_problem()) is not None:
        return _refused(problem)
    from django.conf import settings
    from django.core.management.base import CommandError

    from backend.database.migrating import migrate
    from backend.project.backups.leftovers import remove_leftovers
    from backend.project.postgres import name_connections
    from backend.project.processes import embedded  # installs the reactor before anything else of the network
    from backend.project.processes.instance_lock import AlreadyRunning, take_instance_lock
    from backend.secrets.cipher import NoKeyFits
    from backend.secrets.rotation import check_keys

    if settings.PATCHBAY.mode == "scaled":
        return _refused("With REDIS_URL set, start `patchbay web` and `patchbay worker` instead of `patchbay run`.")
    try:
        name_connections("run")
        lock = take_instance_lock()  # before the first statement: another version may be at work here
        remove_leftovers()
        migrate()
        check_keys()
        embedded.serve(lock, ready=lambda: _announce(started))
    except AlreadyRunning as error:
        return _refused(f"Another Patchbay runs on {error}. Stop it, or set PATCHBAY_DATA_DIR.")
    except CommandError as error:
        return _refused(str(error))
    except NoKeyFits:
        return _refused(_no_key())
    return 0


def _refused(why: str) -> int:
    print(why, file=sys.stderr)
    return 1


def _data_problem() -> str | None:
    """Why nothing can be kept in the data directory, in one sentence; None where it can. Before any setting is read."""
    from backend.project.environment import environment

    try:
        with tempfile.TemporaryFile(dir=environment().data):
            return None
    except OSError as error:
        where = environment().data_dir
        return f"Patchbay cannot write its data directory {where}: {error.strerror}. Give it a writable one, with room."


def _no_key() -> str:
    from django.conf import settings

    return (
        "None of the keys can read the secrets in the database. Put the right key into "
        f"PATCHBAY_SECRET_KEYS or {settings.PATCHBAY.data / 'secret.key'}."
    )


def _scaled(kind: str, serve: Callable[[], bool]) -> int:
    """Check what a process of a scaled installation needs, then serve; returns the exit code."""
    import django
    from django.conf import settings
    from django.db import connection

    django.setup(set_prefix=False)
    from backend.database.migrating import is_behind
    from backend.project.backups.leftovers import remove_leftovers
    from backend.project.postgres import name_connections
    from backend.secrets.cipher import NoKeyFits
    from backend.secrets.rotation import mark_keys

    if settings.PATCHBAY.mode != "scaled" or connection.vendor != "postgresql":
        return _refused("This needs DATABASE_URL (Postgres) and REDIS_URL. Without them, start `patchbay run`.")
    name_connections(kind)
    remove_leftovers()
    if is_behind():
        return _refused("The database is not at this version yet. Run `patchbay migrate` first.")
    try:
        mark_keys()
    except NoKeyFits:
        return _refused(_no_key())
    return 0 if serve() else 1


def web() -> int:
    """Start a web process of a scaled installation; returns the exit code."""
    started = time.monotonic()

    def ready() -> None:
        from django.conf import settings

        from backend.accounts.models import User

        env = settings.PATCHBAY
        link = f" {_invitation()}" if not User.objects.exists() else ""
        print(
            f"Patchbay web {env.host}:{env.port} is ready after {time.monotonic() - started:.1f} s.{link}", flush=True
        )

    def serve() -> bool:
        from backend.project.processes.scaled import serve_web

        serve_web(ready)
        return True

    return _scaled("web", serve)


def worker() -> int:
    """Start a worker process of a scaled installation; returns the exit code."""
    started = time.monotonic()

    def serve() -> bool:
        from backend.project.processes.scaled import serve_worker

        def ready() -> None:
            print(f"Patchbay worker is ready after {time.monotonic() - started:.1f} s.", flush=True)
            _tell_of_boxes()

        return serve_worker(ready)

    return _scaled("worker", serve)


def link() -> int:
    """Print a one-time sign-in link for the owner."""
    import django

    django.setup(set_prefix=False)
    print(_invitation())
    return 0


def _leave(code: int) -> NoReturn:
    """End a process that has served: all that counts is on disk by now.

    Threads of libraries that still wait in C code while the interpreter takes itself apart have crashed it (SIGSEGV
    after a clean stop), so it does not get to that.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _heed_interrupts() -> None:
    """SIGINT ends a server also where it was started in the background of a script, whose shell had it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # the reactor takes its place


def main() -> None:
    """The entry point."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")
    if sys.argv[1:2] in ([], ["run"], ["web"], ["worker"]):
        _heed_interrupts()
    match sys.argv[1:]:
        case [] | ["run"]:
            _leave(run())
        case ["web"]:
            _leave(web())
        case ["worker"]:
            _leave(worker())
        case ["link"]:
            sys.exit(link())
        case ["mcp", *rest]:
            from backend.project import relay

            sys.exit(relay.main(rest))
        case ["token", *rest]:
            arguments = ["issue_token", *rest]
        case ["migrate", *rest]:
            arguments = ["migrate", "--verbosity=0", *rest]
        case arguments:
            pass
    from django.core.management import execute_from_command_line

    execute_from_command_line([shutil.which("patchbay") or "patchbay", *arguments])


if __name__ == "__main__":
    main()
