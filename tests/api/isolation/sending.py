"""Sends what a row says, as somebody, and undoes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client

from backend.accounts.audit.batches import write_notes
from backend.accounts.auth.rate_limits import RATES
from backend.accounts.models import AuditEntry
from backend.accounts.teams import allowances
from tests.api.isolation.table import Row, Smuggled
from tests.api.isolation.tenant import Tenant
from tests.cases import Check, each

TRAIL = AuditEntry._meta.db_table


@dataclass
class Answer:
    """Status, text and the actions that were audited meanwhile."""

    status: int
    text: str
    audited: list[str]

    @property
    def code(self) -> str:
        """The error's code, if it is one of ours."""
        try:
            data = json.loads(self.text)
        except ValueError:
            return ""
        return str(data.get("code", "")) if isinstance(data, dict) else ""


def send(
    client: Client, row: Row, tenant: Tenant, smuggled: Smuggled | None = None, theirs: Tenant | None = None
) -> Answer:
    """The answer to a row's request with the objects of `tenant`; nothing that it changed stays."""
    address = row.address(tenant)
    headers: dict[str, str] = {}
    body = row.body(tenant) if row.body else None
    if smuggled is not None and theirs is not None:
        body = smuggled.body(tenant, theirs) if smuggled.body else body
        address += smuggled.query(theirs) if smuggled.query else ""
        headers |= smuggled.headers(theirs) if smuggled.headers else {}
    return exchange(client, row.method, address, body, headers, row.upload)


def exchange(
    client: Client,
    method: str,
    address: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
    upload: bool = False,
) -> Answer:
    """One request inside a savepoint; the client stays signed in as it was."""
    kept = client.cookies.output(header="", sep=";")
    verb = getattr(client, "get" if method == "*" else method.lower())
    if upload:
        payload: dict[str, Any] = {"data": {"file": SimpleUploadedFile("a.txt", b"some text", "text/plain")}}
    elif method in {"*", "GET"}:
        payload = {}
    else:
        payload = {"data": json.dumps(body if body is not None else {}), "content_type": "application/json"}
    with transaction.atomic():
        before = _asked(f"SELECT MAX(id) FROM {TRAIL}")[0] or ""
        response = verb(address, headers=headers or None, **payload)
        raw = b"" if response.streaming else response.content
        write_notes()
        audited = _asked(f"SELECT action FROM {TRAIL} WHERE id > %s", before)
        transaction.set_rollback(True)
    client.cookies = SimpleCookie(kept)
    return Answer(response.status_code, raw.decode("utf-8", "replace"), audited)


def _asked(sql: str, *values: str) -> list[Any]:
    """The first column; before and after each of thousands of requests, so without building a queryset."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [row[0] for row in cursor.fetchall()]


def leaks(answer: Answer, tenant: Tenant, sent: str) -> list[str]:
    """What of `tenant` an answer tells, beyond what was asked with."""
    return sorted(item for item in tenant.secrets_of_the_team() if item in answer.text and item not in sent)


def named(row: Row) -> str:
    """As a test of the row is called."""
    return f"{row.name}{row.ids.get('key', '')}"


@contextmanager
def forgotten() -> Iterator[None]:
    """What others asked before does not count, and what a tenant allows is forgotten with it."""
    cache.clear()
    RATES.clear()
    try:
        yield
    finally:
        allowances.forget()


@contextmanager
def _undone() -> Iterator[None]:
    with forgotten(), transaction.atomic():
        yield
        transaction.set_rollback(True)


def every(rows: Iterable[Any], called: Callable[[Any], str] = named) -> Callable[[Check], Check]:
    """A test with every row (or what else comes first in a check), as if each were a test: nothing stays of it."""
    return each(rows, called, _undone)
