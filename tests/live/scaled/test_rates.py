"""Rate limits of several processes over one Redis: what each counts, all hear; without Redis each counts for itself."""

from __future__ import annotations

import uuid

import pytest
from redis import RedisError

from backend.accounts.auth.rate_limits import RateCounter, Shared
from backend.errors import RateLimited
from tests.services import free_port, redis

AGE = 10**8
"""A window that does not end while a test runs."""


def test_processes_hear_of_each_others_requests() -> None:
    url, person = redis(), f"usr_{uuid.uuid4().hex}"
    one, other = RateCounter(), RateCounter()
    shared = [Shared(rates._counts, url) for rates in (one, other)]
    for _ in range(6):
        one.take("person", person, 10, seconds=AGE)
    shared[0].exchange()
    other.take("person", person, 10, seconds=AGE)
    shared[1].exchange()
    for _ in range(3):
        other.take("person", person, 10, seconds=AGE)
    with pytest.raises(RateLimited):
        other.take("person", person, 10, seconds=AGE)
    shared[1].exchange()
    one.take("person", f"{person}-2", 10, seconds=AGE)
    shared[0].exchange()
    assert one._counts["person", person, AGE].others == 0, "who asks nothing has nothing to hear"


def test_without_redis_each_process_counts_for_itself() -> None:
    rates = RateCounter()
    shared = Shared(rates._counts, f"redis://127.0.0.1:{free_port()}/0")
    for _ in range(3):
        rates.take("person", "usr_1", 3, seconds=AGE)
    with pytest.raises(RedisError):
        shared.exchange()
    with pytest.raises(RateLimited):
        rates.take("person", "usr_1", 3, seconds=AGE)
    assert rates._counts["person", "usr_1", AGE].untold == 3
