"""Work that one process of the installation does now and then: who has the turn stands in a row, not in a process.

So it happens on time though processes come and go, never in two at once, and goes on elsewhere when one is killed. A
thread of its own does it: leases are prolonged and runs taken meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, connection

from backend.accounts.audit import chain, verifying
from backend.database.clock import now_sql
from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.registry.programs import home_dirs, packages
from backend.registry.servers import checks
from backend.runs.lifecycle.retention import SHORTEST_REST_S, Stopped, Sweep
from backend.runs.log import stored_runs
from backend.sso import services as sso

log = logging.getLogger(__name__)

LOOK_EVERY_S = 60.0
FIRST_LOOK_S = 20.0
TURN_S = 60.0
"""Whose turn it is keeps it so long after its last batch."""
RETENTION, RETENTION_EVERY_S = "retention", 3600.0
LINKS, LINKS_EVERY_S = "audit_links", 50.0
"""Audit rows get their place in the chain at each look: a row waits for it two looks at most, while a worker runs."""
ALL_LINKS_EVERY_S = 3600.0
"""So often rows of any age are looked for, in between those of the last hour: a long stop may hide others."""
VERIFYING, VERIFYING_EVERY_S = "audit_verifying", 86400.0
IDENTITIES, IDENTITIES_EVERY_S = "identities", 50.0
CHECKS, CHECKS_EVERY_S = "server_checks", 50.0
HOMES_EVERY_S = 3600.0
"""Each process looks after the directories of its own machine."""


def take_turn(name: str, owner: str, every_s: float) -> bool:
    """Whether this owner is to do it now: nobody does, and it was done at least `every_s` ago."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO runs_chore (name, owner, until, done_at) VALUES (%s, '', 0, 0) ON CONFLICT DO NOTHING", [name]
        )
        cursor.execute(
            f"UPDATE runs_chore SET owner = %s, until = {now_sql()} + {TURN_S} "  # noqa: S608 - numbers
            f"WHERE name = %s AND until <= {now_sql()} AND done_at <= {now_sql()} - {float(every_s)}",
            [owner, name],
        )
        return bool(cursor.rowcount)


def run_maintenance(name: str, owner: str) -> bool:
    """Prolong the turn; False when another has it."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE runs_chore SET until = {now_sql()} + {TURN_S} WHERE name = %s AND owner = %s",  # noqa: S608 - our own names only
            [name, owner],
        )
        return bool(cursor.rowcount)


def end_turn(name: str, owner: str, *, done: bool) -> None:
    """Give the turn back."""
    stamp = f", done_at = {now_sql()}" if done else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE runs_chore SET until = 0{stamp} WHERE name = %s AND owner = %s",  # noqa: S608 - our own clauses
            [name, owner],
        )


class MaintenanceRunner:
    """The thread of a worker process that does maintenance. `days` = how long ended runs are kept."""

    def __init__(self, owner: str, days: int, look_every_s: float | None = None) -> None:
        self._owner, self._days, self._look_every_s = owner, days, look_every_s or LOOK_EVERY_S
        self._stopping = threading.Event()
        self._homes_at = self._all_links_at = 0.0
        self._thread = threading.Thread(target=self._work, name="maintenance", daemon=True)

    def start(self) -> None:
        """Do maintenance from now on."""
        self._thread.start()

    def stop(self, grace: float) -> None:
        """End after the batch at hand."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(grace)

    def _work(self) -> None:
        pause = min(FIRST_LOOK_S, self._look_every_s)
        while not self._stopping.wait(pause):
            pause = self._look_every_s
            try:
                self._sweep_homes()
                self._link_audit()
                if take_turn(RETENTION, self._owner, RETENTION_EVERY_S):
                    self._retain()
                stored_runs.fold_all()
                self._check_identities()
                self._check_servers()
                if take_turn(VERIFYING, self._owner, VERIFYING_EVERY_S):
                    self._verify_audit()
            except DatabaseError as error:
                log.warning("a maintenance job could not be done: %s", error)
            finally:
                connection.close()

    def _sweep_homes(self) -> None:
        """Directories of programs on this machine whose server was deleted, perhaps by another process; packages that
        nobody uses any more."""
        if time.monotonic() >= self._homes_at:
            self._homes_at = time.monotonic() + HOMES_EVERY_S
            home_dirs.sweep()
            packages.sweep()

    def _link_audit(self) -> None:
        """Audit rows get their place in the chain."""
        if not take_turn(LINKS, self._owner, min(LINKS_EVERY_S, self._look_every_s)):
            return
        whole = time.monotonic() >= self._all_links_at
        with self._turn(LINKS) as rest:
            chain.link_rows(recent=not whole, rest=rest, turn=sqlite_write_lock)
            if whole:
                self._all_links_at = time.monotonic() + ALL_LINKS_EVERY_S

    def _check_identities(self) -> None:
        """Who comes in through the identity provider is asked about there, whether or not they are here."""
        if settings.PATCHBAY.oidc_issuer and take_turn(IDENTITIES, self._owner, IDENTITIES_EVERY_S):
            with self._turn(IDENTITIES) as rest:
                sso.check_all(settings.PATCHBAY.oidc_check_s, rest)

    def _check_servers(self) -> None:
        """Servers that people have tested are looked at, where that is their turn."""
        every_s = min(CHECKS_EVERY_S, self._look_every_s)
        if settings.PATCHBAY.server_check_s and take_turn(CHECKS, self._owner, every_s):
            with self._turn(CHECKS):
                checks.check_due(self.rest(CHECKS))

    def _verify_audit(self) -> None:
        with self._turn(VERIFYING) as rest:
            for team in verifying.chains():
                result = verifying.verify(team, rest=rest)
                if result.broken is not None:
                    log.error("the audit trail of %s is broken at row %d: %s", team, result.broken, result.problem)

    @contextmanager
    def _turn(self, job: str) -> Iterator[Callable[[], None]]:
        """Gives what to call between batches; gives the turn back at the end."""
        rest, finished = self.rest(job), False
        try:
            yield lambda: rest(SHORTEST_REST_S)
            finished = True
        except Stopped:
            log.info("%s goes on later, or elsewhere", job)
        except DatabaseError:
            connection.close()  # the turn is given back on a new one
            raise
        finally:
            end_turn(job, self._owner, done=finished)

    def _retain(self) -> None:
        finished = False
        try:
            count = Sweep(self._days, self.rest(RETENTION)).run()
            finished = True
            if count:
                log.info("runs older than %d days that were deleted: %d", self._days, count)
        except Stopped:
            log.info("the sweep goes on later, or elsewhere")
        except DatabaseError:
            connection.close()  # the turn is given back on a new one
            raise
        finally:
            end_turn(RETENTION, self._owner, done=finished)

    def rest(self, job: str) -> Callable[[float], None]:
        """What a job calls between its batches."""

        def rest(seconds: float) -> None:
            if self._stopping.wait(seconds) or not run_maintenance(job, self._owner):
                raise Stopped

        return rest
