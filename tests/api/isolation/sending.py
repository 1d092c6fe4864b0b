"""Sends what a row says, as somebody, and undoes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from backend.accounts.audit.batches import write_notes
from backend.accounts.models import AuditEntry
from tests.api.isolation.table import Row, Smuggled
from tests.api.isolation.tenant import Tenant


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
        before = AuditEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or ""
        response = verb(address, headers=headers or None, **payload)
        raw = b"" if response.streaming else response.content
        write_notes()
        audited = list(AuditEntry.objects.filter(pk__gt=before).values_list("action", flat=True))
        transaction.set_rollback(True)
    client.cookies = SimpleCookie(kept)
    return Answer(response.status_code, raw.decode("utf-8", "replace"), audited)


def leaks(answer: Answer, tenant: Tenant, sent: str) -> list[str]:
    """What of `tenant` an answer tells, beyond what was asked with."""
    return sorted(item for item in tenant.secrets_of_the_team() if item in answer.text and item not in sent)


def named(row: Row) -> str:
    """As a test of the row is called."""
    return f"{row.name}{row.ids.get('key', '')}"
