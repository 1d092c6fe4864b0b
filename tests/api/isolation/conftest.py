"""Two worlds, made once for all rows; what a request changes is rolled back after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import transaction

from tests.api.isolation.sending import forgotten
from tests.api.isolation.tenant import Tenant, tenant


@pytest.fixture(scope="module")
def tenants(django_db_setup: None, django_db_blocker: object) -> Iterator[tuple[Tenant, Tenant]]:
    """(ours, theirs), in a transaction that is never committed."""
    starts, settings.PATCHBAY.run_starts_per_15s = settings.PATCHBAY.run_starts_per_15s, 0
    with django_db_blocker.unblock(), transaction.atomic():  # type: ignore[attr-defined]
        yield tenant("amber"), tenant("basalt")
        transaction.set_rollback(True)
    settings.PATCHBAY.run_starts_per_15s = starts


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """What others asked before does not count, and what a tenant allows is forgotten with it."""
    with forgotten():
        yield


@pytest.fixture
def ours(tenants: tuple[Tenant, Tenant]) -> Tenant:
    return tenants[0]


@pytest.fixture
def theirs(tenants: tuple[Tenant, Tenant]) -> Tenant:
    return tenants[1]
